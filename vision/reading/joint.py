"""Reads all cells of a board jointly: whether a piece is light or dark shows only beside the rest of the board.

A single piece may be of either side, and a single shadow may be a piece or none. But all pieces of a side look alike,
and so do all empty cells. The joint reading therefore explains the whole board best, by the look of each cell and by
the likeness of the cells of one class (`vision.reading.plda`). On a chequered board the square shows around a man and
in his look; what its colour adds is therefore estimated beside the class means, or men would be grouped by their
squares. The search climbs from several starts; the readings that it reaches are averaged, weighted by how well they
explain the board.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration.arrays import Flags, FloatArray, Indices, Patches
from vision.reading.descriptors import Descriptors
from vision.reading.heads import MIN_SHARE
from vision.reading.man_colours import man_colours
from vision.reading.plda import BoardMeans
from vision.reading.taught import bounded

OWN_WEIGHT = 0.5
"""Weight of a cell's own look in deciding whether it is occupied. It has no weight in deciding the side: light and
shade cause the same mistake on all pieces of a board, and the class means know what is light in general."""
TEMPERATURE = 6.0
"""Divisor of the cells' joint evidence, because their errors are not independent."""
ODD = 600.0
"""Squared distance from every class mean, in variances, beyond which a cell resembles no class and keeps its own
reading; greater in a noisy picture, in proportion to the median distance of the cells."""
COVERED = 0.8
"""Unknown share beyond which a cell keeps its own reading too: a hand resembles nothing on the board."""
SURELY_EMPTY, MAX_EMPTY = 0.99, 40
"""Probability from which a cell is surely empty, and the most such cells that take part; the others stay unchanged."""
STEPS = 12


def read_jointly(
    patches: Patches,
    described: Descriptors,
    logs: FloatArray,
    unknown: FloatArray,
    letters: str,
    model: BoardMeans | None,
    squares: Indices | None = None,
) -> FloatArray:
    """(cells, classes) log probabilities read jointly, from `logs`, those of each cell by itself.

    `unknown` is (cells,) probabilities, 0 to 1, that a cell shows nothing learnt; `letters` are the classes of the
    columns, empty first; `squares` is (cells,) 0 and 1 for the squares' colours on a chequered board. Returns `logs`
    itself if the classes are not the model's or the board has no pieces.
    """
    if model is None or sorted(model.letters) != sorted(letters) or not (logs[:, 0] < np.log(0.5)).any():
        return logs
    order = [letters.index(letter) for letter in model.letters]
    told = np.empty_like(logs)
    told[:, order] = _read(patches, described, logs[:, order], unknown, model, squares)
    return told


def _read(
    patches: Patches,
    described: Descriptors,
    logs: FloatArray,
    unknown: FloatArray,
    model: BoardMeans,
    squares: Indices | None,
) -> FloatArray:
    """`read_jointly` with the columns in the model's order."""
    told = logs.copy()
    rows = _telling(logs)
    patches, described, logs, unknown = patches[rows], described[rows], logs[rows], unknown[rows]
    cells = model.project(np.concatenate([described.astype(np.float64), man_colours(patches)], axis=1))
    own, seen = _tempered(logs), 1 - unknown
    colours: FloatArray = np.zeros(len(rows))
    if squares is not None and np.ptp(squares[rows]):
        colours = np.where(squares[rows], 1.0, -1.0)
    ends: dict[bytes, tuple[float, FloatArray]] = {}
    for start in _starts(cells, logs, colours):
        reading, means, score = _climb(cells, own, seen, start, model, colours)
        if reading.tobytes() not in ends:
            ends[reading.tobytes()] = score, means
    scores = np.array([score for score, _ in ends.values()]) / TEMPERATURE
    weights = np.exp(scores - scores.max())
    shares = np.zeros_like(logs)
    for weight, (_, means) in zip(weights / weights.sum(), ends.values(), strict=True):
        shares += weight * _shares(own, _distances(cells, means, colours), TEMPERATURE)
    _, best = max(ends.values(), key=lambda end: end[0])
    distances = _distances(cells, best, colours).min(axis=1)
    odd = (distances > ODD * max(1.0, float(np.median(distances)) / model.dimensions)) | (unknown > COVERED)
    told[rows] = np.where(odd[:, None], logs, np.log(np.clip(shares, MIN_SHARE, None)))
    return bounded(told)


