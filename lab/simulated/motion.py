"""Plans how a hand moves: smooth strokes from place to place, and the strokes that a move of the game takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np

from lab.simulated.anatomy import Grip
from lab.simulated.arm import Reach
from lab.simulated.arrays import FloatArray, Rng
from rules import Step

TRAVEL_MM_S = 620.0
"""Millimetres per second, speed of an unhurried hand."""
START_S = 0.30
"""Seconds that even the shortest stroke takes."""
TOUCH_S = 0.16
"""Seconds that the fingers stay where they grip or let go."""
ARC_MM = 46.0
"""Millimetres by which a stroke rises above its ends."""


@dataclasses.dataclass(frozen=True, eq=False)
class Change:
    start: FloatArray
    end: FloatArray
    begun_s: float
    over_s: float

    def at(self, time_s: float) -> FloatArray:
        share = 1.0 if self.over_s <= 0 else min(max((time_s - self.begun_s) / self.over_s, 0.0), 1.0)
        return np.asarray(self.start + share**2 * (3 - 2 * share) * (self.end - self.start), dtype=np.float64)


@dataclasses.dataclass(frozen=True)
class Event:
    kind: Literal["pick", "lay", "turn", "take", "drop", "pick_pawn", "set_pawn"]
    """Pick up a piece from a cell, lay the held one on it, turn one over, take one from the stock, drop it.

    Pawns are picked up from their track and put down again.
    """
    cells: tuple[int, ...] = ()
    """One cell, or those on which both halves of a tile lie."""
    letters: str = ""
    pawn: str = ""
    space: int = 0


@dataclasses.dataclass(frozen=True)
class Stroke:
    start: Reach
    end: Reach
    duration_s: float
    event: Event | None = None

    def at(self, time_s: float) -> Reach:
        """Position of the fingertips after that time: a minimum-jerk stroke that rises in the middle."""
        share = min(max(time_s / self.duration_s, 0.0), 1.0)
        eased = share**3 * (10 - 15 * share + 6 * share**2)
        apart = float(np.hypot(self.end.x_mm - self.start.x_mm, self.end.y_mm - self.start.y_mm))
        rise = ARC_MM * min(apart / 80, 1.0) * 16 * (eased * (1 - eased)) ** 2
        return Reach(
            self.start.x_mm + eased * (self.end.x_mm - self.start.x_mm),
            self.start.y_mm + eased * (self.end.y_mm - self.start.y_mm),
            self.start.lift_mm + eased * (self.end.lift_mm - self.start.lift_mm) + rise,
            self.start.grip if share < 0.85 else self.end.grip,
        )


class Visit:
    """Plans one visit of a hand: in from its rest, the steps, and out again."""

    def __init__(
        self, rest: Reach, place: Callable[[tuple[int, ...]], tuple[float, float]], pace: float, rng: Rng
    ) -> None:
        """`place` returns the world position of the middle of some cells; of any cell if there are none."""
        self._rest, self._place, self._pace, self._rng = rest, place, pace, rng
        self._here = rest
        self.strokes: list[Stroke] = []

    def carry_out(self, handfuls: Iterable[tuple[Step, ...]], *, palmed: bool = False) -> None:
        """Does the steps, one handful after the other; a piece that leaves the board is carried out of view.

        With `palmed` the hand holds all pieces that it puts down or takes, and need not leave between them.
        """
        for number, steps in enumerate(handfuls):
            step, cells = steps[0], tuple(one.cell for one in steps)
            if step.kind == "place":
                take = Event("take", cells, "".join(one.piece for one in steps))
                if palmed and number:
                    self.strokes.append(Stroke(self._here, self._here, TOUCH_S / self._pace, take))
                else:
                    self._leave(take, "pinch")
                self._touch(cells, Event("lay", cells, take.letters), "pinch", "open")
            elif step.kind == "move":
                assert step.origin is not None
                self._touch((step.origin,), Event("pick", (step.origin,)), "open", "pinch")
                self._touch(cells, Event("lay", cells, step.piece), "pinch", "open")
            elif step.kind == "remove":
                self._touch(cells, Event("pick", cells), "open", "pinch")
                if palmed:
                    self.strokes.append(Stroke(self._here, self._here, TOUCH_S / self._pace, Event("drop")))
                else:
                    self._leave(Event("drop"), "pinch")
            else:
                self._touch(cells, Event("turn", cells, step.piece), "open", "open")

    def move_pawn(self, pawn: str, space: int, here: tuple[float, float], there: tuple[float, float]) -> None:
        self._touch_at(here, Event("pick_pawn", pawn=pawn), "open", "pinch")
        self._touch_at(there, Event("set_pawn", pawn=pawn, space=space), "pinch", "open")

    def leave(self) -> None:
        self._leave(None, "open")

    def hover(self, seconds: float) -> None:
        """Holds the hand over the board, wavering a little, without touching anything."""
        x, y = self._place(())
        self._go(Reach(x, y, 42.0))
        for _ in range(max(round(seconds / 0.5), 1)):
            end = Reach(x + self._rng.normal(0, 6), y + self._rng.normal(0, 6), 42 + abs(self._rng.normal(0, 5)))
            self.strokes.append(Stroke(self._here, end, seconds / max(round(seconds / 0.5), 1)))
            self._here = end

    def _touch(self, cells: tuple[int, ...], event: Event, before: Grip, after: Grip) -> None:
        self._touch_at(self._place(cells), event, before, after)

    def _touch_at(self, place: tuple[float, float], event: Event, before: Grip, after: Grip) -> None:
        x, y = place
        self._go(Reach(x, y, 0.0, before))
        half_s = TOUCH_S / 2 / self._pace
        if event.kind == "turn":
            half_s *= 2.5
        self.strokes.append(Stroke(self._here, self._here, half_s, event))
        self._here = dataclasses.replace(self._here, grip=after)
        self.strokes.append(Stroke(self._here, self._here, half_s))

    def _leave(self, event: Event | None, grip: Grip) -> None:
        self._go(dataclasses.replace(self._rest, grip=grip), event)

    def _go(self, end: Reach, event: Event | None = None) -> None:
        apart = float(np.hypot(end.x_mm - self._here.x_mm, end.y_mm - self._here.y_mm))
        duration_s = (START_S + apart / TRAVEL_MM_S) * float(self._rng.uniform(0.88, 1.15)) / self._pace
        self.strokes.append(Stroke(self._here, end, duration_s if apart > 1 else 0.05, event))
        self._here = end
