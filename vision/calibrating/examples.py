"""Bounded store of cells of known class, preferring newer cells and those that were read with doubt."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.reading.descriptors import Descriptors

MAX_OF_A_CLASS = 216
"""Most examples of one class, divided equally among the kinds of cells."""
MIN_OF_A_KIND = 8
HALF_LIFE_BOARDS = 24.0
"""Boards after which an example is half as likely to be kept as a new one."""
UNSURE_WEIGHT = 4.0
"""Extra weight in the reservoir of a cell read wholly wrong over one read with certainty."""
ON_LINE_MM = 0.5
"""Millimetres within which a drawn line belongs to a cell."""


@dataclasses.dataclass(frozen=True, eq=False)
class Example:
    """One cell of one board."""

    descriptor: NDArray[np.float32]
    """(length,)."""
    letter: str
    kind: int
    """Kind of the printed drawing at the cell, as numbered by `cell_kinds`."""
    weight: float
    """1 for a cell read with certainty, up to 1 + UNSURE_WEIGHT for one read wrong."""
    board: int
    """Serial number of the board it was seen on."""


@dataclasses.dataclass(frozen=True, eq=False)
class Examples:
    """Examples as arrays, for fitting."""

    descriptors: Descriptors
    """(n, length)."""
    letters: str
    """Class letter of each example."""
    weights: NDArray[np.float64]
    """(n,)."""
    newest_board: int = -1
    """Serial number of the newest board among the examples; -1 if there are none."""
    kinds: tuple[int, ...] = ()
    """Cell kind of each example, if known."""

    def each(self, board: int) -> list[Example]:
        """The examples one by one, as if seen on the board with that serial number."""
        rows = zip(self.descriptors, self.letters, self.kinds, self.weights.tolist(), strict=True)
        return [Example(described, letter, kind, weight, board) for described, letter, kind, weight in rows]


class Reservoir:
    """A bounded sample of examples, with a separate limit for each class on each kind of cell.

    Weighted random sampling decides what stays (Efraimidis, Spirakis 2006: the greatest u ** (1 / w)). Weights grow
    with time, so that older examples fade (Cormode et al. 2009: forward decay). Deterministic for a given seed.
    """

    def __init__(self, kinds: int, seed: int = 0) -> None:
        self.room = max(MIN_OF_A_KIND, MAX_OF_A_CLASS // max(1, kinds))
        """Most examples of one class on one kind of cell."""
        self._chance = np.random.default_rng(seed)
        self._kept: dict[tuple[str, int], list[tuple[float, Example]]] = collections.defaultdict(list)

    def __len__(self) -> int:
        return sum(map(len, self._kept.values()))

    def add(self, example: Example) -> None:
        """Adds an example; if its class and kind are full, a random one is dropped, which may be the new one."""
        faded = example.board * np.log(2) / HALF_LIFE_BOARDS
        # The logarithm of -log(u) / w: the smallest keys stay.
        key = float(np.log(self._chance.exponential()) - np.log(example.weight) - faded)
        kept = self._kept[example.letter, example.kind]
        kept.append((key, example))
        if len(kept) > self.room:
            kept.remove(max(kept, key=lambda one: one[0]))

    def withdraw(self, board: int) -> int:
        """Removes the examples of that board and of later ones; returns how many they were."""
        before = len(self)
        for place, kept in self._kept.items():
            self._kept[place] = [one for one in kept if one[1].board < board]
        return before - len(self)

    def count(self, letter: str) -> int:
        """Number of examples of a class."""
        return sum(len(kept) for (own, _), kept in self._kept.items() if own == letter)

    def examples(self) -> Examples:
        """All examples, in no particular order."""
        every = [example for kept in self._kept.values() for _, example in kept]
        return Examples(
            np.array([one.descriptor for one in every], dtype=np.float32) if every else np.zeros((0, 0), np.float32),
            "".join(one.letter for one in every),
            np.array([one.weight for one in every], dtype=np.float64),
            max((one.board for one in every), default=-1),
            tuple(one.kind for one in every),
        )


def cell_kinds(template: BoardTemplate) -> NDArray[np.intp]:
    """(cells,) the kind of each cell, from 0: cells are of one kind if drawn lines leave them in the same directions.

    On a board of squares, whose lines pass beside the cells, all cells are of one kind.
    """
    starts, ends = template.lines_mm[:, 0], template.lines_mm[:, 1]
    sides = [frozenset(_sides(cell, starts, ends)) for cell in template.cells_mm]
    names = {one: number for number, one in enumerate(dict.fromkeys(sides))}
    return np.array([names[one] for one in sides], dtype=np.intp)


def _sides(cell: NDArray[np.float64], starts: NDArray[np.float64], ends: NDArray[np.float64]) -> list[int]:
    """Directions, in eighths of a turn, in which drawn lines leave a cell."""
    along = ends - starts
    lengths = np.linalg.norm(along, axis=1)
    unit = along / np.maximum(lengths, 1e-9)[:, None]
    reach = ((cell - starts) * unit).sum(axis=1)
    aside = np.abs((cell - starts)[:, 0] * unit[:, 1] - (cell - starts)[:, 1] * unit[:, 0])
    on = (aside < ON_LINE_MM) & (reach > -ON_LINE_MM) & (reach < lengths + ON_LINE_MM)
    forward = unit[on & (reach < lengths - ON_LINE_MM)]
    backward = -unit[on & (reach > ON_LINE_MM)]
    turns = np.arctan2(*np.concatenate([forward, backward]).T[::-1]) / (np.pi / 4)
    return [int(turn) % 8 for turn in np.round(turns)]
