"""Turns frames into settled readings: align, rectify, gate, read, doing no more of it than each frame needs.

While the board rests most frames are only compared with the last one (a glance), and after a settled change only the
changed cells are read. A full look soon follows either shortcut: nothing is believed or kept because of a glance.
"""

from __future__ import annotations

import dataclasses
import functools
import logging
import time

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.profile import TableProfile
from calibration.template import NEIGHBOUR, BoardTemplate
from daemon.perception.start_lesson import StartLesson
from rules import EMPTY
from vision.calibrating.start import Lesson, Unlike, can_teach
from vision.finding.why_unseen import MIRRORED, why_unseen
from vision.frame import Frame, Image, Preview
from vision.pose import BoardPose, cells_in_picture, project, rectify
from vision.reading.board_reading import SURE, UNKNOWN, BoardReading
from vision.reading.cells import raised_places
from vision.reading.heads import Head
from vision.reading.reader import Reader, reference_of
from vision.watching.align import Aligner, Alignment, side_px
from vision.watching.arm import ArmWatch, Side
from vision.watching.cover import Flags
from vision.watching.gate import LIGHT_STEP, MAX_STEP_S, Gate, GateState
from vision.watching.still_cells import StillCells
from vision.watching.surroundings import surroundings_of
from wording import Sentences

LOGGER = logging.getLogger(__name__)
FIRST_READING = "first reading of the board"
"""Log message, written once; the time from program start is measured to it."""
LOOK_EVERY_S = MAX_STEP_S / 2
"""Seconds after which a frame of a resting board is processed in full at the latest: half of the longest time for which
one picture counts as stillness. Other frames are processed only if their preview has changed or a re-read is due."""
GLANCE_LEVELS = 8.0
"""Grey levels by which any preview pixel must differ for the frame to be processed at once."""
RECHECK_S, MAX_RECHECK_S = 2.0, 10.0
"""Seconds between re-reads of a still board, so that a change which no motion gave away is found all the same; and the
longest such interval, approached by doubling while the same picture stays doubtful."""
MAX_WHOLE_S = 32.0
"""Seconds, at most, between readings of all cells, whether they look changed or not. The interval is RECHECK_S after a
change and doubles each time the whole board reads as before."""
MIN_COVERED, MAX_COVERED = 3, 0.5
"""Fewest cells, and greatest share of all cells, that a hand or arm resting over the board covers."""
MIN_SEEN = 0.8
"""Share of a cell that must lie in the picture for the cell to be read."""
GLIMPSE_SHARE = 0.5
"""Time for which a cell must look the same to be read while something moves elsewhere, as a share of the settling time:
less than that, as its neighbours count too."""
UNCONFIRMED_S = 2.2
"""Seconds an unverified, changed picture must stay still; a resting hand moves sooner. Longer than the stillness that
the repeated picture of a frozen camera counts for."""
MAX_CHANGED = 0.5
"""Share of changed cells from which the whole board is read: the camera has moved a little, for example."""


@dataclasses.dataclass(frozen=True)
class Spent:
    """Processing time and cells read for one frame."""

    track_s: float = 0.0
    rectify_s: float = 0.0
    gate_s: float = 0.0
    read_s: float = 0.0
    cells: int = 0
    """Number of cells read."""


