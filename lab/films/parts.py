"""The parts of a path-traced picture that change with the men: where they and their shadows are, and how they blend."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lab.simulated.arrays import Float32Array, FloatArray
from lab.simulated.camera import PinholeCamera, Region
from lab.train.pathtraced_light import LightPlan

SOFT_MM = 25.0
"""Millimetres around a man within which it darkens the table."""
LONGEST = 3.0
"""Longest shadow, in heights of the man."""
FEATHER_PX = 6
MERGED = 1.3
"""Two parts become one if that is not larger than both by more than this factor."""


def part_of(
    camera: PinholeCamera, light: LightPlan, foot_mm: tuple[float, float], radius_mm: float, height_mm: float
) -> Region | None:
    """The pixels of a man and its shadows; `foot_mm` is in the simulated table's frame."""
    foot = np.array(foot_mm)
    spots = [(foot, height_mm)] + [(foot + lean * height_mm, 0.0) for lean in leans(light, foot)]
    reach = radius_mm + SOFT_MM
    sides = [np.array([x, y]) * reach for x in (-1, 1) for y in (-1, 1)]
    points = [(*(spot + side), rise) for spot, height in [(foot, 0.0), *spots] for side in sides for rise in (height,)]
    return camera.region(np.array(points), 2 * FEATHER_PX)


def leans(light: LightPlan, foot_mm: FloatArray) -> list[FloatArray]:
    """(2,) for every lamp, how far a shadow falls from its man, for each millimetre of height."""
    found = []
    for glow in light.glows:
        way = foot_mm - glow.at_mm[:2] * (1, -1)
        lean = way / max(float(glow.at_mm[2]), 1.0)
        found.append(lean * min(1.0, LONGEST / max(float(np.linalg.norm(lean)), 1e-9)))
    return found


def merged(parts: Sequence[Region]) -> list[Region]:
    """Fewer parts that cover the same pixels: those that overlap or lie close together become one."""
    left = list(parts)
    for one in range(len(left)):
        for other in range(one + 1, len(left)):
            both = _both(left[one], left[other])
            if _area(both) <= MERGED * (_area(left[one]) + _area(left[other])):
                rest = [part for index, part in enumerate(left) if index not in (one, other)]
                return merged([*rest, both])
    return left


def blended(film: Float32Array, part: Region, light: Float32Array) -> None:
    """Lays the light of a part over the film, in place, softly at its edges but not at the film's."""
    height, width = light.shape[:2]
    edges = (part.top > 0, part.bottom < film.shape[0], part.left > 0, part.right < film.shape[1])
    rows, columns = _ramp(height, edges[0], edges[1]), _ramp(width, edges[2], edges[3])
    cover = (rows[:, None] * columns)[..., None]
    film[part.slices] += cover * (light - film[part.slices])


def _ramp(length: int, first: bool, last: bool) -> Float32Array:
    """(length,) opacity that rises at the first end and falls at the last, where it is asked to."""
    rise = np.clip((np.arange(length, dtype=np.float32) + 1) / FEATHER_PX, 0, 1)
    return np.asarray((rise if first else 1) * (rise[::-1] if last else 1) * np.ones(length), dtype=np.float32)


def _both(one: Region, other: Region) -> Region:
    return Region(
        min(one.left, other.left), min(one.top, other.top), max(one.right, other.right), max(one.bottom, other.bottom)
    )


def _area(part: Region) -> int:
    return (part.right - part.left) * (part.bottom - part.top)
