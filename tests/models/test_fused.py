"""Rewritten networks: the same sums, fewer steps."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed; `./kibitzer test` brings it")

from models.train import fused, quantise  # noqa: E402
from vision.reading.descriptors import NETWORKS  # noqa: E402
from vision.reading.weights import find_weights  # noqa: E402

SIDE = 6


def patches(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, SIDE, SIDE, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A residual network of a few maps in full precision, whose last maps are two by two places."""
    node, chance = onnx.helper.make_node, np.random.default_rng(1)
    stored = {
        "gain": np.float32(1 / 64), "two": np.float32(2), "row": np.array([-1, 6], dtype=np.int64),
        "w1": chance.normal(0, 0.2, (4, 3, 3, 3)).astype(np.float32), "b1": np.zeros(4, np.float32),
        "w2": chance.normal(0, 0.2, (6, 4, 3, 3)).astype(np.float32), "b2": chance.normal(0, 0.1, 6).astype(np.float32),
        "w3": chance.normal(0, 0.2, (6, 6, 3, 3)).astype(np.float32), "b3": chance.normal(0, 0.1, 6).astype(np.float32),
    }  # fmt: skip
    square = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    nodes = [
        node("Cast", ["patches"], ["numbers"], to=onnx.TensorProto.FLOAT),
        node("Transpose", ["numbers"], ["maps"], perm=[0, 3, 1, 2]),
        node("Mul", ["maps", "gain"], ["scaled"]),
        node("Sub", ["scaled", "two"], ["moved"]),
        node("Conv", ["moved", "w1", "b1"], ["one"], strides=[1, 1], **square),
        node("Relu", ["one"], ["one_r"]),
        node("MaxPool", ["one_r"], ["pooled"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["pooled", "w2", "b2"], ["two_c"], strides=[2, 2], **square),
        node("Relu", ["two_c"], ["two_r"]),
        node("Conv", ["two_r", "w3", "b3"], ["three"], strides=[1, 1], **square),
        node("Add", ["three", "two_r"], ["sum"]),
        node("Relu", ["sum"], ["sum_r"]),
        node("ReduceMean", ["sum_r"], ["mean"], axes=[2, 3], keepdims=1),
        node("Reshape", ["mean", "row"], ["descriptors"]),
    ]
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes, "small",
        [value("patches", onnx.TensorProto.UINT8, ["n", SIDE, SIDE, 3])],
        [value("descriptors", onnx.TensorProto.FLOAT, ["n", 6])],
        [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in stored.items()],
    )  # fmt: skip
    path = tmp_path_factory.mktemp("network") / "small.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def describe(path: Path, images: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(["descriptors"], {"patches": images})[0])


def kinds(path: Path) -> list[str]:
    return [node.op_type for node in onnx.load(str(path)).graph.node]


def quantised(source: Path, target: Path, monkeypatch: pytest.MonkeyPatch, most_weights: int | None) -> Path:
    """In eight bits; not rewritten where no number is given."""
    if most_weights is None:
        monkeypatch.setattr(quantise, "fuse", lambda path: None)
    else:
        monkeypatch.setattr(fused, "MOST_WEIGHTS", most_weights)
    quantise.quantise(source, target, patches(64))
    monkeypatch.undo()
    return target


def test_a_matrix_in_place_of_a_small_maps_convolution_gives_the_same_to_the_bit(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    convolved = quantised(small, tmp_path / "convolved.onnx", monkeypatch, 0)
    multiplied = quantised(small, tmp_path / "multiplied.onnx", monkeypatch, 4)
    assert kinds(convolved).count("Conv") == 3 and kinds(multiplied).count("Conv") == 1
    assert np.array_equal(describe(convolved, patches(9, 1)), describe(multiplied, patches(9, 1)))
    assert np.array_equal(describe(multiplied, patches(9, 1))[4], describe(multiplied, patches(9, 1)[4:5])[0])


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
