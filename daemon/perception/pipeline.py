"""Turns frames into evidence: align, rectify, watch, read, doing no more of it than each frame needs.

While the board rests most frames are only compared with the last one (a glance), and only changed cells are read.
"""

from __future__ import annotations

import dataclasses
import functools
import time

import cv2
import numpy as np

from calibration.arrays import Flags
from calibration.profile import TableProfile
from calibration.sheet import other_sizes
from calibration.template import BoardTemplate
from daemon.perception.learning import StartLesson
from vision.calibrating.lesson import Lesson, Unlike
from vision.calibrating.start import can_teach
from vision.finding.why_unseen import MIRRORED, why_unseen
from vision.frame import Frame, Image, Preview
from vision.pose import BoardPose, Rectified, cells_in_picture
from vision.reading.board_reading import SURE, UNKNOWN, BoardReading
from vision.reading.looks import DECIDED, Looks
from vision.reading.reader import Reader, reference_of
from vision.watching.align import Aligner, Alignment, side_px
from vision.watching.arm import ArmWatch, Side
from vision.watching.cell_places import CellPlaces
from vision.watching.differences import is_blind
from vision.watching.surroundings import surroundings_of
from vision.watching.watcher import MAX_STEP_S, REPORTED_S, Sight, Watcher
from wording import Sentences

LOOK_EVERY_S = MAX_STEP_S - 0.5
"""Seconds between full looks at a board at rest; no longer than a step of watched time, with room for late pictures."""
GLANCE_LEVELS = 8.0
"""Grey levels by which any preview pixel must differ for the frame to be processed at once."""
UNCONFIRMED_S = 2.2
"""Seconds of stillness after which what was never seen free is no hand. Longer than MAX_STEP_S."""
MIN_COVERED = 3
"""Fewest cells that a hand or arm resting over the board covers."""
MIN_SEEN = 0.8
"""Share of a cell that must lie in the picture for the cell to be read."""


@dataclasses.dataclass(frozen=True)
class Spent:
    track_s: float = 0.0
    rectify_s: float = 0.0
    gate_s: float = 0.0
    read_s: float = 0.0
    cells: int = 0


@dataclasses.dataclass(frozen=True, eq=False)
class Observation:
    frame: Frame
    alignment: Alignment
    rectified: Rectified | None = None
    """The rectified, stabilised picture; None if the board is not in sight."""
    gate: Sight | None = None
    reading: BoardReading | None = None
    """Set when the picture has settled or was read again; the same object while nothing on the board changes."""
    spent: Spent | None = None
    """None if the frame was only glanced at; every field but `frame` then comes from the last fully processed frame."""
    arm: Side | None = None
    """Side of the board's frame from which an arm came in before the last settled picture; None if that is not
    clear."""
    outside: tuple[int, ...] = ()
    """Cells wholly or partly outside a settled picture; nothing is known about them."""
    moved_share: float = 0.0
    """Distance the board moved in the picture since the previous frame, as a share of its side."""
    frozen: bool = False
    """Whether the camera sends the same picture again and again."""
    begun: BoardReading | None = None
    """The board that play had led to unseen, once it has taught and its changed cells have looked the same for long
    enough that no hand holds a man there."""
    glimpse: BoardReading | None = None
    """A reading of the cells that have not changed for a while, though something moves over others: those are unknown
    and may hold anything."""


