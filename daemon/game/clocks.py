"""The game clock: how much time each side has used and has left. Pure: whoever keeps one hands the time in.

A turn is charged to the side that is to move, and only while its clock runs; `ClockService` knows when that is.
Times are a reckoning over the plies, so that a takeback or a correction gives back exactly what it must.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Literal

from daemon.game.effects import PlyTimes
from games import Side

Control = Literal["none", "move", "game"]

MAX_STEP_S = 5.0
"""Longest time that may pass between two looks at the clock and still count in full: beyond it the computer slept, was
stopped or hung, and no player pays for that."""


@dataclasses.dataclass(frozen=True)
class TimeControl:
    """How much time there is, and what happens when it is used up."""

    kind: Control = "none"
    """`move`: `time_s` anew for every move; `game`: `time_s` for all moves of a side; `none`: time is only measured."""
    time_s: float = 600.0
    increment_s: float = 0.0
    """What a side gets after each of its moves, with `game`."""
    warn_s: tuple[float, ...] = (60.0, 10.0)
    """Seconds left at which a warning is due."""
    lose: bool = False
    """Whether who runs out of time has lost; else it is only said."""

    def as_object(self) -> dict[str, object]:
        """What the record keeps of it; empty where time is only measured."""
        if self.kind == "none":
            return {}
        return {"kind": self.kind, "time_s": self.time_s, "increment_s": self.increment_s, "lose": self.lose}


@dataclasses.dataclass(frozen=True)
class Used:
    """The time of one ply."""

    side: Side
    spent_s: float
    text: str = ""
    """The move's text, by which a corrected line finds its times again."""
    seen: bool = True
    """Whether it changed the board; passes bring no increment."""


@dataclasses.dataclass(frozen=True)
class Due:
    """Something that must be said now."""

    side: Side
    left_s: float
    """The threshold of the warning; 0 where the time is up."""


class GameClock:
    """The clock of one game. All times are seconds of one steady clock, whose zero does not matter."""

    def __init__(self, control: TimeControl, used: Sequence[Used] = ()) -> None:
        """`used` are the times of the plies made before, where a game is resumed."""
        self.control = control
        self.running: Side | None = None
        """Whose clock runs; None while none does."""
        self._used = list(used)
        self._undone: list[Used] = []
        """The plies taken back last: they may be put back."""
        self._turn_s = 0.0
        self._mover: Side = 0
        """Who is charged for the turn that is going on."""
        self._looked_s: float | None = None
        self._told: set[float] = set()
        """Thresholds of which it was told in this turn, or that had been passed before it; 0 is the end of the time."""

    @property
    def plies(self) -> int:
        """Plies whose time is known."""
        return len(self._used)

    @property
    def turn_s(self) -> float:
        """Time used in the turn that is going on."""
        return self._turn_s

    @property
    def left_s(self) -> tuple[float, float] | None:
        """What either side has left; below zero beyond the end. None where time is only measured."""
        if self.control.kind == "none":
            return None
        left = self._banked()
        left[self._mover] -= self._turn_s
        return left[0], left[1]

    def run(self, side: Side | None, now_s: float) -> None:
        """From now on the clock of that side runs; None stops it. What is running already goes on."""
        self._look(now_s)
        if side is not None and side != self._mover:
            self._mover = side
            self._told = set()
        self.running = side

    def made(self, side: Side, now_s: float, text: str = "", *, seen: bool = True) -> PlyTimes:
        """A ply was believed: its time, and what either side has left after it. The next turn has used nothing yet."""
        self._look(now_s)
        left = self._banked()
        left[side] -= self._turn_s
        ply = Used(side, self._turn_s, text, seen)
        self._used.append(ply)
        self._turn_s, self._told = 0.0, set()
        if self.control.kind == "none":
            return PlyTimes(ply.spent_s)
        # What is left of this move, not what the next one will have.
        shown = left if self.control.kind == "move" else self._banked()
        return PlyTimes(ply.spent_s, (shown[0], shown[1]))

    def take_back(self, ply: int) -> None:
        """The plies after `ply` count no more: the clocks show again what they showed then, the turn begins anew."""
        self._undone = self._used[ply:]
        del self._used[ply:]
        self._turn_s, self._told = 0.0, set()

    def rewrite(self, ply: int, plies: Sequence[Used]) -> list[PlyTimes]:
        """The plies after `ply` were others: each takes its time along by its text, and a new one has none."""
        old, turn_s = [*self._used[ply:], *self._undone], self._turn_s
        del self._used[ply:]
        times = []
        for one in plies:
            same = next((before for before in old if before.text == one.text), None)
            if same is not None:
                old.remove(same)
            self._turn_s = 0.0 if same is None else same.spent_s
            self._looked_s = None
            times.append(self.made(one.side, 0.0, one.text, seen=one.seen))
        self._looked_s, self._turn_s = None, turn_s
        return times

    def due(self, now_s: float) -> Due | None:
        """The warning that must be given now, at most once each a turn; of several the most pressing one."""
        self._look(now_s)
        left = self.left_s
        if left is None or self.running is None:
            return None
        begun = left[self._mover] + self._turn_s
        passed = [mark for mark in (*self.control.warn_s, 0.0) if left[self._mover] <= mark < begun]
        news = [mark for mark in passed if mark not in self._told]
        self._told.update(passed)
        return Due(self._mover, min(news)) if news else None

    def _look(self, now_s: float) -> None:
        """Charges the time since the last look, within reason, to the clock that runs."""
        before, self._looked_s = self._looked_s, now_s
        if before is not None and self.running is not None:
            self._turn_s += min(max(0.0, now_s - before), MAX_STEP_S)

    def _banked(self) -> list[float]:
        """What either side has at the beginning of the turn that is going on."""
        left = [self.control.time_s, self.control.time_s]
        if self.control.kind == "game":
            for ply in self._used:
                left[ply.side] += (self.control.increment_s if ply.seen else 0.0) - ply.spent_s
        return left


def shown(seconds: float) -> str:
    """A time as a clock shows it: `9:05`, `1:00:00`, `-0:03`; whole seconds, rounded up, as long as any is left."""
    whole = math.ceil(seconds)
    minutes, rest = divmod(abs(whole), 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
    return f"-{text}" if whole < 0 else text
