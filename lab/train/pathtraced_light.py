"""Light on path-traced tables: lamps, sun through a window, the room's reflection, and objects that cast shadows."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import cv2
import numpy as np

from lab.simulated.arrays import FloatArray, Rng
from lab.simulated.camera import PinholeCamera
from lab.simulated.light import linear
from lab.simulated.style import LampStyle, Style
from lab.train.pathtraced_camera import eye_mm, is_before, seen_px
from lab.train.pathtraced_mesh import Mesh, block, joined, lathe

Kind = Literal["lamp", "window", "sun", "overcast", "coloured", "glare", "dim"]
KINDS: tuple[Kind, ...] = ("lamp", "window", "sun", "overcast", "coloured", "glare", "dim")
SHARES = (0.26, 0.2, 0.2, 0.1, 0.1, 0.08, 0.06)
SUN_RADIUS = 0.00465
"""Radians, as seen from the earth."""
SUN_MM = 6000.0
FARTHER = 9
LAMP_PX = 150
"""Pixels left between a lamp and the picture's edge."""
ROOM = (64, 128)
"""Rows (heights) and columns (directions) of the room's picture."""


@dataclasses.dataclass(frozen=True, eq=False)
class Glow:
    """A luminous ball."""

    at_mm: FloatArray
    """(3,) in the meshes' frame."""
    radius_mm: float
    radiance: FloatArray
    """(3,) red, green, blue; a white sheet in full light has 1."""


@dataclasses.dataclass(frozen=True, eq=False)
class LightPlan:
    kind: Kind
    glows: tuple[Glow, ...]
    room: FloatArray
    """(64, 128, 3) red, green, blue: the surroundings in every direction, by latitude and longitude."""
    shutters: Mesh | None
    """Objects that stand in the light and cast shadows, out of the picture."""


def random_light(rng: Rng, style: Style, centre_mm: FloatArray, camera: PinholeCamera) -> LightPlan:
    """Random light on a board around `centre_mm` (3,); no lamp hangs in the camera's view."""
    eye = eye_mm(camera)
    kind: Kind = KINDS[int(rng.choice(len(KINDS), p=SHARES))]
    glows: list[Glow] = []
    shutters: list[Mesh] = []
    room_level = {"lamp": 0.2, "window": 0.12, "sun": 0.25, "overcast": 0.6, "coloured": 0.1, "glare": 0.2, "dim": 0.04}
    level = room_level[kind] * float(np.exp(rng.normal(0, 0.4)))
    windows = {"window": int(rng.integers(1, 4)), "overcast": int(rng.integers(0, 3))}.get(
        kind, int(rng.integers(0, 2))
    )
    if kind in ("lamp", "dim", "coloured", "glare"):
        glows += [_lamp(lamp, centre_mm) for lamp in style.lamps]
    if kind == "sun":
        sun, direction = _sun(rng, centre_mm)
        glows.append(sun)
        shutters += _window_frame(rng, centre_mm, direction)
    if kind == "coloured":
        tint = rng.uniform(0.12, 1.0, 3)
        tint /= tint.max()
        glows = [dataclasses.replace(glow, radiance=glow.radiance * tint) for glow in glows]
        if rng.random() < 0.4:
            second = _lamp(_side_lamp(rng), centre_mm)
            glows.append(dataclasses.replace(second, radiance=second.radiance * rng.uniform(0.1, 1.0, 3)))
    if kind == "glare":
        glows.append(_mirrored(rng, centre_mm, eye))
    if kind != "sun" and glows and rng.random() < 0.25:
        shutters.append(_head(rng, eye, centre_mm))
    glows = [_out_of_view(glow, centre_mm, camera) for glow in glows]
    room = _room(rng, level, windows, bright=14.0 if kind == "window" else 4.0)
    return LightPlan(kind, tuple(glows), room, joined(shutters) if shutters else None)


def emitters(mi: Any, plan: LightPlan) -> dict[str, Any]:
    found: dict[str, Any] = {
        f"glow{index}": {
            "type": "sphere",
            "center": [float(value) for value in glow.at_mm],
            "radius": glow.radius_mm,
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": [float(v) for v in glow.radiance]}},
        }
        for index, glow in enumerate(plan.glows)
    }
    room = mi.Bitmap(plan.room.astype(np.float32))
    upright = mi.ScalarTransform4f().rotate([1, 0, 0], 90)
    return found | {"room": {"type": "envmap", "bitmap": room, "to_world": upright}}


def _towards(direction_deg: float, elevation_deg: float) -> FloatArray:
    """(3,) unit vector; the direction counts from the far side of the board clockwise as seen from above."""
    turn, rise = np.radians([direction_deg, elevation_deg])
    return np.array([np.cos(rise) * np.sin(turn), np.cos(rise) * np.cos(turn), np.sin(rise)])


def _out_of_view(glow: Glow, centre_mm: FloatArray, camera: PinholeCamera) -> Glow:
    """The glow, moved away and enlarged until it is beside or behind the camera's view."""
    for _ in range(FARTHER):
        reach = glow.radius_mm * np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)])
        points = glow.at_mm + reach
        seen = seen_px(camera, points)
        within = ((seen > -LAMP_PX) & (seen < np.array(camera.size_px) + LAMP_PX)).all(axis=1)
        if not (within & is_before(camera, points)).any():
            return glow
        away = 1.25 * (glow.at_mm - centre_mm)
        glow = Glow(centre_mm + away, 1.25 * glow.radius_mm, glow.radiance)
    return glow


