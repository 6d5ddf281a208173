"""Draws any board in a terminal from its template, in box-drawing characters; new games need no code here.

A board with a printed track gets it around the cells, with the values of its spaces and the pawns on them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np

from calibration.template import BoardTemplate
from rules import EMPTY, AnyGame

MEN = {"W": "○", "B": "●"}
"""Light and dark pieces; figures are shown by their signs, every other class by its letter."""
FOREIGN = "×"
"""Stands for what lies on a cell and is no piece."""
LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8
JUNCTIONS = " ╴╶─╵┘└┴╷┐┌┬│┤├┼"
"""Characters, indexed by the sum of the LEFT, RIGHT, UP and DOWN arms drawn."""
BARE = "·"
POINTS, STAR = " ①②③④⑤⑥⑦⑧⑨", "★"
"""Signs of an empty cell by its points, and of the one that the first piece covers."""
WIDE = 9
"""Most columns drawn at full size; wider boards are drawn at half the size."""
SAME_MM = 1.0
NEW, OLD = "\x1b[7m", "\x1b[0m"
"""Terminal codes around the cells of the last move."""


class TextBoard:
    def __init__(self, template: BoardTemplate, game: AnyGame | None = None) -> None:
        """With `game`, empty cells show what they are worth."""
        self._template = template
        self._xs, self._ys = (_ranks(template.cells_mm[:, axis]) for axis in (0, 1))
        self._squares = _lies_between(template)
        self._wide, self._high = (2, 1) if len(self._xs) > WIDE or self._squares else (4, 2)
        self._places = [self._place(x, y) for x, y in template.cells_mm]
        self._track = self._track_places()
        self._signs = {} if game is None else _signs(game)
        self._ground = self._empty()

    def draw(
        self, board: str, new: Collection[int] = (), *, colour: bool = False, pawns: Sequence[tuple[str, int]] = ()
    ) -> str:
        """The board with its pieces, coordinates beside and below; with `colour`, `new` cells are shown reversed.

        `pawns` are signs with the spaces of the track, from 1 on, on which they stand; 0 is off the track.
        """
        rows = [list(row) for row in self._ground]
        for sign, space in pawns:
            if 0 < space <= len(self._track):
                row, column = self._track[space - 1]
                rows[row][column] = sign
        for cell, (row, column) in enumerate(self._places):
            if board[cell] == EMPTY:
                rows[row][column] = self._signs.get(cell, rows[row][column])
            else:
                figure = self._template.figures.get(board[cell])
                rows[row][column] = MEN.get(board[cell], board[cell]) if figure is None else figure.sign
            if colour and cell in new:
                rows[row][column] = f"{NEW}{rows[row][column]}{OLD}"
        labels = (self._numbers if self._template.is_numbered else self._labels)(
            [row for row, _ in self._places], len(rows)
        )
        width = max(map(len, labels))
        lines = [f"{label:>{width}}  {''.join(row)}".rstrip() for label, row in zip(labels, rows, strict=True)]
        names = self._labels([column for _, column in self._places], len(self._ground[0]))
        under = "".join(name[:1] or " " for name in names)
        return "\n".join([*lines, f"{'':{width}}  {under}".rstrip()])

    def _place(self, x: float, y: float) -> tuple[int, int]:
        return self._high * _rank(self._ys, y), self._wide * _rank(self._xs, x)

    def _track_places(self) -> list[tuple[int, int]]:
        """Where the spaces of the track stand; makes room for them on all sides of the cells."""
        if not len(self._template.track_mm):
            return []
        grain = self._template.pitch_mm / np.array([self._wide, self._high])
        places = np.round((self._template.track_mm - self._template.cells_mm.min(axis=0)) / grain).astype(int)[:, ::-1]
        top, left = np.maximum(0, -places.min(axis=0))
        self._places = [(row + top, column + left) for row, column in self._places]
        return [(int(row + top), int(column + left)) for row, column in places]

    def _empty(self) -> list[str]:
        size = tuple(max(ends) + 1 for ends in zip(*self._places, *self._track, strict=True))
        drawn, slanted = np.zeros(size, dtype=np.uint8), dict[tuple[int, int], str]()
        for start, end in [] if self._squares else self._template.lines_mm:
            self._line(self._place(*start), self._place(*end), drawn, slanted)
        rows = [[JUNCTIONS[bits] for bits in row] for row in drawn]
        for (row, column), mark in slanted.items():
            rows[row][column] = mark
        for row, column in self._places:
            rows[row][column] = JUNCTIONS[drawn[row, column]] if drawn[row, column] else BARE
        values = () if self._template.printed is None else self._template.printed.track_values
        for (row, column), value in zip(self._track, values, strict=True):
            rows[row][column] = str(value)
        return ["".join(row) for row in rows]

    def _line(
        self, start: tuple[int, int], end: tuple[int, int], drawn: np.ndarray, slanted: dict[tuple[int, int], str]
    ) -> None:
        """Draws a segment: along rows and columns as bits of junctions, diagonal as single marks between cells."""
        (top, left), (bottom, right) = min(start, end), max(start, end)
        if top == bottom:
            drawn[top, left:right] |= RIGHT
            drawn[top, left + 1 : right + 1] |= LEFT
        elif left == right:
            drawn[top:bottom, left] |= DOWN
            drawn[top + 1 : bottom + 1, left] |= UP
        elif self._high > 1:
            for step in range(top + 1, bottom, 2):
                share = (step - top) / (bottom - top)
                slanted[step, round(left + share * (right - left))] = "╲" if right > left else "╱"

    def _names(self, lines: Sequence[int], count: int) -> list[list[str]]:
        """The names of the cells on each line."""
        names: list[list[str]] = [[] for _ in range(count)]
        for line, name in zip(lines, self._template.cell_names, strict=True):
            names[line].append(name)
        return names

    def _labels(self, lines: Sequence[int], count: int) -> list[str]:
        """The part shared by the names of all cells on a line: `7` for a7, d7 and g7; empty for lines without cells."""
        parts = [[set(re.findall(r"[A-Za-z]+|\d+", name)) for name in line] for line in self._names(lines, count)]
        return ["".join(sorted(set.intersection(*line))) if line else "" for line in parts]

    def _numbers(self, lines: Sequence[int], count: int) -> list[str]:
        """The first and last number on each line, `1-4`."""
        return [f"{line[0]}-{line[-1]}" if line else "" for line in self._names(lines, count)]


def _signs(game: AnyGame) -> dict[int, str]:
    """What empty cells show, by cell."""
    signs = {cell: POINTS[points] for cell, points in enumerate(game.about.cell_points) if points}
    return signs if game.about.star is None else signs | {game.about.star: STAR}


def _ranks(values: np.ndarray) -> list[float]:
    found: list[float] = []
    for value in sorted(map(float, values)):
        if not found or value - found[-1] > SAME_MM:
            found.append(value)
    return found


def _rank(ranks: Sequence[float], value: float) -> int:
    return int(np.argmin([abs(rank - value) for rank in ranks]))


def _lies_between(template: BoardTemplate) -> bool:
    """Whether cells are the squares between the lines: no line ends at a cell."""
    ends = template.lines_mm.reshape(-1, 2)
    return not len(ends) or not bool((np.abs(ends[:, None] - template.cells_mm[None]).max(axis=2) < SAME_MM).any())
