"""The game clock: time used and left per side. Pure: the caller passes the time in.

A turn is charged to the side to move, and only while its clock runs; `ClockService` decides when that is. Times are
computed over the plies, so that a takeback or a correction gives back exactly what it must.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Literal

from daemon.game.effects import PlyTimes
from rules import Side

Control = Literal["none", "move", "game"]

MAX_STEP_S = 5.0
"""Seconds between two updates of the clock that count in full at most: beyond that the computer slept, was stopped or
hung, and no player pays for it."""


@dataclasses.dataclass(frozen=True)
class TimeControl:
    kind: Control = "none"
    """`move`: `time_s` for each move; `game`: `time_s` for all moves of a side; `none`: time is only measured."""
    time_s: float = 600.0
    increment_s: float = 0.0
    """Seconds a side gains after each of its moves, with `game`."""
    warn_s: tuple[float, ...] = (60.0, 10.0)
    """Seconds left at which a warning is due."""
    lose: bool = False
    """Whether running out of time loses the game; otherwise it is only announced."""

    def as_object(self) -> dict[str, object]:
        """The entry for the record; empty if time is only measured."""
        if self.kind == "none":
            return {}
        return {"kind": self.kind, "time_s": self.time_s, "increment_s": self.increment_s, "lose": self.lose}


@dataclasses.dataclass(frozen=True)
class Used:
    side: Side
    spent_s: float
    text: str = ""
    """The move's text, by which a corrected line finds its times again."""
    seen: bool = True
    """Whether it changed the board; passes bring no increment."""


@dataclasses.dataclass(frozen=True)
class Due:
    side: Side
    left_s: float
    """The warning's threshold in seconds; 0 if the time is up."""


class GameClock:
    """The clock of one game. All times are seconds of one monotonic clock with an arbitrary zero."""

    def __init__(self, control: TimeControl, used: Sequence[Used] = ()) -> None:
        """`used` holds the times of earlier plies when a game is resumed."""
        self.control = control
        self.running: Side | None = None
        """Whose clock runs; None while none does."""
        self._used = list(used)
        self._undone: list[Used] = []
        """The plies taken back last; they may be put back."""
        self._free = 0
        """Number of first plies that nobody is charged for: they were made before `begin`."""
        self.turn_s = 0.0
        self._mover: Side = 0
        """Side charged for the current turn."""
        self._looked_s: float | None = None
        self._told: set[float] = set()
        """Thresholds announced in this turn, or passed before it; 0 is the end of the time."""

    @property
    def plies(self) -> int:
        return len(self._used)

    @property
    def left_s(self) -> tuple[float, float] | None:
        """Seconds each side has left, below zero once overrun; None if time is only measured."""
        if self.control.kind == "none":
            return None
        left = self._banked()
        left[self._mover] -= self.turn_s
        return left[0], left[1]

    def begin(self, control: TimeControl, free: int | None = None) -> None:
        """Keeps other times from now on: each side has all of its time, whatever it used for the first `free` plies.

        None is all plies so far.
        """
        self.control, self._free = control, len(self._used) if free is None else free
        self.turn_s, self._told = 0.0, set()

    def run(self, side: Side | None, now_s: float) -> None:
        """Runs that side's clock from now on; None stops it. A clock that already runs keeps running."""
        self._look(now_s)
        if side is not None and side != self._mover:
            self._mover = side
            self._told = set()
        self.running = side

    def made(self, side: Side, now_s: float, text: str = "", *, seen: bool = True) -> PlyTimes:
        """Books a believed ply; returns its time and what each side has left after it. The next turn starts at zero."""
        self._look(now_s)
        left = self._banked()
        left[side] -= self.turn_s
        ply = Used(side, self.turn_s, text, seen)
        self._used.append(ply)
        self.turn_s, self._told = 0.0, set()
        if self.control.kind == "none":
            return PlyTimes(ply.spent_s)
        # The rest of this move's time, not the next move's allowance.
        shown = left if self.control.kind == "move" else self._banked()
        return PlyTimes(ply.spent_s, (shown[0], shown[1]))

    def take_back(self, ply: int) -> None:
        """Drops the plies after `ply`: the clocks show again what they showed then, and the turn starts at zero."""
        self._undone = self._used[ply:]
        del self._used[ply:]
        self._free = min(self._free, ply)
        self.turn_s, self._told = 0.0, set()

    def rewrite(self, ply: int, plies: Sequence[Used]) -> list[PlyTimes]:
        """Replaces the plies after `ply`: each keeps its earlier time, found by its text; a new one has none."""
        old, turn_s = [*self._used[ply:], *self._undone], self.turn_s
        del self._used[ply:]
        times = []
        for one in plies:
            same = next((before for before in old if before.text == one.text), None)
            if same is not None:
                old.remove(same)
            self.turn_s = 0.0 if same is None else same.spent_s
            self._looked_s = None
            times.append(self.made(one.side, 0.0, one.text, seen=one.seen))
        self._looked_s, self.turn_s = None, turn_s
        return times

    def due(self, now_s: float) -> Due | None:
        """The warning due now, each at most once per turn; of several the most urgent."""
        self._look(now_s)
        left = self.left_s
        if left is None or self.running is None:
            return None
        begun = left[self._mover] + self.turn_s
        passed = [mark for mark in (*self.control.warn_s, 0.0) if left[self._mover] <= mark < begun]
        news = [mark for mark in passed if mark not in self._told]
        self._told.update(passed)
        return Due(self._mover, min(news)) if news else None

    def _look(self, now_s: float) -> None:
        """Charges the time since the last update, at most MAX_STEP_S, to the running clock."""
        before, self._looked_s = self._looked_s, now_s
        if before is not None and self.running is not None:
            self.turn_s += min(max(0.0, now_s - before), MAX_STEP_S)

    def _banked(self) -> list[float]:
        """Seconds each side had at the beginning of the current turn."""
        left = [self.control.time_s, self.control.time_s]
        if self.control.kind == "game":
            for ply in self._used[self._free :]:
                left[ply.side] += (self.control.increment_s if ply.seen else 0.0) - ply.spent_s
        return left


def shown(seconds: float) -> str:
    """A time as a clock shows it: `9:05`, `1:00:00`, `-0:03`; whole seconds, rounded up while any time is left."""
    whole = math.ceil(seconds)
    minutes, rest = divmod(abs(whole), 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
    return f"-{text}" if whole < 0 else text
