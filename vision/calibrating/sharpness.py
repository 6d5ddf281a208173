"""Measures how sharp a board's drawing appears: the width over which its lines and edges go from dark to light."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import FloatArray
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, project

SIDE_SHARE = 0.3
"""Share of a cell: half the length of a profile across a line."""
STRIPS, STRIP_SHARE = 5, 0.12
"""Profiles averaged to reduce noise, and the share of a cell along the line over which they are spread."""
STEPS = 49
"""Samples of a profile."""
MIN_STEP = 8.0
"""Grey levels between a profile's lightest and darkest parts below which it shows no line to judge by."""
MIN_PROFILES = 6


def edge_width_px(image: Image, pose: BoardPose, template: BoardTemplate) -> float | None:
    """Pixels over which the board's lines go from their colour to the board's; None if too few lines are seen.

    1 to 2 in a sharp picture. This is the median, over profiles across the lines, of the range divided by the steepest
    slope.
    """
    starts, ends = template.lines_mm[:, 0], template.lines_mm[:, 1]
    length = np.linalg.norm(ends - starts, axis=1)
    along = (ends - starts) / length[:, None]
    centres, directions = [], []
    for start, direction, extent in zip(starts, along, length, strict=True):
        places = np.arange(0.25 * template.cell_mm, extent, 0.5 * template.cell_mm)
        centres.append(start + places[:, None] * direction)
        directions.append(np.tile(direction, (len(places), 1)))
    if not centres:
        return None
    profiles, step_px = _profiles(image, pose, template, np.concatenate(centres), np.concatenate(directions))
    span = np.percentile(profiles, 98, axis=1) - np.percentile(profiles, 2, axis=1)
    slope = np.abs(profiles[:, 2:] - profiles[:, :-2]).max(axis=1) / (2 * step_px)
    seen = span > MIN_STEP
    return float(np.median(span[seen] / slope[seen])) if seen.sum() >= MIN_PROFILES else None


def _profiles(
    image: Image, pose: BoardPose, template: BoardTemplate, centres: FloatArray, directions: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """(n, STEPS) grey values across the lines at `centres`, and (n,) the pixels from one sample to the next."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    across = np.stack([-directions[:, 1], directions[:, 0]], axis=1) * SIDE_SHARE * template.cell_mm
    ends = [project(pose.image_from_board, centres + side * across) for side in (-1, 1)]
    step_px = np.linalg.norm(ends[1] - ends[0], axis=1) / (STEPS - 1)
    offsets = np.linspace(-1, 1, STEPS)[None, None, :, None] * across[:, None, None, :]
    strips = np.linspace(-0.5, 0.5, STRIPS)[None, :, None, None] * directions[:, None, None, :]
    points = centres[:, None, None, :] + offsets + strips * STRIP_SHARE * template.cell_mm
    pixels = project(pose.image_from_board, points.reshape(-1, 2)).astype(np.float32)
    rows = pixels.reshape(len(centres) * STRIPS, STEPS, 2)
    values = cv2.remap(grey, rows[..., 0], rows[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return values.reshape(len(centres), STRIPS, STEPS).mean(axis=1).astype(np.float64), step_px
