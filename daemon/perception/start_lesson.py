"""Learns how the men look from the first picture that shows the board with men on it as it is expected to lie."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence

import numpy as np

from calibration.arrays import Flags, FloatArray
from calibration.template import BoardTemplate
from daemon.judging import phrases
from rules import AnyGame
from vision.calibrating.start import Lesson, Unlike, learn_from, turn_by, turned_cells
from vision.frame import Image
from vision.pose import BoardPose, turned_pose
from vision.primitives.patch_changes import Patches, differing
from wording import Sentences, sentence, sentence_n

LOGGER = logging.getLogger(__name__)
LEARN_EVERY_S = 0.25
"""Seconds between pictures that are looked at for whether they show an expected board."""
WELL_TAUGHT = 0.9
"""Share of boards expected to be read right from which the start need not be looked at again, in better light."""


class StartLesson:
    """What the start has taught at one table; used by one thread."""

    def __init__(self) -> None:
        self.taught: Lesson | None = None
        self.refused: Unlike | None = None
        """Why the last picture that was tried has taught nothing; None where it has, or none was tried."""
        self.recalled: Lesson | None = None
        """What the start of this game had taught before a restart, until it is known how the board lies now."""
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

    def learn(
        self,
        rectified: Image,
        expected: Sequence[str],
        template: BoardTemplate,
        raised_mm: Sequence[FloatArray] = (),
        begun: Sequence[str] = (),
    ) -> bool:
        """Learns how the men look if the picture shows an expected board, better than was known; True if it did.

        The picture need not be still: what covers a cell or moves over it does not look as that cell should. `begun`
        are boards to which play may have led unseen.
        """
        lesson = learn_from(rectified, expected, template, raised_mm, begun if self.taught is None else ())
        self.refused = lesson if isinstance(lesson, Unlike) else None
        if isinstance(lesson, Lesson):
            if self.taught is not None:
                if lesson.turn or lesson.expectation.boards <= self.taught.expectation.boards:
                    return False
                lesson = dataclasses.replace(lesson, turn=self.taught.turn)
            self.taught = lesson
            LOGGER.info("the start has taught how the men look, turn %d: %s", lesson.turn, lesson.expectation.text)
            return True
        if self.refused is not None:
            cells = ", ".join(template.cell_names[cell] for cell in self.refused.cells)
            LOGGER.debug("the board does not lie as expected, and teaches nothing: %s", cells or "men all alike")
            return self._recall(rectified, expected, template, raised_mm)
        return False

    def _recall(
        self, rectified: Image, expected: Sequence[str], template: BoardTemplate, raised_mm: Sequence[FloatArray]
    ) -> bool:
        """Reads by what was taught before a restart if the picture shows how the board lies now; True if it does."""
        if self.recalled is None or self.taught is not None:
            return False
        turn = turn_by(self.recalled.taught, rectified, expected, template, raised_mm)
        if turn is None:
            return False
        self.taught = dataclasses.replace(self.recalled, turn=turn, board="")
        self.recalled = self.refused = None
        LOGGER.info("the men are known from the start of the game, turn %d", turn)
        return True

    def turned(self, pose: BoardPose, template: BoardTemplate) -> BoardPose:
        """The board's place with its own top left where the start has shown it to be."""
        return pose if self.taught is None or not self.taught.turn else turned_pose(pose, template, self.taught.turn)

    def as_found(self, men: Flags, template: BoardTemplate) -> Flags | None:
        """(cells,) which cells hold men, counted from the top left that the board had before it was `turned`."""
        if self.taught is None or not self.taught.turn:
            return men
        cells = turned_cells(template, self.taught.turn)
        return None if cells is None else men[np.argsort(cells)]


def why_untaught(refused: Unlike, game: AnyGame) -> Sentences:
    """Why the start teaches nothing though it is in view, for the players; empty where it is not in view."""
    if refused.why == "absent":
        return ()
    if refused.why == "alike":
        why = sentence(
            "I cannot learn your pieces from this board: light and dark ones look alike. More light may help."
        )
    elif refused.why == "hidden":
        why = sentence(
            "I cannot learn your pieces from this board: those in front hide {cells}. Put the camera higher.",
            cells=phrases.named_cells(game, refused.cells),
        )
    else:
        why = sentence_n(
            "I cannot learn your pieces from this board: {cells} does not look as it should.",
            "I cannot learn your pieces from this board: {cells} do not look as they should.",
            len(refused.cells),
            cells=phrases.named_cells(game, refused.cells),
        )
    return why, sentence("I go on with what I know of other boards.")
