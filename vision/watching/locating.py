"""Finds a board in a whole picture, by its reference picture or its drawing; after failures ever more rarely."""

from __future__ import annotations

import logging

import numpy as np

from calibration.arrays import Flags
from calibration.template import BoardTemplate
from vision.finding.finder import find_board, mirrored
from vision.finding.found import METHODS
from vision.finding.landmarks import right_way_round, snap_pose
from vision.finding.markers import OtherSheetError
from vision.finding.proposals import board_network
from vision.frame import Frame, Image
from vision.pose import FEWEST, BoardPose, is_plausible, turned_pose, turns_of
from vision.primitives.features import Reference, ReferenceMatcher

log = logging.getLogger(__name__)

LOCK_QUALITY = METHODS["reference"].least
"""Share of the lines or of the print that must be seen before a pose is accepted."""
FIRST_WAIT_S, MAX_WAIT_S = 0.2, 2.0
SEARCH_EVERY_S = 4.0
"""Seconds between searches by lines alone, which take most of a second each."""
MIRRORED = 2.0
"""A mirrored picture shares this many times more features with the reference than the picture itself."""


class Locator:
    """Finds one board; `template` then has the shape measured on the board in view."""

    def __init__(self, template: BoardTemplate, reference: Reference | None = None) -> None:
        """Raises WeightsError."""
        board_network()  # a damaged file is told at the start, not when the board is lost
        self.template = template
        self._matcher = ReferenceMatcher(reference, template) if reference is not None else None
        self.wait_no_longer()

    def wait_no_longer(self) -> None:
        """Lets the next picture be tried by every means."""
        self.succeeded()
        self._next_search_s = float("-inf")

    def succeeded(self) -> None:
        """Lets the next picture be tried, by its lines alone no sooner than before."""
        self._next_try_s, self._wait_s = float("-inf"), FIRST_WAIT_S

    def failed(self, time_s: float) -> None:
        """Waits before the next try, the longer the more have failed."""
        self._next_try_s = time_s + self._wait_s
        self._wait_s = min(2 * self._wait_s, MAX_WAIT_S)

    def may_try(self, time_s: float) -> bool:
        return time_s >= self._next_try_s

    def learn(self, pose: BoardPose, frame: Frame) -> BoardPose:
        """Takes a given pose for the reference, unless there is one; returns it by the colours of its squares."""
        if self.template.first_square:  # corners given by hand may begin at a square of the other colour
            pose = right_way_round(frame.image, pose, self.template)
        if self._matcher is None:
            self._matcher = ReferenceMatcher(Reference(frame.image, pose.image_from_board), self.template)
        return pose

    def is_mirrored(self, image: Image) -> bool:
        """Whether the picture shows the reference's board mirrored. A quarter of a second.

        A board recognisable by its lines alone looks the same in a mirror: this cannot detect it.
        """
        if self._matcher is None:
            return False
        return self._matcher.agreeing(mirrored(image)) > MIRRORED * max(FEWEST, self._matcher.agreeing(image))

    def locate(self, image: Image, time_s: float, men: Flags | None, resting: BoardPose | None) -> BoardPose | None:
        """A pose under which the lines are seen, also by the drawing alone; None where there is none.

        `men` (cells,) hide lines; a board that rested somewhere is turned as it was there.
        """
        pose = self.recognized(image, men)
        if pose is None and time_s >= self._next_search_s:
            pose = self._search(image, men, resting)
            self._next_search_s = time_s + SEARCH_EVERY_S
        return pose

    @property
    def has_reference(self) -> bool:
        return self._matcher is not None

    def recognized(self, image: Image, men: Flags | None) -> BoardPose | None:
        """A pose from the reference picture of the board, with its lines seen; None where there is none."""
        return self._verified(image, self._matcher.locate(image) if self._matcher is not None else None, men)

    def _verified(self, image: Image, candidate: BoardPose | None, men: Flags | None) -> BoardPose | None:
        if candidate is None or not is_plausible(candidate, self.template, image):
            return None
        pose = snap_pose(image, candidate, self.template, men)
        return pose if pose.quality >= LOCK_QUALITY and is_plausible(pose, self.template, image) else None

    def _search(self, image: Image, men: Flags | None, resting: BoardPose | None) -> BoardPose | None:
        """Searches by the drawing alone. Without a reference, the result becomes the template's shape and reference."""
        try:
            found = find_board(image, self.template)
        except OtherSheetError as error:
            log.warning("%s", error)
            return None
        if found is None:
            return None
        if self._matcher is not None:
            pose = self._turned_as_before(found.pose, resting)
            # Where men hide most lines, only their lattice shows the board, for which its finder vouches.
            return self._verified(image, pose, men) or (pose if found.found_by == "lattice" else None)
        self.template = found.template
        self._matcher = ReferenceMatcher(Reference(image, found.pose.image_from_board), self.template)
        return found.pose

    def _turned_as_before(self, pose: BoardPose, resting: BoardPose | None) -> BoardPose:
        """Picks the possible rotation nearest to the last one: a known board does not turn between two looks."""
        if resting is None or self.template.printed is not None:
            # A print is always found the right way up.
            return pose
        before = resting.corners_px(self.template)
        corners = pose.corners_px(self.template)
        # Only the direction counts, since the board may have been pushed aside.
        before, seen = before - before.mean(axis=0), corners - corners.mean(axis=0)
        nearest = min(
            turns_of(self.template), key=lambda turn: float(np.linalg.norm(np.roll(seen, -turn, axis=0) - before))
        )
        return turned_pose(pose, self.template, nearest)
