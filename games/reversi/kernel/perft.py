"""Counts move sequences as in published tables: passes are plies, a finished game stays one leaf at every depth.

Without a hash table, so every leaf is counted; moves of the last ply are counted without being played.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, number
from agents.kernels.loops import each_bit
from games.reversi import Position, Reversi
from games.reversi.kernel.discs import flips, moves

U = np.uint64
ZERO, ONE = U(0), U(1)


@compiled("int64(uint64, uint64, int64)")
def leaves(mine: np.uint64, theirs: np.uint64, depth: int) -> int:
    """Number of sequences of `depth` plies; `depth` is at least one."""
    where = moves(mine, theirs)
    if where == ZERO:
        return 1 if depth == 1 or moves(theirs, mine) == ZERO else leaves(theirs, mine, depth - 1)
    if depth == 1:
        return number(where)
    total = 0
    for square in each_bit(where):
        turned = flips(mine, theirs, square)
        total += leaves(theirs ^ turned, mine | turned | ONE << square, depth - 1)
    return total


def count(game: Reversi, position: Position, depth: int) -> int | None:
    """The leaves of `depth` plies from a position."""
    if depth <= 0:
        return 1
    mine, theirs = position.discs[position.side], position.discs[1 - position.side]
    return int(leaves(np.uint64(mine), np.uint64(theirs), depth))
