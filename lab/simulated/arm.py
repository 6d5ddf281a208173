"""Paints the arm over the table: where it is in a frame, and how it is laid over the picture."""

from __future__ import annotations

import dataclasses
from typing import Any

import cv2
import numpy as np

from lab.simulated.anatomy import ARM_MM, Grip
from lab.simulated.arrays import Float32Array, FloatArray
from lab.simulated.camera import PinholeCamera, Region
from lab.simulated.hand import FRONT_MM, PLANE_MM, SIDE_MM, Relief, carve
from lab.simulated.light import Light
from lab.simulated.style import Style
from vision.frame import Image

_NO_MAP = np.empty(0, dtype=np.float32)
_CLEAR: Any = {"borderMode": cv2.BORDER_CONSTANT, "borderValue": (255, 255, 255)}
SEAT_MM = 950.0
"""Millimetres from the board's centre to the seat."""
SHOULDER_MM = 130.0
"""Millimetres from the seat to the shoulder, which is to the right of it."""


@dataclasses.dataclass(frozen=True)
class Reach:
    x_mm: float
    y_mm: float
    lift_mm: float
    """Height above the board of the foot of what they hold."""
    grip: Grip = "open"


class ArmPainter:
    def __init__(self, style: Style, side: int, light: Light, camera: PinholeCamera, man_mm: float, seed: int) -> None:
        self._style, self._side, self._light, self._camera, self._seed = style, side, light, camera, seed
        self._hand = style.hands[side]
        self._hold_mm = 0.6 * man_mm
        self._reliefs: dict[Grip, Relief] = {}
        seat = np.radians(style.seats_deg[side])
        outward = np.array([np.sin(seat), np.cos(seat)])
        right = np.array([outward[1], -outward[0]]) * (-1 if self._hand.left else 1)
        centre = np.array(light.centre_mm)
        self.shoulder_mm: FloatArray = centre + SEAT_MM * outward + SHOULDER_MM * right
        self.rest_mm: FloatArray = self._rest(
            centre, (self.shoulder_mm - centre) / np.linalg.norm(self.shoulder_mm - centre)
        )

    def prepare(self) -> None:
        """Carves both grips now instead of when they are first seen."""
        for grip in ("open", "pinch"):
            self._relief(grip)

    def in_view(self, reach: Reach) -> bool:
        return self._region(reach, self._axes(reach)) is not None

    def shade(self, image: Image, region: Region, reach: Reach) -> None:
        """Lays the arm's shadow over the region's pixels, in place."""
        height = PLANE_MM * self._hand.size + reach.lift_mm + self._hold_mm
        away = self._light.lamps[0].lean(reach.x_mm, reach.y_mm) * height
        relief = self._relief(reach.grip)
        left = cv2.remap(relief.shade, self._texels(region, reach, 0.0, away), _NO_MAP, cv2.INTER_LINEAR, **_CLEAR)
        cv2.multiply(image, cv2.merge([left, left, left]), image, 1 / 255)

    def lay(self, image: Image, region: Region, reach: Reach, vignette_levels: Image) -> None:
        height = PLANE_MM * self._hand.size + reach.lift_mm + self._hold_mm
        texels = self._texels(region, reach, height, np.zeros(2, dtype=np.float32))
        relief = self._relief(reach.grip)
        arm = cv2.remap(relief.colour, texels, _NO_MAP, cv2.INTER_LINEAR)
        clear = cv2.remap(relief.clear, texels, _NO_MAP, cv2.INTER_LINEAR, **_CLEAR)
        cv2.multiply(image, clear, image, 1 / 255)
        cv2.add(image, cv2.multiply(arm, vignette_levels[region.slices], None, 1 / 255), image)

    def region(self, reach: Reach) -> Region | None:
        return self._region(reach, self._axes(reach))

    def _relief(self, grip: Grip) -> Relief:
        if grip not in self._reliefs:
            centre = self._light.centre_mm
            towards = self.shoulder_mm - np.array(centre)
            towards = (towards / np.linalg.norm(towards)).astype(np.float32)
            eye = self._camera.centre_mm
            view = ((np.array(centre) - eye[:2]) / -eye[2]).astype(np.float32)
            scale = float(np.clip(0.85 * self._camera.pixels_per_mm(*centre), 0.5, 1.6))
            self._reliefs[grip] = carve(self._hand, grip, view, self._light, towards, scale, self._seed + self._side)
        return self._reliefs[grip]

    def _axes(self, reach: Reach) -> Float32Array:
        """(2, 2) rows: u and v of the hand in the world."""
        towards = self.shoulder_mm - (reach.x_mm, reach.y_mm)
        towards = towards / np.linalg.norm(towards)
        aside = np.array([-towards[1], towards[0]]) * (-1 if self._hand.left else 1)
        return np.stack([towards, aside]).astype(np.float32)

    def _texels(self, region: Region, reach: Reach, height_mm: float, away_mm: Float32Array) -> Float32Array:
        """(h, w, 2) texels of the relief that the rays hit at that height, moved by `away_mm` against the light."""
        axes, scale = self._axes(reach), self._relief(reach.grip).scale
        plane = self._camera.plane_from_slopes(height_mm)
        plane[:, 2] -= away_mm + np.array([reach.x_mm, reach.y_mm], dtype=np.float32)
        texels = axes @ plane
        texels[:, 2] -= np.array([FRONT_MM, -SIDE_MM], dtype=np.float32)
        slopes = self._camera.slopes[region.slices]
        return np.asarray(cv2.transform(slopes, (texels * np.float32(scale)).astype(np.float32)), dtype=np.float32)

    def _region(self, reach: Reach, axes: Float32Array) -> Region | None:
        """The pixels of the hand and of its shadow, from bounds of u and v at the least and greatest height."""
        size = self._hand.size
        side = 75.0 * size
        tip = np.array([reach.x_mm, reach.y_mm])
        flat = [tip + u * axes[0] + v * axes[1] for u in (-30.0 * size, ARM_MM) for v in (-side, side)]
        low, high = reach.lift_mm, reach.lift_mm + 115 * size
        lean = self._light.lamps[0].lean(reach.x_mm, reach.y_mm)
        points = [(*point, height) for point in flat for height in (low, high)]
        points += [(*(point + height * lean), 0.0) for point in flat for height in (low, high)]
        return self._camera.region(_in_front(np.array(points), self._camera), 4)

    def _rest(self, centre: FloatArray, direction: FloatArray) -> FloatArray:
        """The nearest place towards the shoulder from which nothing of the hand is visible."""
        for distance in range(150, 1500, 20):
            place = centre + distance * direction
            if self.region(Reach(float(place[0]), float(place[1]), 40.0)) is None:
                return np.asarray(place + 20 * direction, dtype=np.float64)
        return np.asarray(centre + 1500 * direction, dtype=np.float64)


def _in_front(points: FloatArray, camera: PinholeCamera) -> FloatArray:
    """The points, those behind the lens moved towards its foot until they are in front of it."""
    foot = np.array([*camera.centre_mm[:2], 0.0])
    forward = camera.camera_from_world[2]
    result = points.copy()
    for index, point in enumerate(points):
        for share in np.linspace(0, 1, 11):
            moved = point + share * (foot - point)
            moved[2] = point[2]
            if (moved * (1, 1, -1) - camera.centre_mm) @ forward > 60:
                result[index] = moved
                break
    return result
