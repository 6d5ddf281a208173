"""Finds a board by what is printed on it: its drawing is matched with the picture, in whatever place and turn.

1. Features of the drawing and of the picture that look alike, and the homography that most of them agree on.
2. The printed landmarks are looked for where it puts them; the pose is fitted to them.
3. Enough of those out of play must be there, or there is no board: none is guessed.
"""

from __future__ import annotations

import weakref

from calibration.printed import Print
from calibration.template import BoardTemplate
from vision.features import Reference, ReferenceMatcher
from vision.frame import Image
from vision.landmarks import refine_by_landmarks
from vision.pose import BoardPose, is_plausible
from vision.printed import draw_print, drawn_from_board

WORKING_PX = (640, 1280)
"""Longer sides of the pictures in which features are matched, one after the other until a board is found."""
FOUND_QUALITY = 0.55
"""Share of the landmarks out of play that must be seen."""

_matchers: weakref.WeakKeyDictionary[Print, dict[int, ReferenceMatcher]] = weakref.WeakKeyDictionary()


def find_print(image: Image, template: BoardTemplate) -> BoardPose | None:
    """The board whose print is in the picture, in the board's own orientation; None rather than a guess.

    The template must have a print.
    """
    for longer_side_px in WORKING_PX:
        pose = _matcher(template, longer_side_px).locate(image)
        if pose is None or not is_plausible(pose, template, image):
            continue
        pose = refine_by_landmarks(image, pose, template)
        if pose.quality >= FOUND_QUALITY and is_plausible(pose, template, image):
            return pose
    return None


def _matcher(template: BoardTemplate, longer_side_px: int) -> ReferenceMatcher:
    """A matcher that knows the drawing; made once for each print and size, which takes a few tenths of a second."""
    assert template.printed is not None
    matchers = _matchers.setdefault(template.printed, {})
    if longer_side_px not in matchers:
        scale = template.pixels_per_mm
        reference = Reference(draw_print(template, scale), drawn_from_board(template, scale))
        matchers[longer_side_px] = ReferenceMatcher(reference, template, longer_side_px)
    return matchers[longer_side_px]
