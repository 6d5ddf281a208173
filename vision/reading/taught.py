"""Reads a board of flat men by what a board of known content showed at the same table.

Four witnesses say how likely each cell looks if it is empty, or holds a piece of either side:

- the shipped network, on the cell alone;
- its projection, in which the cells of one class scatter alike on every board (`vision.reading.plda`);
- the contrast within the cell's middle, which a bare square hardly has;
- the colour of what stands out there.

All but the first are compared with the known cells, light and dark squares apart. Each counts as much as it was right
about known cells that it was not told (`vision.calibrating.start`). A cell that looks as it did when its content was
known still holds it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import cv2
import numpy as np

from calibration.arrays import FloatArray, Indices, Patches
from calibration.template import BoardTemplate
from vision.reading.cells import PATCH_PX
from vision.reading.descriptors import Descriptors
from vision.reading.man_colours import man_colours
from vision.reading.plda import BoardMeans

WITNESSES = ("network", "projection", "contrast", "colour")
MIDDLE = 0.75
"""Radius of the cell's middle, as a share of half the patch."""
SMOOTH_PX = 1.2
RANGE = (5, 95)
"""Percentiles of the grey values in the middle between which its contrast is measured."""
DARKEST = 8.0
"""Grey levels added before logarithms are taken: below them there is only noise."""
FAINTEST = 0.02
"""Contrast added before its logarithm is taken."""
PRIOR_CELLS = 4.0
"""Number of cells that the usual spread counts for beside those of this table."""
SPREAD = 0.4
"""Usual standard deviation, within one class, of the logarithms of contrast and of light."""
USUAL_LIGHT = -1.6
"""Mean logarithm of the light of the board around its cells to which every picture is balanced."""
WORST_NATS = 8.0
"""Nats by which one witness may prefer one class to another."""
SURE_NATS = 7.0
"""Nats by which all together may, or any reading of a whole board."""
KEPT_NATS = 5.0
"""Nats for the known content of a cell that looks as before."""


MAX_ADDED = 2
"""Number of cells that may be known besides those of the first board, as a multiple of the board's cells."""


@dataclasses.dataclass(frozen=True, eq=False)
class CellFeatures:
    """What the witnesses look at."""

    network: FloatArray
    """(n, classes) log probabilities of the shipped network, empty first, in the model's order."""
    projected: FloatArray
    """(n, k)."""
    contrast: FloatArray
    """(n,) logarithm of the contrast within the middle."""
    colour: FloatArray
    """(n, 3) logarithm of light of what stands out."""

    def at(self, rows: Indices | Sequence[int]) -> CellFeatures:
        return CellFeatures(self.network[rows], self.projected[rows], self.contrast[rows], self.colour[rows])


def features_of(patches: Patches, described: Descriptors, logs: FloatArray, model: BoardMeans) -> CellFeatures:
    """The features of cells; `logs` are log probabilities in the model's order."""
    seen = man_colours(patches)
    # All light on the board as the same: exposure and white balance change from picture to picture.
    seen = seen + np.tile(USUAL_LIGHT - seen[:, 9:].mean(axis=0), 4)
    projected = model.project(np.concatenate([described.astype(np.float64), seen], axis=1))
    return CellFeatures(logs, projected, _contrast(patches), seen[:, 6:9])


def _contrast(patches: Patches) -> FloatArray:
    axis = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) / (PATCH_PX / 2)
    middle = np.hypot(axis[:, None], axis[None, :]) < MIDDLE
    greys = cv2.cvtColor(patches.reshape(-1, PATCH_PX, 3), cv2.COLOR_BGR2GRAY).astype(np.float32)
    smooth = [cv2.GaussianBlur(grey, (0, 0), SMOOTH_PX)[middle] for grey in greys.reshape(-1, PATCH_PX, PATCH_PX)]
    low, high = np.percentile(np.log(np.array(smooth) + DARKEST), RANGE, axis=1)
    return np.asarray(np.log(high - low + FAINTEST))


