"""Eight-bit weights with which no sum of two products overflows 16 bits, on any processor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed; `./kibitzer test` brings it")

from lab.train import quantise  # noqa: E402
from lab.train.fused import Graph  # noqa: E402
from lab.train.patch_pool import draw_pool  # noqa: E402
from lab.train.quantise import constants, narrow  # noqa: E402
from system.weights import find_weights  # noqa: E402
from tests.lab.train.small_network import (  # noqa: E402
    overflowing,
    patches,
    save_small,
)
from vision.reading.descriptors import NETWORKS, load_network  # noqa: E402


@pytest.mark.parametrize("name", NETWORKS)
def test_no_two_products_of_shipped_weights_overflow_sixteen_bits(name: str) -> None:
    assert overflowing(find_weights(name).path) == []


@pytest.fixture(scope="module")
def images() -> np.ndarray:
    return draw_pool(48, seed=3).images


@pytest.mark.parametrize("name", NETWORKS)
def test_shipped_networks_describe_as_their_own_weights_in_full_precision(name: str, images: np.ndarray) -> None:
    """Differences by rounding are allowed; clipping would change half of the patches by a hundredth or more."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(find_weights(name).path, options, providers=["CPUExecutionProvider"])
    (full,) = session.run(["descriptors"], {"patches": images})
    apart = np.linalg.norm(load_network(name).describe(images) - full, axis=1) / np.linalg.norm(full, axis=1)
    assert np.median(apart) < 0.005 and apart.max() < 0.1


@pytest.fixture
def quantised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small network in eight bits, just as ONNX Runtime's quantiser writes it, with full.onnx beside it."""
    save_small(tmp_path / "full.onnx")
    with monkeypatch.context() as patched:
        patched.setattr(quantise, "narrow", lambda path, full: None)
        patched.setattr(quantise, "fuse", lambda path: None)
        quantise.quantise(tmp_path / "full.onnx", tmp_path / "quantised.onnx", patches(64))
    return tmp_path / "quantised.onnx"


def test_weights_that_overflow_are_rounded_anew_and_their_biases_stay(quantised: Path) -> None:
    full = constants(quantised.with_name("full.onnx"))
    assert len(overflowing(quantised)) == 3
    narrow(quantised, quantised.with_name("full.onnx"))
    assert overflowing(quantised) == []
    network = Graph(onnx.load(str(quantised)))
    for number, convolution in enumerate(network.of_kind("Conv"), 1):
        (weights, steps, _), (bias, finer, _) = (
            [network.constant(name) for name in network.maker(convolution.input[place]).input] for place in (1, 2)
        )
        wide = steps.reshape(-1, 1, 1, 1)
        assert (np.abs(weights * wide - full[f"w{number}"]) < 0.51 * wide).all()
        assert np.allclose(bias * finer, full[f"b{number}"], atol=float(finer.max()))


def test_one_great_weight_among_small_ones_keeps_nearly_eight_bits(quantised: Path) -> None:
    full = quantised.with_name("full.onnx")
    model = onnx.load(str(full))
    weights = constants(full)["w1"] / 10
    weights[0, 0, 0, 0] = 1.0
    next(one for one in model.graph.initializer if one.name == "w1").CopyFrom(
        onnx.numpy_helper.from_array(weights.astype(np.float32), "w1")
    )
    onnx.save(model, full)
    narrow(quantised, full)
    assert constants(quantised)["w1_quantized"][0].max() > 110