def _lamp(lamp: LampStyle, centre_mm: FloatArray) -> Glow:
    way = _towards(lamp.direction_deg, lamp.elevation_deg)
    radius = max(lamp.size_mm, 15.0)
    strength = lamp.strength * linear(lamp.colour)[::-1].astype(np.float64)
    return Glow(centre_mm + lamp.distance_mm * way, radius, strength * (lamp.distance_mm / radius) ** 2)


def _side_lamp(rng: Rng) -> LampStyle:
    return LampStyle(
        direction_deg=float(rng.uniform(0, 360)),
        elevation_deg=float(rng.uniform(25, 60)),
        distance_mm=float(rng.uniform(700, 1600)),
        size_mm=float(rng.uniform(20, 120)),
        strength=float(rng.uniform(0.2, 0.7)),
        colour=(255.0, 255.0, 255.0),
    )


def _sun(rng: Rng, centre_mm: FloatArray) -> tuple[Glow, FloatArray]:
    way = _towards(float(rng.uniform(0, 360)), float(rng.uniform(25, 65)))
    radius = SUN_MM * SUN_RADIUS
    strength = float(rng.uniform(1.0, 3.0)) * np.array([1.0, rng.uniform(0.86, 0.97), rng.uniform(0.66, 0.9)])
    return Glow(centre_mm + SUN_MM * way, radius, strength / SUN_RADIUS**2), way


def _mirrored(rng: Rng, centre_mm: FloatArray, eye_mm: FloatArray) -> Glow:
    """A lamp whose reflection in the board's face reaches the lens."""
    seen = centre_mm + np.array([*rng.normal(0, 60, 2), 0.0])
    way = seen - eye_mm
    way = way * (1, 1, -1) / np.linalg.norm(way)
    distance = float(rng.uniform(900, 1800))
    radius = float(rng.uniform(40, 160))
    strength = rng.uniform(0.3, 0.9) * np.array([1.0, 0.95, 0.88])
    return Glow(seen + distance * way, radius, strength * (distance / radius) ** 2)


def _window_frame(rng: Rng, centre_mm: FloatArray, way: FloatArray) -> list[Mesh]:
    """Bars, blinds or leaves far up in the sun's path; nothing in a third of the scenes."""
    kind = rng.random()
    middle = centre_mm + way * float(rng.uniform(1300, 2200))
    turn = float(rng.uniform(0, np.pi))
    along, across = np.array([np.cos(turn), np.sin(turn), 0]), np.array([-np.sin(turn), np.cos(turn), 0])
    if kind < 0.33:
        bars = [middle + across * offset for offset in np.arange(-2, 3) * float(rng.uniform(120, 260))]
        width = float(rng.uniform(10, 30))
        return [block((900.0, width), 20.0, 5.0, 2.0).placed(bar, turn) for bar in bars]
    if kind < 0.5:
        gap = float(rng.uniform(24, 50))
        bars = [middle + across * offset for offset in np.arange(-12, 13) * gap]
        return [block((900.0, 0.32 * gap), 2.0, 1.0, 0.5).placed(bar, turn) for bar in bars]
    if kind < 0.67:
        disc = lathe(np.array([[1.0, 0.0], [1.0, 0.02], [0.0, 0.03]]), 20)
        leaf = dataclasses.replace(disc, places=disc.places * (1, float(rng.uniform(0.3, 0.6)), 1))
        spots = middle + rng.normal(0, 200, (14, 2)) @ np.stack([along, across])
        return [leaf.placed(spot, float(rng.uniform(0, np.pi)), float(rng.uniform(30, 110))) for spot in spots]
    return []


def _head(rng: Rng, eye_mm: FloatArray, centre_mm: FloatArray) -> Mesh:
    """The head of the person who holds the camera: a ball behind it."""
    bends = np.linspace(-np.pi / 2, np.pi / 2, 14)
    ball = lathe(np.stack([np.cos(bends), np.sin(bends)], axis=1), 24)
    back = (eye_mm - centre_mm) / np.linalg.norm(eye_mm - centre_mm)
    return ball.placed(eye_mm + 230 * back + rng.normal(0, 60, 3), scale=float(rng.uniform(80, 150)))


def _room(rng: Rng, level: float, windows: int, bright: float) -> FloatArray:
    """Walls, furniture and windows in every direction; the upper half lights the table."""
    height, width = ROOM
    rows = np.linspace(1, -1, height)[:, None, None]  # 1 is straight up
    walls = rng.uniform(0.5, 1.0, 3) * 0.3 + 0.7
    picture = level * walls * (0.75 + 0.35 * rows) * np.ones((height, width, 3))
    for _ in range(int(rng.integers(3, 12))):
        x, wide = int(rng.integers(0, width)), int(rng.integers(3, 22))
        top, tall = int(rng.integers(8, 34)), int(rng.integers(3, 20))
        columns = np.arange(x, x + wide) % width
        picture[top : top + tall, columns] = level * rng.uniform(0.1, 1.8) * rng.uniform(0.6, 1.1, 3)
    for _ in range(windows):
        x, wide = int(rng.integers(0, width)), int(rng.integers(6, 22))
        top, tall = int(rng.integers(8, 20)), int(rng.integers(5, 14))
        light = bright * level * rng.uniform(0.6, 1.6) * np.array([0.92, 0.97, 1.0 + 0.12 * rng.random()])
        picture[top : top + tall, np.arange(x, x + wide) % width] = light
        if rng.random() < 0.6:
            picture[top : top + tall, (x + wide // 2) % width] = level * 0.6
            picture[top + tall // 2, np.arange(x, x + wide) % width] = level * 0.6
    wrapped = np.concatenate([picture, picture, picture], axis=1)
    return np.asarray(cv2.GaussianBlur(wrapped, (0, 0), 0.7)[:, width : 2 * width], dtype=np.float64)
