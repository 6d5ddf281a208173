"""Tracks the board's pose: locks by texture or lines, follows by optical flow, and keeps checking.

A wrong lock is the worst failure, since every later reading would be wrong. So a pose counts only after the template's
lines or its print have been seen under it, as far as men leave them free, and it is dropped when they are no longer
seen.
"""

from __future__ import annotations

import dataclasses
import logging
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.finding.finder import find_board, mirrored
from vision.finding.markers import OtherSheetError
from vision.finding.pose_quality import pose_quality, right_way_round, snap_pose
from vision.frame import Frame, Image
from vision.pose import BoardPose, is_plausible, pose_from_corners, shape_fault
from vision.primitives.features import MIN_INLIERS, Reference, ReferenceMatcher, shrink
from vision.watching.registration import MOSTLY, STANDS_SHARE, Grey, KnownView, Registration

__all__ = ["Aligner", "Alignment", "Reference"]

FloatArray = NDArray[np.float64]

log = logging.getLogger(__name__)

LOCK_QUALITY = 0.55
"""Share of the lines or of the print that must be seen before a pose is accepted."""
KEEP_SHARE = 0.6
"""Share of the quality at locking below which something is wrong."""
CHECK_EVERY_S, CHECK_AT_REST_S = 1.0, 4.0
"""Seconds between checks of the lines, touched and at rest: a check costs as much as following five frames."""
LINES_EVERY_S = 0.1
"""Seconds between looks whether a followed board lies a line off: the shortest settling time that can be set."""
LOST_AFTER_S = 2.0
"""Seconds for which check after check may miss the lines of a board that does not move before it counts as lost."""
MAX_HIDDEN_S = 30.0
"""Seconds for which a hand may hide the lines: a player has moved it away by then."""
FIRST_WAIT_S, MAX_WAIT_S = 0.2, 2.0
SEARCH_EVERY_S = 4.0
"""Seconds between searches by lines alone, which take most of a second each."""
HIDDEN_S = 0.8
"""Seconds without any view of a locked board before it counts as lost."""
BUMP = 0.006
"""Shift, as a share of the board's side, from which a movement of board or camera is reported."""
STEADY_PX = 0.35
"""Pixels of the farthest corner below which a board at rest keeps its pose."""
UNTOUCHED = 0.9
"""Share of the known points that must be seen for a board to count as untouched."""
SAME_PLACE = 0.02
"""Shift, as a share of the side, within which two methods of finding the board agree: half the line spacing of the
finest board."""


@dataclasses.dataclass(frozen=True, eq=False)
class Alignment:
    """What is known of the board's pose in one frame."""

    pose: BoardPose | None
    """None while lost."""
    state: Literal["locked", "lost"]
    relocked: bool
    """True once: in the first frame after board or camera came to rest in a new place, or the board came back."""
    quality: float
    """Share of the drawn lines, or of the print, seen where it belongs at the last check, 0 to 1."""
    moved_px: float
    """Pixels that the farthest corner moved since the previous frame."""
    strange: bool = False
    """True once: in the first frame where nothing confirms that this is the same board in the same position. It may be
    rotated, shifted by one line, or another board. Earlier knowledge of its cells is then invalid."""


MIRRORED = 2.0
"""A mirrored picture shares this many times more features with the reference than the picture itself."""
LOST = Alignment(None, "lost", relocked=False, quality=0.0, moved_px=0.0)


