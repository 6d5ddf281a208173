"""Measures the light on a board's cells: brightness, evenness, burnt-out areas, colours of the pieces."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np

from calibration.arrays import Flags, FloatArray
from calibration.template import BoardTemplate
from rules import EMPTY
from vision.frame import Image
from vision.pose import project
from vision.reading.cells import cut_patch

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
    side_px = template.man_diameter_mm * template.pixels_per_mm
    centres = project(template.rectified_from_board, template.cells_mm)
    patches = np.stack([cut_patch(rectified, float(x), float(y), side_px, SIDE_PX) for x, y in centres])
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


def empty_cells(board: str) -> Flags:
    return np.array([letter == EMPTY for letter in board])