class Pipeline:
    """Turns frames into observations; used by one thread.

    Once the board is found, `template` is replaced by the measured one.
    """

    def __init__(
        self, template: BoardTemplate, profile: TableProfile | None, *, settle_s: float = 0.4, readings: int = 3
    ) -> None:
        self.profile = profile
        self.template = template if profile is None else template.with_shape(profile.shape)
        self._reference = None if profile is None else reference_of(profile)
        self.aligner = Aligner(self.template, self._reference)
        self.gate = self._watcher(settle_s)
        self.arms = ArmWatch()
        self.reader = Reader(self.template, profile)
        self.looks = Looks(self.reader, readings)
        self.believed = ""
        """The board believed at present; empty if none is known."""
        self.expected: tuple[str, ...] = ()
        """Boards of figures of which one may be in view: the first picture that shows one teaches how men look."""
        self.begun: tuple[str, ...] = ()
        """Boards to which play may have led before anybody watched; they teach too."""
        self.start = StartLesson()
        self._learnt_s = np.inf
        self.awaited = False
        """Whether more evidence on the same board is wanted: something is not decided yet."""
        self._turned = False
        """Whether the board is known to lie another way round than it was found."""
        self._last: Observation | None = None
        self._preview: Preview | None = None
        self._glanced_s = -np.inf

    @property
    def lesson(self) -> Lesson | None:
        return self.start.taught

    @property
    def refused(self) -> Unlike | None:
        """Why the last picture of an expected board has taught nothing; None where it has, or none was looked at."""
        return self.start.refused if self.may_learn else None

    @property
    def may_learn(self) -> bool:
        return self.profile is None and any(can_teach(board, self.template) for board in self.expected)

    def men_hide(self) -> bool:
        """Whether tall men of a board at rest may hide others, as nothing has shown yet that they are told apart."""
        untold = self.profile is None and self.lesson is None and self._last is not None
        return untold and bool(self.template.man_height_mm) and self.gate.stood(UNCONFIRMED_S)

    def rested(self) -> bool:
        """Whether nothing has moved over the board for long, up to the last picture."""
        seen = self._last
        return seen is not None and seen.gate is not None and seen.gate.settled and self.gate.stood(REPORTED_S)

    def recall(self, lesson: Lesson | None) -> None:
        """Takes what the start of the game had taught before a restart; it counts if no picture teaches more."""
        self.start.recalled = lesson

    def feed(self, frame: Frame) -> Observation:
        """Processes one frame; frames must come in the order in which they were taken."""
        if self._last is None or not self._rests(self._last, frame):
            self._preview, self._glanced_s = frame.preview, frame.time_s
            self._last = self._look(frame)
            return self._last
        gate = self._last.gate and dataclasses.replace(self._last.gate, fresh=False)
        return dataclasses.replace(
            self._last, frame=frame, gate=gate, reading=None, spent=None, begun=None, glimpse=None
        )

    def why_unseen(self, frame: Frame) -> Sentences:
        """Why the board is not seen in a frame, and what to do. It takes two seconds: ask once per loss."""
        mirrored = self.aligner.is_mirrored(frame.image)
        why = MIRRORED if mirrored else why_unseen(frame.image, self.template, other_sizes(self.template))
        return () if why.code == "no_board" else (why.matter, why.remedy)

    def watched_s(self, time_s: float) -> float:
        """`time_s` on the camera's clock less the time that nobody watched, such as hours that the computer slept."""
        return self.gate.time.after(time_s)

    def retune(self, *, settle_s: float, readings: int) -> None:
        """Sets the settling time and the number of readings from the next frame on."""
        self.gate.settle_s, self.looks.readings = settle_s, readings

    def _rests(self, last: Observation, frame: Frame) -> bool:
        """Whether a glance is enough: the board has settled or is absent, and nothing moved since a full look.

        What is over within half the settling time counts for nothing, so that not every picture is worth a glance.
        """
        settled = last.gate is not None and last.gate.settled and not (self.looks.asked or self.awaited)
        if not (settled or last.alignment.pose is None) or frame.name != last.frame.name:
            return False
        if frame.time_s - last.frame.time_s >= LOOK_EVERY_S or self._preview is None:
            return False
        if frame.time_s - self._glanced_s < self.gate.settle_s / 2:
            return True
        preview, self._glanced_s = frame.preview, frame.time_s
        return preview.shape == self._preview.shape and cv2.absdiff(preview, self._preview).max() <= GLANCE_LEVELS

    def _look(self, frame: Frame) -> Observation:
        """Processes a frame in full, through every step that makes sense for it."""
        began_s = time.perf_counter()
        repeated = self._last is not None and _is_same(self._last.frame.image, frame.image)
        alignment = self.aligner.update(frame)
        if alignment.strange:
            self.gate.reset()
            self.arms.reset()
        if alignment.pose is not None:
            alignment = dataclasses.replace(alignment, pose=self.start.turned(alignment.pose, self.template))
        self._adopt_template()
        tracked_s = time.perf_counter()
        pose = alignment.pose
        if pose is None:
            return Observation(frame, alignment, spent=Spent(tracked_s - began_s))
        rectified = self._rectified(frame, pose)
        if self._learns(frame, pose, rectified):
            pose, rectified = self._begin_to_read(frame, pose, rectified)
            alignment = dataclasses.replace(alignment, pose=pose)
        rectified_s = time.perf_counter()
        around = surroundings_of(frame.image, pose, self.template)
        if is_blind(around):
            return Observation(frame, alignment, spent=Spent(tracked_s - began_s, rectified_s - tracked_s))
        reads_through = functools.partial(self._reads_through, rectified, frame.time_s)
        gate = self.gate.update(around, frame.time_s, repeated, reads_through)
        gated_s, before = time.perf_counter(), self.looks.cells_read
        if not alignment.quality:  # where the board was last seen; it is not found in this picture
            gate = dataclasses.replace(gate, hidden=np.ones_like(gate.hidden), phase="moving", fresh=False)
        hands = self.gate.time.lives and not frame.name  # photos show none, whether from a folder or as a stream
        seen = self.looks.look(rectified, gate, frame.time_s, self.gate.settle_s, hands=hands)
        shown = self.looks.shows(self.believed, gate, self.gate.settle_s)
        if gate.settled or (shown & ~gate.alike).any():
            self.looks.keep(self.gate.renew(None if gate.settled else shown))
        if gate.fresh and not gate.blocked:
            self.aligner.renew(frame)
        arm = self.arms.update(around, gate)
        outside = np.zeros(len(self.template.cells_mm), dtype=np.bool_)
        if gate.settled:
            outside = cells_in_picture(pose, self.template, frame.image) < MIN_SEEN
        if seen is not None and gate.settled:
            self.aligner.men = self.start.as_found(seen.occupied, self.template)
        seen = self._worth_judging(seen, gate, frame)
        spent = Spent(
            tracked_s - began_s,
            rectified_s - tracked_s,
            gated_s - rectified_s,
            time.perf_counter() - gated_s,
            self.looks.cells_read - before,
        )
        return Observation(
            frame,
            alignment,
            rectified,
            gate,
            seen if gate.settled else None,
            spent,
            arm,
            tuple(int(cell) for cell in np.flatnonzero(outside)),
            alignment.moved_px / side_px(pose, self.template),
            self.gate.time.is_frozen,
            self._begun(rectified, frame.time_s),
            seen if self._may_be_whole and not gate.settled else None,
        )

    def _rectified(self, frame: Frame, pose: BoardPose) -> Rectified:
        """The board in a picture, from straight above; the reader is told where it is seen."""
        self.reader.seen_in = frame.image, pose
        return Rectified(frame.image, pose, self.template)

    @property
    def _may_be_whole(self) -> bool:
        """Whether a turn may be whole though hands move: on a chequered board it shows on two squares at least.

        Elsewhere a hand that has laid one man may lay another.
        """
        return self.lesson is not None and bool(self.template.first_square)

    def _worth_judging(self, seen: BoardReading | None, gate: Sight, frame: Frame) -> BoardReading | None:
        """The evidence if it has changed since it was last judged, or the board has just settled."""
        if seen is None:
            return None
        told = self.looks.told
        photo = self._last.frame.name if self._last else ""
        if told is not None and told.letters == seen.letters and frame.name == photo:
            alike = told.log_probabilities.shape == seen.log_probabilities.shape and not gate.fresh and not self.awaited
            if alike and np.abs(told.probabilities - seen.probabilities).max() < DECIDED:
                return None
        self.looks.told = seen
        return seen

    def _learns(self, frame: Frame, pose: BoardPose, rectified: Rectified) -> bool:
        """Whether the picture teaches how the men look; only one that holds the whole board may."""
        if not self.start.is_due(self.expected, frame.time_s) or not self.may_learn:
            return False
        if cells_in_picture(pose, self.template, frame.image).min() < MIN_SEEN:
            return False
        if not self.start.is_new(self.reader.patches(rectified.picture), frame.time_s):
            return False
        self.looks.cells_read += len(self.template.cells_mm)
        return self.start.learn(rectified, self.expected, self.begun)

    def _begin_to_read(self, frame: Frame, pose: BoardPose, rectified: Rectified) -> tuple[BoardPose, Rectified]:
        """Reads by what was learnt from now on; returns the place and the picture of the board the right way round."""
        assert self.lesson is not None
        self._learnt_s = frame.time_s
        if self.lesson.turn and not self._turned:
            self._turned = True
            pose = self.start.turned(pose, self.template)
            rectified = self._rectified(frame, pose)
            self.gate.reset()
            self.arms.reset()
        board = self.template.seen(self.lesson.board)
        self.reader.learn(self.lesson.taught, (self.reader.patches(rectified.picture), board) if board else None)
        self.looks.forget(shown=bool(board))
        if board:  # nothing lies over a board that looks as it should
            self.gate.know_cells(surroundings_of(frame.image, pose, self.template))
        return pose, rectified

    def _begun(self, rectified: Rectified, time_s: float) -> BoardReading | None:
        """The board that has taught, if play had led to it unseen and its changed cells look as they did then."""
        if self.lesson is None or self.lesson.board not in self.begun or time_s - self._learnt_s < self.gate.settle_s:
            return None
        board = self.template.seen(self.lesson.board)
        changed = [one != other for one, other in zip(board, self.believed, strict=True)]
        if self.reader.unlike_kept(rectified.picture)[changed].any():
            return None
        return BoardReading.certain(board, self.template.letters, time_s)

    def _reads_through(self, rectified: Rectified, time_s: float, under: Flags) -> bool:
        """Whether (cells,) under an apparent obstacle of at least a hand's size show what they held without it.

        At least one cell under a real hand shows nothing that was learnt. If all are read without doubt, but otherwise
        than before, it is a bowl of stones, unless it was a hand that had hidden them before.
        """
        if under.sum() < MIN_COVERED:
            return False
        self.looks.cells_read += len(under)
        reading, before = self.reader.glance(rectified.picture, time_s), self.looks.free(time_s)
        if reading.unknown is None or before is None or before.unknown is None:
            return False
        sure = (reading.unknown[under] <= UNKNOWN).all() and (reading.confidence[under] >= SURE).all()
        same = (reading.log_probabilities.argmax(axis=1) == before.log_probabilities.argmax(axis=1))[under].all()
        return bool(sure and (same or (before.unknown[under] > UNKNOWN).any()))

    def _adopt_template(self) -> None:
        if self.aligner.template is not self.template:
            self.template = self.aligner.template
            self.reader.template = self.template
            self.looks.forget()
            self.gate = self._watcher(self.gate.settle_s)

    def _watcher(self, settle_s: float) -> Watcher:
        """A gate that knows the calibration picture: the board with nothing over it."""
        gate = Watcher(CellPlaces.on(self.template), settle_s)
        if self._reference is not None:
            pose = BoardPose(self._reference.image_from_board, error_px=0.0, quality=1.0)
            gate.know(surroundings_of(self._reference.image, pose, self.template))
        return gate


def _is_same(one: Image, other: Image) -> bool:
    # A live camera's pictures differ in their first rows already.
    return np.array_equal(one[:1], other[:1]) and np.array_equal(one, other)
