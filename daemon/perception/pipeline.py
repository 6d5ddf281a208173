"""From a frame to a settled reading, on one page: align, rectify, gate, read; and no more of it than is needed.

Of a board that rests most frames are only glanced at, and of a settled change only the cells that changed are read.
Both are shortcuts that a full look overtakes soon: nothing is believed, or kept, because of a glance.
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
from calibration.template import BoardTemplate
from games import EMPTY
from vision.finding.sight import MIRRORED, why_unseen
from vision.frame import Frame, Image, Preview
from vision.pose import BoardPose, cells_in_picture, project, rectify
from vision.reading.board_reading import BoardReading
from vision.reading.heads import Head
from vision.reading.reader import Reader, reference_of
from vision.watching.align import Aligner, Alignment, side_px
from vision.watching.arm import ArmWatch, Side
from vision.watching.cover import Flags
from vision.watching.gate import LIGHT_STEP, MAX_STEP_S, Gate, GateState
from vision.watching.surroundings import surroundings_of
from wording import Said

LOGGER = logging.getLogger(__name__)
FIRST_READING = "first reading of the board"
"""Written to the log once, by which the time from the start is measured."""
LOOK_EVERY_S = MAX_STEP_S / 2
"""Of a board at rest one frame is gone through so often at least, in half the time that one picture vouches for; the
others only where their preview has changed, or the board is to be read again."""
GLANCE_LEVELS = 8.0
"""Grey values by which a preview must differ somewhere, for the frame to be gone through at once."""
RECHECK_S, MAX_RECHECK_S = 2.0, 10.0
"""A still board is looked over again this often: a change that no motion gave away is found all the same. While the
same picture stays doubtful, less and less often."""
MAX_WHOLE_S = 32.0
"""So often at least all its cells are read, whether they look changed or not: RECHECK_S after a change, and twice as
long after each time that they were read as before."""
UNKNOWN = 0.5
"""Share of the unknown from which a cell shows nothing that was learnt."""
MIN_COVERED, MAX_COVERED = 3, 0.5
"""Cells, and share of them all, that a hand or an arm that rests over the board covers."""
BESIDE = 1.6
"""Cells so many times the least distance apart are beside each other: across the corner, too."""
SURE = 0.9
"""Probability from which a cell that shows nothing known is read without doubt all the same."""
MIN_SEEN = 0.8
"""Share of a man's place that must lie in the picture, for the eyes to be asked what stands there."""
UNVOUCHED_S = 2.2
"""So long a picture has to stand still that no free board vouches for, and that shows another board than the believed
one: a hand that rests stirs sooner. More than one and the same picture of a frozen camera vouches for."""
MAX_CHANGED = 0.5
"""Share of the cells from which the whole board is read: the camera has moved a little, say."""


@dataclasses.dataclass(frozen=True)
class Spent:
    """What one frame cost."""

    track_s: float = 0.0
    rectify_s: float = 0.0
    gate_s: float = 0.0
    read_s: float = 0.0
    cells: int = 0
    """Cells that were read."""


@dataclasses.dataclass(frozen=True, eq=False)
class Observation:
    """What one frame gave."""

    frame: Frame
    alignment: Alignment
    rectified: Image | None = None
    """The steady picture; None where the board is not in sight."""
    gate: GateState | None = None
    reading: BoardReading | None = None
    """Set where the picture has settled, or was read again; the same object while nothing on the board changes."""
    spent: Spent | None = None
    """None where the frame was only glanced at; all but `frame` is then from the last one that was gone through."""
    arm: Side | None = None
    """Side of the board's frame from which an arm came in before the last settled picture; None where that is not
    clear."""
    outside: tuple[int, ...] = ()
    """Cells of a settled picture that lie outside it, wholly or in part: nothing is known of them."""
    moved_share: float = 0.0
    """How far the board went in the picture since the frame before, as a share of its side."""
    frozen: bool = False
    """Whether the camera sends one and the same picture again and again."""


