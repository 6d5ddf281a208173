"""Quadrangles of a picture: sheets, boards and the squares drawn on them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Grey = NDArray[np.uint8]

MIN_AREA = 0.002
"""Least area, as a share of the picture."""
BLOCKS = (0.02, 0.06)
"""Sides of the neighbourhoods relative to which a pixel is dark or light, as shares of the picture's longer side."""
MAX_QUADS = 8
ALIKE = 0.12
"""Distance of corners, as a share of the diagonal, below which two quadrangles count as one."""


def find_quads(grey: Grey) -> list[FloatArray]:
    """(4, 2) corners, clockwise, of the picture's quadrangles without duplicates; largest first."""
    smooth = cv2.GaussianBlur(grey, (3, 3), 0)
    found: list[FloatArray] = []
    for share in BLOCKS:
        block = max(3, int(share * max(grey.shape)) | 1)
        for kind in (cv2.THRESH_BINARY, cv2.THRESH_BINARY_INV):
            mask = cv2.adaptiveThreshold(smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, kind, block, 5)
            found += _quads(np.asarray(mask, dtype=np.uint8))
    edges = cv2.dilate(cv2.Canny(smooth, 40, 120), np.ones((3, 3), np.uint8))
    found += _quads(np.asarray(edges, dtype=np.uint8))
    found.sort(key=lambda quad: -cv2.contourArea(quad.astype(np.float32)))
    distinct: list[FloatArray] = []
    for quad in found:
        diagonal = float(np.linalg.norm(quad[0] - quad[2]))
        if all(np.linalg.norm(quad - other, axis=1).max() > ALIKE * diagonal for other in distinct):
            distinct.append(quad)
    return distinct[:MAX_QUADS]


def _quads(mask: Grey) -> list[FloatArray]:
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    area = mask.shape[0] * mask.shape[1]
    quads = []
    for contour in contours:
        size = cv2.contourArea(contour)
        if not MIN_AREA * area < size < 0.9 * area:
            continue
        hull = cv2.convexHull(contour)
        if size < 0.85 * cv2.contourArea(hull):
            continue
        corners = cv2.approxPolyDP(hull, 0.03 * cv2.arcLength(hull, True), True)
        if len(corners) == 4:
            quads.append(_clockwise(np.asarray(corners.reshape(4, 2), dtype=np.float64)))
    return quads


def _clockwise(quad: FloatArray) -> FloatArray:
    if cv2.contourArea(quad.astype(np.float32), oriented=True) < 0:
        quad = quad[::-1]
    return np.asarray(np.roll(quad, -int(np.argmin(quad.sum(axis=1))), axis=0))
