"""Measures the light on a printed board's white paper, and removes it from the picture."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray
from calibration.sheet import SheetLayout
from vision.frame import Image
from vision.pose import FEWEST, BoardPose, project

WHITE = 225.0
"""Levels that paper is mapped to."""
MIN_GAIN, MAX_GAIN = 0.7, 8.0
PLACES = 9
"""Places along each side of the board where the paper is measured."""
PAPER_PERCENTILE = 80
"""Percentile of the levels at a place that is paper: a coordinate in grey letters is printed there too."""
ASIDE = 0.12
"""Greatest deviation of a place from the others' fit, in log levels: a shadow or a hand is no paper."""


def in_white_light(rectified: Image, image: Image, pose: BoardPose, layout: SheetLayout) -> Image:
    """The rectified picture as under even white light; unchanged where too little paper is seen.

    Assumes that the light's logarithm changes linearly across the sheet, for each colour separately.
    """
    template = layout.template
    places = _ring(layout)
    seen = np.array([_paper(image, pose, place, 0.45 * layout.label_mm) for place in places])
    slopes = _fit(_terms(places, layout), np.log(np.maximum(seen, 2.0)))
    if slopes is None:
        return rectified
    scale = template.pixels_per_mm
    columns = (np.arange(rectified.shape[1]) / scale - template.margin_mm, np.zeros(rectified.shape[1]))
    rows = (np.zeros(rectified.shape[0]), np.arange(rectified.shape[0]) / scale - template.margin_mm)
    # Its logarithm is a plane, so the light is the product of its values along one row and along one column.
    across = np.exp(_terms(np.stack(columns, axis=1), layout) @ slopes)
    along = np.exp(_terms(np.stack(rows, axis=1), layout) @ slopes)
    corner = np.exp(_terms(np.zeros((1, 2)), layout) @ slopes)
    light = across[None] * along[:, None] / corner[None]
    gain = np.clip(WHITE / light, MIN_GAIN, MAX_GAIN)
    return np.asarray(np.clip(rectified * gain + 0.5, 0, 255), dtype=np.uint8)


def _ring(layout: SheetLayout) -> FloatArray:
    """(n, 2) places in the strip of coordinates around the board, where nothing else is printed."""
    (width, height), away = layout.template.size_mm, layout.rim_mm + layout.label_mm / 2
    share = np.linspace(0, 1, PLACES)
    xs, ys = -away + share * (width + 2 * away), -away + share * (height + 2 * away)
    ends = np.array([-away, width + away]), np.array([-away, height + away])
    sides = [np.stack(np.meshgrid(xs, ends[1]), axis=-1), np.stack(np.meshgrid(ends[0], ys[1:-1]), axis=-1)]
    return np.concatenate([side.reshape(-1, 2) for side in sides])


def _paper(image: Image, pose: BoardPose, place: FloatArray, reach_mm: float) -> FloatArray:
    """(3,) BGR of the paper around a place; nan where that is outside the picture."""
    square = place + reach_mm * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    pixels = project(pose.image_from_board, square)
    low = np.maximum(np.floor(pixels.min(axis=0)).astype(int), 0)
    high = np.maximum(np.ceil(pixels.max(axis=0)).astype(int) + 1, 0)
    patch = image[low[1] : high[1], low[0] : high[0]].reshape(-1, 3)
    return np.percentile(patch, PAPER_PERCENTILE, axis=0) if len(patch) else np.full(3, np.nan)


def _terms(places_mm: FloatArray, layout: SheetLayout) -> FloatArray:
    """(n, 3) 1, x and y from the board's middle."""
    size = np.array(layout.template.size_mm)
    return np.column_stack([np.ones(len(places_mm)), (places_mm - size / 2) / size.max()])


def _fit(terms: FloatArray, logs: FloatArray) -> FloatArray | None:
    """(3, 3) a plane for each colour, by least squares over the places that agree with it."""
    seen = np.isfinite(logs).all(axis=1)
    kept = seen.copy()
    slopes: FloatArray | None = None
    for _ in range(4):
        if kept.sum() < FEWEST:
            return None
        slopes = np.asarray(np.linalg.lstsq(terms[kept], logs[kept], rcond=None)[0], dtype=np.float64)
        apart = np.abs(terms @ slopes - logs).max(axis=1)
        kept = seen & (apart < max(ASIDE, 2 * float(np.median(apart[seen]))))
    return slopes
