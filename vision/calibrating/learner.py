"""How a board of known content is looked at to learn from it: what both kinds of men have in common."""

from __future__ import annotations

import abc
from collections.abc import Sequence

import numpy as np

from calibration.arrays import Flags, FloatArray, Indices
from calibration.template import BoardTemplate
from rules import EMPTY
from vision.calibrating.lesson import Lesson, Unlike, Way, ways_to_lie
from vision.reading.taught import Taught

MAX_ODD = 0.03
"""Greatest share of the cells that the others contradict, though not clearly."""
MAX_UNLIKE = 0.2
"""Greatest share of the cells of which the network thinks otherwise; it has never seen most kinds of men."""


class Learner(abc.ABC):
    """One picture of a board, from which something may be learnt."""

    alone: FloatArray
    """(cells, classes) log probabilities of what the shipped networks see."""

    def __init__(self, template: BoardTemplate, letters: str) -> None:
        self.template, self.letters = template, letters
        """The classes, EMPTY first, then those of either side."""

    @abc.abstractmethod
    def told_by(self, taught: Taught | None, cells: Indices) -> FloatArray | None:
        """(n, classes) log probabilities of some cells by what was taught before; None if it is of other men."""

    @abc.abstractmethod
    def suits(self, way: Way) -> bool:
        """Whether the light side's men are lighter if the board lies so."""

    @abc.abstractmethod
    def lesson(self, way: Way) -> Lesson | Unlike:
        """What the picture teaches if the board lies so."""

    @abc.abstractmethod
    def shows_plies(self, lesson: Lesson, changed: Flags) -> bool:
        """Whether the `changed` cells, (cells,), show clearly what they hold by the lesson.

        Nor may any other cell be in doubt: where play has begun, men are elsewhere than at the start.
        """

    def classes(self, way: Way) -> Indices:
        return np.array([self.letters.index(letter) for letter in self.template.seen(way.board)])

    def likeliest(self, boards: Sequence[str]) -> list[tuple[int, Way]]:
        """Every way in which one of the boards may lie, and the number of cells that are occupied otherwise.

        The likeliest first.
        """
        ways = [(int(self._otherwise(way).sum()), way) for way in ways_to_lie(boards, self.template)]
        return sorted(ways, key=lambda one: one[0])

    def teaches(self, ways: Sequence[tuple[int, Way]]) -> Lesson | Unlike:
        """What the picture teaches by the likeliest of the ways in which the light side's men are lighter."""
        likely = [way for unlike, way in ways if unlike <= MAX_UNLIKE * len(self.alone)]
        if not likely:
            return Unlike("absent", tuple(map(int, np.flatnonzero(self._otherwise(ways[0][1])) if ways else ())))
        rightly = next((way for way in likely if self.suits(way)), None)
        return Unlike("alike", ()) if rightly is None else self.lesson(rightly)

    def _otherwise(self, way: Way) -> Flags:
        """(cells,) whether the networks see a man on a cell that should be empty, or none where one should be."""
        men = np.array(list(way.board)) != EMPTY
        return np.asarray((self.alone[way.cells, 0] < np.log(0.5)) != men)
