"""Finds a network's weights with which the sum of two products of bytes could overflow 16 bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed; `./kibitzer test` brings it")

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
