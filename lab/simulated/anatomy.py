"""The shape of a hand and forearm: a signed distance field of round cones that melt into each other.

The hand's frame has its origin where the fingertips meet; u runs back along the forearm, v to the thumb's side of a
right hand; heights are above what the fingertips hold; all in millimetres.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np

from lab.simulated.arrays import Float32Array

Grip = Literal["open", "pinch"]

ARM_MM = 760.0
"""Millimetres of arm that are modelled, from the fingertips."""
WRIST_MM = 172.0
_SKIN_MELT_MM, _SLEEVE_MELT_MM = 3.5, 6.0
"""Millimetres over which one bone blends into the next."""


@dataclasses.dataclass(frozen=True)
class Bone:
    """A round cone from one joint to the next."""

    start: tuple[float, float, float]
    end: tuple[float, float, float]
    start_radius: float
    end_radius: float

    @property
    def reach(self) -> tuple[float, float]:
        return (
            min(self.start[0] - self.start_radius, self.end[0] - self.end_radius),
            max(self.start[0] + self.start_radius, self.end[0] + self.end_radius),
        )


_PALM_END = (WRIST_MM - 4, 0.0, 50.0)
_KNUCKLES = {"index": (94, 27, 54), "middle": (98, 7, 58), "ring": (102, -13, 56), "little": (110, -31, 50)}
_FINGERS: dict[Grip, dict[str, tuple[tuple[float, float, float], ...]]] = {
    "pinch": {
        "thumb": ((150, 30, 40), (98, 48, 34), (52, 36, 26), (13, 9, 7)),
        "index": (_KNUCKLES["index"], (54, 24, 63), (22, 10, 42), (3, 4, 9)),
        "middle": (_KNUCKLES["middle"], (52, 4, 64), (18, -5, 42), (2, -8, 9)),
        "ring": (_KNUCKLES["ring"], (62, -18, 58), (34, -22, 42), (24, -20, 18)),
        "little": (_KNUCKLES["little"], (74, -38, 50), (50, -40, 38), (40, -36, 18)),
    },
    "open": {
        "thumb": ((150, 30, 40), (100, 54, 36), (58, 50, 30), (24, 33, 15)),
        "index": (_KNUCKLES["index"], (52, 29, 62), (20, 22, 48), (-2, 17, 20)),
        "middle": (_KNUCKLES["middle"], (50, 5, 66), (14, -2, 50), (-7, -6, 21)),
        "ring": (_KNUCKLES["ring"], (58, -19, 60), (26, -26, 44), (8, -28, 20)),
        "little": (_KNUCKLES["little"], (72, -42, 52), (46, -48, 40), (30, -48, 20)),
    },
}
_RADII = {
    "thumb": (14.5, 11.0, 9.6, 7.8),
    "index": (10.2, 8.6, 7.8, 6.6),
    "middle": (10.4, 8.8, 8.0, 6.8),
    "ring": (10.2, 8.3, 7.5, 6.4),
    "little": (9.2, 7.2, 6.5, 5.6),
}


def skin_bones(grip: Grip) -> list[Bone]:
    bones = []
    for name, joints in _FINGERS[grip].items():
        radii = _RADII[name]
        for index in range(3):
            bones.append(Bone(joints[index], joints[index + 1], radii[index], radii[index + 1]))
        if name != "thumb":
            across = joints[0][1] * 0.45
            bones.append(Bone(joints[0], (_PALM_END[0], across, _PALM_END[2]), radii[0] + 1.5, 16))
    bones.append(Bone((150, 26, 40), (108, 30, 42), 17, 15))
    for across in (-11.0, 11.0):
        bones.append(Bone((WRIST_MM, across, 50), (WRIST_MM + 190, 0.8 * across, 64), 18.5, 30))
    return bones


def sleeve_bones(cuff_mm: float) -> list[Bone]:
    """The sleeve from before its cuff, where it will be cut off, to beyond the elbow."""
    cuff = Bone((cuff_mm - 30, 0, 54), (cuff_mm + 34, 0, 58), 37, 41)
    fold = Bone((cuff_mm + 40, 0, 58), (cuff_mm + 140, 0, 66), 38, 43)
    return [cuff, fold, Bone((cuff_mm + 140, 0, 66), (ARM_MM + 60, 0, 95), 43, 54)]


def nails(grip: Grip) -> list[tuple[Float32Array, Float32Array]]:
    """Centre and direction (towards the tip) of the visible nails."""
    found = []
    for name in ("thumb", "index", "middle", "ring"):
        joint, tip = (np.array(point, dtype=np.float32) for point in _FINGERS[grip][name][2:])
        along = (tip - joint) / np.linalg.norm(tip - joint)
        found.append(((tip - 1.5 * along).astype(np.float32), along.astype(np.float32)))
    return found


def knuckles(grip: Grip) -> Float32Array:
    """(n, 3) joints whose skin is a little darker and redder."""
    joints = [points[index] for name, points in _FINGERS[grip].items() for index in (0, 1, 2) if name != "thumb"]
    return np.array([*joints, _FINGERS[grip]["thumb"][2]], dtype=np.float32)


@dataclasses.dataclass(frozen=True)
class Limb:
    """A hand with its arm, or those of its bones that are near some range of u."""

    skin: list[Bone]
    sleeve: list[Bone]
    cuff_mm: float
    """The u at which the sleeve is cut off."""

    def near(self, low: float, high: float) -> Limb:
        """The part of it that can be between two values of u."""
        skin, sleeve = (
            [bone for bone in bones if bone.reach[0] < high and bone.reach[1] > low]
            for bones in (self.skin, self.sleeve)
        )
        return Limb(skin, sleeve, self.cuff_mm)

    def skin_distance(self, points: Float32Array) -> Float32Array:
        """(n,) signed distance of (3, n) points from the skin."""
        return distance(points, self.skin, _SKIN_MELT_MM)

    def sleeve_distance(self, points: Float32Array) -> Float32Array:
        """(n,) signed distance of (3, n) points from the sleeve."""
        away = distance(points, self.sleeve, _SLEEVE_MELT_MM)
        return np.asarray(np.maximum(away, np.float32(self.cuff_mm) - points[0]), dtype=np.float32)

    def distance(self, points: Float32Array) -> Float32Array:
        """(n,) signed distance of (3, n) points from either."""
        if not self.sleeve:
            return self.skin_distance(points)
        return np.minimum(self.skin_distance(points), self.sleeve_distance(points))


def limb(grip: Grip, bare_mm: float, size: float) -> Limb:
    """The whole limb, `size` times as large as usual."""
    cuff_mm = WRIST_MM + bare_mm
    skin, sleeve = ([_grown(bone, size) for bone in bones] for bones in (skin_bones(grip), sleeve_bones(cuff_mm)))
    return Limb(skin, sleeve, size * cuff_mm)


def _grown(bone: Bone, size: float) -> Bone:
    (sx, sy, sz), (ex, ey, ez) = bone.start, bone.end
    return Bone(
        (size * sx, size * sy, size * sz),
        (size * ex, size * ey, size * ez),
        size * bone.start_radius,
        size * bone.end_radius,
    )


def distance(points: Float32Array, bones: list[Bone], melt_mm: float) -> Float32Array:
    """(n,) signed distance of (3, n) points from the bones, melted over `melt_mm` where they meet."""
    total = np.full(points.shape[1], 1e3, dtype=np.float32)
    for bone in bones:
        start, end = np.array(bone.start, dtype=np.float32), np.array(bone.end, dtype=np.float32)
        way = end - start
        x, y, z = points[0] - start[0], points[1] - start[1], points[2] - start[2]
        share = way / (way @ way)
        along = np.minimum(np.maximum(x * share[0] + y * share[1] + z * share[2], 0), 1)
        x -= along * way[0]
        y -= along * way[1]
        z -= along * way[2]
        away = np.sqrt(x * x + y * y + z * z)
        away -= along * np.float32(bone.end_radius - bone.start_radius) + np.float32(bone.start_radius)
        blend = np.maximum(melt_mm - np.abs(total - away), 0)
        total = np.minimum(total, away)
        total -= blend * blend * np.float32(0.25 / melt_mm)
    return total
