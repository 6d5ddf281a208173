"""The hands of both players in a film: when they come and what they swap, and how they are painted."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from calibration.template import BoardTemplate
from lab.films.plan import Board, FilmPlan
from lab.films.table import FilmTable
from lab.simulated.anatomy import ARM_MM
from lab.simulated.arm import ArmPainter, Reach
from lab.simulated.arrays import Float32Array, FloatArray
from lab.simulated.camera import Region
from lab.simulated.light import GAMMA, Lamp, Light
from lab.simulated.motion import Stroke, Visit
from lab.train.pathtraced_light import Glow
from rules import Step
from vision.frame import Image

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


GAINS = (0.03, 5.0)
"""Least and greatest factor between the simulated table's light and the picture's."""
TINTS = (0.87, 1.15)
"""Least and greatest factor between a colour's gain and that of all."""
STEP_MM, NEAREST_MM = 15.0, 40.0
"""Millimetres between the points of an arm that are looked at, and from the lens to the nearest of them."""
SEEN_LEVELS = 3
"""Grey values by which a picture differs where a hand is seen."""


class NearArm(ArmPainter):
    """An arm that may reach under the lens and beyond it, where a person sits behind the camera."""

    def _region(self, reach: Reach, axes: Float32Array) -> Region | None:
        """The pixels of those parts of the arm, and of its shadow, that are in front of the lens."""
        size, tip = self._hand.size, np.array([reach.x_mm, reach.y_mm])
        along, across = np.meshgrid(np.arange(-30 * size, ARM_MM, STEP_MM), (-75 * size, 0.0, 75 * size))
        flat = tip + along.reshape(-1, 1) * axes[0] + across.reshape(-1, 1) * axes[1]
        lean = self._light.lamps[0].lean(reach.x_mm, reach.y_mm)
        parts = []
        for height in (reach.lift_mm, reach.lift_mm + 115 * size):
            parts.append(np.column_stack([flat, np.full(len(flat), height)]))
            parts.append(np.column_stack([flat + height * lean, np.zeros(len(flat))]))
        points = np.concatenate(parts)
        depth = (points * (1, 1, -1) - self._camera.centre_mm) @ self._camera.camera_from_world[2]
        before = points[depth > NEAREST_MM]
        return self._camera.region(before, 4) if len(before) else None


class Hands:
    def __init__(self, table: FilmTable, start: Image, seed: int) -> None:
        light = light_of(table, start)
        self._size = table.camera.size_px
        self._bright = np.full((self._size[1], self._size[0], 3), 255, np.uint8)
        self.arms = tuple(NearArm(table.style, side, light, table.camera, table.men_mm, seed) for side in (0, 1))

    def paint(self, picture: Image, reaches: Sequence[tuple[int, Reach]]) -> Image:
        painted = picture.copy() if reaches else picture
        for side, reach in reaches:
            region = self.arms[side].region(reach)
            if region is None:
                continue
            part = np.ascontiguousarray(painted[region.slices])
            self.arms[side].shade(part, region, reach)
            self.arms[side].lay(part, region, reach, self._bright)
            painted[region.slices] = part
        return painted

    def rest(self, side: int) -> Reach:
        x, y = self.arms[side].rest_mm
        return Reach(float(x), float(y), 40.0)


def is_seen(picture: Image, still: Image) -> bool:
    """Whether anything of a hand is in the picture; `still` is the same without."""
    return picture is not still and int(cv2.absdiff(picture, still).max()) > SEEN_LEVELS


def light_of(table: FilmTable, picture: Image) -> Light:
    """The simulated table's light, as strong and of the colour that the board has in the picture."""
    centre = (float(table.body.centre_mm[0]), float(-table.body.centre_mm[1]))
    light = Light(table.style, centre)
    if table.light.glows:
        light.lamps = tuple(_lamp(glow, centre) for glow in table.light.glows)
    seen = _mean_light(picture, table.camera.project(np.column_stack([table.body.outline_mm, np.zeros(4)])))
    face = table.body.face.reshape(-1, 3).mean(axis=0)
    falls = np.asarray(light.flat(np.array([[centre]], np.float32))[0, 0], np.float64)
    gain = np.clip(seen.mean() / max(float((face * falls).mean()), 1e-4), *GAINS)
    # A channel that a coloured board hardly reflects says little of the light.
    tint = np.clip(seen / np.maximum(face * falls, 1e-4) / gain, *TINTS)
    gain = (gain * tint).astype(np.float32)
    light.exposure = np.float32(1.0)
    light.ambient = light.ambient * gain
    light.lamps = tuple(dataclasses.replace(lamp, strength=lamp.strength * gain) for lamp in light.lamps)
    return light


def _lamp(glow: Glow, centre_mm: tuple[float, float]) -> Lamp:
    place = np.array([glow.at_mm[0], -glow.at_mm[1], max(glow.at_mm[2], 100.0)])
    distance = float(np.linalg.norm(place - (*centre_mm, 0.0)))
    strength = glow.radiance[::-1] * (glow.radius_mm / distance) ** 2
    return Lamp(place.astype(np.float32), strength.astype(np.float32), distance, glow.radius_mm)


def _mean_light(picture: Image, outline_px: FloatArray) -> FloatArray:
    """(3,) linear blue, green and red inside the outline."""
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(outline_px).astype(np.int32), (255,))
    levels = picture[mask > 0].astype(np.float64) / 255
    return np.asarray((levels**GAMMA).mean(axis=0), dtype=np.float64)
