"""Finds lines inside a supposed board that its template does not explain: the sign of a wrong outline.

For example, a board's rim taken for its outermost line leaves one of the true lines over.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import BoardPose, project
from vision.primitives.channels import shrink_to_board
from vision.primitives.ridges import LineStyle, cut_chunks, rectified_grey, styled_peaks, visible

FloatImage = NDArray[np.float32]

SEARCH_PX = 8
MIN_LENGTH_PX = 25
"""Rectified pixels, least length of a stray line; grain and letters break up sooner."""
AROUND_LINE_PX = 11
AROUND_MAN = 0.8
"""Radius around a cell, in men's diameters, in which lines are ignored."""


def stray_share(image: Image, pose: BoardPose, template: BoardTemplate) -> float:
    """Length of unexplained lines inside the frame, upright or across, as a share of the length of the template's."""
    small, small_from_image = shrink_to_board(image, pose.image_from_board, template)
    grey = rectified_grey(small, small_from_image @ pose.image_from_board, template)
    chunks = cut_chunks(template)
    style, _, heights, noise = styled_peaks(grey, chunks, SEARCH_PX)
    threshold = visible(heights, noise)
    free = _unexplained_area(template, grey.shape)
    length = 0.0
    for axis in (0, 1):
        lines = np.where(_ridge_map(grey, style, axis) > threshold, 255, 0).astype(np.uint8) & free
        kernel = np.ones((MIN_LENGTH_PX, 1) if axis == 1 else (1, MIN_LENGTH_PX), np.uint8)
        # Hand-drawn lines stray by a pixel or two; closing the gaps between neighbours keeps them whole.
        thick = cv2.dilate(lines, np.ones((1, 3) if axis == 1 else (3, 1), np.uint8))
        runs = cv2.morphologyEx(thick, cv2.MORPH_OPEN, kernel)
        # Counts one pixel per row (or column) that a run covers, however broad it is.
        count, _, stats, _ = cv2.connectedComponentsWithStats(runs)
        length += float(stats[1:count, cv2.CC_STAT_HEIGHT if axis == 1 else cv2.CC_STAT_WIDTH].sum())
    drawn = np.linalg.norm(template.lines_mm[:, 0] - template.lines_mm[:, 1], axis=1).sum() * template.pixels_per_mm
    return float(length / max(float(drawn), 1.0))


def _ridge_map(grey: FloatImage, style: LineStyle, axis: int) -> FloatImage:
    """The ridge response of every pixel against its neighbours along x (axis 1) or y (axis 0)."""
    smooth = cv2.GaussianBlur(grey, (0, 0), 0.6 * style.scale_px)
    distance = round(2 * style.scale_px) + 1
    before, after = np.roll(smooth, distance, axis=axis), np.roll(smooth, -distance, axis=axis)
    return np.asarray(np.minimum(style.polarity * (before - smooth), style.polarity * (after - smooth)), np.float32)


def _unexplained_area(template: BoardTemplate, size: tuple[int, ...]) -> NDArray[np.uint8]:
    """255 inside the frame where the template has neither line nor cell."""
    mask: NDArray[np.uint8] = np.zeros(size, dtype=np.uint8)
    corners = np.rint(project(template.rectified_from_board, template.corners_mm)).astype(np.int32)
    cv2.fillConvexPoly(mask, corners, (255,))
    ends = np.rint(project(template.rectified_from_board, template.lines_mm.reshape(-1, 2))).astype(int)
    for start, end in ends.reshape(-1, 2, 2):
        cv2.line(mask, tuple(map(int, start)), tuple(map(int, end)), (0,), 2 * AROUND_LINE_PX + 1)
    radius = round(AROUND_MAN * template.man_diameter_mm * template.pixels_per_mm)
    for centre in np.rint(project(template.rectified_from_board, template.cells_mm)).astype(int):
        cv2.circle(mask, tuple(map(int, centre)), radius, (0,), -1)
    return mask
