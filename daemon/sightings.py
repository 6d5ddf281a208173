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

_PAIRS = np.array([(cell, beside) for cell in range(len(CELLS)) for beside in NEIGHBOURS[cell] if beside > cell])


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
        nothing = np.zeros((len(CELLS), 1 + PIPS))
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
        self._suggested = _suggestions(losses[:, 1:] + (self._empty[-2] - self._empty[-1])[:, None])

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
            cells, columns = list(tile.lay.cells), [1 + pips for pips in tile.lay.pips]
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
        columns = [0 if letter == EMPTY else 1 + int(letter) for letter in board]
        newest = self._sums[-1] - self._sums[-2]
        return tuple(int(cell) for cell in np.flatnonzero(newest[np.arange(len(CELLS)), columns] > WRONG_NATS))


def losses_of(reading: BoardReading) -> NDArray[np.float64]:
    """(cells, 8) nats by which empty and 0 to 6 pips are less likely than a cell's likeliest class, capped."""
    logs = reading.log_probabilities[:, [reading.letters.index(letter) for letter in EMPTY + "0123456"]]
    return np.asarray(np.minimum(logs.max(axis=1, keepdims=True) - logs, MOST_NATS))


def _suggestions(halves: NDArray[np.float64]) -> list[tuple[float, Lay]]:
    """Every tile that is likelier than two empty cells, or could be where one half of it is; the likeliest first.

    `halves` (cells, 7) is what each half adds to the loss.
    """
    nats = halves[_PAIRS[:, 0], :, None] + halves[_PAIRS[:, 1], None, :]
    chosen = np.argwhere(nats < MOST_NATS)
    ranked = chosen[np.argsort(nats[tuple(chosen.T)], kind="stable")]
    return [
        (float(nats[pair, a, b]), Lay((int(_PAIRS[pair, 0]), int(_PAIRS[pair, 1])), (int(a), int(b))))
        for pair, a, b in ranked
    ]
