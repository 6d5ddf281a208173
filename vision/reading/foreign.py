"""Finds which of the men that were read are none: a thing that lies there, or a lamp or the sun mirrored in the board.

A man stands alone: in the corners of his cell, past his outline, the board shows, as it does there on all cells. He
covers his place, and looks like the other men of his side on this board. A bowl, a hat or a card covers the corners,
too; a lamp's mirror image covers little of the place; and neither looks like the men. How much each of these counts was
fitted to path-traced boards with things laid over them (`lab.bench.things`).
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray, Indices, Patches
from calibration.template import BoardTemplate
from vision.reading.cells import PATCH_PX
from vision.reading.descriptors import Descriptors
from vision.reading.man_colours import LOG_LIGHT, man_colours
from vision.reading.plda import BoardMeans

SIDE_PX: Final = PATCH_PX // 2
OPPONENT: Final = np.array([[1 / 3, 1 / 3, 1 / 3], [0, 1, -1], [1, -0.5, -0.5]]).T
"""From log light, BGR, to its mean and two colours, which light and shade leave as they are."""
CORNER: Final = (0.64, 0.96)
"""Shares of a patch's half side between which a corner lies: past a man, but within the square."""
WITHIN: Final = 0.8
"""Share of a man's radius that he covers wherever he stands in his cell, as far as SHIFTS from its middle."""
SHIFTS: Final = (-0.25, 0.0, 0.25)
PLAIN: Final = np.array([0.35, 0.25])
"""Differences of light and of colour from the board that grain and lines have, too."""
LEAST_CORNERS: Final = 8
"""Corners at one side of the board from which it is told how they look there."""
STEPS: Final = 12
WEIGHTS: Final = np.array([2.4, 1.3, 2.1, 8.9, 1.5])
"""Of corners unlike the board, of being unlike the other men, of having none to compare with, of the network's share of
nothing learnt, and of covering little."""
BIAS: Final = -8.5
HIDDEN: Final = 0.6
"""Probability of being none from which a man is taken back, but for one in a crowd: there men hide the board around a
man, and he is only doubted."""
CROWD: Final = 0.5
"""Share of the cells beside a man's that hold men in a crowd."""

_AXIS = (np.arange(SIDE_PX) - (SIDE_PX - 1) / 2) / (SIDE_PX / 2)
_X, _Y = np.meshgrid(_AXIS, _AXIS)
_WAYS = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]])


def foreign_shares(
    patches: Patches,
    described: Descriptors,
    means: BoardMeans,
    unknown: FloatArray,
    sides: Indices,
    template: BoardTemplate,
) -> FloatArray:
    """(cells,) probabilities that what was read as a man is none; 0 for cells read as empty.

    `unknown` is the network's share of nothing learnt; `sides` is 0 where nothing was read, and else the man's class.
    """
    shares, men = np.zeros(len(patches)), np.flatnonzero(sides)
    if len(men):
        known = np.concatenate([described[men].astype(np.float64), man_colours(patches[men])], axis=1)
        seen = evidence(patches, means.project(known), unknown, sides, template)
        shares[men] = 1 / (1 + np.exp(-(seen @ WEIGHTS + BIAS)))
    return shares


def without_foreign(logs: FloatArray, shares: FloatArray, template: BoardTemplate) -> FloatArray:
    """The (cells, classes) log probabilities where that much of what was read says nothing, and most of it nothing."""
    count = logs.shape[1]
    mixed = np.log((1 - shares)[:, None] * np.exp(logs) + shares[:, None] / count)
    apart = np.linalg.norm(template.cells_mm[:, None] - template.cells_mm, axis=2)
    beside = (apart < 1.5 * template.pitch_mm) & (apart > 0)
    men = (logs.argmax(axis=1) > 0) & (shares <= HIDDEN)
    crowded = (beside & men).sum(axis=1) > CROWD * beside.sum(axis=1)
    hidden = (shares > HIDDEN) & ~crowded
    return np.where(hidden[:, None], -np.log(count), mixed)


