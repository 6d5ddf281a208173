"""What the photos of one dominoes game say together about every cell, and which tiles the newest one suggests.

Photos from one place repeat each other's errors: a half that is misread once is misread again. So the mean of what
they say about a half counts, not the sum, and no cell of a photo counts more than `MOST_NATS`. Of an empty cell the
newest photos count that speak most against it: a tile may have come with the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from games import EMPTY
from games.double_double_dominoes import CELLS, Lay
from games.double_double_dominoes.board import NEIGHBOURS, PIPS
from vision.reading import BoardReading

MOST_NATS = 7.0
"""Greatest loss of one cell in one photo: any cell may be misread, however sure the eyes are, once in a thousand."""
WRONG_NATS = 2.3
"""A cell that is ten times likelier to show something else contradicts a board."""

WAYS = 4
"""Up, right, down, left, as in `BoardReading.ways`: where the other half of the tile lies."""

_PAIRS = np.array([(cell, beside) for cell in range(len(CELLS)) for beside in NEIGHBOURS[cell] if beside > cell])
_TOWARDS = np.array([(1, 3) if beside - cell == 1 else (2, 0) for cell, beside in _PAIRS])
"""(pairs, 2) the way from each half of a pair to the other."""


class Laid(Protocol):
    """A tile in a line of play."""

    @property
    def lay(self) -> Lay:
        """Where it lies."""

    @property
    def since(self) -> int:
        """Number of photos before the first that shows it."""


class Sightings:
    """The readings of one game's photos, in order."""

    def __init__(self) -> None:
        nothing = np.zeros((len(CELLS), 1 + PIPS * WAYS))
        self._sums = [nothing]
        """Losses of the first 0, 1, 2, ... photos, added up."""
        self._empty = [nothing[:, 0]]
        """(cells,) what the first 0, 1, 2, ... photos say against each cell being empty in the last of them."""
        self._suggested: list[tuple[float, Lay]] = []

    @property
    def count(self) -> int:
        """Photos so far."""
        return len(self._sums) - 1

    def add(self, reading: BoardReading) -> None:
        """One more photo."""
        losses = losses_of(reading)
        self._sums.append(self._sums[-1] + losses)
        since = [(self._sums[-1] - sums)[:, 0] / (self.count - first) for first, sums in enumerate(self._sums[:-1])]
        self._empty.append(np.max(since, axis=0))
        halves = losses[:, 1:] + (self._empty[-2] - self._empty[-1])[:, None]
        self._suggested = _suggestions(halves.reshape(len(CELLS), PIPS, WAYS))

    def drop(self) -> None:
        """Forgets the newest photo."""
        self._sums.pop()
        self._empty.pop()
        self._suggested = []

    def loss(self, tiles: Iterable[Laid]) -> float:
        """Nats by which the photos speak against tiles laid then and there, and nothing else."""
        now, empty = self._sums[-1], self._empty[-1]
        total = float(empty.sum())
        for tile in tiles:
            cells, columns = list(tile.lay.cells), _columns(tile.lay)
            since = (now[cells, columns] - self._sums[tile.since][cells, columns]) / (self.count - tile.since)
            total += float((self._empty[tile.since][cells] + since - empty[cells]).sum())
        return total

    def suggested(self, board: str) -> Iterator[tuple[float, Lay]]:
        """Tiles on free cells of a board, and by how much each as the newest tile changes `loss`; best first."""
        for nats, lay in self._suggested:
            if board[lay.cells[0]] == EMPTY and board[lay.cells[1]] == EMPTY:
                yield nats, lay

    def wrong_cells(self, board: str) -> tuple[int, ...]:
        """Cells on which the newest photo contradicts a board."""
        newest = self._sums[-1] - self._sums[-2]
        halves = newest[:, 1:].reshape(len(CELLS), PIPS, WAYS).min(axis=2)
        shown = np.column_stack([newest[:, 0], halves])
        columns = [0 if letter == EMPTY else 1 + int(letter) for letter in board]
        return tuple(int(cell) for cell in np.flatnonzero(shown[np.arange(len(CELLS)), columns] > WRONG_NATS))


def losses_of(reading: BoardReading) -> NDArray[np.float64]:
    """(cells, 1 + 7 * 4) nats by which a cell is less likely to be so than in its likeliest way, capped.

    Empty; then for each number of pips and each way, a half of a tile whose other half lies that way.
    """
    logs = reading.log_probabilities[:, [reading.letters.index(letter) for letter in EMPTY + "0123456"]]
    ways = np.zeros((len(logs), WAYS)) if reading.ways is None else reading.ways[:, 1:]
    halves = logs[:, 1:, None] + (ways - ways.max(axis=1, keepdims=True))[:, None, :]
    shown = np.column_stack([logs[:, 0], halves.reshape(len(logs), -1)])
    return np.asarray(np.minimum(shown.max(axis=1, keepdims=True) - shown, MOST_NATS))


def _columns(lay: Lay) -> tuple[int, int]:
    """What a tile shows on each of its cells, as an index into a row of `losses_of`."""
    (first, second), (one, other) = lay
    ways = (1, 3) if second - first == 1 else (2, 0)
    return 1 + WAYS * one + ways[0], 1 + WAYS * other + ways[1]


def _suggestions(halves: NDArray[np.float64]) -> list[tuple[float, Lay]]:
    """Every tile that is likelier than two empty cells, or could be where one half of it is; the likeliest first.

    `halves` (cells, 7, 4) is what each half adds to the loss.
    """
    first = halves[_PAIRS[:, 0], :, _TOWARDS[:, 0]]
    second = halves[_PAIRS[:, 1], :, _TOWARDS[:, 1]]
    nats = first[:, :, None] + second[:, None, :]
    chosen = np.argwhere(nats < MOST_NATS)
    ranked = chosen[np.argsort(nats[tuple(chosen.T)], kind="stable")]
    return [
        (float(nats[pair, a, b]), Lay((int(_PAIRS[pair, 0]), int(_PAIRS[pair, 1])), (int(a), int(b))))
        for pair, a, b in ranked
    ]
