"""Reads the cells of a board together: what is light and what is dark shows only beside the rest of the board.

One man alone may be light or dark, one shadow alone a man or none. But all men of a side are alike, and so are all
empty cells; so the reading is sought that explains the whole board best, by what each cell looks like by itself and by
how alike the cells of a class are (`vision.reading.plda`). Several starts are climbed from; what they end at shares
the belief.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from vision.reading.cells import Patches
from vision.reading.descriptors import Descriptors
from vision.reading.man_colours import man_colours
from vision.reading.plda import BoardMeans

FloatArray = NDArray[np.float64]

MAN = 0.5
"""Probability from which something stands on a cell, when starts are chosen."""
OWN_WEIGHT = 0.5
"""How much a cell's own look says of whether something stands there. Of which side's man it is it says nothing here:
light and shade make the same mistake with all men of a board, and the class means know what is light in general."""
TEMPERATURE = 6.0
"""Cells err together, so that what they say of one another is believed by so much less than were each by itself."""
ODD = 600.0
"""Squared distance from every class mean, in variances, from which a cell is like none and keeps its own reading; in
a noisy picture more by as much as cells are farther off in general."""
COVERED = 0.8
"""A cell of which so much is unknown keeps its own reading too: a hand is like nothing on the board."""
SURELY_EMPTY, MAX_EMPTY = 0.99, 40
"""Of cells that are empty with such a probability no more than that many take part; the others stay as they are."""
STEPS = 12
LEAST = 1e-6
SURE_NATS = 7.0
"""Belief in one side against the other never is greater."""


def read_jointly(
    patches: Patches,
    described: Descriptors,
    logs: FloatArray,
    unknown: FloatArray,
    letters: str,
    model: BoardMeans | None,
) -> FloatArray:
    """(cells, classes) logarithms of what stands where, given what each cell seems to show by itself.

    `unknown` is the share of each cell, 0 to 1, that says nothing of its class; `letters` are the classes of the
    columns, empty first. Boards of other classes than the model's, and boards without men, come back as they are.
    """
    if model is None or sorted(model.letters) != sorted(letters) or not (logs[:, 0] < np.log(1 - MAN)).any():
        return logs
    order = [letters.index(letter) for letter in model.letters]
    told = np.empty_like(logs)
    told[:, order] = _read(patches, described, logs[:, order], unknown, model)
    return told


def _read(
    patches: Patches, described: Descriptors, logs: FloatArray, unknown: FloatArray, model: BoardMeans
) -> FloatArray:
    """The same with classes in the model's order."""
    told = logs.copy()
    rows = _telling(logs)
    patches, described, logs, unknown = patches[rows], described[rows], logs[rows], unknown[rows]
    cells = model.project(np.concatenate([described.astype(np.float64), man_colours(patches)], axis=1))
    own, seen = _tempered(logs), 1 - unknown
    ends: dict[bytes, tuple[float, FloatArray]] = {}
    for start in _starts(cells, logs):
        reading, means, score = _climb(cells, own, seen, start, model)
        if reading.tobytes() not in ends:
            ends[reading.tobytes()] = score, means
    scores = np.array([score for score, _ in ends.values()]) / TEMPERATURE
    weights = np.exp(scores - scores.max())
    shares = np.zeros_like(logs)
    for weight, (_, means) in zip(weights / weights.sum(), ends.values(), strict=True):
        shares += weight * _shares(own, _distances(cells, means), TEMPERATURE)
    _, best = max(ends.values(), key=lambda end: end[0])
    distances = _distances(cells, best).min(axis=1)
    odd = (distances > ODD * max(1.0, float(np.median(distances)) / model.dimensions)) | (unknown > COVERED)
    told[rows] = np.where(odd[:, None], logs, np.log(np.clip(shares, LEAST, None)))
    return _bounded(told)


def _telling(logs: FloatArray) -> NDArray[np.intp]:
    """Cells that are worth the time: men, all that is doubtful, and enough of what is surely empty."""
    empty = np.flatnonzero(logs[:, 0] > np.log(SURELY_EMPTY))
    kept = empty[:: -(-len(empty) // MAX_EMPTY)] if len(empty) else empty
    return np.union1d(np.flatnonzero(logs[:, 0] <= np.log(SURELY_EMPTY)), kept)


def _tempered(logs: FloatArray) -> FloatArray:
    """The cells' own belief that something stands there, the same for all that may."""
    man = np.logaddexp.reduce(logs[:, 1:], axis=1, keepdims=True)
    return OWN_WEIGHT * np.concatenate([logs[:, :1], np.repeat(man, logs.shape[1] - 1, axis=1)], axis=1)


def _starts(cells: FloatArray, logs: FloatArray) -> Iterator[NDArray[np.intp]]:
    """Readings to begin from: each cell by itself; all men of one side; men in two groups, either way round."""
    yield logs.argmax(axis=1)
    men = np.flatnonzero(logs[:, 0] < np.log(1 - MAN))
    reading = np.zeros(len(logs), dtype=np.intp)
    for side in (1, 2):
        reading[men] = side
        yield reading.copy()
    if len(men) < 2:
        return
    around = cells[men] - cells[men].mean(axis=0)
    for axis in np.linalg.svd(around, full_matrices=False)[2][:2]:
        second = _two_groups(cells[men], around @ axis > 0)
        for first in (1, 2):
            reading[men] = np.where(second, 3 - first, first)
            yield reading.copy()


def _two_groups(cells: FloatArray, second: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(n,) membership of the second of two groups (Lloyd's algorithm)."""
    for _ in range(STEPS):
        if second.all() or not second.any():
            break
        nearer = [np.square(cells - cells[part].mean(axis=0)).sum(axis=1) for part in (~second, second)]
        moved = nearer[1] < nearer[0]
        if (moved == second).all():
            break
        second = moved
    return second


def _climb(
    cells: FloatArray, own: FloatArray, seen: FloatArray, reading: NDArray[np.intp], model: BoardMeans
) -> tuple[NDArray[np.intp], FloatArray, float]:
    """The reading where alternating between class means and classes ends, those means, and how well it explains all."""
    rows = np.arange(len(cells))
    for _ in range(STEPS):
        means, evidence = model.posterior(cells, _one_hot(reading, own.shape[1]) * seen[:, None])
        better = (own - 0.5 * _distances(cells, means)).argmax(axis=1)
        if (better == reading).all():
            break
        reading = better
    return reading, means, evidence + float(own[rows, reading].sum())


def _one_hot(reading: NDArray[np.intp], classes: int) -> FloatArray:
    return np.asarray(np.eye(classes)[reading])


def _distances(cells: FloatArray, means: FloatArray) -> FloatArray:
    """(n, classes) squared distances."""
    return np.asarray(np.square(cells[:, None] - means).sum(axis=2))


def _shares(own: FloatArray, distances: FloatArray, temperature: float) -> FloatArray:
    scores = own - 0.5 * distances / temperature
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _bounded(logs: FloatArray) -> FloatArray:
    """Rows that add up to 1, no class more than SURE_NATS behind the first."""
    bounded = np.maximum(logs, logs.max(axis=1, keepdims=True) - SURE_NATS)
    return np.asarray(bounded - np.logaddexp.reduce(bounded, axis=1, keepdims=True))