@dataclasses.dataclass(frozen=True, eq=False)
class Taught:
    """Cells of known content, and how much each witness counts."""

    model: BoardMeans
    known: CellFeatures
    classes: Indices
    """(n,) index of each known cell's class among the model's letters."""
    kinds: Indices
    """(n,) colour of each known cell's square; all 0 where the board is not chequered."""
    weights: FloatArray
    """(witnesses,) factors of their log likelihoods."""
    strange: float = 0.0
    """Greatest probability with which the network took a known cell for nothing learnt: it may not know such men."""

    def unknown(self, shares: FloatArray) -> FloatArray:
        """The network's (cells,) shares of nothing learnt, as far as they exceed those of known cells."""
        return np.asarray(np.clip((shares - self.strange) / max(1 - self.strange, 0.1), 0, 1))

    def with_cells(self, cells: CellFeatures, board: str, rows: Indices, template: BoardTemplate) -> Taught:
        """What these cells of a board of known content add; of those added so far, the newest are kept."""
        first = len(template.cells_mm)
        old = np.arange(len(self.classes))
        old = np.concatenate([old[:first], old[first:][-MAX_ADDED * first + len(rows) :]])
        known = CellFeatures(
            *(
                np.concatenate([getattr(self.known, field.name)[old], getattr(cells, field.name)[rows]])
                for field in dataclasses.fields(CellFeatures)
            )
        )
        classes = [self.model.letters.index(board[row]) for row in rows]
        return dataclasses.replace(
            self,
            known=known,
            classes=np.concatenate([self.classes[old], classes]),
            kinds=np.concatenate([self.kinds[old], square_colours(template)[rows]]),
        )

    def log_probabilities(self, cells: CellFeatures, kinds: Indices) -> FloatArray:
        """(n, classes) normalised; `kinds` are those of the cells' squares."""
        heard = np.zeros((len(self.weights), len(kinds), len(self.model.letters)))
        for kind in np.unique(kinds):
            there = np.flatnonzero(kinds == kind)
            heard[:, there] = self.testimonies(cells.at(there), int(kind))
        return bounded(np.tensordot(self.weights, heard, axes=1))

    def testimonies(self, cells: CellFeatures, kind: int, without: int | None = None) -> FloatArray:
        """(witnesses, n, classes) log likelihoods, from squares of that colour but `without` one."""
        own = self.kinds == kind
        if without is not None:
            own[without] = False
        rows = np.flatnonzero(own)
        known, classes, count = self.known.at(rows), self.classes[rows], len(self.model.letters)
        means, _ = self.model.posterior(known.projected, np.eye(count)[classes])
        apart = np.square(cells.projected[:, None] - means).sum(axis=2)
        contrast = _normal(cells.contrast[:, None], known.contrast[:, None], classes, count)
        colour = _normal(cells.colour, known.colour, classes, count)
        every = np.stack([cells.network, -0.5 * apart, contrast, colour])
        return np.asarray(np.maximum(every - every.max(axis=2, keepdims=True), -WORST_NATS))


def _normal(cells: FloatArray, known: FloatArray, classes: Indices, count: int) -> FloatArray:
    """(n, classes) log densities of normal distributions with the known cells' means, and their spread in part."""
    told = np.zeros((len(cells), count))
    for number in range(count):
        own = known[classes == number]
        if not len(own):
            own = known
        ordered = np.sort(own, axis=0)
        middle = (ordered[(len(own) - 1) // 2] + ordered[len(own) // 2]) / 2  # the median, in a fifth of numpy's time
        variance = (np.square(own - middle).sum(axis=0) + PRIOR_CELLS * SPREAD**2) / (len(own) + PRIOR_CELLS)
        told[:, number] = -0.5 * (np.square(cells - middle) / variance + np.log(variance)).sum(axis=1)
    return told


def bounded(logs: FloatArray) -> FloatArray:
    """Normalises each row's probabilities to a sum of 1, no class more than SURE_NATS behind the first."""
    told = np.maximum(logs, logs.max(axis=1, keepdims=True) - SURE_NATS)
    return np.asarray(told - np.logaddexp.reduce(told, axis=1, keepdims=True))


def square_colours(template: BoardTemplate) -> Indices:
    """(cells,) 0 and 1 for the squares of a chequered board, by their colour; 0 for all cells of other boards."""
    if not template.first_square:
        return np.zeros(len(template.cells_mm), dtype=np.intp)
    grid = template.source["grid"]
    pitch = np.array(template.size_mm) / (int(grid["columns"]), int(grid["rows"]))
    return np.asarray(np.floor(template.cells_mm / pitch).sum(axis=1).astype(np.intp) % 2)


def in_order(logs: FloatArray, letters: str, wanted: str) -> FloatArray:
    """The log probabilities with their columns, which are those of `letters`, in the order of `wanted`."""
    return logs[:, [letters.index(letter) for letter in wanted]]
