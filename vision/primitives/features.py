"""Recognises a board by the texture of its reference picture: SIFT features and a robust homography."""

from __future__ import annotations

import dataclasses
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.pose import FEWEST, BoardPose, project

LONGER_SIDE_PX = 640
"""Pixels, longer side to which pictures are shrunk before feature detection: fine grain moves and costs time."""
FEATURES = 2500
RATIO = 0.8
"""Greatest distance of a match, as a share of the second best's."""
REPROJECTION_PX = 3.0
ITERATIONS, STEP_PX = 5, 0.02
"""Steps of a fit: further ones move no corner by so many pixels, though 40 % of the points are wrong; nor does one
after a step that is smaller."""


@dataclasses.dataclass(frozen=True, eq=False)
class Reference:
    """A picture of the board, preferably without pieces, and the board's place in it."""

    image: Image
    image_from_board: FloatArray
    """(3, 3) homography: board millimetres to pixels of `image`."""


class ReferenceMatcher:
    def __init__(self, reference: Reference, template: BoardTemplate) -> None:
        small, small_from_image = shrink(reference.image)
        small_from_board = small_from_image @ reference.image_from_board
        mask = board_mask(small.shape[:2], small_from_board, template, template.margin_mm)
        self._points, self._descriptors = _describe(small, mask)
        self._board_from_small: FloatArray = np.asarray(np.linalg.inv(small_from_board))

    def locate(self, image: Image) -> BoardPose | None:
        """The pose that most features agree on, to about 1 % of the board; None where too few agree."""
        small, small_from_image = shrink(image)
        found = self._fit(small)
        if found is None:
            return None
        matrix, here, there, kept = found
        errors = np.linalg.norm(project(matrix, here) - there, axis=1)[kept]
        pose = np.linalg.inv(small_from_image) @ matrix @ np.linalg.inv(self._board_from_small)
        return BoardPose(pose / pose[2, 2], float(np.median(errors) / small_from_image[0, 0]), float(kept.mean()))

    def agreeing(self, image: Image) -> int:
        """Number of features that agree on one place of the board in the picture, or in that of another board."""
        found = self._fit(shrink(image)[0])
        return 0 if found is None else int(found[3].sum())

    def _fit(self, small: NDArray[np.uint8]) -> tuple[FloatArray, FloatArray, FloatArray, Flags] | None:
        """The homography from the reference that most features agree on, the pairs of points, and which agree."""
        points, descriptors = _describe(small)
        if not len(self._points) or len(points) < FEWEST:
            return None
        pairs = cv2.BFMatcher.create(cv2.NORM_L2).knnMatch(descriptors, self._descriptors, k=2)
        good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < RATIO * pair[1].distance]
        if len(good) < FEWEST:
            return None
        there: FloatArray = points[np.array([match.queryIdx for match in good])]
        here: FloatArray = self._points[np.array([match.trainIdx for match in good])]
        matrix, kept = fit_homography(here, there, cv2.USAC_MAGSAC, REPROJECTION_PX)
        if matrix is None or int(kept.sum()) < FEWEST:
            return None
        return matrix, here, there, kept


def _describe(grey: NDArray[np.uint8], mask: NDArray[np.uint8] | None = None) -> tuple[FloatArray, NDArray[np.float32]]:
    """(n, 2) positions and (n, 128) root-SIFT, which matches better at no cost."""
    found: tuple[Any, Any] = cv2.SIFT.create(nfeatures=FEATURES).detectAndCompute(grey, mask)
    points = np.array([keypoint.pt for keypoint in found[0]], dtype=np.float64).reshape(-1, 2)
    descriptors = found[1] if len(points) else np.zeros((0, 128))
    return points, np.sqrt(descriptors / (np.abs(descriptors).sum(axis=1, keepdims=True) + 1e-7)).astype(np.float32)


def fit_homography(
    here: FloatArray, there: FloatArray, method: int, limit_px: float
) -> tuple[FloatArray | None, Flags]:
    """The homography there_from_here most points agree on, None where there is none; and which points agree."""
    found: tuple[Any, Any] = cv2.findHomography(here, there, method, limit_px, maxIters=5000, confidence=0.999)
    matrix, kept = found
    if matrix is None or not np.isfinite(matrix).all():
        return None, np.zeros(len(here), dtype=np.bool_)
    return np.asarray(matrix, dtype=np.float64), np.asarray(kept).ravel().astype(np.bool_)


def steady_homography(here: FloatArray, there: FloatArray) -> FloatArray:
    """The homography there_from_here that all points have a say in, those far from it the least.

    Least squares with Cauchy's weights, which change little from picture to picture where RANSAC flips between sets of
    agreeing points. Fewer than half of the points may be wrong.
    """
    middle, size = here.mean(axis=0), max(float(np.ptp(here, axis=0).max()) / 2, 1.0)
    unit_from = np.array([[1 / size, 0, -middle[0] / size], [0, 1 / size, -middle[1] / size], [0, 0, 1.0]])
    start, end = (np.asarray((points - middle) / size) for points in (here, there))
    matrix = np.eye(3)
    matrix[:2, 2] = np.median(end - start, axis=0)
    ones = np.column_stack([start, np.ones(len(start))])
    slopes = np.zeros((len(start), 2, 8))
    slopes[:, 0, 0:3] = slopes[:, 1, 3:6] = ones
    for _ in range(ITERATIONS):
        seen = ones @ matrix.T
        seen, depth = seen[:, :2] / seen[:, 2:], seen[:, 2]
        slopes[:, :, 6:] = -seen[:, :, None] * start[:, None]
        off = end - seen
        squares = (off * off).sum(axis=1)
        scale = max(float(np.median(squares)), float(np.finfo(np.float32).eps) ** 2)
        rows = slopes.reshape(-1, 8)
        weighted = (rows * np.repeat(1 / ((1 + squares / scale) * depth), 2)[:, None]).T
        step = np.linalg.lstsq(weighted @ (rows / np.repeat(depth, 2)[:, None]), weighted @ off.ravel(), rcond=None)[0]
        matrix = matrix + np.append(step, 0.0).reshape(3, 3)
        if np.abs(step).sum() * size < STEP_PX:
            break
    found = np.linalg.inv(unit_from) @ matrix @ unit_from
    return np.asarray(found / found[2, 2])


def shrink(image: Image, longer_side_px: int = LONGER_SIDE_PX) -> tuple[NDArray[np.uint8], FloatArray]:
    """The picture in grey with its longer side at most that long, and the matrix small_from_image."""
    scale = min(1.0, longer_side_px / max(image.shape[:2]))
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    if scale < 1.0:
        size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
        grey = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
    # Whole numbers are pixel centres, not corners: without the half pixel all would be offset by scale / 2.
    offset = (scale - 1) / 2
    return np.asarray(grey, dtype=np.uint8), np.array([[scale, 0, offset], [0, scale, offset], [0, 0, 1.0]])


def board_mask(
    size: tuple[int, ...], image_from_board: FloatArray, template: BoardTemplate, margin_mm: float
) -> NDArray[np.uint8]:
    """uint8 (height, width): 255 within `margin_mm` of the board's frame, 0 elsewhere."""
    outline = template.corners_mm + margin_mm * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    mask: NDArray[np.uint8] = np.zeros(size, dtype=np.uint8)
    cv2.fillConvexPoly(mask, np.round(project(image_from_board, outline)).astype(np.int32), (255,))
    return mask
