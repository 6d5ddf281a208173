"""Class probabilities of every cell, read from one picture."""

from __future__ import annotations

import dataclasses

import numpy as np

from calibration.arrays import Flags, FloatArray, Indices
from rules import EMPTY

UNKNOWN = 0.5
"""Unknown share from which a cell counts as showing nothing that was learnt."""
CERTAIN_NATS = 100.0
"""Nats that a known cell costs if it shows anything else."""
SURE = 0.9
"""Probability from which a cell counts as read without doubt."""


@dataclasses.dataclass(frozen=True)
class SeenTile:
    """Two cells that probably hold the halves of one tile."""

    cells: tuple[int, int]
    """Indices, ascending."""
    pips: str
    probability: float
    """Probability that these two cells are halves of the same tile."""


@dataclasses.dataclass(frozen=True, eq=False)
class SeenFigures:
    """Which piece stands on each cell, in games whose pieces differ in shape (`rules.capabilities.Figures`)."""

    log_probabilities: FloatArray
    """(cells, letters) natural logarithms; the probabilities of each row add up to 1."""
    letters: str
    """EMPTY and the template's figures, in the order of the columns."""
    unknown: FloatArray
    """(cells,) probability that something else is seen there."""

    @property
    def board(self) -> str:
        return "".join(self.letters[index] for index in self.log_probabilities.argmax(axis=1))

    def of_classes(self, classes: str, letters: str) -> FloatArray:
        """(cells, classes) log probabilities of `letters`; `classes` has the class of each of these figures."""
        own = [[one == letter for one in classes] for letter in letters]
        return np.stack([np.logaddexp.reduce(self.log_probabilities[:, one], axis=1) for one in own], axis=1)


@dataclasses.dataclass(frozen=True, eq=False)
class BoardReading:
    """Probabilities of every class on every cell, from one settled picture."""

    log_probabilities: FloatArray
    """(cells, classes) natural logarithms; the probabilities of each row add up to 1."""
    letters: str
    """The class letters, in the order of the columns."""
    time_s: float
    """Seconds on the source's clock when the picture was taken."""
    tiles: tuple[SeenTile, ...] | None = None
    """Pairs of halves read as one tile, ascending; None on boards without tiles."""
    unknown: FloatArray | None = None
    """(cells,) probability, 0 to 1, that a cell shows nothing learnt, such as a hand or unusual light.
    None if the reading was not made from a picture."""
    figures: SeenFigures | None = None
    """None where the pieces of a side look alike, or were not looked at."""

    @classmethod
    def certain(cls, board: str, letters: str, time_s: float) -> BoardReading:
        """The reading of a board that is known."""
        at = np.array([[letter == shown for letter in letters] for shown in board])
        return cls(np.where(at, 0.0, -CERTAIN_NATS), letters, time_s)

    @property
    def board(self) -> str:
        return "".join(self.letters[index] for index in self.log_probabilities.argmax(axis=1))

    @property
    def occupied(self) -> Flags:
        """(cells,) whether something most probably stands on each cell."""
        return np.asarray(self.log_probabilities.argmax(axis=1) != self.letters.index(EMPTY), dtype=np.bool_)

    @property
    def blank(self) -> Flags:
        """(cells,) whether nothing is known of each cell: every class is equally likely."""
        return np.asarray(np.ptp(self.log_probabilities, axis=1) == 0, dtype=np.bool_)

    @property
    def foreign(self) -> Flags:
        """(cells,) whether something lies there that is no man, or hides the cell: nothing is told of it."""
        return self.blank & (self.unknown > UNKNOWN) if self.unknown is not None else np.zeros_like(self.blank)

    @property
    def probabilities(self) -> FloatArray:
        """(cells, classes) probabilities."""
        return np.asarray(np.exp(self.log_probabilities))

    @property
    def confidence(self) -> FloatArray:
        """(cells,) probability of the most probable class."""
        return np.asarray(np.exp(self.log_probabilities.max(axis=1)))

    @property
    def doubtful(self) -> tuple[int, ...]:
        """Cells that show nothing known, or may well hold something else than was read."""
        doubt = self.confidence < SURE
        if self.unknown is not None:
            doubt = doubt | (self.unknown > UNKNOWN)
        return tuple(int(cell) for cell in np.flatnonzero(doubt))

    def turned(self, cells: Indices) -> BoardReading:
        """The reading of a board that lies otherwise; `cells` has the cell that is seen where each of its own lies."""
        assert self.tiles is None
        figures = self.figures
        if figures is not None:
            figures = SeenFigures(figures.log_probabilities[cells], figures.letters, figures.unknown[cells])
        unknown = None if self.unknown is None else self.unknown[cells]
        return dataclasses.replace(
            self, log_probabilities=self.log_probabilities[cells], unknown=unknown, figures=figures
        )

    def without(self, hidden: Flags) -> BoardReading:
        """A copy in which every class is equally likely on the cells of the (cells,) mask `hidden`."""
        logs = np.where(hidden[:, None], -np.log(len(self.letters)), self.log_probabilities)
        unknown = np.where(hidden, 1.0, 0.0 if self.unknown is None else self.unknown)
        return dataclasses.replace(self, log_probabilities=logs, unknown=unknown, figures=None)
