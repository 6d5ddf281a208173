"""Measures the light on a board's cells, the colours of the pieces, and how sharp the board's drawing appears."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np

from calibration.arrays import Flags, FloatArray
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, project
from vision.reading.cells import cut_patches

SIDE_PX = 24
BURNT = 245
"""Grey value from which a pixel's darkest channel counts as burnt out: it shows the lamp, not the board."""
WELL_LIT, MAX_GAIN = 200.0, 10.0
"""Grey value of a well lit board's lightest parts; the greatest gain applied to a darker board."""
GAMMA = 2.2


@dataclasses.dataclass(frozen=True, eq=False)
class CellLight:
    """Light in a square as wide as a piece on every cell."""

    bright: FloatArray
    """(cells,) 90th percentile of the grey values."""
    middle: FloatArray
    """(cells,) median of the grey values."""
    burnt: FloatArray
    """(cells,) share of burnt-out pixels."""
    colour: FloatArray
    """(cells, 3) median of the middle half in CIE L*a*b*, as if the board were well lit."""


def cell_light(rectified: Image, template: BoardTemplate) -> CellLight:
    """Measures the light on every cell of a rectified picture taken without movement."""
    patches = cut_patches(rectified, template, SIDE_PX, tight=True)
    grey = np.stack([cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY) for patch in patches]).reshape(len(patches), -1)
    quarter = slice(SIDE_PX // 4, 3 * SIDE_PX // 4)
    bright = np.percentile(grey, 90, axis=1)
    # Colours are scaled to full light before comparison: in the dark all are close, though still distinguishable.
    gain = np.clip(WELL_LIT / max(float(np.percentile(bright, 99)), 1.0), 1.0, MAX_GAIN)
    inner = np.asarray(np.clip(patches[:, quarter, quarter] * np.float32(gain / 255), 0, 1), dtype=np.float32)
    lab = np.stack([cv2.cvtColor(patch, cv2.COLOR_BGR2LAB) for patch in inner]).reshape(len(patches), -1, 3)
    return CellLight(
        bright=bright,
        middle=np.median(grey, axis=1),
        burnt=(patches.min(axis=3) >= BURNT).mean(axis=(1, 2)),
        colour=np.median(lab, axis=1).astype(np.float64),
    )


def unevenness(light: CellLight, empty: Flags) -> float:
    """Ratio of linear light between the brightest and darkest empty cells; 1 if all are equal."""
    levels = np.maximum(light.middle[empty], 2.0)
    high, low = np.percentile(levels, 95), np.percentile(levels, 5)
    return float((high / low) ** GAMMA)


def colour_distances(lights: list[CellLight], boards: list[str], letters: str) -> dict[tuple[str, str], float]:
    """CIE L*a*b* distance between the median colours of every two classes that were seen."""
    labels = "".join(boards)
    colours = np.concatenate([light.colour for light in lights])
    middles = {
        letter: np.median(colours[[index for index, label in enumerate(labels) if label == letter]], axis=0)
        for letter in letters
        if letter in labels
    }
    names = list(middles)
    return {
        (one, other): float(np.linalg.norm(middles[one] - middles[other]))
        for place, one in enumerate(names)
        for other in names[place + 1 :]
    }


SIDE_SHARE = 0.3
"""Share of a cell: half the length of a profile across a line."""
STRIPS, STRIP_SHARE = 5, 0.12
"""Profiles averaged to reduce noise, and the share of a cell along the line over which they are spread."""
STEPS = 49
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
