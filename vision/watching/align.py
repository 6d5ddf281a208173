"""Tracks the board's pose: locks by texture or lines, follows by optical flow, and keeps checking.

A wrong lock is the worst failure, since every later reading would be wrong. So a pose counts only after the template's
lines or its print have been seen under it, as far as men leave them free, and it is dropped when they are no longer
seen.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable
from typing import Literal

import cv2
import numpy as np

from calibration.arrays import Flags, FloatArray, Grey
from calibration.template import BoardTemplate
from vision.finding.landmarks import pose_quality
from vision.frame import Frame, Image
from vision.pose import BoardPose, shape_fault
from vision.primitives.features import Reference, shrink
from vision.watching.locating import Locator
from vision.watching.registration import MOSTLY, STANDS_SHARE, UNTOUCHED, KnownView, Registration

log = logging.getLogger(__name__)

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
HIDDEN_S = 0.8
"""Seconds without any view of a locked board before it counts as lost."""
BUMP = 0.006
"""Shift, as a share of the board's side, from which a movement of board or camera is reported."""
STEADY_PX = 0.35
"""Pixels of the farthest corner below which a board at rest keeps its pose."""
SAME_PLACE = 0.02
"""Shift, as a share of the side, within which two methods of finding the board agree: half the line spacing of the
finest board."""


@dataclasses.dataclass(frozen=True, eq=False)
class Alignment:
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


LOST = Alignment(None, "lost", relocked=False, quality=0.0, moved_px=0.0)


class _LineCheck:
    """When the lines of a followed board are looked for, and since when they have been missed."""

    def __init__(self) -> None:
        self.hidden_s: float | None = None
        """Time of the first check that missed them; None while they are seen."""
        self._unlike_s = self._checked_s = float("-inf")
        """Time from which, with the lines missed, too little of the board has looked as before; time of the last
        check."""
        self._locked_quality = 0.0
        self._touched = False
        """Whether something has moved or covered the board since the last check."""

    def begin(self, quality: float, time_s: float) -> None:
        """Takes a lock, with the share of the lines seen then."""
        self._locked_quality, self._checked_s, self.hidden_s = quality, time_s, None

    def is_due(self, time_s: float, *, covered: bool, moves: bool) -> bool:
        self._touched |= covered or moves or self.hidden_s is not None
        if time_s - self._checked_s <= (CHECK_EVERY_S if self._touched else CHECK_AT_REST_S):
            return False
        self._touched, self._checked_s = covered, time_s
        return True

    def are_seen(self, quality: float) -> bool:
        """Whether enough of them is seen, compared with the lock."""
        return quality >= KEEP_SHARE * self._locked_quality

    def are_lost(self, time_s: float, looks_as_before: Callable[[], bool]) -> bool:
        """Whether they have been missed, by this check too, for so long that the board is not there."""
        # Counted from the first check that missed them: with a board at rest the previous check may be long ago.
        if self.hidden_s is None:
            self.hidden_s = self._unlike_s = time_s
        elif looks_as_before():
            self._unlike_s = time_s
        return time_s - self._unlike_s > LOST_AFTER_S or time_s - self.hidden_s > MAX_HIDDEN_S


