"""Endgame tables of nine men's morris: made by retrograde analysis, kept as files, read by mapping them.

    files        one subspace in one file: header, codes, and what makes a file refused
    folder       where the tables of some rules lie, and which subspaces so many men need
    build        solves subspaces, the small before those that lead to them
    check        recounts a table and holds its values against the plain rules
    keeping      how often players keep what a position of a table is worth
    first_use    builds the small tables beside a game, in a process of its own

A table holds a byte for each position: the code that `agents.kernels.nine_mens_morris.retrograde` describes. Draws by
repetition and by quiet moves are ignored.
"""

from __future__ import annotations

DRAW = 0
"""The code of a draw; c above 0 is an end c - 1 plies on, lost for the mover if c is odd."""
HOLE = 255
"""The code of a slot that stands for no position."""
MIN_MEN, MAX_MEN = 6, 18
"""On the board, both sides together."""
SMALL_MEN = 7
"""Tables up to so many men are built on first use: seconds, and 4 MB for each set of rules."""
MAX_OF_A_SIDE = 9


class TableError(ValueError):
    """A table that is absent, cut short, damaged, or of other rules, or one that cannot be made."""


def plies(code: int) -> int | None:
    """Plies to the end under best play; None is a draw."""
    return None if code == DRAW else code - 1


def outcome(code: int) -> int:
    """1 where the mover wins, -1 where it loses, 0 for a draw."""
    return 0 if code == DRAW else 1 - 2 * (code & 1)
