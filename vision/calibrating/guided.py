"""Guided calibration of a table: asks for boards, recognises when they are laid, and takes the pictures itself.

A state machine without clock, camera or voice: frames go in, prompts come out. It takes no picture while a hand is in
view, while a cell is wrongly occupied, or while a piece looks like another class than was asked for; nor in conditions
too poor to learn from, which it reports for the empty board already.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from typing import Literal

from calibration.arrays import FloatArray
from calibration.guide import Lesson
from calibration.template import BoardTemplate
from rules import EMPTY
from vision.calibrating.calibrate import LabelledPhoto
from vision.calibrating.guided_inspection import Inspection, Objection
from vision.calibrating.guided_words import advice, believed, correction, found, kind_unknown, stuck, swapped
from vision.calibrating.lesson_check import BoardPatches, LessonCheck, Mistakes, Taken
from vision.finding.landmarks import right_way_round
from vision.frame import Frame, Image
from vision.pose import BoardPose, Rectified, place_fault, pose_from_corners
from vision.primitives.features import Reference
from vision.reading.heads import OTHER
from vision.reading.locate import refine_if_better
from vision.watching.align import Aligner
from vision.watching.cell_places import CellPlaces
from vision.watching.surroundings import surroundings_of
from vision.watching.watcher import Watcher
from wording import Sentences, plain, sentence

log = logging.getLogger(__name__)

SETTLE_S = 0.6
"""Seconds a picture must be still before it may be taken."""
RECHECK_S = 2.0
"""Seconds after which a still board is judged again."""
PATIENCE_S, LAYING_S = 3.0, 8.0
"""Seconds a mistake must last before it is mentioned: LAYING_S while pieces are missing, since laying takes time."""
FIRST_LOOK_S = 3.0
"""Seconds before the first picture: the camera's exposure settles meanwhile, and is then locked."""
REPEAT_S = 20.0
"""Seconds before the same sentences are said again."""
FIND_S = 5.0
"""Seconds of searching for the board before advice is given."""
INSIST_S = 25.0
"""Seconds for which a person must leave a board as it is, after a complaint about it, to be believed."""
MAX_INSISTED = 0.5
"""Share of a board's pieces up to which a person is believed against the other pictures."""
HOLD_S = 120.0
"""Seconds that conditions too poor to learn from may last once reported; then the run ends without a profile."""
STUCK_S = 300.0
"""Seconds without a picture being taken after which the run ends."""

Code = Literal[
    "lay", "find", "found", "lost", "moved", "hand", "correct", "believed", "conditions", "remark", "taken", "complete"
]


@dataclasses.dataclass(frozen=True)
class Prompt:
    code: Code
    said: Sentences
    lesson: int
    cells: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return plain(self.said)


class Lasting:
    """Since when something has been so; None while it is not."""

    since_s: float | None = None

    def seconds(self, time_s: float) -> float:
        """For how long it has been so, from the first call on."""
        if self.since_s is None:
            self.since_s = time_s
        return time_s - self.since_s

    def end(self) -> bool:
        """From now on it is not so; returns whether it was."""
        was, self.since_s = self.since_s is not None, None
        return was


class Prompter:
    """The prompts that are to be given next; none is repeated at once."""

    def __init__(self) -> None:
        self._waiting: list[Prompt] = []
        self._said: tuple[Sentences, float] = ((), float("-inf"))
        self.code: Code = "lay"
        """That of the last prompt."""

    @property
    def said(self) -> Sentences:
        return self._said[0]

    def has_just_said(self, code: Code, time_s: float) -> bool:
        return self.code == code and time_s - self._said[1] < REPEAT_S

    def say(self, prompt: Prompt, time_s: float) -> bool:
        """Queues a prompt unless the same was said last, less than REPEAT_S ago; returns whether it was queued."""
        if self.said == prompt.said and time_s - self._said[1] < REPEAT_S:
            return False
        self._said, self.code = (prompt.said, time_s), prompt.code
        self._waiting.append(prompt)
        return True

    def add(self, prompt: Prompt) -> None:
        self._waiting.append(prompt)

    def take(self) -> tuple[Prompt, ...]:
        waiting, self._waiting = self._waiting, []
        return tuple(waiting)


