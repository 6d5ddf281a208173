"""When hands come in a film, what they do, and when each cell shows what they did."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from lab.films.plan import FilmPlan
from lab.films.play import Board
from lab.simulated.arm import Reach
from lab.simulated.motion import Stroke, Visit
from rules import Step

FloatArray = NDArray[np.float64]
Rng = np.random.Generator
BESIDE_MM = 55.0
"""Millimetres from the board's frame to the fingertips of a hand that rests at its edge."""
REST_S = (0.8, 3.0)
MANY_STEPS = 2
"""With more handfuls than this, the hand keeps what it takes, and need not leave the picture between them."""


@dataclasses.dataclass(frozen=True)
class Track:
    """One visit of one hand; seconds from the visit's beginning."""

    side: int
    strokes: tuple[Stroke, ...]

    @property
    def duration_s(self) -> float:
        return sum(stroke.duration_s for stroke in self.strokes)

    def at(self, time_s: float) -> Reach | None:
        """Where the hand is; None before and after the visit."""
        begun_s = 0.0
        for stroke in self.strokes:
            if begun_s <= time_s < begun_s + stroke.duration_s:
                return stroke.at(time_s - begun_s)
            begun_s += stroke.duration_s
        return None


@dataclasses.dataclass(frozen=True)
class Turn:
    """What happens between two boards that are free; seconds from its beginning."""

    tracks: tuple[Track, ...]
    swaps: tuple[tuple[float, int], ...]
    """When a cell shows the later board, and which."""

    @property
    def duration_s(self) -> float:
        """Until the last hand is gone."""
        return max((track.duration_s for track in self.tracks), default=0.0)

    def hands(self, time_s: float) -> list[tuple[int, Reach]]:
        found = [(track.side, track.at(time_s)) for track in self.tracks]
        return [(side, reach) for side, reach in found if reach is not None]

    def swapped(self, time_s: float) -> frozenset[int]:
        """The cells that show the later board by then."""
        return frozenset(cell for at_s, cell in self.swaps if at_s <= time_s)


class Hosts:
    def __init__(
        self, plan: FilmPlan, template: BoardTemplate, rest: Callable[[int], Reach], shoulders_mm: Sequence[FloatArray]
    ) -> None:
        """`rest` is where a side's hand is out of the picture."""
        self._plan, self._template, self._rest, self._shoulders = plan, template, rest, shoulders_mm
        self._rng = plan.rng("hands")

    def turn(self, board: Board) -> Turn:
        plan, rng = self._plan, self._rng
        visit = self._visit(board.side)
        groups = without_replaced(board.steps)
        visit.carry_out(groups, palmed=len(groups) > MANY_STEPS)
        if rng.random() < plan.resting / 2:
            visit.hover(float(rng.uniform(*REST_S)))
        visit.leave()
        tracks = [Track(board.side, tuple(visit.strokes))]
        if rng.random() < plan.second_hand:
            tracks.append(self._waiting(1 - board.side, self._beside(1 - board.side), 0.6 * tracks[0].duration_s))
        return Turn(tuple(tracks), swaps_of(visit.strokes))

    def resting(self) -> Turn | None:
        """A hand that comes and does nothing, or None: seldom."""
        if self._rng.random() >= self._plan.resting / 2:
            return None
        side = int(self._rng.integers(2))
        spot = self._template.cells_mm[int(self._rng.integers(len(self._template.cells_mm)))]
        place = (float(spot[0]), float(spot[1])) if self._rng.random() < 0.5 else self._beside(side)
        return Turn((self._waiting(side, place, float(self._rng.uniform(*REST_S))),), ())

    def _visit(self, side: int) -> Visit:
        def place(cells: tuple[int, ...]) -> tuple[float, float]:
            return self._place(cells) if cells else self._beside(side)

        return Visit(self._rest(side), place, self._plan.pace, self._rng)

    def _waiting(self, side: int, place: tuple[float, float], seconds: float) -> Track:
        visit = Visit(self._rest(side), lambda _: place, self._plan.pace, self._rng)
        visit.hover(seconds)
        visit.leave()
        return Track(side, tuple(visit.strokes))

    def _place(self, cells: tuple[int, ...]) -> tuple[float, float]:
        x, y = self._template.cells_mm[list(cells)].mean(axis=0)
        return float(x), float(y)

    def _beside(self, side: int) -> tuple[float, float]:
        """The place at the board's edge that is nearest to that side."""
        size = np.array(self._template.size_mm)
        way = self._shoulders[side] - size / 2
        reach = size / 2 + BESIDE_MM
        edge = size / 2 + way * float((reach / np.maximum(np.abs(way), 1e-6)).min())
        return float(edge[0]), float(edge[1])


def without_replaced(groups: Sequence[tuple[Step, ...]]) -> list[tuple[Step, ...]]:
    """The handfuls without men taken from cells on which another is put in the same visit: one grip does both."""
    laid = {step.cell for group in groups for step in group if step.kind != "remove"}
    return [group for group in groups if group[0].kind != "remove" or group[0].cell not in laid]


def swaps_of(strokes: Sequence[Stroke]) -> tuple[tuple[float, int], ...]:
    """When each cell is touched for the last time, in order."""
    touched: dict[int, float] = {}
    now_s = 0.0
    for stroke in strokes:
        now_s += stroke.duration_s
        if stroke.event is not None and stroke.event.kind in ("pick", "lay", "turn"):
            touched |= dict.fromkeys(stroke.event.cells, now_s)
    return tuple(sorted((at_s, cell) for cell, at_s in touched.items()))
