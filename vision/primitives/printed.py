"""Draws a board's print from the figures of its template, for comparison with pictures."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import FloatArray
from calibration.printed import Shape
from calibration.template import BoardTemplate
from vision.frame import Image

FINER = 4
"""Factor by which the drawing is made larger and then shrunk, so that edges fall between pixels correctly."""
HOLLOW = 0.72
"""Exponent of a star's outline, |x|^HOLLOW + |y|^HOLLOW = 1; at 1 it would be a square on its tip."""
BARE = (90, 90, 90)
"""BGR of unprinted areas."""


def draw_print(template: BoardTemplate, pixels_per_mm: float) -> Image:
    """The print seen from straight above, margins included, at that scale.

    uint8 (height, width, 3) BGR, in the frame of `drawn_from_board`; at the template's own scale this is the frame of
    rectified pictures. Raises ValueError where the template describes no print.
    """
    if template.printed is None:
        raise ValueError(f"the template of {template.game} describes no print")
    width, height = (round((extent + 2 * template.margin_mm) * pixels_per_mm) for extent in template.size_mm)
    fine: Image = np.full((height * FINER, width * FINER, 3), BARE, dtype=np.uint8)
    scale = FINER * pixels_per_mm
    for shape in template.printed.shapes:
        _paint(fine, shape, scale, template.margin_mm)
    return np.asarray(cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def drawn_from_board(template: BoardTemplate, pixels_per_mm: float) -> FloatArray:
    """(3, 3) homography: board millimetres to pixels of the picture from `draw_print`."""
    offset = template.margin_mm * pixels_per_mm
    return np.array([[pixels_per_mm, 0, offset], [0, pixels_per_mm, offset], [0, 0, 1]], dtype=np.float64)


def _paint(fine: Image, shape: Shape, scale: float, margin_mm: float) -> None:
    # The picture's origin is the middle of its first pixel, not that pixel's corner.
    points = (outline_mm(shape) + margin_mm) * scale + FINER / 2
    # Pixel p reaches from p to p + 1; one whose middle lies on the edge belongs to the shape.
    cv2.fillPoly(fine, [np.round(points - 0.5).astype(np.int32).reshape(-1, 1, 2)], shape.colour)


def outline_mm(shape: Shape) -> FloatArray:
    """(points, 2) the shape's edge in the board frame."""
    centre, half, radius = np.array(shape.centre_mm), np.array(shape.size_mm) / 2, shape.round_mm
    turn = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    if shape.form == "star":
        unit = np.sign(ring) * np.abs(ring) ** (2 / HOLLOW)
    elif shape.form == "disc":
        unit = ring
    else:
        # The ring, cut in four and moved out to the corners.
        unit = (np.where(ring < -1e-9, -1.0, 1.0) * (half - radius) + radius * ring) / half
    return np.asarray(centre + half * unit, dtype=np.float64)
