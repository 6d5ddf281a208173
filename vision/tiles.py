"""Pairs the halves that are seen into tiles: the best set of pairs over the whole board, found at once.

On a checkerboard every tile joins a light square to a dark one, so the best set is an assignment (Kuhn, 1955).
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from games import EMPTY
from vision.reading import BoardReading

FloatArray = NDArray[np.float64]

UP, RIGHT, DOWN, LEFT = 1, 2, 3, 4
"""Columns of `BoardReading.ways`; column 0 is nowhere."""


@dataclasses.dataclass(frozen=True)
class SeenTile:
    """Two halves that are believed to be one tile."""

    cells: tuple[int, int]
    """Indices, ascending."""
    pips: str
    """Class letter of each half."""
    probability: float
    """That both cells are halves, and of each other."""


def pair_halves(reading: BoardReading, template: BoardTemplate) -> tuple[SeenTile, ...]:
    """The tiles on the board, ascending by their first cell.

    Empty for boards whose cells do not go in pairs. A half without a partner, such as one that a hand leaves in
    sight, is in none of them.
    """
    grid = template.source.get("grid")
    if reading.ways is None or grid is None:
        return ()
    rows, columns = int(grid["rows"]), int(grid["columns"])
    odds = pair_odds(reading, rows, columns)
    names = np.arange(rows * columns).reshape(rows, columns)
    colour = np.add.outer(np.arange(rows), np.arange(columns)) % 2
    light, dark = names[colour == 0], names[colour == 1]
    gains = np.zeros((rows * columns, rows * columns))
    for (one, other), gain in odds.items():
        gains[one, other] = gains[other, one] = max(gain, 0.0)
    from scipy.optimize import linear_sum_assignment  # slow to import, and not needed for other games

    chosen = linear_sum_assignment(gains[np.ix_(light, dark)], maximize=True)
    pairs = sorted(tuple(sorted((int(light[i]), int(dark[j])))) for i, j in zip(*chosen, strict=True))
    return tuple(_seen(reading, (one, other)) for one, other in pairs if gains[one, other] > 0)


def pair_odds(reading: BoardReading, rows: int, columns: int) -> dict[tuple[int, int], float]:
    """For each two neighbouring cells, ascending: the log odds that they are one tile, against both being empty."""
    if reading.ways is None:
        raise ValueError("this reading does not say where other halves lie")
    empty = reading.log_probabilities[:, reading.letters.index(EMPTY)]
    occupied = np.log1p(-np.exp(np.minimum(empty, -1e-9)))
    towards = reading.ways[:, 1:] - np.logaddexp.reduce(reading.ways[:, 1:], axis=1, keepdims=True)
    score = (occupied - empty)[:, None] + towards
    odds = {}
    for row in range(rows):
        for column in range(columns):
            cell = row * columns + column
            if column + 1 < columns:
                odds[cell, cell + 1] = float(score[cell, RIGHT - 1] + score[cell + 1, LEFT - 1])
            if row + 1 < rows:
                odds[cell, cell + columns] = float(score[cell, DOWN - 1] + score[cell + columns, UP - 1])
    return odds


def _seen(reading: BoardReading, cells: tuple[int, int]) -> SeenTile:
    """The pair, with the most probable pips of each half."""
    start = reading.letters.index(EMPTY)
    logs = np.delete(reading.log_probabilities[list(cells)], start, axis=1)
    letters = reading.letters.replace(EMPTY, "")
    pips = "".join(letters[index] for index in logs.argmax(axis=1))
    assert reading.ways is not None
    across = cells[1] - cells[0] == 1
    ways = reading.ways[cells[0], RIGHT if across else DOWN], reading.ways[cells[1], LEFT if across else UP]
    return SeenTile(cells, pips, float(np.exp(logs.max(axis=1).sum() + sum(ways))))