@dataclasses.dataclass(frozen=True, eq=False)
class Observation:
    """Result of processing one frame."""

    frame: Frame
    alignment: Alignment
    rectified: Image | None = None
    """The rectified, stabilised picture; None if the board is not in sight."""
    gate: GateState | None = None
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
        self.gate = Gate(settle_s=settle_s)
        self._know_the_board()
        self.arms = ArmWatch()
        self.reader = Reader(self.template, profile)
        self.readings = readings
        self.cells_read = 0
        """Cells read so far."""
        self._batch: list[BoardReading] = []
        """Readings of the present still picture, to be averaged."""
        self.believed = ""
        """The board believed at present; empty if none is known."""
        self.expected: tuple[str, ...] = ()
        """Boards of which one may be in view, with men: the first picture that shows one teaches how they look."""
        self.begun: tuple[str, ...] = ()
        """Boards to which play may have led before anybody watched; they teach too."""
        self._start = StartLesson()
        self._learnt_s = np.inf
        """Time at which a picture last taught."""
        self._turned = False
        """Whether the board is known to lie another way round than it was found."""
        self._still_cells, self._open_cells = StillCells(), b""
        self._last: Observation | None = None
        self._preview: Preview | None = None
        """Preview of the last fully processed frame."""
        self._reading: BoardReading | None = None
        self._read_s = self._whole_due_s = -np.inf
        self._recheck_s = self._whole_s = RECHECK_S
        self._again = self._unsure = False
        self._unknown: NDArray[np.bool_] | None = None
        """(cells,) True where the last accepted reading showed nothing that was learnt."""
        self._passed = ""
        """Board of the last accepted reading; empty before the first."""
        self._stale = True
        """Whether the earlier reading is of another place or light, so that no cell can be known to be unchanged."""

    @property
    def lesson(self) -> Lesson | None:
        """What a picture of the start has taught."""
        return self._start.taught

    @property
    def refused(self) -> Unlike | None:
        """Why the last picture of an expected board has taught nothing; None where it has, or none was looked at."""
        return self._start.refused

    @property
    def may_learn(self) -> bool:
        """Whether a picture of an expected board may teach how the men look."""
        return self.profile is None and any(can_teach(board, self.template) for board in self.expected)

    def men_lean(self) -> bool:
        """Whether men are seen over other cells: as the start has shown, or on a board at rest as usual for the game.

        A profile has shown at its calibration how well its men are told apart.
        """
        if self.profile is not None or self._last is None or not self.template.man_height_mm:
            return False
        return self.lesson.lean if self.lesson else self.gate.stood(self._last.frame.time_s, UNCONFIRMED_S)

    def rested(self) -> bool:
        """Whether nothing has moved over the board for long, up to the last picture."""
        seen = self._last
        return seen is not None and seen.gate is not None and seen.gate.settled and self.gate.rested(seen.frame.time_s)

    def recall(self, lesson: Lesson | None) -> None:
        """Takes what the start of the game had taught before a restart; it counts if no picture teaches more."""
        self._start.recalled = lesson

    def feed(self, frame: Frame) -> Observation:
        """Processes one frame; frames must come in the order in which they were taken."""
        preview = frame.preview
        if self._last is None or not self._rests(self._last, frame, preview):
            self._preview = preview
            self._last = self._look(frame)
            return self._last
        gate = self._last.gate and dataclasses.replace(self._last.gate, fresh=False)
        return dataclasses.replace(
            self._last, frame=frame, gate=gate, reading=None, spent=None, begun=None, glimpse=None
        )

    def why_unseen(self, frame: Frame) -> Sentences:
        """Returns why the board is not seen in a frame and what to do about it; empty if no cause is found.

        Takes about a second: ask once per loss.
        """
        mirrored = self.aligner.is_mirrored(frame.image)
        why = MIRRORED if mirrored else why_unseen(frame.image, self.template)
        return () if why.code == "no_board" else (why.matter, why.remedy)

    def passed(self, board: str) -> None:
        """Takes over a board that was believed from a glimpse."""
        self._passed = board

    def ask_again(self) -> bool:
        """Requests another reading of the still picture, to be averaged; False if it was read often enough."""
        self._unsure = True
        self._again = 0 < len(self._batch) < self.readings
        return self._again

    def ask_later(self, in_s: float) -> bool:
        """Requests another reading of the still picture in `in_s` seconds; False if the picture is not still."""
        if self._last is None or self._last.gate is None or not self._last.gate.settled:
            return False
        self._recheck_s = min(self._recheck_s, in_s)
        return True

    def watched_s(self, time_s: float) -> float:
        """`time_s` on the camera's clock less the time that nobody watched, such as hours that the computer slept."""
        return self.gate.watched_s(time_s)

    def adopt(self, head: Head | None) -> None:
        """Uses another head of this table from the next reading on; None restores the one it began with."""
        self.reader.adopt(head)
        self._batch, self._again, self._stale = [], False, True

    def retune(self, *, settle_s: float, readings: int) -> None:
        """Sets the settling time and the number of readings from the next frame on."""
        self.gate.settle_s, self.readings = settle_s, readings

    def _rests(self, last: Observation, frame: Frame, preview: Preview) -> bool:
        """Whether a glance is enough: the board has settled or is absent, and nothing moved since a full look."""
        settled = last.gate is not None and last.gate.settled and not self._again
        if not (settled or last.alignment.pose is None) or frame.name != last.frame.name:
            return False
        due = settled and frame.time_s - self._read_s >= self._recheck_s
        if due or frame.time_s - last.frame.time_s >= LOOK_EVERY_S or self._preview is None:
            return False
        return preview.shape == self._preview.shape and cv2.absdiff(preview, self._preview).max() <= GLANCE_LEVELS

    def _look(self, frame: Frame) -> Observation:
        """Processes a frame in full, through every step that makes sense for it."""
        began_s = time.perf_counter()
        repeated = self._last is not None and np.array_equal(self._last.frame.image, frame.image)
        alignment = self.aligner.update(frame)
        if alignment.strange:
            self.gate.reset()
            self.arms.reset()
            self._still_cells.reset()
        if alignment.pose is not None:
            alignment = dataclasses.replace(alignment, pose=self._start.turned(alignment.pose, self.template))
        self._adopt_template()
        self._stale |= alignment.relocked
        tracked_s = time.perf_counter()
        pose = alignment.pose
        if pose is None:
            return Observation(frame, alignment, spent=Spent(tracked_s - began_s))
        rectified = rectify(frame.image, pose, self.template)
        self.reader.raised_mm = raised_places(pose, self.template, (frame.image.shape[1], frame.image.shape[0]))
        if self._learns(frame, pose, rectified):
            pose, rectified = self._begin_to_read(frame, pose, rectified)
            alignment = dataclasses.replace(alignment, pose=pose)
        rectified_s = time.perf_counter()
        look_around = functools.partial(surroundings_of, frame.image, pose, self.template)
        reads_through = functools.partial(self._reads_through, rectified, frame.time_s)
        gate = self.gate.update(rectified, frame.time_s, look_around, reads_through, repeated)
        if gate.fresh and gate.sure:
            self.aligner.renew(frame)
        arm = None if self.gate.picture is None else self.arms.update(self.gate.picture, gate)
        self._stale |= gate.phase == "light" or (gate.settled and abs(gate.light_gain - 1) > LIGHT_STEP)
        gated_s, before = time.perf_counter(), self.cells_read
        reading = self._read(rectified, frame, gate) if gate.settled else None
        outside = np.zeros(len(self.template.cells_mm), dtype=np.bool_)
        if gate.settled:
            outside = cells_in_picture(pose, self.template, frame.image) < MIN_SEEN
        if reading is not None and (
            self._is_touched(reading, rectified)
            or self._is_unconfirmed(reading, frame, gate)
            or self._is_covered(reading, outside, frame.time_s, gate)
        ):
            gate, reading = self.gate.refuse(frame.time_s), None
            self._again, self._batch, self._stale = False, [], True
        if reading is not None:
            self.aligner.men = self._start.as_found(reading.occupied, self.template)
            reading = reading.without(outside) if outside.any() else reading
        begun = self._begun(rectified, frame.time_s)
        glimpse = None if gate.settled else self._glimpse(rectified, frame.time_s)
        spent = Spent(
            tracked_s - began_s,
            rectified_s - tracked_s,
            gated_s - rectified_s,
            time.perf_counter() - gated_s,
            self.cells_read - before,
        )
        cells = tuple(int(cell) for cell in np.flatnonzero(outside))
        moved_share = alignment.moved_px / side_px(pose, self.template)
        frozen = self.gate.is_frozen(frame.time_s)
        return Observation(
            frame, alignment, rectified, gate, reading, spent, arm, cells, moved_share, frozen, begun, glimpse
        )

    def _learns(self, frame: Frame, pose: BoardPose, rectified: Image) -> bool:
        """Whether the picture teaches how the men look; only one that holds the whole board may."""
        if self.profile is not None or not self._start.is_due(self.expected, frame.time_s):
            return False
        if cells_in_picture(pose, self.template, frame.image).min() < MIN_SEEN:
            return False
        if not self._start.is_new(self.reader.patches(rectified), frame.time_s):
            return False
        self.cells_read += len(self.template.cells_mm)
        return self._start.learn(rectified, self.expected, self.template, self.reader.raised_mm, self.begun)

    def _begin_to_read(self, frame: Frame, pose: BoardPose, rectified: Image) -> tuple[BoardPose, Image]:
        """Reads by what was learnt from now on; returns the place and the picture of the board the right way round."""
        assert self.lesson is not None
        self._learnt_s = frame.time_s
        if self.lesson.turn and not self._turned:
            self._turned = True
            pose = self._start.turned(pose, self.template)
            rectified = rectify(frame.image, pose, self.template)
            self.reader.raised_mm = raised_places(pose, self.template, (frame.image.shape[1], frame.image.shape[0]))
            self.gate.reset()
            self.arms.reset()
        board = self.lesson.board
        self.reader.learn(self.lesson.taught, (self.reader.patches(rectified), board) if board else None)
        self._batch, self._reading, self._unknown, self._passed, self._stale = [], None, None, "", True
        return pose, rectified

    def _begun(self, rectified: Image, time_s: float) -> BoardReading | None:
        """The board that has taught, if play had led to it unseen and its changed cells look as they did then."""
        if self.lesson is None or self.lesson.board not in self.begun or time_s - self._learnt_s < self.gate.settle_s:
            return None
        board = self.lesson.board
        changed = [one != other for one, other in zip(board, self.believed, strict=True)]
        if self.reader.unlike_kept(rectified)[changed].any():
            return None
        return BoardReading.certain(board, self.template.letters, time_s)

    def _glimpse(self, rectified: Image, time_s: float) -> BoardReading | None:
        """Reads the cells that have looked the same for a while though something moves; the others may hold anything.

        Only a board that has taught is read so, and only where a cell looks unlike what it held. On a chequered board a
        move shows on two squares at least.
        """
        if self.lesson is None or not self.template.first_square:
            return None
        still = self._still_cells.update(self.reader.patches(rectified), time_s) >= GLIMPSE_SHARE * self.gate.settle_s
        unlike, changed = self.reader.unlike_kept(rectified), still & self.reader.changed_cells(rectified)
        open_cells = still.tobytes()
        if (still & unlike).sum() < 2 or (open_cells == self._open_cells and not changed.any()):
            return None
        self._open_cells = open_cells
        self.cells_read += int(changed.sum())
        reading = self.reader.read(rectified, time_s, changed=changed)
        self._stale = True  # the kept readings are not of this picture
        return reading.without(~still)

    def _reads_through(self, rectified: Image, time_s: float, things: Flags) -> bool:
        """Whether every cell under an apparent obstacle of at least a hand's size is read without doubt.

        At least one cell under a real hand shows nothing that was learnt.
        """
        self.cells_read += len(self.template.cells_mm)
        reading = self.reader.read(rectified, time_s)
        self._stale = True  # the kept readings are not of this picture
        under = self._apart_px(things, rectified) < 1
        if reading.unknown is None or under.sum() < MIN_COVERED:
            return False
        return bool((reading.unknown[under] <= UNKNOWN).all() and (reading.confidence[under] >= SURE).all())

    def _apart_px(self, things: Flags, rectified: Image) -> NDArray[np.float64]:
        """(cells,) distance of each cell centre from the flagged obstacles, in pixels of the gate's picture."""
        scale = things.shape[1] / rectified.shape[1]
        places = project(self.template.rectified_from_board, self.template.cells_mm) * scale
        columns, rows = np.clip(np.rint(places).astype(int), 0, np.array(things.shape[::-1]) - 1).T
        apart_px = cv2.distanceTransform((~things).astype(np.uint8), cv2.DIST_L2, 3)
        return np.asarray(apart_px[rows, columns], dtype=np.float64)

    def _is_touched(self, reading: BoardReading, rectified: Image) -> bool:
        """Whether a piece seems to have come or gone within its own diameter of an object over the board's rim.

        It may be a fingertip; and a piece that the hand has not let go of yet may be picked up again.
        """
        things, passed = self.gate.beside, self._passed
        if things is None or not passed:
            return False
        man_px = self.template.man_diameter_mm * self.template.pixels_per_mm * things.shape[1] / rectified.shape[1]
        new = np.array([letter != before for letter, before in zip(reading.board, passed, strict=True)])
        return bool((new & (self._apart_px(things, rectified) < man_px)).any())

    def _is_unconfirmed(self, reading: BoardReading, frame: Frame, gate: GateState) -> bool:
        """Whether fingertips may have been taken for pieces: the first picture after a new lock shows a change.

        A folder of photos, or photos sent as a stream, is exempt: there any picture may be such a first one, and
        nothing ever moves.
        """
        if gate.sure or frame.name or not self.gate.lives or self.believed in ("", reading.board):
            return False
        return not self.gate.stood(frame.time_s, UNCONFIRMED_S)

    def _is_covered(self, reading: BoardReading, outside: NDArray[np.bool_], time_s: float, gate: GateState) -> bool:
        """Whether the reader sees an object over the board that the gate does not: a fingertip, for example.

        If the gate has seen the board free, only newly unknown cells count, and only until the picture has rested: a
        piece may be of a kind that was never learnt.
        """
        if reading.unknown is None:
            self._passed = reading.board
            return False
        unknown = (reading.unknown > UNKNOWN) & ~outside
        before, rested = self._unknown, self.gate.rested(time_s)
        new = unknown & ~before if gate.sure and before is not None else unknown
        things = new & ~self._only_shade(new, reading)
        covered = not (gate.sure and rested) and is_covered(things, rested) and unknown.mean() <= MAX_COVERED
        if not covered:
            self._unknown, self._passed = unknown, reading.board
        return covered

    def _only_shade(self, unknown: NDArray[np.bool_], reading: BoardReading) -> NDArray[np.bool_]:
        """(cells,) True where a lone cell is surely read as before, or as empty: a shadow. Objects cover several."""
        if not unknown.any():
            return unknown
        passed = self._passed or EMPTY * len(unknown)
        same = np.array([letter == before for letter, before in zip(reading.board, passed, strict=True)])
        places = self.template.cells_mm
        apart_mm = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
        beside = (apart_mm < NEIGHBOUR * self.template.pitch_mm) & ~np.eye(len(places), dtype=np.bool_)
        return np.asarray(same & (reading.confidence >= SURE) & ~(beside & unknown).any(axis=1))

    def _adopt_template(self) -> None:
        """Takes over the board's shape as measured by the aligner."""
        if self.aligner.template is not self.template:
            self.template = self.aligner.template
            self.reader.template = self.template
            self._stale = True
            self._know_the_board()

    def _know_the_board(self) -> None:
        """Gives the gate the calibration picture: the board with nothing over it."""
        if self._reference is not None:
            pose = BoardPose(self._reference.image_from_board, error_px=0.0, quality=1.0)
            around = surroundings_of(self._reference.image, pose, self.template)
            self.gate.know(rectify(self._reference.image, pose, self.template), around)

    def _read(self, rectified: Image, frame: Frame, gate: GateState) -> BoardReading | None:
        """Reads the whole board if the last reading left doubts, and at intervals; otherwise only what has changed."""
        recheck = frame.time_s - self._read_s >= self._recheck_s
        if not (gate.fresh or self._again or recheck):
            return None
        if gate.fresh:
            self._again = False  # hands have been there: earlier readings are of another board
        if not self._again:
            self._batch = []
            # A picture that stays doubtful gets no clearer by looking at it all the time.
            longer_s = min(2 * self._recheck_s, MAX_RECHECK_S)
            self._recheck_s = longer_s if self._unsure and not gate.fresh else RECHECK_S
        due = frame.time_s >= self._whole_due_s and not gate.fresh
        whole = self._stale or self._unsure or due
        self._again = self._unsure = self._stale = False
        self._read_s = frame.time_s
        read = self._read_changed if self._reading is not None and not whole else self._read_whole
        self._batch.append(read(rectified, frame.time_s))
        self._reading = average(self._batch)
        return self._reading

    def _read_whole(self, rectified: Image, time_s: float) -> BoardReading:
        self.cells_read += len(self.template.cells_mm)
        reading = self.reader.read(rectified, time_s)
        same = self._reading is not None and reading.board == self._reading.board
        self._whole_s = min(2 * self._whole_s, MAX_WHOLE_S) if same else RECHECK_S
        self._whole_due_s = time_s + self._whole_s
        if self._reading is None:
            LOGGER.info("%s: %d cells", FIRST_READING, len(self.template.cells_mm))
        return reading

    def _read_changed(self, rectified: Image, time_s: float) -> BoardReading:
        """Returns the last reading itself if no cell looks different; after a change a whole reading soon follows."""
        assert self._reading is not None
        changed = self.reader.changed_cells(rectified)
        if not changed.any():
            return self._reading
        if changed.mean() > MAX_CHANGED:
            return self._read_whole(rectified, time_s)
        self._whole_s = RECHECK_S
        self._whole_due_s = time_s + self._whole_s
        self.cells_read += int(changed.sum())
        return self.reader.read(rectified, time_s, changed=changed)


def is_covered(unknown: NDArray[np.bool_], rested: bool) -> bool:
    """Whether an object lies over the board: some cells, but far from all, show nothing that was learnt.

    If all cells are `unknown` the light has changed. If only one or two still are after the picture has `rested` for
    long, a piece stands askew or a lamp is reflected.
    """
    return bool(unknown.sum() >= (MIN_COVERED if rested else 1) and unknown.mean() <= MAX_COVERED)


def average(readings: list[BoardReading]) -> BoardReading:
    """Averages readings of the same still board: the mean of their log-probabilities, normalised again."""
    if len(readings) == 1:
        return readings[0]
    logs = np.mean([reading.log_probabilities for reading in readings], axis=0)
    logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
    unknown = [reading.unknown for reading in readings if reading.unknown is not None]
    return dataclasses.replace(
        readings[-1], log_probabilities=logs, unknown=np.mean(unknown, axis=0) if unknown else None
    )