def _telling(logs: FloatArray) -> Indices:
    """Rows of the cells worth the time: pieces, doubtful cells, and enough of the surely empty ones."""
    empty = np.flatnonzero(logs[:, 0] > np.log(SURELY_EMPTY))
    kept = empty[:: -(-len(empty) // MAX_EMPTY)] if len(empty) else empty
    return np.union1d(np.flatnonzero(logs[:, 0] <= np.log(SURELY_EMPTY)), kept)


def _tempered(logs: FloatArray) -> FloatArray:
    """Weighted log probabilities of empty and of occupied, the latter the same for all kinds of pieces."""
    man = np.logaddexp.reduce(logs[:, 1:], axis=1, keepdims=True)
    return OWN_WEIGHT * np.concatenate([logs[:, :1], np.repeat(man, logs.shape[1] - 1, axis=1)], axis=1)


def _starts(cells: FloatArray, logs: FloatArray, colours: FloatArray) -> Iterator[Indices]:
    """Readings to start from: each cell by itself; all pieces of one side; pieces in two groups, either way round."""
    yield logs.argmax(axis=1)
    men = np.flatnonzero(logs[:, 0] < np.log(0.5))
    reading = np.zeros(len(logs), dtype=np.intp)
    for side in (1, 2):
        reading[men] = side
        yield reading.copy()
    if len(men) < 2:
        return
    around = cells[men] - cells[men].mean(axis=0)
    for colour in np.unique(colours[men]):
        alike = colours[men] == colour
        around[alike] -= around[alike].mean(axis=0)
    for axis in np.linalg.svd(around, full_matrices=False)[2][:2]:
        second = _two_groups(around, around @ axis > 0)
        for first in (1, 2):
            reading[men] = np.where(second, 3 - first, first)
            yield reading.copy()


def _two_groups(cells: FloatArray, second: Flags) -> Flags:
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
    cells: FloatArray, own: FloatArray, seen: FloatArray, reading: Indices, model: BoardMeans, colours: FloatArray
) -> tuple[Indices, FloatArray, float]:
    """Alternates between looks of the classes and classes until neither changes: the reading, its looks, its score.

    Looks are (2, classes, k): means, and what a square of colour 1 adds to them and one of colour -1 takes away, which
    is the same for all men. A priori it scatters about nothing as cells do about their class mean.
    """
    rows = np.arange(len(cells))
    shift = np.zeros((own.shape[1], cells.shape[1]))
    for _ in range(STEPS):
        plain = cells - colours[:, None] * shift[reading]
        means, evidence = model.posterior(plain, np.eye(own.shape[1])[reading] * seen[:, None])
        # The model leaves out what the cells alone decide; here the shift changes them, and has its own prior.
        evidence += 0.5 * float((seen * (np.square(cells) - np.square(plain)).sum(axis=1)).sum())
        evidence -= 0.5 * float(np.square(shift[:2]).sum())
        looks = np.stack([means, shift])
        better = (own - 0.5 * _distances(cells, looks, colours)).argmax(axis=1)
        rest = (seen * colours)[:, None] * (cells - means[reading])
        shift = np.zeros_like(shift)
        for classes, group in ((slice(0, 1), reading == 0), (slice(1, None), reading > 0)):
            shift[classes] = rest[group].sum(axis=0) / (1 + (seen * np.square(colours))[group].sum())
        if (better == reading).all() and np.allclose(shift, looks[1]):
            break
        reading = better
    return reading, looks, evidence + float(own[rows, reading].sum())


def _distances(cells: FloatArray, looks: FloatArray, colours: FloatArray) -> FloatArray:
    """(n, classes) squared distances of cells from what each class would look like on their squares."""
    expected = looks[0] + colours[:, None, None] * looks[1]
    return np.asarray(np.square(cells[:, None] - expected).sum(axis=2))


def _shares(own: FloatArray, distances: FloatArray, temperature: float) -> FloatArray:
    scores = own - 0.5 * distances / temperature
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
