"""What the photos of one dominoes game say together about every cell, and which tiles the newest one suggests.

Photos from one place repeat each other's errors: a half that is misread once is misread again. So the mean of what
they say about a half counts, not the sum, and no cell of a photo counts more than `MAX_NATS`. Of an empty cell the
newest photos count that speak most against it: a tile may have come with the last one.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator

import numpy as np

from calibration.arrays import Flags, FloatArray, Indices
from games.double_double_dominoes import CELLS, Lay
from games.double_double_dominoes.board import BLOCKED, FREE, NEIGHBOURS, PIPS, Slot
from rules import EMPTY, Gain, Side
from vision.reading.board_reading import BoardReading

MAX_NATS = 7.0
"""Greatest loss of one cell in one photo: any cell may be misread, however sure the eyes are, once in a thousand."""
WRONG_NATS = 2.3
"""A cell that is ten times likelier to show something else contradicts a board."""

WAYS = 4
"""Up, right, down, left: where the other half of a tile may lie."""

MIN_PROBABILITY = 1e-6
PAIRS = np.array([(cell, beside) for cell in range(len(CELLS)) for beside in NEIGHBOURS[cell] if beside > cell])
"""(pairs, 2) cells that lie side by side, ascending."""
_NUMBER = {(int(first), int(second)): number for number, (first, second) in enumerate(PAIRS)}


@dataclasses.dataclass(frozen=True, slots=True)
class Placed:
    """A tile in a line of play."""

    lay: Lay
    shot: int | None
    """Index of the move in its series; None where no number is left for the tile."""
    side: Side
    gains: tuple[Gain, Gain]
    pawns: tuple[int, int]
    """Spaces of both pawns afterwards."""
    since: int
    """Photos before the first that shows it."""
    passes: int = 0
    fault: str = ""
    """Why the rules forbid it; empty where they do not."""


@dataclasses.dataclass(frozen=True, eq=False)
class Suggestions:
    nats: FloatArray
    """(tiles,) by how much each, as the newest tile, changes `Sightings.loss`."""
    pairs: Indices
    """(tiles,) the cells of each, as an index into PAIRS."""
    pips: Indices
    """(tiles, 2) what lies on them."""

    def fitting(self, places: Iterable[Slot]) -> Iterator[tuple[float, Lay]]:
        """Those that fit somewhere, each with its nats."""
        asked = np.full((len(PAIRS), 2), BLOCKED)
        for cells, first, second in places:
            asked[_NUMBER[cells]] = first, second
        wanted = asked[self.pairs]
        return self._chosen(((wanted == FREE) | (wanted == self.pips)).all(axis=1))

    def free(self, board: str) -> Iterator[tuple[float, Lay]]:
        """Those on cells where nothing lies, each with its nats."""
        empty = np.array([letter == EMPTY for letter in board])
        return self._chosen(empty[PAIRS[self.pairs]].all(axis=1))

    def _chosen(self, mask: Flags) -> Iterator[tuple[float, Lay]]:
        for index in np.flatnonzero(mask):
            first, second = PAIRS[self.pairs[index]].tolist()
            one, other = self.pips[index].tolist()
            yield float(self.nats[index]), Lay((first, second), (one, other))


class Sightings:
    def __init__(self) -> None:
        nothing = np.zeros((len(CELLS), 1 + PIPS * WAYS))
        self._sums = [nothing]
        """Losses of the first 0, 1, 2, ... photos, added up."""
        self._empty = [nothing[:, 0]]
        """(cells,) what the first 0, 1, 2, ... photos say against each cell being empty in the last of them."""
        self.suggested = Suggestions(np.zeros(0), np.zeros(0, dtype=np.intp), np.zeros((0, 2), dtype=np.intp))

    @property
    def count(self) -> int:
        return len(self._sums) - 1

    def add(self, reading: BoardReading) -> None:
        losses = losses_of(reading)
        self._sums.append(self._sums[-1] + losses)
        since = [(self._sums[-1] - sums)[:, 0] / (self.count - first) for first, sums in enumerate(self._sums[:-1])]
        self._empty.append(np.max(since, axis=0))
        halves = losses[:, 1:] + (self._empty[-2] - self._empty[-1])[:, None]
        self.suggested = _suggestions(halves.reshape(len(CELLS), PIPS, WAYS))

    def copy(self) -> Sightings:
        other = Sightings()
        other._sums, other._empty, other.suggested = list(self._sums), list(self._empty), self.suggested
        return other

    def loss(self, tiles: Iterable[Placed]) -> float:
        """Nats by which the photos speak against tiles laid then and there, and nothing else."""
        now, empty = self._sums[-1], self._empty[-1]
        total = float(empty.sum())
        for tile in tiles:
            cells, columns = list(tile.lay.cells), _columns(tile.lay)
            since = (now[cells, columns] - self._sums[tile.since][cells, columns]) / (self.count - tile.since)
            total += float((self._empty[tile.since][cells] + since - empty[cells]).sum())
        return total

    def wrong_cells(self, board: str) -> tuple[int, ...]:
        """Cells on which the newest photo contradicts a board."""
        newest = self._sums[-1] - self._sums[-2]
        halves = newest[:, 1:].reshape(len(CELLS), PIPS, WAYS).min(axis=2)
        shown = np.column_stack([newest[:, 0], halves])
        columns = [0 if letter == EMPTY else 1 + int(letter) for letter in board]
        return tuple(int(cell) for cell in np.flatnonzero(shown[np.arange(len(CELLS)), columns] > WRONG_NATS))


def losses_of(reading: BoardReading) -> FloatArray:
    """(cells, 1 + 7 * 4) nats by which a cell is less likely to be so than in its likeliest way, capped.

    Empty; then for each number of pips and each way, a half of a tile whose other half lies that way.
    """
    logs = reading.log_probabilities[:, [reading.letters.index(letter) for letter in EMPTY + "0123456"]]
    halves = logs[:, 1:, None] + _ways(reading)[:, None, :]
    shown = np.column_stack([logs[:, 0], halves.reshape(len(logs), -1)])
    return np.asarray(np.minimum(shown.max(axis=1, keepdims=True) - shown, MAX_NATS))


def _ways(reading: BoardReading) -> FloatArray:
    """(cells, 4) logarithms of how much likelier or not the other half lies each way than the way it is seen to lie."""
    ways = np.zeros((len(CELLS), WAYS))
    for tile in reading.tiles or ():
        others = min(
            0.0,
            math.log(max(1 - tile.probability, MIN_PROBABILITY) / (WAYS - 1))
            - math.log(max(tile.probability, MIN_PROBABILITY)),
        )
        ways[list(tile.cells)] = others
        ways[list(tile.cells), _directions(tile.cells)] = 0.0
    return ways


def _directions(cells: tuple[int, int]) -> tuple[int, int]:
    """The way from each half of a tile to the other."""
    return (1, 3) if cells[1] - cells[0] == 1 else (2, 0)


def _columns(lay: Lay) -> tuple[int, int]:
    """What a tile shows on each of its cells, as an index into a row of `losses_of`."""
    ways, (one, other) = _directions(lay.cells), lay.pips
    return 1 + WAYS * one + ways[0], 1 + WAYS * other + ways[1]


def _suggestions(halves: FloatArray) -> Suggestions:
    """Every tile that is likelier than two empty cells, or could be where one half of it is.

    `halves` (cells, 7, 4) is what each half adds to the loss.
    """
    ways = np.array([_directions((first, second)) for first, second in PAIRS])
    first = halves[PAIRS[:, 0], :, ways[:, 0]]
    second = halves[PAIRS[:, 1], :, ways[:, 1]]
    nats = first[:, :, None] + second[:, None, :]
    chosen = np.argwhere(nats < MAX_NATS)
    likely = nats[tuple(chosen.T)]
    ranked = np.argsort(likely, kind="stable")
    return Suggestions(likely[ranked], chosen[ranked, 0], chosen[ranked, 1:])