class Pipeline:
    """Turns frames into observations; used by one thread.

    `template` is replaced by the one that was measured, once the board is found.
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
        """The readings of the present still picture that are averaged."""
        self.believed = ""
        """The board that the readings go on from; empty where none is known."""
        self._last: Observation | None = None
        self._preview: Preview | None = None
        """Of the last frame that was gone through."""
        self._reading: BoardReading | None = None
        self._read_s = self._whole_due_s = -np.inf
        self._recheck_s = self._whole_s = RECHECK_S
        self._again = self._unsure = False
        self._unknown: NDArray[np.bool_] | None = None
        """(cells,) True where the last reading that was let pass showed nothing that was learnt."""
        self._passed = ""
        """The board of that reading; empty before the first."""
        self._stale = True
        """Whether what was read before is of another place or light, so that no cell can be told to be unchanged."""

    def feed(self, frame: Frame) -> Observation:
        """Observes one frame; frames come in the order in which they were taken."""
        preview = frame.preview
        if self._last is None or not self._rests(self._last, frame, preview):
            self._preview = preview
            self._last = self._look(frame)
            return self._last
        gate = self._last.gate and dataclasses.replace(self._last.gate, fresh=False)
        return dataclasses.replace(self._last, frame=frame, gate=gate, reading=None, spent=None)

    def why_unseen(self, frame: Frame) -> Said:
        """Why the board is not seen in a frame and what to do; empty where nothing tells it.

        Takes about a second: to be asked once a loss.
        """
        mirrored = self.aligner.is_mirrored(frame.image)
        why = MIRRORED if mirrored else why_unseen(frame.image, self.template)
        return () if why.code == "no_board" else (why.matter, why.remedy)

    def ask_again(self) -> bool:
        """Wants the still picture read once more and averaged; False where that was done often enough."""
        self._unsure = True
        self._again = 0 < len(self._batch) < self.readings
        return self._again

    def ask_later(self, in_s: float) -> bool:
        """Wants the still picture read again in so many seconds; False where it is not still."""
        if self._last is None or self._last.gate is None or not self._last.gate.settled:
            return False
        self._recheck_s = min(self._recheck_s, in_s)
        return True

    def watched_s(self, time_s: float) -> float:
        """Time that the board was watched by then: without the hours that a computer slept."""
        return self.gate.watched_s(time_s)

    def adopt(self, head: Head | None) -> None:
        """Reads with another head of this table from the next reading on; None is the one it began with."""
        self.reader.adopt(head)
        self._batch, self._again, self._stale = [], False, True

    def retune(self, *, settle_s: float, readings: int) -> None:
        """Other patience from the next frame on."""
        self.gate.settle_s, self.readings = settle_s, readings

    def _rests(self, last: Observation, frame: Frame, preview: Preview) -> bool:
        """Whether a glance is enough: the board has settled, or is not there, and nothing has stirred since a look."""
        settled = last.gate is not None and last.gate.settled and not self._again
        if not (settled or last.alignment.pose is None) or frame.name != last.frame.name:
            return False
        due = settled and frame.time_s - self._read_s >= self._recheck_s
        if due or frame.time_s - last.frame.time_s >= LOOK_EVERY_S or self._preview is None:
            return False
        return preview.shape == self._preview.shape and cv2.absdiff(preview, self._preview).max() <= GLANCE_LEVELS

    def _look(self, frame: Frame) -> Observation:
        """Goes through the frame, all steps as far as they make sense."""
        began_s = time.perf_counter()
        alignment = self.aligner.update(frame)
        if alignment.strange:
            self.gate.reset()
            self.arms.reset()
        self._adopt_template()
        self._stale |= alignment.relocked
        tracked_s = time.perf_counter()
        if alignment.pose is None:
            return Observation(frame, alignment, spent=Spent(tracked_s - began_s))
        rectified = rectify(frame.image, alignment.pose, self.template)
        rectified_s = time.perf_counter()
        look_around = functools.partial(surroundings_of, frame.image, alignment.pose, self.template)
        reads_through = functools.partial(self._reads_through, rectified, frame.time_s)
        gate = self.gate.update(rectified, frame.time_s, look_around, reads_through)
        if gate.fresh and gate.sure:
            self.aligner.renew(frame)
        arm = None if self.gate.picture is None else self.arms.update(self.gate.picture, gate)
        self._stale |= gate.phase == "light" or (gate.settled and abs(gate.light_gain - 1) > LIGHT_STEP)
        gated_s, before = time.perf_counter(), self.cells_read
        reading = self._read(rectified, frame, gate) if gate.settled else None
        outside = np.zeros(len(self.template.cells_mm), dtype=np.bool_)
        if gate.settled:
            outside = cells_in_picture(alignment.pose, self.template, frame.image) < MIN_SEEN
        if reading is not None and (
            self._is_touched(reading, rectified)
            or self._is_unvouched(reading, frame, gate)
            or self._is_covered(reading, outside, frame.time_s, gate)
        ):
            gate, reading = self.gate.refuse(frame.time_s), None
            self._again, self._batch, self._stale = False, [], True
        if reading is not None and outside.any():
            reading = reading.without(outside)
        spent = Spent(
            tracked_s - began_s,
            rectified_s - tracked_s,
            gated_s - rectified_s,
            time.perf_counter() - gated_s,
            self.cells_read - before,
        )
        cells = tuple(int(cell) for cell in np.flatnonzero(outside))
        moved_share = alignment.moved_px / side_px(alignment.pose, self.template)
        frozen = self.gate.is_frozen(frame.time_s)
        return Observation(frame, alignment, rectified, gate, reading, spent, arm, cells, moved_share, frozen)

    def _reads_through(self, rectified: Image, time_s: float, things: Flags) -> bool:
        """Whether all cells under what seems to lie over the board are read without doubt: several, as a hand covers.

        Of a hand some cell at least shows nothing that was learnt.
        """
        self.cells_read += len(self.template.cells_mm)
        reading = self.reader.read(rectified, time_s)
        self._stale = True  # no reading that is gone on from is of this picture
        under = self._apart_px(things, rectified) < 1
        if reading.unknown is None or under.sum() < MIN_COVERED:
            return False
        return bool((reading.unknown[under] <= UNKNOWN).all() and (reading.confidence[under] >= SURE).all())

    def _apart_px(self, things: Flags, rectified: Image) -> NDArray[np.float64]:
        """(cells,) how far each cell's middle is from things in the gate's picture, in its pixels."""
        scale = things.shape[1] / rectified.shape[1]
        places = project(self.template.rectified_from_board, self.template.cells_mm) * scale
        columns, rows = np.clip(np.rint(places).astype(int), 0, np.array(things.shape[::-1]) - 1).T
        apart_px = cv2.distanceTransform((~things).astype(np.uint8), cv2.DIST_L2, 3)
        return np.asarray(apart_px[rows, columns], dtype=np.float64)

    def _is_touched(self, reading: BoardReading, rectified: Image) -> bool:
        """Whether a man seems to have come or gone within his own breadth of what lies over the board's rim.

        He may be a fingertip; and a man from whom the hand has not gone yet may be taken up again.
        """
        things, passed = self.gate.beside, self._passed
        if things is None or not passed:
            return False
        man_px = self.template.man_diameter_mm * self.template.pixels_per_mm * things.shape[1] / rectified.shape[1]
        new = np.array([letter != before for letter, before in zip(reading.board, passed, strict=True)])
        return bool((new & (self._apart_px(things, rectified) < man_px)).any())

    def _is_unvouched(self, reading: BoardReading, frame: Frame, gate: GateState) -> bool:
        """Whether fingertips may have been taken for men: the first picture after a new lock shows a change.

        In a folder of photos, or in photos sent as a stream, every picture may be such a one, and nothing ever stirs.
        """
        if gate.sure or frame.name or not self.gate.lives or self.believed in ("", reading.board):
            return False
        return not self.gate.stood(frame.time_s, UNVOUCHED_S)

    def _is_covered(self, reading: BoardReading, outside: NDArray[np.bool_], time_s: float, gate: GateState) -> bool:
        """Whether the eyes see a thing over the board that the gate does not: a fingertip, say.

        Where the gate has seen the board free, only what is newly unknown counts, and only until it has rested: a man
        may be of a kind that was never learnt.
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
        """(cells,) where one cell by itself is surely read as before, or as empty: a shade. Things cover several."""
        if not unknown.any():
            return unknown
        passed = self._passed or EMPTY * len(unknown)
        same = np.array([letter == before for letter, before in zip(reading.board, passed, strict=True)])
        places = self.template.cells_mm
        apart_mm = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
        pitch_mm = np.partition(apart_mm, 1, axis=1)[:, 1].min()
        beside = (apart_mm < BESIDE * pitch_mm) & ~np.eye(len(places), dtype=np.bool_)
        return np.asarray(same & (reading.confidence >= SURE) & ~(beside & unknown).any(axis=1))

    def _adopt_template(self) -> None:
        """Takes over the board's shape as the aligner has measured it."""
        if self.aligner.template is not self.template:
            self.template = self.aligner.template
            self.reader.template = self.template
            self._stale = True
            self._know_the_board()

    def _know_the_board(self) -> None:
        """Shows the gate the board as it was when it was calibrated, with nothing over it."""
        if self._reference is not None:
            pose = BoardPose(self._reference.image_from_board, error_px=0.0, quality=1.0)
            around = surroundings_of(self._reference.image, pose, self.template)
            self.gate.know(rectify(self._reference.image, pose, self.template), around)

    def _read(self, rectified: Image, frame: Frame, gate: GateState) -> BoardReading | None:
        """The whole board where the last reading left doubts, and now and then; else only what has changed."""
        recheck = frame.time_s - self._read_s >= self._recheck_s
        if not (gate.fresh or self._again or recheck):
            return None
        if gate.fresh:
            self._again = False  # hands have been there: what was read before them is of another board
        if not self._again:
            self._batch = []
            # A picture that stays doubtful is no clearer for being looked at all the time.
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
        """The last reading itself where no cell looks different; one with changes is soon checked as a whole."""
        assert self._reading is not None
        changed = self.reader.changed_cells(rectified)
        if not changed.any():
            return self._reading
        if changed.mean() > MAX_CHANGED:
            return self._read_whole(rectified, time_s)
        self._whole_s = RECHECK_S
        self._whole_due_s = time_s + self._whole_s
        self.cells_read += int(changed.sum())
        return self.reader.read(rectified, time_s, changed=changed, previous=self._reading)


def is_covered(unknown: NDArray[np.bool_], rested: bool) -> bool:
    """Whether a thing lies over the board: some cells, but by far not all, show nothing that was learnt.

    Where all of them are `unknown` the light is another; where only one or two still are after the picture has `rested`
    for long, a man stands askew or a lamp is mirrored.
    """
    return bool(unknown.sum() >= (MIN_COVERED if rested else 1) and unknown.mean() <= MAX_COVERED)


def average(readings: list[BoardReading]) -> BoardReading:
    """One reading from several of the same still board: the mean of their logarithms, made probabilities again."""
    if len(readings) == 1:
        return readings[0]
    logs = np.mean([reading.log_probabilities for reading in readings], axis=0)
    logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
    unknown = [reading.unknown for reading in readings if reading.unknown is not None]
    return dataclasses.replace(
        readings[-1], log_probabilities=logs, unknown=np.mean(unknown, axis=0) if unknown else None
    )
