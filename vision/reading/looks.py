"""Turns what is seen of each cell into evidence: only what has changed is read, what moves or is hidden says little.

A hand may look like a man, but it does not keep still for long. So what a cell shows since it last changed counts the
more the longer it has looked the same, and nothing where something reaches over it.
"""

from __future__ import annotations

import dataclasses
import logging

import numpy as np

from calibration.arrays import Flags, FloatArray
from vision.pose import Rectified
from vision.reading.board_reading import SURE, UNKNOWN, BoardReading
from vision.reading.reader import JudgedCells, Reader
from vision.watching.watcher import REPORTED_S, Sight

LOGGER = logging.getLogger(__name__)
FIRST_READING = "first reading of the board"
"""Log message, written once; the time from program start is measured to it."""
STILL_NATS = 4.6
"""Nats, a hundred to one, by which a cell that has been still for the settling time is no hand."""
UNKNOWN_TIMES = 5.0
"""Times longer that a cell must be still which was never seen free: a hand that rests stirs within two seconds."""
STRANGE_S = 2.0
"""Seconds in which the chance that something never learnt is a hand falls to a third."""
DECIDED = 0.01
"""Change of any probability from which a reading is worth another judgement."""


class Looks:
    """The evidence of one board's cells; used by one thread."""

    def __init__(self, reader: Reader, readings: int) -> None:
        self.reader, self.readings = reader, readings
        self.cells_read = 0
        self.forget()

    def forget(self, *, shown: bool = False) -> None:
        """Reads the whole board next time; `shown`: nothing lies over it then, however short it has been still."""
        self._shown = shown
        self._free: JudgedCells | None = None
        """The cells as they were when they last lay open and still."""
        self._read_s: FloatArray = np.zeros(0)
        """(cells,) when what was last read of each cell had changed."""
        self._as_free = self._never = np.zeros(0, dtype=np.bool_)
        self._batch: list[BoardReading] = []
        """Readings of the same cells, to be averaged."""
        self._again = False
        self.growing: Flags = np.zeros(0, dtype=np.bool_)
        """(cells,) of which more will be known soon, if they stay as they are."""
        self.told: BoardReading | None = None
        self.plain: BoardReading | None = None
        """What was read, whatever may move or lie there."""

    def ask_again(self) -> bool:
        """Requests another reading of all that lies open, to be averaged; False if it was read often enough."""
        self._again = 0 < len(self._batch) < self.readings
        return self._again

    @property
    def asked(self) -> bool:
        return self._again

    def look(
        self, rectified: Rectified, sight: Sight, time_s: float, settle_s: float, *, hands: bool = True
    ) -> BoardReading | None:
        """The evidence so far; None while nothing at all is known. `hands`: whether hands may be in the picture."""
        # A cell is worth reading once it has been still for half the time after which it counts.
        still_s = np.where(sight.known, sight.still_s, sight.own_s)
        lies_open = (still_s >= settle_s / 2) & ~sight.hidden & (not sight.blurred) | self._shown
        self._shown = False
        if not self._begun(rectified, sight, time_s, lies_open):
            return None
        changed = sight.changed_s > self._read_s
        new = self._never | (changed & ~sight.alike)
        # Under a hand something may have changed that is too faint to differ.
        swept = changed & sight.alike
        self._read_anew(rectified, sight, time_s, lies_open, new, swept)
        reading = average(self._batch)
        unread = sight.hidden | (new & ~lies_open)
        self.plain = reading.without(unread) if unread.any() else reading
        needed_s = settle_s * np.where(sight.known | (not hands), 1.0, UNKNOWN_TIMES)
        hand = hand_shares(reading if hands else dataclasses.replace(reading, unknown=None), sight, unread, needed_s)
        self.growing = (hand > DECIDED) & ~sight.hidden & (sight.still_s < REPORTED_S) & hands
        return weighed(reading, hand, time_s)

    def _begun(self, rectified: Rectified, sight: Sight, time_s: float, lies_open: Flags) -> bool:
        """Reads the whole board the first time; whether it has been read."""
        if self._free is not None and self.reader.cells is not None and len(self._read_s) == len(lies_open):
            return True
        if lies_open.any():
            self._batch = [self._read(rectified, time_s, None)]
            self._free, self._read_s = self.reader.cells, np.where(lies_open, sight.changed_s, -np.inf)
            self._as_free, self._never = np.ones_like(lies_open), ~lies_open
            LOGGER.info("%s: %d cells", FIRST_READING, len(lies_open))
        return bool(lies_open.any())

    def _read_anew(
        self, rectified: Rectified, sight: Sight, time_s: float, lies_open: Flags, new: Flags, swept: Flags
    ) -> None:
        """Reads what has changed and lies open; what looks as before, or is hidden, is what it was."""
        reader = self.reader
        assert reader.cells is not None and self._free is not None
        if (returned := (sight.alike | sight.hidden) & ~self._as_free).any():
            reader.cells = reader.cells.with_cells(self._free, returned)
            self._as_free |= returned
            self._read_s = np.where(returned, -np.inf, self._read_s)  # if it shows again it is read again
        wanted = (new | swept) & lies_open
        if wanted.any():
            self._batch = [self._read(rectified, time_s, wanted)]
            self._read_s = np.where(wanted, sight.changed_s, self._read_s)
            self._as_free &= ~(wanted & new)
            self._never &= ~wanted
            self._free = self._free.with_cells(reader.cells, wanted & swept)
        elif returned.any():
            self._batch = [reader.judge(reader.cells, time_s)]
        elif self._again and lies_open.any():
            self._batch.append(self._read(rectified, time_s, lies_open))
            self.told = None
        self._again = False

    def shows(self, board: str, sight: Sight, settle_s: float) -> Flags:
        """(cells,) whether each cell surely shows what it holds on a board, and has been still."""
        reading = self.plain
        if reading is None or len(board) != len(reading.log_probabilities) or sight.blurred:
            return np.zeros(len(sight.hidden), dtype=np.bool_)
        columns = [reading.letters.index(letter) for letter in board]
        sure = reading.log_probabilities[np.arange(len(board)), columns] >= np.log(SURE)
        if reading.unknown is not None:
            sure &= reading.unknown <= UNKNOWN
        return np.asarray(sure & ~sight.hidden & (sight.own_s >= settle_s))

    def free(self, time_s: float) -> BoardReading | None:
        """The board as it was read when its cells last lay open and still; None before."""
        return None if self._free is None else self.reader.judge(self._free, time_s)

    def keep(self, cells: Flags) -> None:
        """Takes what was read of some (cells,) for what they show when nothing lies over them."""
        if cells.any() and self._free is not None and self.reader.cells is not None:
            self._free = self._free.with_cells(self.reader.cells, cells)
            self._as_free |= cells

    def _read(self, rectified: Rectified, time_s: float, cells: Flags | None) -> BoardReading:
        reading = self.reader.read(rectified.picture, time_s, changed=cells)
        self.cells_read += len(reading.log_probabilities) if cells is None else int(cells.sum())
        return reading


def hand_shares(reading: BoardReading, sight: Sight, unread: Flags, settle_s: FloatArray) -> FloatArray:
    """(cells,) probabilities that each cell shows a hand, or whatever else does not belong there."""
    still_s = np.where(sight.alike, sight.own_s, sight.still_s)
    hand = np.exp(-STILL_NATS * np.minimum(still_s / settle_s, 20))
    if reading.unknown is not None:
        hand = np.maximum(hand, reading.unknown * np.exp(-sight.still_s / STRANGE_S))
    return np.where(unread, 1.0, hand)


def weighed(reading: BoardReading, hand: FloatArray, time_s: float) -> BoardReading:
    """A reading in which each cell says only as much as a cell says that shows a hand with those probabilities."""
    with np.errstate(divide="ignore"):
        logs = np.logaddexp(
            np.log(1 - hand)[:, None] + reading.log_probabilities, np.log(hand / len(reading.letters))[:, None]
        )
    unknown = np.where(hand == 1, 1.0, 0.0 if reading.unknown is None else reading.unknown)
    return dataclasses.replace(reading, log_probabilities=logs, unknown=unknown, time_s=time_s)


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