class GuidedCalibration:
    """One run: `begin` returns the first prompt; then feed every frame in turn until the run has `ended`."""

    def __init__(
        self,
        template: BoardTemplate,
        lessons: Sequence[Lesson],
        corners_px: FloatArray | None = None,
        *,
        accept: bool = False,
    ) -> None:
        """`corners_px` (4, 2) are the corners of an empty board that cannot be found automatically.

        With `accept`, pictures are taken in any conditions; poor ones are still reported. Raises WeightsError.
        """
        self.template = template
        """Has the measured shape once the board is found."""
        self.lessons = tuple(lessons)
        self.taken: dict[int, Taken] = {}
        """The pictures so far, by index of the lesson."""
        self._corners_px = corners_px
        self._aligner: Aligner | None = Aligner(template) if corners_px is None else None
        self._gate = Watcher(CellPlaces.on(template), SETTLE_S)
        self._check = LessonCheck(template)
        self._prompter = Prompter()
        self._found = False
        self._judged_s = float("-inf")
        self._seeking, self._covered, self._objecting = Lasting(), Lasting(), Lasting()
        self._amiss = Lasting()
        """The board has been still without its picture being taken."""
        self._told: tuple[Mistakes, float] | None = None
        """The mistakes reported for this board, and when they were first reported."""
        self._insist = False
        self.seen: BoardPose | None = None
        """Pose of the board in the last frame; None if it was not found."""
        self.refusal: Sentences = ()
        """Why the run ended without all pictures; empty if it did not."""
        self._accept = accept
        self._inspection = Inspection(placed_by_hand=corners_px is not None)
        self._progress_s = 0.0
        """When the last picture was taken, or the run began."""
        self._phase = ""
        self._begun_s: float | None = None

    @property
    def current(self) -> int | None:
        """Index of the lesson asked for now; None if all pictures are taken."""
        return next((number for number in range(len(self.lessons)) if number not in self.taken), None)

    @property
    def complete(self) -> bool:
        return self.current is None

    @property
    def refused(self) -> str:
        return plain(self.refusal)

    @property
    def ended(self) -> bool:
        return self.complete or bool(self.refusal)

    @property
    def photos(self) -> list[LabelledPhoto]:
        """The labelled pictures so far, in the order of the lessons."""
        return [self.taken[number].photo for number in sorted(self.taken)]

    def begin(self) -> tuple[Prompt, ...]:
        return (self._ask(), *self._prompter.take())

    def insist(self) -> None:
        """Call when the person confirms that the board is right, however it looks."""
        self._insist = True

    def feed(self, frame: Frame) -> tuple[Prompt, ...]:
        """Processes the next frame; returns new prompts. Raises ValueError if the given corners are not a board."""
        if self.ended:
            return ()
        if self._begun_s is None:
            self._begun_s = self._progress_s = frame.time_s
        if frame.time_s - self._progress_s > STUCK_S:
            prompter, troubles = self._prompter, ("find", "lost", "hand", "correct", "conditions")
            trouble = prompter.said if prompter.code in troubles else ()
            self.refusal = stuck(STUCK_S / 60, self._phase, trouble)
            return self._prompter.take()
        self.seen = pose = self._place(frame)
        if pose is None:
            return self._prompter.take()
        state = self._gate.update(surroundings_of(frame.image, pose, self.template), frame.time_s)
        if state.settled:
            self._gate.renew()
        self._phase = state.phase
        self._watch_hand(state.phase == "occluded", frame.time_s)
        if state.phase == "moving":
            self._amiss.end()
        again = state.fresh or self._insist or frame.time_s - self._judged_s > RECHECK_S
        if state.settled and again and frame.time_s - self._begun_s > FIRST_LOOK_S:
            self._judged_s = frame.time_s
            self._judge(frame, pose, self._check.look(Rectified(frame.image, pose, self.template)))
        return self._prompter.take()

    def _place(self, frame: Frame) -> BoardPose | None:
        """Pose of the board, or None; says when the board is found, lost or moved."""
        if self._aligner is None:
            self._aligner = self._aligner_at_corners(frame.image)
        alignment = self._aligner.update(frame)
        if alignment.strange:
            self._gate.reset()
            self._inspection.forget_place()
        self.template = self._aligner.template
        if alignment.pose is None:
            self._seek(frame)
            return None
        if not self._found:
            self._found = True
            self._seeking.end()
            self._say("found", found(alignment.quality), frame.time_s)
        elif self._seeking.end():
            self._say("moved", (sentence("I see the board again."),), frame.time_s)
        elif alignment.relocked:
            self._say("moved", (sentence("The board or the camera has moved; I follow it."),), frame.time_s)
        return alignment.pose

    def _aligner_at_corners(self, image: Image) -> Aligner:
        assert self._corners_px is not None
        pose = pose_from_corners(self._corners_px, self.template)
        if fault := place_fault(pose, self.template, image):
            raise ValueError(f"--corners: {fault}")
        pose = refine_if_better(image, right_way_round(image, pose, self.template), self.template)
        return Aligner(self.template, Reference(image, pose.image_from_board))

    def _seek(self, frame: Frame) -> None:
        self._amiss.end()
        if self._seeking.seconds(frame.time_s) > FIND_S:
            code: Code = "lost" if self._found else "find"
            if not self._prompter.has_just_said(code, frame.time_s):  # advice takes seconds to find
                self._say(code, advice(frame.image, self.template, seen_before=self._found), frame.time_s)

    def _watch_hand(self, occluded: bool, time_s: float) -> None:
        if not occluded:
            self._covered.end()
        elif self._covered.seconds(time_s) > PATIENCE_S:
            leave = sentence("Something reaches over the board. Please take your hands away.")
            self._say("hand", (leave,), time_s)

    def _judge(self, frame: Frame, pose: BoardPose, look: BoardPatches) -> None:
        """Takes the picture if it shows one of the boards still wanted; otherwise says what is wrong."""
        current = self.current
        assert current is not None
        self._amiss.seconds(frame.time_s)
        other = self._inspection.other_game(frame.image, pose, self.template) if current == 0 else None
        if other is not None and self._refuses(other, frame.time_s):
            return
        wanted = self._check.mistakes(look, self.lessons[current].board)
        # Once the empty board is known, any board may be laid: the person was shown the list of all.
        for number in range(current, len(self.lessons) if 0 in self.taken else 1):
            if number not in self.taken:
                mistakes = self._check.mistakes(look, self.lessons[number].board)
                if not mistakes or self._insisted(number, mistakes, frame.time_s):
                    if self._objects(number, frame, pose):
                        return
                    self._take(number, frame, pose, look, mistakes)
                    return
        self._insist = False
        if wanted.placed and wanted.odd and self._objects(current, frame, pose):
            return
        self._complain(wanted, look, frame.time_s)

    def _objects(self, number: int, frame: Frame, pose: BoardPose) -> bool:
        """Whether the picture is not worth taking; says why."""
        objection = self._inspection.objection(frame.image, pose, self.template, self.lessons[number].board)
        if objection is None:
            self._objecting.end()
            return False
        return self._refuses(objection, frame.time_s)

    def _refuses(self, objection: Objection, time_s: float) -> bool:
        """Says the objection; whether it forbids the picture. Ends the run if it lasts too long."""
        self._say("conditions", (objection.said,), time_s, objection.cells)
        if self._accept:
            self._objecting.end()
            return False
        if self._objecting.seconds(time_s) > HOLD_S:
            self.refusal = (objection.said,)
        return True

    def _complain(self, mistakes: Mistakes, look: BoardPatches, time_s: float) -> None:
        """Reports mistakes once they have lasted for a while."""
        assert self.current is not None
        if self._amiss.seconds(time_s) < (LAYING_S if mistakes.missing else PATIENCE_S):
            return
        said = correction(mistakes, self.lessons[self.current], self.template, self._check.occupied(look))
        cells = tuple(sorted({*mistakes.missing, *mistakes.extra, *(cell for cell, _ in mistakes.odd)}))
        if self._say("correct", said, time_s, cells):
            self._told = self._told_so_far(mistakes, time_s)

    def _told_so_far(self, mistakes: Mistakes, time_s: float) -> tuple[Mistakes, float]:
        """Merges the mistakes with those reported for the same cells: which pieces look odd varies by look."""
        if self._told is None or dataclasses.replace(self._told[0], odd=()) != dataclasses.replace(mistakes, odd=()):
            return mistakes, time_s
        before, before_s = self._told
        return dataclasses.replace(mistakes, odd=tuple(sorted({*before.odd, *mistakes.odd}))), before_s

    def _insisted(self, number: int, mistakes: Mistakes, time_s: float) -> bool:
        """Whether the person insists, after a complaint, on these odd pieces, or says that the board is empty.

        A board on which something seems to lie is never empty because nobody touched it.
        """
        if self._told is None or self._amiss.since_s is None or (number and not mistakes.placed):
            return False
        before, before_s = self._told
        if not {*mistakes.odd} <= {*before.odd} or not {*mistakes.extra} <= {*before.extra}:
            return False
        if number == 0:
            return self._insist
        men = sum(letter != EMPTY for letter in self.lessons[number].board)
        taught = any(other for other in self.taken if other)
        if taught and len(mistakes.odd) > MAX_INSISTED * men:
            return False
        return self._insist or time_s - max(before_s, self._amiss.since_s) > INSIST_S

    def _take(self, number: int, frame: Frame, pose: BoardPose, look: BoardPatches, mistakes: Mistakes) -> None:
        """Keeps the picture; odd pieces on which a person insists are excluded from learning."""
        board = list(self.lessons[number].board)
        # The first pieces are judged only by the shipped head: the person knows better.
        first = not any(self.taken)
        named = swapped(mistakes, self.lessons[number]) or (first and kind_unknown(mistakes, self.lessons[number]))
        for cell, _ in () if named else mistakes.odd:
            board[cell] = OTHER
        photo = LabelledPhoto(
            f"picture {number + 1}", frame.image.copy(), "".join(board), pose.corners_px(self.template)
        )
        self.taken[number] = Taken(photo, look)
        self._check.take(look, photo.cells)
        self._told, self._insist = None, False
        self._amiss.end()
        self._progress_s = frame.time_s
        if mistakes:
            self._say("believed", (believed(mistakes, self.template),), frame.time_s, mistakes.extra, lesson=number)
        for remark in self._inspection.remarks if number == 0 else ():
            self._say("remark", (remark.said,), frame.time_s, remark.cells, lesson=number)
        done = sentence("Picture {number} of {most} is taken.", number=len(self.taken), most=len(self.lessons))
        self._say("taken", (done,), frame.time_s, lesson=number)
        last = Prompt("complete", (sentence("That is all. Thank you."),), number)
        self._prompter.add(last if self.complete else self._ask())

    def _ask(self) -> Prompt:
        assert self.current is not None
        lesson = self.lessons[self.current]
        cells = tuple(cell for piece in lesson.pieces for cell in piece.cells)
        return Prompt("lay", (lesson.said,), self.current, cells)

    def _say(
        self, code: Code, said: Sentences, time_s: float, cells: tuple[int, ...] = (), lesson: int | None = None
    ) -> bool:
        """As `Prompter.say`."""
        number = self.current if lesson is None else lesson
        number = len(self.lessons) - 1 if number is None else number
        return self._prompter.say(Prompt(code, said, number, cells), time_s)
