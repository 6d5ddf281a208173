"""Draws marks on the board: rings, arrows, crosses and corners, with a light edge for contrast on any wood."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import FloatArray
from daemon.drawing.board_style import EDGE, bgr
from daemon.drawing.lettering import Colour
from rules import Step
from vision.frame import Image

EDGE_BGR: Colour = bgr(EDGE)
BITS = 4
"""Fractional bits of OpenCV's drawing coordinates."""
_HALO = 0.55


def fixed(point: FloatArray) -> tuple[int, int]:
    x, y = np.round(np.asarray(point) * (1 << BITS)).astype(int)
    return int(x), int(y)


def _strokes(colour: Colour, width_px: int) -> tuple[tuple[Colour, int], ...]:
    """Colours and widths in which a mark is drawn: first its edge, then itself."""
    return (EDGE_BGR, width_px + max(2, round(width_px * _HALO))), (colour, width_px)


def ring(image: Image, centre: FloatArray, radius_px: float, colour: Colour, width_px: int) -> None:
    for tint, width in _strokes(colour, width_px):
        cv2.circle(image, fixed(centre), round(radius_px * (1 << BITS)), tint, width, cv2.LINE_AA, BITS)


def disc(image: Image, centre: FloatArray, radius_px: float, colour: Colour) -> None:
    cv2.circle(image, fixed(centre), round(radius_px * (1 << BITS)), colour, cv2.FILLED, cv2.LINE_AA, BITS)


def dotted_ring(image: Image, centre: FloatArray, radius_px: float, colour: Colour, width_px: int) -> None:
    axes = (round(radius_px * (1 << BITS)),) * 2
    for start in range(0, 360, 30):
        for tint, width in ((EDGE_BGR, width_px + 2), (colour, width_px)):
            cv2.ellipse(image, fixed(centre), axes, 0, start, start + 16, tint, width, cv2.LINE_AA, BITS)


def line(image: Image, start: FloatArray, end: FloatArray, colour: Colour, width_px: int) -> None:
    for tint, width in _strokes(colour, width_px):
        cv2.line(image, fixed(start), fixed(end), tint, width, cv2.LINE_AA, BITS)


def outline(image: Image, corners_px: FloatArray, colour: Colour, width_px: int) -> None:
    for index in range(len(corners_px)):
        line(image, corners_px[index - 1], corners_px[index], colour, width_px)


def arrow(image: Image, start: FloatArray, end: FloatArray, gap_px: float, colour: Colour, width_px: int) -> None:
    """An arrow between two cells that keeps `gap_px` away from both centres."""
    reach = end - start
    length = float(np.hypot(*reach))
    if length <= 2 * gap_px:
        return
    along = reach / length
    across = np.array([-along[1], along[0]])
    head = min(5.0 * width_px, (length - 2 * gap_px) * 0.7)
    tail, tip = start + along * gap_px, end - along * gap_px
    neck = tip - along * head
    half = width_px * 0.7
    shape = [
        *(tail + across * half, neck + across * half, neck + across * head * 0.55, tip),
        *(neck - across * head * 0.55, neck - across * half, tail - across * half),
    ]
    points = np.array([fixed(point) for point in shape], dtype=np.int32)
    cv2.polylines(image, [points], True, EDGE_BGR, max(2, round(width_px * _HALO)) + 1, cv2.LINE_AA, BITS)
    cv2.fillPoly(image, [points], colour, cv2.LINE_AA, BITS)


def cross(image: Image, centre: FloatArray, radius_px: float, colour: Colour, width_px: int) -> None:
    reach = radius_px * 0.72
    for tint, width in _strokes(colour, width_px):
        for stroke in (np.array([reach, reach]), np.array([reach, -reach])):
            cv2.line(image, fixed(centre - stroke), fixed(centre + stroke), tint, width, cv2.LINE_AA, BITS)


def corners(image: Image, corners_px: FloatArray, arm: float, colour: Colour, width_px: int) -> None:
    """The four corners of a quadrilateral; each arm is that share of its side."""
    for index in range(4):
        here = corners_px[index]
        for there in (corners_px[(index + 1) % 4], corners_px[index - 1]):
            line(image, here, here + (there - here) * arm, colour, width_px)


def steps(
    image: Image, moves: tuple[Step, ...], centres: FloatArray, radius_px: float, colour: Colour, width_px: int
) -> None:
    """Draws steps: a ring where a piece arrives, an arrow along its way, a cross where one is taken.

    `centres` are the (cells, 2) pixels of all cells.
    """
    for step in moves:
        centre = centres[step.cell]
        if step.kind == "remove":
            cross(image, centre, radius_px, colour, width_px)
            continue
        if step.origin is not None:
            arrow(image, centres[step.origin], centre, radius_px * 1.12, colour, max(2, round(width_px * 1.2)))
        ring(image, centre, radius_px, colour, width_px)