class Aligner:
    """Follows one board. Pass it every frame in turn; `template` then has the shape measured on the board in view."""

    def __init__(self, template: BoardTemplate, reference: Reference | None = None) -> None:
        self.template = template
        self.men: NDArray[np.bool_] | None = None
        """(cells,) on which cells men were last seen, which hide the lines under them; None where that is unknown."""
        self._matcher = ReferenceMatcher(reference, template) if reference is not None else None
        self._pose: BoardPose | None = None
        self._last: BoardPose | None = None
        """The last pose seen in pictures of the present name and size; None after these changed."""
        self._known: KnownView | None = None
        """The board's look in its own frame, kept wherever the board moves."""
        self._look: tuple[Image, BoardPose] | None = None
        """A newer look, turned into the known one at the next frame so that the caller does not wait for it now."""
        self._small_from_image: FloatArray = np.eye(3)
        self._resting: BoardPose | None = None
        self._lined: BoardPose | None = None
        """The last pose seen to be right to the line."""
        self._locked_quality = 0.0
        self._checked_s = self._followed_s = self._next_try_s = self._lined_s = float("-inf")
        self._touched = False
        """Whether something has moved or covered the board since the last check."""
        self._hidden_s: float | None = None
        """Time from which the checks have missed the lines of the followed board; None while they see them."""
        self._unlike_s = float("-inf")
        """Time from which, with the lines missed, too little of the board has looked as before."""
        self._next_search_s = float("-inf")
        self._wait_s = FIRST_WAIT_S
        self._picture: tuple[str, tuple[int, int]] = "", (0, 0)
        """Name and size of the incoming pictures."""

    def update(self, frame: Frame) -> Alignment:
        """Locates the board in the next frame: 6 ms where it is followed, some 70 ms for a new lock."""
        grey, self._small_from_image = shrink(frame.image)
        picture = frame.name, (frame.image.shape[0], frame.image.shape[1])
        if picture != self._picture:
            # Another photo, or a rotated camera: the board's look is still known, its position is not.
            self._picture, self._last = picture, None
            self._next_try_s = self._next_search_s = self._followed_s = float("-inf")
        if self._look is not None:
            self._know(*self._look)
        due = frame.time_s - self._lined_s >= LINES_EVERY_S
        before, found = self._pose, self._found(grey, self._last, lines=due)
        if due and found is not None:
            # Under a hand the outer lines may be hidden: it is looked again when they are seen.
            self._lined, self._lined_s = found[0] if found[1] > UNTOUCHED else None, frame.time_s
        if found is None:
            return self._lock(frame, grey)
        pose, support = found
        self._followed_s = frame.time_s
        if before is None:
            return self._back(pose, frame, grey)
        moved_px = _distance_px(before, pose, self.template)
        if moved_px < STEADY_PX and support == 0.0:
            pose = before
        resting = self._resting or pose
        if _distance_px(resting, pose, self.template) < STEADY_PX * 2:
            # A board at rest keeps exactly the same pose, so that the rectified picture does not jitter.
            pose = resting
        self._pose = self._last = pose
        self._touched |= support <= UNTOUCHED or pose is not resting or self._hidden_s is not None
        if frame.time_s - self._checked_s > (CHECK_EVERY_S if self._touched else CHECK_AT_REST_S):
            self._touched = support <= UNTOUCHED
            return self._check(frame, grey, moved_px, support)
        return Alignment(pose, "locked", relocked=False, quality=pose.quality, moved_px=moved_px)

    def begin_at(self, pose: BoardPose, frame: Frame) -> None:
        """Takes over a pose found earlier in that frame; it is checked as usual."""
        grey, self._small_from_image = shrink(frame.image)
        if self.template.first_square:  # corners given by hand may begin at a square of the other colour
            pose = right_way_round(frame.image, pose, self.template)
        if self._matcher is None:
            self._matcher = ReferenceMatcher(Reference(frame.image, pose.image_from_board), self.template)
        self._picture, self._known = (frame.name, (frame.image.shape[0], frame.image.shape[1])), None
        self._locked(pose, frame, grey)

    def renew(self, frame: Frame) -> None:
        """Makes the board's look in `frame`, the last one passed in and free of hands, the known look."""
        self._look = None if self._pose is None else (frame.image, self._pose)

    def is_mirrored(self, image: Image) -> bool:
        """Whether the picture shows the reference's board mirrored. A quarter of a second.

        A board recognisable by its lines alone looks the same in a mirror: this cannot detect it.
        """
        if self._matcher is None:
            return False
        return self._matcher.agreeing(mirrored(image)) > MIRRORED * max(MIN_INLIERS, self._matcher.agreeing(image))

    def _found(self, grey: Grey, near: BoardPose | None, *, lines: bool = True) -> tuple[BoardPose, float] | None:
        """The known board's pose in a picture, searched near another pose, and the share of the board confirming it.

        With `lines`, a pose other than the one last seen to be right is corrected if it is lines off.
        """
        if self._known is None or near is None:
            return None
        expected = self._small_from_image @ near.image_from_board
        found = self._known.find(grey, expected)
        if found is None:
            return None
        pose = self._in_image(found, near)
        if shape_fault(pose, self.template, self._picture[1][::-1]):
            return None  # what a fast hand leaves in view fits many a motion
        if lines and (self._lined is None or _distance_px(self._lined, pose, self.template) >= STEADY_PX):
            found = self._known.on_its_lines(grey, found)
            pose = self._in_image(found, near)
        self._known.keep(found)
        return pose, found.support

    def _in_image(self, found: Registration, near: BoardPose) -> BoardPose:
        image_from_board = np.linalg.inv(self._small_from_image) @ found.image_from_board
        return dataclasses.replace(near, image_from_board=image_from_board / image_from_board[2, 2])

    def _back(self, pose: BoardPose, frame: Frame, grey: Grey) -> Alignment:
        """Takes up a lost board that is followed again, as soon as its lines are seen."""
        quality = pose_quality(frame.image, pose, self.template, self.men)
        if quality < KEEP_SHARE * self._locked_quality:
            return self._lock(frame, grey)
        return self._locked(dataclasses.replace(pose, quality=quality), frame, grey)

    def _check(self, frame: Frame, grey: Grey, moved_px: float, support: float) -> Alignment:
        """Checks that the lines are still where the pose says; hidden lines are tolerated for a while."""
        assert self._pose is not None
        self._checked_s = frame.time_s
        quality = pose_quality(frame.image, self._pose, self.template, self.men)
        self._pose = self._last = pose = dataclasses.replace(self._pose, quality=quality)
        if quality >= KEEP_SHARE * self._locked_quality:
            self._hidden_s = None
            bumped = support > MOSTLY and moved_px < STEADY_PX and self._lies_elsewhere(pose)
            if bumped:
                self._resting = pose
            return Alignment(pose, "locked", relocked=bumped, quality=quality, moved_px=moved_px)
        if frame.time_s >= self._next_try_s:
            # A hand hides the lines, or the board is gone. Searching the whole picture for them takes seconds in
            # which nothing is followed; it waits until the board counts as lost.
            found = self._recognized(frame.image)
            if found is not None:
                return self._locked(found, frame, grey)
            self._back_off(frame.time_s)
        # Counted from the first check that missed them: with a board at rest the previous check may be long ago.
        if self._hidden_s is None:
            self._hidden_s = self._unlike_s = frame.time_s
        elif self._same_share(grey, pose) >= STANDS_SHARE:
            self._unlike_s = frame.time_s
        if frame.time_s - self._unlike_s > LOST_AFTER_S or frame.time_s - self._hidden_s > MAX_HIDDEN_S:
            return self._lose(frame)
        return Alignment(pose, "locked", relocked=False, quality=quality, moved_px=moved_px)

    def _same_share(self, grey: Grey, pose: BoardPose) -> float:
        return (
            0.0 if self._known is None else self._known.same_share(grey, self._small_from_image @ pose.image_from_board)
        )

    def _lies_elsewhere(self, pose: BoardPose) -> bool:
        resting = self._resting or pose
        return _distance_px(resting, pose, self.template) > BUMP * side_px(pose, self.template)

    def _lock(self, frame: Frame, grey: Grey) -> Alignment:
        if frame.time_s >= self._next_try_s:
            found = self._locate(frame.image, frame.time_s)
            if found is not None:
                return self._locked(found, frame, grey)
            self._back_off(frame.time_s)
        if self._pose is not None and frame.time_s - self._followed_s < HIDDEN_S:
            # A hand sweeps over the whole board, for less time than anybody needs to move the board and let go.
            return Alignment(self._pose, "locked", relocked=False, quality=0.0, moved_px=0.0)
        return self._lose(frame)

    def _locked(self, pose: BoardPose, frame: Frame, grey: Grey) -> Alignment:
        before, resting, known = self._pose, self._resting, self._known
        as_before = self._as_before(pose, grey)
        strange = known is not None and as_before is None
        if as_before is not None:
            pose = dataclasses.replace(as_before, quality=pose.quality)
        bumped = self._lies_elsewhere(pose)
        relocked = resting is not None and (before is None or bumped)
        if relocked:
            log.info("board locked again; quality %.2f%s", pose.quality, "; it looks strange" if strange else "")
        elif before is not None and resting is not None and self._last is not None:
            pose = dataclasses.replace(resting, quality=pose.quality)
        self._pose = self._last = self._resting = pose
        self._locked_quality = pose.quality
        self._checked_s = self._followed_s = frame.time_s
        self._hidden_s = None
        self._next_try_s, self._wait_s = float("-inf"), FIRST_WAIT_S
        if known is None or strange:
            self._know(frame.image, pose)
        moved_px = 0.0 if before is None else _distance_px(before, pose, self.template)
        return Alignment(
            pose, "locked", relocked=relocked, quality=pose.quality, moved_px=moved_px, strange=strange and relocked
        )

    def _as_before(self, pose: BoardPose, grey: Grey) -> BoardPose | None:
        """Where the known board is, found under a pose that was determined without it, or in full view a line off.

        A board followed all the time to this place is there, however little of it a hand leaves to be recognised.
        """
        found = self._found(grey, pose)
        if found is not None and (found[1] > UNTOUCHED or (found[1] > 0 and self._same_place(found[0], pose))):
            return found[0]
        followed = None if self._known is None or self._last is None else self._pose
        return followed if followed is not None and self._same_place(followed, pose) else None

    def _same_place(self, one: BoardPose, other: BoardPose) -> bool:
        return _distance_px(one, other, self.template) < SAME_PLACE * side_px(other, self.template)

    def _know(self, image: Image, pose: BoardPose) -> None:
        grey, small_from_image = shrink(image)
        self._known = KnownView(grey, small_from_image @ pose.image_from_board, self.template)
        self._look = None

    def _lose(self, frame: Frame) -> Alignment:
        if self._pose is not None:
            log.info("board lost at %.2f s %s", frame.time_s, frame.name)
        self._pose = None
        return LOST

    def _back_off(self, time_s: float) -> None:
        self._next_try_s = time_s + self._wait_s
        self._wait_s = min(2 * self._wait_s, MAX_WAIT_S)

    def _locate(self, image: Image, time_s: float) -> BoardPose | None:
        """A pose under which the lines are seen; None where there is none."""
        compared = self._matcher is not None and self._known is None  # a picture is no mirror image of itself
        pose = self._recognized(image)
        if pose is None and time_s >= self._next_search_s:
            pose = self._search(image)
            self._next_search_s = time_s + SEARCH_EVERY_S
        return None if pose is not None and compared and self.is_mirrored(image) else pose

    def _recognized(self, image: Image) -> BoardPose | None:
        """A pose from the reference picture of the board, with its lines seen; None where there is none."""
        return self._verified(image, self._matcher.locate(image) if self._matcher is not None else None)

    def _verified(self, image: Image, candidate: BoardPose | None) -> BoardPose | None:
        if candidate is None or not is_plausible(candidate, self.template, image):
            return None
        pose = snap_pose(image, candidate, self.template, self.men)
        return pose if pose.quality >= LOCK_QUALITY and is_plausible(pose, self.template, image) else None

    def _search(self, image: Image) -> BoardPose | None:
        """Searches by the drawing alone. Without a reference, the result becomes the template's shape and reference."""
        try:
            found = find_board(image, self.template)
        except OtherSheetError as error:
            log.warning("%s", error)
            return None
        if found is None:
            return None
        if self._matcher is not None:
            pose = self._turned_as_before(found.pose)
            # Where men hide most lines, only their lattice shows the board, for which its finder vouches.
            return self._verified(image, pose) or (pose if found.found_by == "lattice" else None)
        self.template = found.template
        self._matcher = ReferenceMatcher(Reference(image, found.pose.image_from_board), self.template)
        return found.pose

    def _turned_as_before(self, pose: BoardPose) -> BoardPose:
        """Picks the possible rotation nearest to the last one: a known board does not turn between two looks."""
        if self._resting is None or self.template.printed is not None:
            # A print is always found the right way up.
            return pose
        before = self._resting.corners_px(self.template)
        corners = pose.corners_px(self.template)
        width, height = self.template.size_mm
        turns = range(4) if np.isclose(width, height) else range(0, 4, 2)
        # Only the direction counts, since the board may have been pushed aside.
        before, seen = before - before.mean(axis=0), corners - corners.mean(axis=0)
        nearest = min(turns, key=lambda turn: float(np.linalg.norm(np.roll(seen, -turn, axis=0) - before)))
        turned = pose_from_corners(np.roll(corners, -nearest, axis=0), self.template)
        return dataclasses.replace(turned, error_px=pose.error_px, quality=pose.quality)


def _distance_px(one: BoardPose, other: BoardPose, template: BoardTemplate) -> float:
    return float(np.linalg.norm(one.corners_px(template) - other.corners_px(template), axis=1).max())


def side_px(pose: BoardPose, template: BoardTemplate) -> float:
    """The board's side in the picture, in pixels: the square root of its area."""
    return float(np.sqrt(abs(cv2.contourArea(pose.corners_px(template).astype(np.float32)))))
