"""A small residual network in full precision, whose last maps have two by two places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed; `./kibitzer test` brings it")

SIDE = 6


def patches(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, SIDE, SIDE, 3), dtype=np.uint8)


def save_small(path: Path) -> Path:
    """Writes the network; returns the path."""
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
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
    return path


LEAST, MOST = -(2**15), 2**15 - 1


def overflowing(path: Path) -> list[str]:
    """Names of stored eight-bit weights of which some two in an output channel, times 255, add up to an overflow.

    Which two products are added depends on the processor's routines, so all pairs of stored weights count.
    """
    names, seen = [], 0
    for stored in onnx.load(str(path)).graph.initializer:
        weights = onnx.numpy_helper.to_array(stored)
        if weights.dtype != np.int8 or weights.ndim != 4:
            continue
        seen += 1
        channels = np.sort(255 * weights.reshape(len(weights), -1).astype(np.int64), axis=1)
        if channels[:, :2].sum(axis=1).min() < LEAST or channels[:, -2:].sum(axis=1).max() > MOST:
            names.append(stored.name)
    assert seen, "no eight-bit weights at all"
    return names
