"""Tells how likely it is that what was read as a flat man is none: a thing that lies there, or a lamp's mirror image.

A man stands alone: in the corners of his cell, past his outline, the board shows, as it does there on all cells. He
covers his place, and looks like the other men of his side on this board. A bowl, a hat or a card covers the corners,
too, those of the cells beside it, and the place where cells meet, as seen from all of them; a lamp's image covers
little of the place; and neither looks like the men. How much each of these counts was fitted to path-traced boards with
things laid over them (`lab.bench.things`).
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from calibration.arrays import FloatArray, Indices, Patches
from calibration.template import BoardTemplate
from vision.reading.cells import PATCH_PX
from vision.reading.man_colours import LOG_LIGHT

CORNER: Final = (0.64, 0.96)
"""Shares of a patch's half side between which a corner lies: past a man, but within the square."""
CORNERS_A_TERM: Final = 8
"""Corners from which one term of how the light falls on them is told."""
NOISE: Final = 0.02
"""Difference in log light that a camera's noise makes."""
PLAIN: Final = np.array([0.35, 0.25])
"""Differences of log light and of colour from the board that grain and lines have, too."""
WITHIN: Final = 0.8
"""Share of a man's radius that he covers wherever he stands in his cell, as far as SHIFTS from its middle."""
SHIFTS: Final = (-0.25, 0.0, 0.25)
WEIGHTS: Final = np.array([0.66, 1.06, 7.16, 1.89, 0.76, 1.66, -10.20])
"""Of corners unlike the board, of being unlike the other men, of the network's share of nothing learnt, of covering
little, of corners beside it unlike the board, of all corners in one place, and of none of these: log odds."""

_AXIS = (np.arange(0, PATCH_PX, 2) + 1) * 2 / PATCH_PX - 1
_X, _Y = np.meshgrid(_AXIS, _AXIS)


def foreign_shares(
    patches: Patches, projected: FloatArray, unknown: FloatArray, sides: Indices, template: BoardTemplate
) -> FloatArray:
    """(cells,) probabilities that what was read as a man is none; 0 where `sides` is: it has the class of each man.

    `projected` are the cells as `vision.reading.plda` compares them, `unknown` the network's share of nothing learnt.
    """
    shape = (len(_AXIS), len(_AXIS))
    small = np.array([cv2.resize(patch, shape, interpolation=cv2.INTER_AREA) for patch in patches])
    blue, green, red = np.moveaxis(LOG_LIGHT[small].astype(np.float64), 3, 0)
    light = np.stack([(blue + green + red) / 3, green - red, blue - (green + red) / 2], axis=3)
    corners, board, places = _corners(light, template)
    second = np.log1p(np.sort(corners, axis=1)[:, 1])
    seen = [second, _unlike_men(projected, sides, second), unknown, _uncovered(light, board, template)]
    odds = np.column_stack([*seen, *_beside(corners, second, places, template), np.ones(len(patches))]) @ WEIGHTS
    return np.asarray(np.where(sides > 0, 1 / (1 + np.exp(-odds)), 0))


def _corners(light: FloatArray, template: BoardTemplate) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(cells, 4) how unlike the board the corners are, as a multiple of the usual; (cells, 3) the board's colours.

    And (cells, 4, 2) where the corners lie on the board.
    """
    ways = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]])
    within = [(way * [_X, _Y] > CORNER[0]) & (way * [_X, _Y] < CORNER[1]) for way in ways[:, :, None, None]]
    colours = np.stack([np.median(light[:, x & y], axis=1) for x, y in within], axis=1)
    size, ground = np.array(template.size_mm), np.empty_like(colours)
    places = template.cells_mm[:, None] + ways * np.mean(CORNER) * template.cell_mm / 2
    beyond = ((places < 0) + 2 * (places > size)) @ [1, 4]
    for side in np.unique(beyond):
        there = beyond == side
        ground[there] = _even(colours[there], places[there] / size)
    unlike = np.linalg.norm((colours - ground)[:, :, 1:], axis=2)
    inner = (beyond == 0)[:, :, None]
    board = np.where(inner, ground, 0).sum(axis=1) / np.maximum(1, inner.sum(axis=1))
    return unlike / (1.48 * np.median(unlike) + NOISE), board, places


def _beside(
    corners: FloatArray, second: FloatArray, places: FloatArray, template: BoardTemplate
) -> tuple[FloatArray, FloatArray]:
    """(cells,) the greatest `second` of the cells that meet it; and how unlike the board all corners are in one place.

    Logarithmic. That place is the cell itself, or one where its corner meets those of others, if that is more unlike.
    """
    x, y = places.reshape(-1, 2).T
    near = np.hypot(x[:, None] - x, y[:, None] - y) < template.cell_mm / 2
    meeting = np.where(near, corners.ravel(), np.inf).min(axis=1).reshape(corners.shape)
    cells = len(corners)
    others = near.reshape(cells, 4, cells, 4).any(axis=(1, 3)) & ~np.eye(cells, dtype=np.bool_)
    return np.where(others, second, 0).max(axis=1), np.log1p(np.maximum(meeting.max(axis=1), corners.min(axis=1)))


def _even(colours: FloatArray, places: FloatArray) -> FloatArray:
    """The (n, 3) colours that a surface evenly lit has at (n, 2) places, whatever lies on less than half of it."""
    x, y = (2 * places - 1).T
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)
    if len(terms) < CORNERS_A_TERM:
        return colours
    fitted = np.broadcast_to(np.median(colours, axis=0), colours.shape)
    for count in (1, 1, 1, 1, 3, 3, 3, 6, 6, 6, 6, 6):
        used = terms[:, : max(one for one in (1, 3, 6) if one <= count and one * CORNERS_A_TERM <= len(terms))]
        rest = colours - fitted
        scale = 1.48 * np.median(np.abs(rest), axis=0) + NOISE
        root = 1 / (1 + np.square(rest / scale).sum(axis=1) / 6)
        fitted = used @ np.linalg.lstsq(used * root[:, None], colours * root[:, None], rcond=None)[0]
    return fitted


def _uncovered(light: FloatArray, board: FloatArray, template: BoardTemplate) -> FloatArray:
    """(cells,) by how little three quarters of a man's disk differ from the board, where most do; logarithmic."""
    apart = np.abs(light - board[:, None, None])
    unlike = np.maximum(apart[..., 0] / PLAIN[0], np.hypot(apart[..., 1], apart[..., 2]) / PLAIN[1])
    radius = WITHIN * template.man_diameter_mm / template.cell_mm
    disks = [np.hypot(_X - x, _Y - y) < radius for x in SHIFTS for y in SHIFTS]
    covered = np.max([np.quantile(unlike[:, disk], 0.25, axis=1) for disk in disks], axis=0)
    return np.asarray(np.maximum(0, np.log(3 / (0.3 + covered))))


def _unlike_men(projected: FloatArray, sides: Indices, second: FloatArray) -> FloatArray:
    """(cells,) how far from the middle of the other men of the side, the half that stand most alone; logarithmic."""
    found, order = np.zeros(len(sides)), np.argsort(second)
    for man in np.flatnonzero(sides):
        others = order[(sides[order] == sides[man]) & (order != man)]
        if len(others):
            middle = np.median(projected[others[: (len(others) + 1) // 2]], axis=0)
            found[man] = np.log(0.5 + np.square(projected[man] - middle).sum() / 100)
    return found
