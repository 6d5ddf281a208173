"""Learns how the men look from the first picture that shows the board with men on it as it is expected to lie."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence

import numpy as np

from calibration.template import BoardTemplate
from vision.calibrating.start import Lesson, learn_from
from vision.frame import Image
from vision.pose import BoardPose, turned_pose
from vision.primitives.patch_changes import Patches, differing

LOGGER = logging.getLogger(__name__)
LEARN_EVERY_S = 0.25
"""Seconds between pictures that are looked at for whether they show an expected board."""
WELL_TAUGHT = 0.9
"""Share of boards expected to be read right from which the start need not be looked at again, in better light."""


class StartLesson:
    """What the start has taught at one table; used by one thread."""

    def __init__(self) -> None:
        self.taught: Lesson | None = None
        """What a picture has taught."""
        self._due_s = -np.inf
        self._tried: Patches | None = None
        """The last picture from which learning was tried."""

    def is_due(self, expected: Sequence[str], time_s: float) -> bool:
        """Whether a picture of that time may teach something that is not known yet, if it shows an expected board."""
        known = self.taught is not None and (
            self.taught.expectation.boards > WELL_TAUGHT or self.taught.board not in expected
        )
        return bool(expected) and not known and time_s >= self._due_s

    def is_new(self, patches: Patches, time_s: float) -> bool:
        """Whether the picture of that time may teach more than the last one that was new."""
        self._due_s = time_s + LEARN_EVERY_S
        if self._tried is not None and not differing(self._tried, patches).any():
            return False
        self._tried = patches
        return True

    def learn(self, rectified: Image, expected: Sequence[str], template: BoardTemplate) -> bool:
        """Learns how the men look if the picture shows an expected board, better than was known; True if it did.

        The picture need not be still: what covers a cell or moves over it does not look as that cell should.
        """
        lesson = learn_from(rectified, expected, template)
        if isinstance(lesson, Lesson):
            if self.taught is not None:
                if lesson.turn or lesson.expectation.boards <= self.taught.expectation.boards:
                    return False
                lesson = dataclasses.replace(lesson, turn=self.taught.turn)
            self.taught = lesson
            LOGGER.info("the start has taught how the men look, turn %d: %s", lesson.turn, lesson.expectation.text)
            return True
        if lesson is not None:
            cells = ", ".join(template.cell_names[cell] for cell in lesson.cells)
            LOGGER.debug("the board does not lie as expected, and teaches nothing: %s", cells or "men all alike")
        return False

    def turned(self, pose: BoardPose, template: BoardTemplate) -> BoardPose:
        """The board's place with its own top left where the start has shown it to be."""
        return pose if self.taught is None or not self.taught.turn else turned_pose(pose, template, self.taught.turn)
