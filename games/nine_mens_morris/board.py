"""The boards of morris: their points, the lines of three on which mills are closed, and which points are joined."""

from __future__ import annotations

import itertools
from typing import NamedTuple

THREE_IN_LINE = 3
"""Points of a line on which a mill is closed."""
POINTS = {
    "nine": "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1",
    "six": "a5 c5 e5 b4 c4 d4 a3 b3 d3 e3 b2 c2 d2 a1 c1 e1",
    "three": "a3 b3 c3 a2 b2 c2 a1 b1 c1",
}
"""The names of each board's points, row by row from the top of the picture."""
SLANTED = {
    "nine": ("a7 b6 c5", "g7 f6 e5", "a1 b2 c3", "g1 f2 e3"),
    "three": ("a3 b2 c1", "c3 b2 a1"),
}
"""Lines along neither rows nor columns; those of nine are drawn with the rule option `diagonals` only."""
CELLS = tuple(POINTS["nine"].split())
FULL = (1 << len(CELLS)) - 1


class Board(NamedTuple):
    cells: tuple[str, ...]
    mills: tuple[int, ...]
    """Every line of three as a bit set."""
    neighbours: tuple[int, ...]
    """The cells joined to each cell, as a bit set."""

    @property
    def full(self) -> int:
        """All points, as a bit set."""
        return (1 << len(self.cells)) - 1


def board(name: str, diagonals: bool = False) -> Board:
    cells = tuple(POINTS[name].split())
    joined = _runs(cells)
    if diagonals or name == "three":
        joined += [tuple(cells.index(point) for point in line.split()) for line in SLANTED[name]]
    neighbours = [0] * len(cells)
    for run in joined:
        for one, other in itertools.pairwise(run):
            neighbours[one] |= 1 << other
            neighbours[other] |= 1 << one
    mills = (sum(1 << cell for cell in run) for run in joined if len(run) == THREE_IN_LINE)
    return Board(cells, tuple(mills), tuple(neighbours))


def lines(diagonals: bool) -> tuple[tuple[int, int, int], ...]:
    """All lines of three joined cells of the usual board, as indices from one end to the other."""
    joined = [(run[0], run[1], run[2]) for run in _runs(CELLS)]
    slanted = (line.split() for line in SLANTED["nine"]) if diagonals else ()
    return (*joined, *((CELLS.index(a), CELLS.index(b), CELLS.index(c)) for a, b, c in slanted))


def _runs(cells: tuple[str, ...]) -> list[tuple[int, ...]]:
    """Joined cells in columns and rows, from one end to the other.

    A middle line is broken by the innermost square into two runs; where two squares are all, these have two cells.
    """
    found: list[tuple[int, ...]] = []
    for axis in (1, 0):
        for letter in dict.fromkeys(name[axis] for name in cells):
            row = [cell for cell, name in enumerate(cells) if name[axis] == letter]
            length = THREE_IN_LINE if len(row) % THREE_IN_LINE == 0 else len(row) // 2
            found += [tuple(row[start : start + length]) for start in range(0, len(row), length)]
    return found
