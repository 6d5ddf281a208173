"""Measures how well linear classifiers read cells from a descriptor, in pictures that they were not fitted to."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.evaluation.split import Indices, Part
from rules import EMPTY
from vision.calibrating.fitting import SOFTNESS
from vision.reading.descriptors import Descriptors

SOFTNESSES = (0.01, 0.1)
"""LinearSVC's C to choose from if there are enough pictures to choose by; else a table head's C is used."""
MAX_EMPTY = 12
"""Empty cells of one picture that are fitted to: they are much alike, and most cells of many boards. All are measured.
"""
MIN_SPREAD = 1e-9

Letters = NDArray[np.str_]


@dataclasses.dataclass(frozen=True, eq=False)
class Outcome:
    read: Letters
    truth: Letters
    softness: float
    """LinearSVC's C."""

    @property
    def right(self) -> NDArray[np.bool_]:
        """(measured cells,)."""
        return np.asarray(self.read == self.truth)


def read_left_out(
    described: Descriptors, labels: Letters, pictures: Indices, parts: Sequence[Part]
) -> tuple[Outcome, ...]:
    """The cells read in the measured pictures of each part. Raises ValueError if a fit has one class only."""
    learnable = _learnable(labels, pictures)
    outcomes = []
    for part in parts:
        fitted, measured = learnable & np.isin(pictures, part.fitted), np.isin(pictures, part.measured)
        softness = SOFTNESS
        if part.rehearsal is not None:
            softness = _choose(described, labels, fitted, np.isin(pictures, part.rehearsal))
        read = _Machine(described[fitted], labels[fitted], softness).read(described[measured])
        outcomes.append(Outcome(read, labels[measured], softness))
    return tuple(outcomes)


def balanced_accuracy(read: Letters, truth: Letters) -> float:
    """Mean over the classes of the share of their cells that were read right."""
    return float(np.mean([(read[truth == letter] == letter).mean() for letter in np.unique(truth)]))


def _choose(described: Descriptors, labels: Letters, fitted: NDArray[np.bool_], rehearsal: NDArray[np.bool_]) -> float:
    """The C that reads the rehearsal best when fitted without it; the smallest in a tie."""
    first, judged = fitted & ~rehearsal, fitted & rehearsal
    if len(np.unique(labels[first])) < 2:
        return SOFTNESS
    scores = []
    for softness in SOFTNESSES:
        read = _Machine(described[first], labels[first], softness).read(described[judged])
        scores.append(balanced_accuracy(read, labels[judged]))
    return SOFTNESSES[int(np.argmax(scores))]


def _learnable(labels: Letters, pictures: Indices) -> NDArray[np.bool_]:
    """Mask of the cells to fit to: all pieces, and at most MAX_EMPTY random empty cells of each picture."""
    chance = np.random.default_rng(0)
    used = np.asarray(labels != EMPTY)
    for picture in np.unique(pictures):
        empty = np.flatnonzero((pictures == picture) & (labels == EMPTY))
        used[chance.permutation(empty)[:MAX_EMPTY]] = True
    return used


class _Machine:
    """One plane for each class against the rest, over descriptors centred on their mean and scaled as a whole.

    A table's own head is fitted in the same way (`vision.calibrating.fitting`).
    """

    def __init__(self, described: Descriptors, labels: Letters, softness: float) -> None:
        from sklearn.svm import LinearSVC  # slow to import, and only needed to fit

        if len(np.unique(labels)) < 2:
            raise ValueError(f"the pictures fitted to show one class only, {labels[:1]}: more pictures are needed")
        self._mean = described.mean(axis=0, dtype=np.float64)
        self._scale = max(float(described.std(dtype=np.float64)), MIN_SPREAD)
        self._planes = LinearSVC(C=softness, class_weight="balanced", dual=False, max_iter=2000)
        self._planes.fit(self._scaled(described), labels)

    def read(self, described: Descriptors) -> Letters:
        """(n,) class letters."""
        return np.asarray(self._planes.predict(self._scaled(described)), dtype=np.str_)

    def _scaled(self, described: Descriptors) -> NDArray[np.float64]:
        return np.asarray((described - self._mean) / self._scale)
