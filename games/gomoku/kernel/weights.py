"""The trained network of the evaluation and of the order of moves, from the file in `models/`."""

from __future__ import annotations

import functools
import itertools
import operator
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
    return functools.reduce(operator.or_, [(contents >> 2 * place & 3) << 2 * (8 - place) for place in range(9)])


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
    seen, start = (np.split(stored[name], [w.HIDDEN // 2], axis=-1) for name in ("rows", "start"))
    rows = np.concatenate([side for part in seen for side in (part, part[row_of[exchanged(contents)]])], axis=1)
    memory[int(w.ROW_OF) : int(w.ROWS)] = row_of.astype(np.uint16).view(Word)
    memory[int(w.ROWS) : int(w.PATTERN_TABLE)] = rows.reshape(-1).view(Word)
    guides = np.split(stored["guide"], 2)
    memory[int(w.GUIDES) : int(w.ROW_OF)] = np.concatenate([*guides, *guides[::-1]]).view(Word)
    for name, begin, end in (("first", w.FIRST, w.LAST), ("last", w.LAST, w.ADDED), ("added", w.ADDED, w.GUIDES)):
        memory[int(begin) : int(end)] = stored[name].reshape(-1).view(Word)
    memory[int(w.SEEN_LINES) : int(w.NEAR)] = memory[int(w.LINES) : int(w.PATTERNS)]
    memory[int(w.TOTALS) : int(w.FIRST)] = 0
    near = memory[int(w.NEAR) : int(w.TOTALS)].view(np.int16).reshape(w.CELLS, w.NUMBERS)
    stones = memory[int(w.STONES) : int(w.LINES)].astype(np.int64)
    inside = np.flatnonzero(stones == 0)
    near[inside] = np.concatenate([np.tile(part, 2) for part in start])
    for step in w.STEPS:
        near[inside] += rows[row_of[sum(stones[inside + (place - 4) * step] << 2 * place for place in range(9))]]
