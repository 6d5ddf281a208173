"""What a board of known content teaches about the look of a table's men, and why another teaches nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from calibration.arrays import FloatArray, Indices
from calibration.template import BoardTemplate
from vision.calibrating.verdict import Expectation
from vision.pose import turns_of
from vision.reading.taught import Taught

CLEARLY_NATS = 2.0
"""Nats by which a single cell may not look more like another class."""


@dataclasses.dataclass(frozen=True, eq=False)
class Lesson:
    taught: Taught | None
    """None for men who differ in shape: they are read by what is known of other sets."""
    turn: int
    """Number of corners by which the board's own top left lies further clockwise than it was taken to."""
    expectation: Expectation
    board: str
    """As `rules.figures_of` has it; empty where it is not in view now."""


@dataclasses.dataclass(frozen=True, eq=False)
class Unlike:
    why: Literal["absent", "alike", "odd"]
    """No such board is in view; it is, but the sides' men look alike; or some cells look otherwise than they should."""
    cells: tuple[int, ...]
    """Cells that look like another class than they should, ascending; none where the sides' men look alike."""


@dataclasses.dataclass(frozen=True)
class Way:
    """A way in which a board may lie."""

    turn: int
    board: str
    """As `rules.figures_of` has it."""
    cells: Indices
    """(cells,) the cells seen where the board's own cells lie."""


def ways_to_lie(boards: Sequence[str], template: BoardTemplate) -> Iterator[Way]:
    """Yields each way that looks different to the camera once."""
    ways = set[str]()
    for turn in turns_of(template):
        cells = turned_cells(template, turn)
        if cells is None:
            continue
        for board in boards:
            as_seen = "".join(board[cell] for cell in np.argsort(cells))
            if as_seen not in ways:
                ways.add(as_seen)
                yield Way(turn, board, cells)


def turned_cells(template: BoardTemplate, turn: int) -> Indices | None:
    """(cells,) index of the cell seen where each cell lies once the board is turned; None if no cell is there."""
    at = template.cells_mm - np.array(template.size_mm) / 2
    for _ in range(turn):
        at = np.stack([-at[:, 1], at[:, 0]], axis=1)  # a quarter clockwise, as y points down
    at += np.array(template.size_mm) / 2
    apart = np.linalg.norm(at[:, None] - template.cells_mm[None], axis=2)
    return np.asarray(apart.argmin(axis=1)) if apart.min(axis=1).max() < template.pitch_mm / 4 else None


def contradicted(logs: FloatArray, classes: Indices, most: float) -> Unlike | None:
    """Why cells known to hold `classes`, empty first, teach nothing: more than that share look otherwise, or one does
    clearly.

    `logs` are the log probabilities of each by what the others tell; columns after those of the classes stand for what
    is none of them, such as a lamp's reflection, and speak for no other class.
    """
    own, like = logs[np.arange(len(logs)), classes], logs.argmax(axis=1)
    odd = np.flatnonzero(like != classes)
    clear = logs[:, : classes.max() + 1].max(axis=1) - own > CLEARLY_NATS
    if len(odd) <= most * len(logs) and not clear.any():
        return None
    mistaken = odd[(classes[odd] > 0) & (like[odd] > 0) & (like[odd] <= classes.max())]
    if 2 * len(mistaken) > len(odd) and len(set(classes[mistaken])) > 1:  # men of either side for the other's
        return Unlike("alike", ())
    return Unlike("odd", tuple(map(int, odd)))
