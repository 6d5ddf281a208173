"""The trained network of the evaluation, from the file in `models/`, and how promising patterns on a cell are."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.kernels.memory import Memory, Word
from games.gomoku.kernel import memory as w
from system.weights import find_weights

NAME = "gomoku_network"
Numbers = NDArray[np.int64]


def mirrored(contents: Numbers) -> Numbers:
    """Contents of nine cells, two bits each, in reverse order."""
    found: Numbers = np.sum(
        [(contents >> 2 * place & 3) << 2 * (8 - place) for place in range(9)], axis=0, dtype=np.int64
    )
    return found


def exchanged(contents: Numbers) -> Numbers:
    """Contents with black and white exchanged; 3, beyond the edge, stays."""
    return (contents & 0x15555) << 1 | contents >> 1 & 0x15555


@functools.cache
def rows_of() -> tuple[Numbers, Numbers]:
    """The number of the row for every content of nine cells, and the content that each row stands for."""
    sides = np.arange(2**8)
    outside = [sides >> 2 * place & 3 == 3 for place in range(4)]
    # Beyond the edge is no cell of the board.
    before = sides[~np.any([near & ~far for far, near in itertools.pairwise(outside)], axis=0)]
    contents = (before[:, None, None] | (np.arange(3) << 8)[:, None] | mirrored(before)).ravel()
    known, rows = np.unique(np.minimum(contents, mirrored(contents)), return_inverse=True)
    row_of = np.zeros(2**18, np.int64)
    row_of[contents] = rows
    return row_of, known


@functools.cache
def network() -> Mapping[str, NDArray[Any]]:
    """The file's arrays. Raises WeightsError."""
    with np.load(find_weights(NAME).path) as stored:
        return dict(stored)


def write_network(memory: Memory, stored: Mapping[str, NDArray[Any]]) -> None:
    """Writes the network's weights, and its numbers for the board without stones."""
    row_of, contents = rows_of()
    rows = np.concatenate([stored["rows"], stored["rows"][row_of[exchanged(contents)]]], axis=1)
    memory[int(w.ROW_OF) : int(w.ROWS)] = row_of.astype(np.uint16).view(Word)
    memory[int(w.ROWS) : int(w.VALUES)] = rows.reshape(-1).view(Word)
    for name, start, end in (("first", w.FIRST, w.LAST), ("last", w.LAST, w.ADDED), ("added", w.ADDED, w.ROW_OF)):
        memory[int(start) : int(end)] = stored[name].reshape(-1).view(Word)
    memory[int(w.SEEN_LINES) : int(w.NEAR)] = memory[int(w.LINES) : int(w.PATTERNS)]
    memory[int(w.TOTALS) : int(w.MOVERS)] = 0
    near = memory[int(w.NEAR) : int(w.TOTALS)].view(np.int16).reshape(w.CELLS, w.HIDDEN)
    stones = memory[int(w.STONES) : int(w.LINES)].astype(np.int64)
    inside = np.flatnonzero(stones == 0)
    near[inside] = np.tile(stored["start"], 2)
    for step in w.STEPS:
        near[inside] += rows[row_of[sum(stones[inside + (place - 4) * step] << 2 * place for place in range(9))]]


PROMISES = {2: 2, 3: 6, 4: 10, 5: 24, 8: 30, 9: 100, 10: 200}
"""What each pattern adds to the promise of a move, by its number."""
DOUBLE_PROMISE = 90
"""What two patterns that win together add: two open threes, or a four and an open three."""


def promises() -> NDArray[np.uint8]:
    """One byte for every combination of four patterns, four bits each: how promising a stone there is."""
    code = np.arange(2**16)
    four = np.stack([code >> shift & 15 for shift in (0, 4, 8, 12)])
    found = np.array([PROMISES.get(pattern, 0) for pattern in range(16)])[four].sum(axis=0)
    fours, threes = (four >= 8).sum(axis=0), ((four & 13) == 5).sum(axis=0)
    found += DOUBLE_PROMISE * ((threes > 0) & (threes + fours > 1))
    capped: NDArray[np.uint8] = np.minimum(found, 255).astype(np.uint8)
    return capped
