"""What the eyes believe of every cell."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray


@dataclasses.dataclass(frozen=True)
class SeenTile:
    """Two cells that are believed to hold the halves of one tile."""

    cells: tuple[int, int]
    """Indices, ascending."""
    pips: str
    """Most probable class letter of each half."""
    probability: float
    """That these two are halves, and of each other."""


@dataclasses.dataclass(frozen=True, eq=False)
class BoardReading:
    """Probabilities of every class on every cell, from one settled picture."""

    log_probabilities: NDArray[np.float64]
    """(cells, classes) natural logarithms; every row's probabilities add up to 1."""
    letters: str
    """The class letters, in the order of the columns."""
    time_s: float
    """When the picture was taken, on the source's clock."""
    occlusion: float = 0.0
    """Share of the board that something covers, 0 to 1."""
    tiles: tuple[SeenTile, ...] | None = None
    """Halves that are believed to be one tile, ascending; None on boards without tiles."""
    unknown: NDArray[np.float64] | None = None
    """(cells,) share of belief that a cell shows nothing that was learnt, 0 to 1: a hand, say, or a strange light.
    None where the reading was not made from a picture."""

    @property
    def board(self) -> str:
        """The most probable class letter of every cell."""
        return "".join(self.letters[index] for index in self.log_probabilities.argmax(axis=1))

    @property
    def confidence(self) -> NDArray[np.float64]:
        """(cells,) probability of the most probable class."""
        return np.asarray(np.exp(self.log_probabilities.max(axis=1)))

    def without(self, hidden: NDArray[np.bool_]) -> BoardReading:
        """The same, but that nothing is known of the (cells,) `hidden` ones: any class is as likely as another."""
        logs = np.where(hidden[:, None], -np.log(len(self.letters)), self.log_probabilities)
        unknown = np.where(hidden, 1.0, 0.0 if self.unknown is None else self.unknown)
        return dataclasses.replace(self, log_probabilities=logs, unknown=unknown)

    def log_likelihood(self, board: str) -> float:
        """Natural logarithm of the probability that the cells show `board`, cells taken as independent."""
        columns = [self.letters.index(letter) for letter in board]
        return float(self.log_probabilities[np.arange(len(columns)), columns].sum())
