"""Finds a board by its print: matches its drawing with the picture, at any place and rotation.

1. Match features of the drawing with those of the picture, and find the homography that most of them agree on. At a
   low viewing angle no feature looks as drawn, so the drawing is also compared squeezed along several directions.
2. Search the printed landmarks where that homography puts them, and fit the pose to them.
3. Accept the board only if enough landmarks out of play are seen; never guess.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.printed import Print
from calibration.template import BoardTemplate
from vision.finding.landmarks import refine_by_landmarks
from vision.frame import Image
from vision.pose import BoardPose, is_plausible
from vision.primitives.features import LONGER_SIDE_PX, Reference, ReferenceMatcher, find_features
from vision.primitives.printed import draw_print, drawn_from_board

FloatArray = NDArray[np.float64]

FINE_PX = 1280
"""Pixels, longer side of the picture in which a board is searched that is too small in the coarser one."""
SQUEEZED = 2.0
"""Factor by which the drawing is narrowed: the view of a camera that looks down at 30 degrees."""
DIRECTIONS_DEG = (0, 45, 90, 135)
"""Degrees, directions in which it is squeezed; features tolerate most of the change between two of them."""
FOUND_QUALITY = 0.55
"""Share of the landmarks out of play that must be seen."""

_matchers: weakref.WeakKeyDictionary[Print, tuple[ReferenceMatcher, ...]] = weakref.WeakKeyDictionary()


def find_print(image: Image, template: BoardTemplate) -> BoardPose | None:
    """The board whose print is in the picture, in the board's own orientation; None rather than a guess.

    The template must have a print. The first call for a template takes half a second longer, to make the drawing.
    """
    for candidate in _candidates(image, template):
        if not is_plausible(candidate, template, image):
            continue
        pose = refine_by_landmarks(image, candidate, template)
        if pose.quality >= FOUND_QUALITY and is_plausible(pose, template, image):
            return pose
    return None


def _candidates(image: Image, template: BoardTemplate) -> Iterator[BoardPose]:
    """Yields possible poses, likeliest and cheapest first; each is computed only when asked for."""
    as_drawn, *squeezed = _matchers_of(template)
    features = find_features(image)
    for matcher in (as_drawn, *squeezed):
        pose = matcher.match(features)
        if pose is not None:
            yield pose
    if max(image.shape[:2]) > LONGER_SIDE_PX:
        pose = as_drawn.match(find_features(image, FINE_PX))
        if pose is not None:
            yield pose


def _matchers_of(template: BoardTemplate) -> tuple[ReferenceMatcher, ...]:
    """Matchers for the drawing as it is, and squeezed along each direction."""
    assert template.printed is not None
    if template.printed not in _matchers:
        scale = template.pixels_per_mm
        drawing = Reference(draw_print(template, scale), drawn_from_board(template, scale))
        references = [drawing, *(_squeeze(drawing, direction) for direction in DIRECTIONS_DEG)]
        _matchers[template.printed] = tuple(ReferenceMatcher(reference, template) for reference in references)
    return _matchers[template.printed]


def _squeeze(drawing: Reference, direction_deg: float) -> Reference:
    """The drawing narrowed along a direction about its middle."""
    height, width = drawing.image.shape[:2]
    angle, middle = np.radians(direction_deg), np.array([width, height]) / 2
    along = np.array([np.cos(angle), np.sin(angle)])
    matrix = np.eye(3)
    matrix[:2, :2] -= (1 - 1 / SQUEEZED) * np.outer(along, along)
    matrix[:2, 2] = middle - matrix[:2, :2] @ middle
    # Squeezing without smoothing first would cause aliasing.
    smooth = cv2.GaussianBlur(drawing.image, (0, 0), SQUEEZED / 4)
    picture = cv2.warpPerspective(smooth, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return Reference(np.asarray(picture, dtype=np.uint8), matrix @ drawing.image_from_board)
