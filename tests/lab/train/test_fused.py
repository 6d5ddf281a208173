"""Fused networks: the same results in fewer steps."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed; `./kibitzer test` brings it")

from lab.train import fused, quantise  # noqa: E402
from lab.train.fused import Graph  # noqa: E402
from system.weights import find_weights  # noqa: E402
from tests.lab.train.small_network import patches, save_small  # noqa: E402
from vision.reading.descriptors import NETWORKS  # noqa: E402


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_small(tmp_path_factory.mktemp("network") / "small.onnx")


def describe(path: Path, images: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(["descriptors"], {"patches": images})[0])


def kinds(path: Path) -> list[str]:
    return [node.op_type for node in onnx.load(str(path)).graph.node]


def quantised(source: Path, target: Path, monkeypatch: pytest.MonkeyPatch, most_weights: int | None) -> Path:
    """Quantises to eight bits; fuses nothing if `most_weights` is None."""
    if most_weights is None:
        monkeypatch.setattr(quantise, "fuse", lambda path: None)
    else:
        monkeypatch.setattr(fused, "MAX_WEIGHTS", most_weights)
    quantise.quantise(source, target, patches(64))
    monkeypatch.undo()
    return target


def test_a_matrix_in_place_of_a_small_maps_convolution_gives_the_same_but_for_a_rounding(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    convolved = quantised(small, tmp_path / "convolved.onnx", monkeypatch, 0)
    multiplied = quantised(small, tmp_path / "multiplied.onnx", monkeypatch, 4)
    assert kinds(convolved).count("Conv") == 3 and kinds(multiplied).count("Conv") == 1
    one, other = describe(convolved, patches(9, 1)), describe(multiplied, patches(9, 1))
    a_step = one.max() / 100
    assert np.allclose(one, other, rtol=0, atol=a_step)
    assert np.allclose(other[4], describe(multiplied, patches(9, 1)[4:5])[0], rtol=0, atol=a_step)


def test_moving_the_zero_changes_no_weight(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(fused, "move_zero", lambda network: None)
        quantise.quantise(small, tmp_path / "there.onnx", patches(64))
    quantise.quantise(small, tmp_path / "moved.onnx", patches(64))
    there, moved = (Graph(onnx.load(str(tmp_path / f"{name}.onnx"))) for name in ("there", "moved"))
    zeros = []
    for convolution in there.of_kind("Conv"):
        stored, _, zero = there.maker(convolution.input[1]).input
        assert np.array_equal(
            there.constant(stored) - there.constant(zero)[0], moved.constant(stored) - moved.constant(zero)[0]
        )
        zeros.append((there.constant(zero).max(), moved.constant(zero).max()))
    assert zeros and set(zeros) == {(0, -1)}


def test_rewriting_leaves_out_what_rounds_twice_and_comes_nearer_to_full_precision(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = quantised(small, tmp_path / "plain.onnx", monkeypatch, None)
    better = quantised(small, tmp_path / "better.onnx", monkeypatch, 4)
    exact, images = describe(small, patches(200, 2)), patches(200, 2)
    errors = [float(np.abs(describe(path, images) - exact).mean()) for path in (plain, better)]
    assert errors[1] < errors[0] < 0.1 * np.abs(exact).mean()
    assert kinds(better).count("QuantizeLinear") < kinds(plain).count("QuantizeLinear")
    assert not {"Cast", "Mul", "Sub"} & set(kinds(better)), "the bytes are taken as they are"


@pytest.mark.parametrize("name", NETWORKS)
def test_a_rewritten_network_is_rewritten_to_itself(name: str, tmp_path: Path) -> None:
    path = tmp_path / "once.onnx"
    shutil.copy(find_weights(name).path, path)
    fused.fuse(path)
    once = kinds(path)
    fused.fuse(path)
    assert kinds(path) == once
    assert "Cast" not in once
