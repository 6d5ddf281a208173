"""Eight-bit weights in steps so wide that no two of their products overflow 16 bits.

A processor with AVX2 but without VNNI multiplies bytes by weights and adds the products in pairs, in 16 bits
(`vpmaddubsw`). Sums that do not fit are clipped, and the network then describes the same cell differently than on other
processors. Which weights are paired depends on the routine, so no two weights of an output channel with the same sign
may be too great together. If the two greatest are alike, that leaves seven bits; a single great one costs the others
nothing.

    python -m lab.train.narrowed FOLDER

does this to the networks of a folder that were quantised without it, rewrites them (`fused`) and renews their digests:
ResNet-18 from its weights in half precision, the network of halves from its rounded weights. Running it again changes
nothing.
"""

from __future__ import annotations

import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from onnxruntime.quantization.shape_inference import quant_pre_process

from lab.train.fused import Graph, Node, fuse
from places.weights import write_entry

PAIR = np.iinfo(np.int16).max // np.iinfo(np.uint8).max - 2
"""Greatest sum of two weights of one sign: two less than fits, since `fused.move_zero` takes 1 from each."""
SOURCES = {"resnet18": "resnet18_fp16.onnx", "halves": None}
"""Shipped networks, with the file of the weights that they were rounded from."""


def narrow(path: Path, full: Path | None = None) -> None:
    """Rounds weights again where two are too great together, from the like-named ones of the network `full`."""
    network = Graph(onnx.load(str(path)))
    exact = {} if full is None else constants(full)
    for node in (*network.of_kind("Conv"), *network.of_kind("Gemm")):
        _narrow(network, node, exact)
    network.save(path)


def constants(path: Path) -> dict[str, NDArray[Any]]:
    return {stored.name: np.asarray(numpy_helper.to_array(stored)) for stored in onnx.load(str(path)).graph.initializer}


def greatest_pairs(rows: NDArray[Any]) -> NDArray[Any]:
    """(channels,) for weights (channels, n): the greatest absolute sum of two weights of the same sign."""
    ordered = np.sort(rows, axis=1)
    return np.asarray(np.maximum(ordered[:, -2:].sum(axis=1), -ordered[:, :2].sum(axis=1)))


def _narrow(network: Graph, node: Node, exact: Mapping[str, NDArray[Any]]) -> None:
    """Narrows the weights of one convolution, or of the matrix product in its place, and adapts its bias."""
    makers = [network.maker(name) for name in node.input[1:]]
    widened, *bias = [made for made in makers if made is not None and made.op_type == "DequantizeLinear"] or [None]
    if widened is None:
        return
    name = widened.input[0]
    while (made := network.maker(name)) is not None:
        name = made.input[0]
    stored, steps, zeros = (network.constant(one) for one in (name, *widened.input[1:]))
    weights = (stored.astype(np.int64) - zeros[0]).reshape(len(stored), -1)
    times = len(steps) // len(stored)  # a matrix has a step for each place of each map
    before = steps[::times].astype(np.float64)
    full = exact[name.removesuffix("_quantized")].reshape(weights.shape) if exact else weights * before[:, None]
    over = greatest_pairs(weights) > PAIR
    # One less: two weights that end in a half may both be rounded up.
    after = np.where(over, greatest_pairs(full) / (PAIR - 1), before)
    rounded = np.where(over[:, None], np.rint(full / after[:, None]), weights) + zeros[0]
    network.change(name, rounded.reshape(stored.shape).astype(stored.dtype))
    wider = np.repeat(after / before, times)
    network.change(widened.input[1], (steps * wider).astype(steps.dtype))
    for one in bias:
        numbers, its_steps = (network.constant(name) for name in one.input[:2])
        network.change(one.input[0], np.rint(numbers / wider).astype(numbers.dtype))
        network.change(one.input[1], (its_steps * wider).astype(its_steps.dtype))


def narrow_shipped(folder: Path) -> None:
    """Narrows the networks of `SOURCES` in a folder with their manifest."""
    for name, source in SOURCES.items():
        entry = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))[name]
        path = folder / entry.pop("file")
        with tempfile.TemporaryDirectory() as work:
            full = None if source is None else Path(work) / source
            if full is not None:
                quant_pre_process(str(folder / str(source)), str(full), skip_symbolic_shape=True)
            narrow(path, full)
        fuse(path)
        write_entry(folder, name, path.name, {key: value for key, value in entry.items() if key != "sha256"})


if __name__ == "__main__":
    narrow_shipped(Path(sys.argv[1]))
