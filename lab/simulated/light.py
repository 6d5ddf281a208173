"""Light on the simulated table: lamps with fall-off, a soft sky, shading of surfaces, and the way to pixel values."""

from __future__ import annotations

import dataclasses

import numpy as np

from lab.simulated.arrays import Float32Array
from lab.simulated.style import Colour, LampStyle, Style

GAMMA = 2.2


def linear(colour: Colour) -> Float32Array:
    """(3,) linear light of a colour, 0 to 1."""
    return np.asarray((np.array(colour, dtype=np.float32) / 255) ** GAMMA, dtype=np.float32)


def display(light: Float32Array) -> Float32Array:
    """Pixel values 0 to 255 of linear light.

    A pure power law, so that shadows and lamps may also be multiplied into pixel values (as their own power).
    """
    return np.asarray(255 * np.clip(light, 0, 1) ** np.float32(1 / GAMMA), dtype=np.float32)


def dot(first: Float32Array, second: Float32Array) -> Float32Array:
    """Dot products along the last axis, which is short: component by component is several times faster than a sum."""
    total = first[..., 0] * second[..., 0]
    for index in range(1, first.shape[-1]):
        total = total + first[..., index] * second[..., index]
    return np.asarray(total, dtype=np.float32)


@dataclasses.dataclass(frozen=True, eq=False)
class Lamp:
    position_mm: Float32Array
    """(3,) x, y, height."""
    strength: Float32Array
    """(3,) linear light on the board's centre."""
    distance_mm: float
    size_mm: float

    def lean(self, x_mm: float, y_mm: float) -> Float32Array:
        """(2,) horizontal millimetres that its light travels per millimetre of descent, at that place."""
        place = np.array([x_mm, y_mm], dtype=np.float32)
        return np.asarray((place - self.position_mm[:2]) / self.position_mm[2], dtype=np.float32)


class Light:
    def __init__(self, style: Style, centre_mm: tuple[float, float]) -> None:
        self.centre_mm = centre_mm
        self.lamps = tuple(_lamp(lamp, centre_mm) for lamp in style.lamps)
        self.ambient = np.float32(style.ambient) * linear(style.ambient_colour)
        self.exposure = np.float32(style.sensor.exposure)

    def share(self, index: int) -> float:
        total = self.ambient.mean() + sum(float(lamp.strength.mean()) for lamp in self.lamps)
        return float(self.lamps[index].strength.mean() / total)

    def flat(self, plane_mm: Float32Array, height_mm: float = 0.0) -> Float32Array:
        """(h, w, 3) light that falls on a horizontal surface at the points (h, w, 2)."""
        total = np.broadcast_to(self.ambient, (*plane_mm.shape[:2], 3)).copy()
        for lamp in self.lamps:
            offset = lamp.position_mm[:2] - plane_mm
            rise = lamp.position_mm[2] - height_mm
            squared = dot(offset, offset) + rise**2
            falloff = (rise / np.sqrt(squared)) * (lamp.distance_mm**2 / squared)
            total += falloff[..., None] / (lamp.position_mm[2] / lamp.distance_mm) * lamp.strength
        return np.asarray(total, dtype=np.float32)

    def gleam(self, plane_mm: Float32Array, eye_mm: Float32Array, sharpness: float) -> Float32Array:
        """(h, w, 3) light mirrored towards the eye by a horizontal glossy surface; `eye_mm` is x, y, height."""
        points = np.concatenate([plane_mm, np.zeros_like(plane_mm[..., :1])], axis=-1)
        up = np.array([0, 0, 1], dtype=np.float32)
        return self.mirrored(points, np.broadcast_to(up, points.shape), eye_mm, sharpness)

    def mirrored(
        self, points_mm: Float32Array, normals: Float32Array, eye_mm: Float32Array, sharpness: float
    ) -> Float32Array:
        """Light mirrored towards the eye (Blinn's half vectors, Schlick's Fresnel term); the last axis is colour."""
        view = _unit(eye_mm - points_mm)
        total = np.zeros_like(points_mm)
        for lamp in self.lamps:
            half = _unit(_unit(lamp.position_mm - points_mm) + view)
            facing = np.clip(dot(half, normals)[..., None], 0, 1)
            total += facing**sharpness * lamp.strength
        grazing = (1 - np.clip(dot(view, normals)[..., None], 0, 1)) ** 5
        return np.asarray(total * (1 + 4 * grazing) + 1.5 * grazing * self.ambient, dtype=np.float32)

    def diffuse(self, points_mm: Float32Array, normals: Float32Array, wrap: float = 0.0) -> Float32Array:
        """Light on slanted surfaces; `wrap` lets it spread round the edge, as in skin. The last axis is colour."""
        sky = 0.5 + 0.5 * normals[..., 2:]
        total = (0.35 + 0.65 * sky) * self.ambient
        for lamp in self.lamps:
            offset = lamp.position_mm - points_mm
            squared = dot(offset, offset)[..., None]
            facing = dot(offset, normals)[..., None] / np.sqrt(squared)
            facing = np.clip((facing + wrap) / (1 + wrap), 0, None)
            total = total + facing * (lamp.distance_mm**2 / squared) * lamp.strength
        return np.asarray(total, dtype=np.float32)


def _lamp(style: LampStyle, centre_mm: tuple[float, float]) -> Lamp:
    azimuth, elevation = np.radians([style.direction_deg, style.elevation_deg])
    flat = style.distance_mm * np.cos(elevation)
    position = (
        centre_mm[0] + flat * np.sin(azimuth),
        centre_mm[1] - flat * np.cos(azimuth),
        style.distance_mm * np.sin(elevation),
    )
    strength = np.float32(style.strength) * linear(style.colour)
    return Lamp(np.array(position, dtype=np.float32), strength, style.distance_mm, style.size_mm)


def _unit(vectors: Float32Array) -> Float32Array:
    return np.asarray(vectors / np.sqrt(dot(vectors, vectors))[..., None], dtype=np.float32)
