"""Endgame tables of nine men's morris: built by retrograde analysis, stored in files, read by memory mapping.

    files        one subspace per file: header, codes, reasons to refuse a file; the folders by rules
    build        solves subspaces, the small ones before those that lead to them
    retrograde   counts back from the ends of the game, in compiled code
    slots        the slots of a subspace in compiled code: the true one of a position, and the position of one
    endgames     the tables of some rules, and perfect play from them
    check        recounts a table, compares its values with the plain rules, measures how often players keep them
    first_use    builds the small tables during a game, in a process of its own

A table holds one byte per position: the code that `agents.tables.retrograde` describes. Draws by
repetition and by quiet moves are ignored.
"""

from __future__ import annotations

DRAW = 0
"""Code of a draw; a code c above 0 is an end c - 1 plies away, lost for the mover if c is odd."""
HOLE = 255
"""Code of a slot without a position."""
MIN_MEN, MAX_MEN = 6, 18
"""Men on the board, both sides together."""
SMALL_MEN = 7
"""Men of the largest tables built on first use: takes seconds, and 4 MB for each set of rules."""
MAX_OF_A_SIDE = 9


class TableError(ValueError):
    """A table that is missing, truncated, damaged, for other rules, or impossible to build."""


def plies(code: int) -> int | None:
    """Plies to the end under best play; None is a draw."""
    return None if code == DRAW else code - 1


def outcome(code: int) -> int:
    """1 if the mover wins, -1 if it loses, 0 for a draw."""
    return 0 if code == DRAW else 1 - 2 * (code & 1)
