"""Layout of chess's own part of a search's memory; `allocate` fills in the tables and the rules.

A cell is a number as in `games.chess.board`, a8 first; a set of cells has a bit for each. The kind of a piece is a
number of three bits, and each of these bits has a set of its own, so that a position needs five sets: those of either
side's pieces, and ONES, TWOS and FOURS, the pieces whose kind has that bit.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable

import numpy as np

from agents.kernels import memory as common
from agents.kernels.memory import OWN, Memory, Word, write
from games.chess import board

PAWN, KNIGHT, KING, BISHOP, ROOK, QUEEN = (Word(kind) for kind in (1, 2, 3, 5, 6, 7))
"""Kinds of pieces, 0 being none: a slider has FOURS, with ONES if it goes slanting, with TWOS if straight."""
KINDS = {"P": PAWN, "N": KNIGHT, "B": BISHOP, "R": ROOK, "Q": QUEEN, "K": KING}
NOWHERE, CLAIMED = Word(64), Word(65)
"""In place of a cell."""

MINE, THEIRS, ONES, TWOS, FOURS = (Word(place) for place in range(5))
SIDE = Word(5)
"""The side to move."""
ROOKS = Word(6)
"""Rooks with which castling is not yet lost."""
ENTRY = Word(7)
"""The cell where a pawn may now be taken in passing, NOWHERE, or CLAIMED once a draw was claimed."""
QUIET = Word(8)
"""Plies since a pawn moved or a piece was taken."""
CHECKERS, PINNED = Word(10), Word(11)
"""Enemy pieces that give check; own ones that shield their king."""
PLACED = Word(12)
"""White's worth of all pieces where they stand, two numbers in one as `weights` packs them."""
LAST = Word(13)
"""Cell where the last move arrived; NOWHERE after a claim or a pass."""
STATIC = Word(9)
"""What the evaluation said of the position, where it was asked."""

REPEATED, LONGEST = OWN, OWN + Word(1)
"""How often a position comes, and how many quiet plies there are, until the game is drawn; 0 is never."""
DEAD_DRAWN = OWN + Word(3)
"""Not 0: the game is drawn when nobody can give mate."""
JUDGE = OWN + Word(4)
"""Which evaluation judges: one of `evaluation`."""
LINES = OWN + Word(16)
"""8 words per cell: the cells before and after it on its row, its column and its two diagonals."""
KNIGHT_TO = LINES + Word(64 * 8)
KING_TO = KNIGHT_TO + Word(64)
PAWN_TO = KING_TO + Word(64)
"""64 words per side: where its pawn takes."""
BETWEEN = PAWN_TO + Word(2 * 64)
"""64 x 64 words: the cells between two on a line."""
THROUGH = BETWEEN + Word(64 * 64)
"""64 x 64 words: all cells on the line through two."""
HASHES = THROUGH + Word(64 * 64)
"""8 x 64 words per side: what a piece adds to KEY."""
ROOK_HASHES = HASHES + Word(2 * 8 * 64)
ENTRY_HASHES = ROOK_HASHES + Word(64)
SIDE_HASH = ENTRY_HASHES + Word(66)
REDUCTIONS = SIDE_HASH + Word(1)
"""64 x 64 words: plies by which a move is searched less deeply, by depth and by moves before it."""
QUIET_HISTORY = REDUCTIONS + Word(64 * 64)
"""4096 words per side: how often a quiet move was good, by the low twelve bits of its code."""
WORTHS = QUIET_HISTORY + Word(2 * 4096)
"""8 x 64 words per side: White's worth of a piece on a cell."""
WEIGHTS = WORTHS + Word(2 * 8 * 64)
"""Weights of the other features, in the order of `weights`."""
MAX_WEIGHTS = 512
END = WEIGHTS + Word(MAX_WEIGHTS)


def _bits(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def _line(cell: int, other: int) -> int:
    """Where the words of a cell's line through another begin in LINES."""
    x, y = other % 8 - cell % 8, other // 8 - cell // 8
    return int(LINES) + 8 * cell + 2 * (0 if y == 0 else 1 if x == 0 else 2 if x == y else 3)


@functools.cache
def _tables() -> Memory:
    """All words from LINES to QUIET_HISTORY, which are the same in every search."""
    table = np.zeros(int(END), dtype=Word)
    write(table, KNIGHT_TO, map(_bits, board.KNIGHT))
    write(table, KING_TO, map(_bits, board.KING))
    write(table, PAWN_TO, map(_bits, itertools.chain(*board.PAWN_TAKES)))
    for (cell, other), cells in board.BETWEEN.items():
        table[_line(cell, other) + (other > cell)] |= Word(1 << other)
        table[int(BETWEEN) + 64 * cell + other] = _bits(cells)
    for cell, other in board.BETWEEN:
        line = _line(cell, other)
        table[int(THROUGH) + 64 * cell + other] = table[line] | table[line + 1] | Word(1 << cell)
    draw = np.random.default_rng(0)  # any numbers will do that differ in all bits
    table[int(HASHES) : int(REDUCTIONS)] = draw.integers(2**64, size=int(REDUCTIONS - HASHES), dtype=Word)
    table[int(ENTRY_HASHES + NOWHERE)] = 0
    for depth in range(1, 64):
        for done in range(1, 64):
            table[int(REDUCTIONS) + 64 * depth + done] = round(0.5 + math.log(depth) * math.log(done) / 2)
    return table[int(LINES) : int(QUIET_HISTORY)]


def allocate(table_mb: int) -> Memory:
    """Allocates a search's memory with a transposition table of at most `table_mb` MiB, without rules and weights."""
    memory = common.allocate(END, table_mb, noise_bits=12)
    memory[int(LINES) : int(QUIET_HISTORY)] = _tables()
    return memory