def evidence(
    patches: Patches, projected: FloatArray, unknown: FloatArray, sides: Indices, template: BoardTemplate
) -> FloatArray:
    """(men, 5) what WEIGHTS count, of each cell that was read as a man.

    `projected` is (men, k), as `vision.reading.plda` compares cells; all else is about all cells.
    """
    men = np.flatnonzero(sides)
    small = np.array([cv2.resize(patch, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA) for patch in patches])
    light = LOG_LIGHT[small] @ OPPONENT
    corners, unlike = _corners(light), np.zeros((len(patches), 4))
    places = template.cells_mm[:, None] + _WAYS * np.mean(CORNER) * template.cell_mm / 2
    size = np.array(template.size_mm)
    beyond = ((places < 0) + 2 * (places > size)) @ [1, 4]
    ground = np.zeros_like(corners)
    for side in np.unique(beyond):
        there = beyond == side
        ground[there] = corners[there]
        if there.sum() >= LEAST_CORNERS:
            ground[there] = _even(corners[there], places[there] / size)
            unlike[there] = np.linalg.norm((corners - ground)[there][:, 1:], axis=1)
    usual = 1.48 * float(np.median(unlike)) + 0.02
    board = np.where((beyond == 0)[..., None], ground, np.nan)
    covered = _covered(light[men], np.nanmean(board[men], axis=1), template)
    second = np.sort(unlike[men], axis=1)[:, 1]
    apart = _apart(projected, sides[men], second)
    alone = np.isnan(apart)
    return np.column_stack(
        [
            np.log1p(second / usual),
            np.where(alone, 0, np.log(0.5 + np.nan_to_num(apart) / 100)),
            alone,
            unknown[men],
            np.maximum(0, np.log(3 / (0.3 + covered))),
        ]
    )


def _corners(light: NDArray[np.floating]) -> FloatArray:
    """(cells, 4, 3) medians of the patches' corners."""
    low, high = CORNER
    found = []
    for x, y in _WAYS:
        there = (_X * x > low) & (_X * x < high) & (_Y * y > low) & (_Y * y < high)
        found.append(np.median(light[:, there], axis=1))
    return np.stack(found, axis=1).astype(np.float64)


def _even(colours: FloatArray, places: FloatArray) -> FloatArray:
    """The (n, 3) colours that a surface evenly lit has at (n, 2) places, whatever lies on less than half of it."""
    x, y = (2 * places - 1).T
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)
    fitted = np.broadcast_to(np.median(colours, axis=0), colours.shape)
    for step in range(STEPS):
        rest = colours - fitted
        scale = 1.48 * np.median(np.abs(rest), axis=0) + 0.02
        root = 1 / (1 + np.square(rest / scale).sum(axis=1) / 6)
        count = len(terms.T) if step > STEPS / 2 and len(x) >= 48 else 3 if step > STEPS / 4 and len(x) >= 24 else 1
        used = terms[:, :count]
        fitted = used @ np.linalg.lstsq(used * root[:, None], colours * root[:, None], rcond=None)[0]
    return fitted


def _covered(light: NDArray[np.floating], board: FloatArray, template: BoardTemplate) -> FloatArray:
    """(n,) by how many times PLAIN the three quarters of a man's disk differ from the board, where most do."""
    apart = light - board[:, None, None]
    unlike = np.maximum(np.abs(apart[..., 0]) / PLAIN[0], np.linalg.norm(apart[..., 1:], axis=3) / PLAIN[1])
    radius = WITHIN * template.man_diameter_mm / template.cell_mm
    disks = [np.hypot(_X - x, _Y - y) < radius for x in SHIFTS for y in SHIFTS]
    return np.asarray(np.max([np.quantile(unlike[:, disk], 0.25, axis=1) for disk in disks], axis=0))


def _apart(projected: FloatArray, sides: Indices, second: FloatArray) -> FloatArray:
    """(n,) squared distances from the middle of the other men of the side, the half that stand most alone; or NaN."""
    found = np.full(len(sides), np.nan)
    order = np.argsort(second)
    for man, side in enumerate(sides):
        others = order[(sides[order] == side) & (order != man)]
        if len(others):
            middle = np.median(projected[others[: (len(others) + 1) // 2]], axis=0)
            found[man] = np.square(projected[man] - middle).sum()
    return found
