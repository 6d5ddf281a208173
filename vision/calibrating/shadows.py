"""Lays shadows over the picture of a board, as men cast them who will stand elsewhere later.

At the start of a game most bare squares lie in full light. A square in the shadow of a tall man has more contrast than
any of them; what is to read it must have seen such squares.
"""

from __future__ import annotations

import cv2
import numpy as np

from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import project

SHARE = 0.4
"""Share of the cells over which a shadow lies."""
LENGTH, WIDTH = (0.5, 1.3), 0.8
"""Of a shadow, in distances between cells and in men's diameters."""
LEFT = 0.5, 0.9
"""Grey value in a shadow, relative to that in the light."""
SOFT = 0.03, 0.12
"""Blur of its edge, in distances between cells."""


def shaded(rectified: Image, template: BoardTemplate, chance: np.random.Generator) -> Image:
    """The picture with shadows at random cells, all of one lamp."""
    left = np.ones(rectified.shape[:2], dtype=np.float32)
    pitch_px, man_px = (length * template.pixels_per_mm for length in (template.pitch_mm, template.man_diameter_mm))
    turn, length_px, dark = chance.uniform(0, 360), chance.uniform(*LENGTH) * pitch_px, chance.uniform(*LEFT)
    for place in project(template.rectified_from_board, template.cells_mm):
        if chance.random() < SHARE:
            x, y = chance.normal(place, 0.3 * pitch_px)
            box = (float(x), float(y)), (float(length_px), WIDTH * man_px), float(turn)
            cv2.ellipse(left, box, (float(dark),), -1)
    left = np.asarray(cv2.GaussianBlur(left, (0, 0), float(chance.uniform(*SOFT)) * pitch_px), dtype=np.float32)
    return np.asarray(np.rint(rectified * left[..., None]), dtype=np.uint8)
