"""What a board of men that differ in shape teaches: how it lies, and how well they are told."""

from __future__ import annotations

import numpy as np

from calibration.arrays import Flags, FloatArray, Indices
from vision.calibrating.learner import MAX_ODD, Learner
from vision.calibrating.lesson import CLEARLY_NATS, Lesson, Unlike, Way, contradicted, turned_cells
from vision.calibrating.verdict import MIN_BOARDS, Expectation
from vision.pose import Rectified
from vision.reading.figures import FigureReader
from vision.reading.taught import Taught


class FigureLearner(Learner):
    def __init__(self, seen: Rectified, reader: FigureReader) -> None:
        super().__init__(seen.template, seen.template.letters)
        self._reader = reader
        every = np.ones(len(self.template.cells_mm), dtype=np.bool_)
        self._described = reader.describe(seen.image, seen.pose, self.template, every)
        self.alone = reader.read(self._described).of_classes(reader.classes, self.letters)

    def told_by(self, taught: Taught | None, cells: Indices) -> FloatArray | None:
        return self.alone[cells]

    def suits(self, way: Way) -> bool:
        classes, alone = self.classes(way), self.alone[way.cells]
        men = np.flatnonzero(classes)
        own, other = alone[men, classes[men]], alone[men, len(self.letters) - classes[men]]
        return bool(np.median(own - other) > 0)

    def shows_plies(self, lesson: Lesson, changed: Flags) -> bool:
        classes = np.array([self.letters.index(letter) for letter in self.template.seen(lesson.board)])
        cells = turned_cells(self.template, lesson.turn)
        assert cells is not None
        logs = self._left_out(cells, lesson.board)[1].mean(axis=0)
        if lesson.expectation.boards < MIN_BOARDS or contradicted(logs, classes, 0.0) is not None:
            return False
        own = np.eye(logs.shape[1], dtype=np.bool_)[classes]
        ahead = logs[own] - np.where(own, -np.inf, logs).max(axis=1)
        return bool((ahead[changed] >= CLEARLY_NATS).all())

    def lesson(self, way: Way) -> Lesson | Unlike:
        classes, (looks, logs) = self.classes(way), self._left_out(way.cells, way.board)
        # Who clearly looks like the other side's man is told, though a set has no such man left.
        fault = contradicted(looks.mean(axis=0), classes, 1.0) or contradicted(logs.mean(axis=0), classes, MAX_ODD)
        if fault is not None:
            return fault
        right = float((logs.argmax(axis=2) == classes).mean(axis=0).sum())
        expectation = Expectation(right, len(classes), len(classes), by_picture=False)
        return Lesson(None, way.turn, expectation, way.board)

    def _left_out(self, cells: Indices, board: str) -> FloatArray:
        """(2, ways, cells, classes and one more) what the others tell of each cell: by looks, and with men counted."""
        return self._reader.left_out(self._described[cells], board, self.letters)
