"""Fits `vision.reading.plda`, the joint model of the classes of one board, to whole boards that no network has seen."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from calibration.arrays import Patches
from lab.simulated.arrays import FloatArray
from vision.reading.descriptors import Descriptor
from vision.reading.man_colours import man_colours
from vision.reading.plda import BoardMeans

log = logging.getLogger(__name__)

LETTERS = ".WB"
PAIRS = ((0, 1, 1.0), (0, 2, 1.0), (1, 2, 2.0))
"""Pairs of classes to be told apart, with their weights."""
DIMENSIONS = 12
RIDGE = 0.1
"""Share of the mean within-class scatter that is added to it: there are more numbers than boards."""
ROUNDS = 15
MAX_CELLS = 10
"""Cells beyond which a class's mean becomes no more certain: the remaining deviation is not the cells' chance."""
OUTLIER = 9.0
"""Variances to which squared deviations are clipped."""


@dataclasses.dataclass(frozen=True, eq=False)
class WholeBoard:
    patches: Patches
    letters: str
    """Letter of each cell."""


def fit_board_means(descriptor: Descriptor, boards: Sequence[WholeBoard]) -> BoardMeans:
    """The model that explains the boards best. Raises ValueError if they show fewer than two classes."""
    known = [_known(descriptor, board) for board in boards]
    classes = [np.array([LETTERS.index(letter) for letter in board.letters]) for board in boards]
    everything = np.concatenate(known)
    middle, scale = everything.mean(axis=0), everything.std(axis=0) + 1e-6
    known = [(cells - middle) / scale for cells in known]
    axes = _discriminants(known, classes)
    projected = [cells @ axes for cells in known]
    spread = _spread(projected, classes)
    projected = [cells / spread for cells in projected]
    mean, covariance = _class_means(projected, classes)
    axes = axes / spread / scale[:, None]
    log.info("class means of %d boards fitted", len(boards))
    return BoardMeans(LETTERS, axes, -middle @ axes, mean, covariance)


def _known(descriptor: Descriptor, board: WholeBoard) -> FloatArray:
    described = descriptor.describe(board.patches).astype(np.float64)
    return np.concatenate([described, man_colours(board.patches)], axis=1)


def _discriminants(known: Sequence[FloatArray], classes: Sequence[NDArray[np.intp]]) -> FloatArray:
    """(length, DIMENSIONS) directions in which a board's classes differ most relative to the scatter within a class."""
    length = known[0].shape[1]
    within, between, degrees, pairs = np.zeros((length, length)), np.zeros((length, length)), 0.0, 0.0
    for cells, reading in zip(known, classes, strict=True):
        weight = 1 / np.sqrt(len(cells))
        means: dict[int, FloatArray] = {}
        for kind in np.unique(reading):
            part = cells[reading == kind]
            means[int(kind)] = part.mean(axis=0)
            within += weight * (part - means[int(kind)]).T @ (part - means[int(kind)])
            degrees += weight * (len(part) - 1)
        for one, other, matters in PAIRS:
            if one in means and other in means:
                between += matters * np.outer(means[one] - means[other], means[one] - means[other])
                pairs += matters
    if not pairs:
        raise ValueError("no board shows two classes")
    within /= degrees
    within += RIDGE * np.trace(within) / length * np.eye(length)
    values, vectors = eigh(between / pairs, within)
    return np.asarray(vectors[:, np.argsort(-values)[:DIMENSIONS]])


def _spread(projected: Sequence[FloatArray], classes: Sequence[NDArray[np.intp]]) -> FloatArray:
    """(DIMENSIONS,) standard deviation within a board's class, with outliers clipped."""
    variances = [
        np.square(part - part.mean(axis=0)).sum(axis=0) / (len(part) - 1)
        for cells, reading in zip(projected, classes, strict=True)
        for kind in np.unique(reading)
        if len(part := cells[reading == kind]) > 1
    ]
    usual = np.median(variances, axis=0)
    return np.asarray(np.sqrt(np.minimum(variances, OUTLIER * usual).mean(axis=0)))


def _class_means(projected: Sequence[FloatArray], classes: Sequence[NDArray[np.intp]]) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of boards' class means, with missing classes inferred (expectation maximisation)."""
    size, kinds = DIMENSIONS, len(LETTERS)
    sums, counts = [], []
    for cells, reading in zip(projected, classes, strict=True):
        shares = np.eye(kinds)[reading]
        count = shares.sum(axis=0)
        held = np.minimum(count, MAX_CELLS) / np.maximum(count, 1)
        sums.append((held[:, None] * (shares.T @ cells)).ravel())
        counts.append(np.repeat(count * held, size))
    mean, covariance = np.zeros(kinds * size), 10 * np.eye(kinds * size)
    for _ in range(ROUNDS):
        precision, expected, spread = np.linalg.inv(covariance), [], np.zeros_like(covariance)
        for total, count in zip(sums, counts, strict=True):
            uncertain = np.linalg.inv(precision + np.diag(count))
            expected.append(uncertain @ (precision @ mean + total))
            spread += uncertain + np.outer(expected[-1], expected[-1])
        mean = np.mean(expected, axis=0)
        covariance = spread / len(sums) - np.outer(mean, mean) + 1e-3 * np.eye(len(mean))
    return mean, covariance