class Aligner:
    """Follows one board. Pass it every frame in turn; `template` then has the shape measured on the board in view."""

    def __init__(self, template: BoardTemplate, reference: Reference | None = None) -> None:
        self.men: Flags | None = None
        """(cells,) on which cells men were last seen, which hide the lines under them; None where that is unknown."""
        self._locator, self._lines = Locator(template, reference), _LineCheck()
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
        self._followed_s = self._lined_s = float("-inf")
        self._picture: tuple[str, tuple[int, int]] = "", (0, 0)
        """Name and size of the incoming pictures."""

    @property
    def template(self) -> BoardTemplate:
        return self._locator.template

    def is_mirrored(self, image: Image) -> bool:
        """Whether the picture shows the reference's board mirrored. A quarter of a second."""
        return self._locator.is_mirrored(image)

    def update(self, frame: Frame) -> Alignment:
        """Locates the board in the next frame: 6 ms where it is followed, some 70 ms for a new lock."""
        grey, self._small_from_image = shrink(frame.image)
        picture = frame.name, (frame.image.shape[0], frame.image.shape[1])
        if picture != self._picture:
            # Another photo, or a rotated camera: the board's look is still known, its position is not.
            self._picture, self._last, self._followed_s = picture, None, float("-inf")
            self._locator.wait_no_longer()
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
        if self._lines.is_due(frame.time_s, covered=support <= UNTOUCHED, moves=pose is not resting):
            return self._check(frame, grey, moved_px, support)
        return Alignment(pose, "locked", relocked=False, quality=pose.quality, moved_px=moved_px)

    def begin_at(self, pose: BoardPose, frame: Frame) -> None:
        """Takes over a pose found earlier in that frame; it is checked as usual."""
        grey, self._small_from_image = shrink(frame.image)
        pose = self._locator.learn(pose, frame)
        self._picture, self._known = (frame.name, (frame.image.shape[0], frame.image.shape[1])), None
        self._locked(pose, frame, grey)

    def renew(self, frame: Frame) -> None:
        """Makes the board's look in `frame`, the last one passed in and free of hands, the known look."""
        self._look = None if self._pose is None else (frame.image, self._pose)

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
        lines = lines and (self._lined is None or _distance_px(self._lined, pose, self.template) >= STEADY_PX)
        found = self._known.on_its_lines(grey, expected, found, lines=lines)
        if found is None:
            return None
        pose = self._in_image(found, near)
        self._known.keep(found)
        return pose, found.support

    def _in_image(self, found: Registration, near: BoardPose) -> BoardPose:
        image_from_board = np.linalg.inv(self._small_from_image) @ found.image_from_board
        return dataclasses.replace(near, image_from_board=image_from_board / image_from_board[2, 2])

    def _back(self, pose: BoardPose, frame: Frame, grey: Grey) -> Alignment:
        """Takes up a lost board that is followed again, as soon as its lines are seen."""
        quality = pose_quality(frame.image, pose, self.template, self.men)
        if not self._lines.are_seen(quality):
            return self._lock(frame, grey)
        return self._locked(dataclasses.replace(pose, quality=quality), frame, grey)

    def _check(self, frame: Frame, grey: Grey, moved_px: float, support: float) -> Alignment:
        """Checks that the lines are still where the pose says; hidden lines are tolerated for a while."""
        assert self._pose is not None
        quality = pose_quality(frame.image, self._pose, self.template, self.men)
        self._pose = self._last = pose = dataclasses.replace(self._pose, quality=quality)
        if self._lines.are_seen(quality):
            self._lines.hidden_s = None
            bumped = support > MOSTLY and moved_px < STEADY_PX and self._lies_elsewhere(pose)
            if bumped:
                self._resting = pose
            return Alignment(pose, "locked", relocked=bumped, quality=quality, moved_px=moved_px)
        if self._locator.may_try(frame.time_s):
            # What a hand leaves is recognised also where the board is not: while it is followed, its known look counts.
            # Searching the whole picture takes seconds in which nothing is followed: it waits until it is lost.
            found = self._locator.recognized(frame.image, self.men)
            if found is not None and self._as_before(found, grey) is not None:
                return self._locked(found, frame, grey)
            self._locator.failed(frame.time_s)
        known, place = self._known, self._small_from_image @ pose.image_from_board
        if self._lines.are_lost(
            frame.time_s, lambda: known is not None and known.same_share(grey, place) >= STANDS_SHARE
        ):
            return self._lose(frame)
        return Alignment(pose, "locked", relocked=False, quality=quality, moved_px=moved_px)

    def _lies_elsewhere(self, pose: BoardPose) -> bool:
        resting = self._resting or pose
        return _distance_px(resting, pose, self.template) > BUMP * side_px(pose, self.template)

    def _lock(self, frame: Frame, grey: Grey) -> Alignment:
        # A hand sweeps over the whole board, for less time than anybody needs to move the board and let go.
        held = self._pose is not None and frame.time_s - self._followed_s < HIDDEN_S
        if self._locator.may_try(frame.time_s):
            compared = self._locator.has_reference and self._known is None  # a picture is no mirror image of itself
            found = self._locator.locate(frame.image, frame.time_s, self.men, self._resting)
            if (
                found is not None
                and not (compared and self.is_mirrored(frame.image))
                and (not held or self._as_before(found, grey) is not None)
            ):
                return self._locked(found, frame, grey)
            self._locator.failed(frame.time_s)
        if held:
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
        self._followed_s = frame.time_s
        self._lines.begin(pose.quality, frame.time_s)
        self._locator.succeeded()
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


def _distance_px(one: BoardPose, other: BoardPose, template: BoardTemplate) -> float:
    return float(np.linalg.norm(one.corners_px(template) - other.corners_px(template), axis=1).max())


def side_px(pose: BoardPose, template: BoardTemplate) -> float:
    """The board's side in the picture, in pixels: the square root of its area."""
    return float(np.sqrt(abs(cv2.contourArea(pose.corners_px(template).astype(np.float32)))))
