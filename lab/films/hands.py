"""Hands over a path-traced table: the simulated table's arms, in the light of the picture."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.films.table import FilmTable
from lab.simulated.anatomy import ARM_MM
from lab.simulated.arm import ArmPainter, Reach
from lab.simulated.camera import Region
from lab.simulated.light import GAMMA, Lamp, Light
from lab.train.pathtraced_light import Glow
from vision.frame import Image

FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
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
