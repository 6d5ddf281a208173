"""From a frame to a settled reading, on one page: align, rectify, gate, read."""

from __future__ import annotations

import dataclasses

import numpy as np

from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from vision.align import Aligner, Alignment
from vision.frame import Frame, Image
from vision.gate import Gate, GateState
from vision.pose import rectify
from vision.reader import Reader, reference_of
from vision.reading import BoardReading

RECHECK_S = 2.0
"""A still board is read again this often: a change that no motion gave away is found all the same."""


@dataclasses.dataclass(frozen=True, eq=False)
class Observation:
    """What one frame gave."""

    frame: Frame
    alignment: Alignment
    rectified: Image | None = None
    """The steady picture; None where the board is not in sight."""
    gate: GateState | None = None
    reading: BoardReading | None = None
    """Set where the picture has settled, or was read again."""


class Pipeline:
    """Turns frames into observations; used by one thread.

    `template` is replaced by the one that was measured, once the board is found.
    """

    def __init__(
        self, template: BoardTemplate, profile: TableProfile | None, *, settle_s: float = 0.4, readings: int = 3
    ) -> None:
        self.template = template if profile is None else template.with_shape(profile.shape)
        self.aligner = Aligner(self.template, None if profile is None else reference_of(profile))
        self.gate = Gate(settle_s=settle_s)
        self.reader = Reader(self.template, profile)
        self.readings = readings
        self._batch: list[BoardReading] = []
        """The readings of the present still picture that are averaged."""
        self._read_s = -np.inf
        self._again = False

    def feed(self, frame: Frame) -> Observation:
        """Observes one frame; frames come in the order in which they were taken."""
        alignment = self.aligner.update(frame)
        if alignment.relocked:
            self.gate.reset()
            self._adopt_template()
        if alignment.pose is None:
            return Observation(frame, alignment)
        rectified = rectify(frame.image, alignment.pose, self.template)
        gate = self.gate.update(rectified, frame.time_s)
        reading = self._read(rectified, frame, gate) if gate.settled else None
        return Observation(frame, alignment, rectified, gate, reading)

    def ask_again(self) -> bool:
        """Wants the still picture read once more and averaged; False where that was done often enough."""
        self._again = 0 < len(self._batch) < self.readings
        return self._again

    def _adopt_template(self) -> None:
        """Takes over the board's shape as the aligner has measured it."""
        if self.aligner.template is not self.template:
            self.template = self.aligner.template
            self.reader.template = self.template

    def _read(self, rectified: Image, frame: Frame, gate: GateState) -> BoardReading | None:
        recheck = frame.time_s - self._read_s >= RECHECK_S
        if not (gate.fresh or self._again or recheck):
            return None
        if not self._again:
            self._batch = []
        self._again = False
        self._read_s = frame.time_s
        self._batch.append(self.reader.read(rectified, frame.time_s))
        return average(self._batch)


def average(readings: list[BoardReading]) -> BoardReading:
    """One reading from several of the same still board: the mean of their logarithms, made probabilities again."""
    if len(readings) == 1:
        return readings[0]
    logs = np.mean([reading.log_probabilities for reading in readings], axis=0)
    logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
    return dataclasses.replace(readings[-1], log_probabilities=logs)
