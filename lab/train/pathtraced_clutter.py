"""Objects around a path-traced board: books, cups, pens, papers and pieces out of play."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.camera import PinholeCamera
from lab.train.pathtraced_camera import is_before, seen_px
from lab.train.pathtraced_mesh import Mesh, block, joined, lathe

FloatArray = NDArray[np.float64]
TRIES = 12
CLEAR_MM = 6.0
"""Millimetres left free between the board and the objects beside it."""


def random_clutter(
    rng: np.random.Generator,
    camera: PinholeCamera,
    low_mm: FloatArray,
    high_mm: FloatArray,
    table_z: float,
    guarded_mm: FloatArray,
    spares: list[Mesh],
) -> Mesh | None:
    """Objects on the table outside the board from `low_mm` to `high_mm` (2,), and `spares` as they are.

    None of them hides the points `guarded_mm` (n, 3) from the camera.
    """
    guarded = _hull(camera, guarded_mm)
    placed: list[Mesh] = []
    taken: list[tuple[FloatArray, float]] = []
    things = [_thing(rng) for _ in range(int(rng.choice([0, 1, 2, 3, 5, 7], p=[0.2, 0.2, 0.2, 0.2, 0.12, 0.08])))]
    for thing in [*things, *spares]:
        reach = float(np.linalg.norm(thing.places[:, :2], axis=1).max())
        for _ in range(TRIES):
            at = _beside(rng, low_mm, high_mm, reach + CLEAR_MM)
            if any(np.linalg.norm(at - other) < reach + there for other, there in taken):
                continue
            mesh = thing.placed((*at, table_z), float(rng.uniform(0, 2 * np.pi)))
            if is_before(camera, mesh.box).all() and not _hides(camera, mesh, guarded):
                placed.append(mesh)
                taken.append((at, reach))
                break
    return joined(placed) if placed else None


def _hides(camera: PinholeCamera, mesh: Mesh, guarded: NDArray[np.float32]) -> bool:
    return float(cv2.intersectConvexConvex(_hull(camera, mesh.box), guarded)[0]) > 0


def _hull(camera: PinholeCamera, points_mm: FloatArray) -> NDArray[np.float32]:
    return np.asarray(cv2.convexHull(seen_px(camera, points_mm).astype(np.float32)), dtype=np.float32)


def _beside(rng: np.random.Generator, low_mm: FloatArray, high_mm: FloatArray, reach: float) -> FloatArray:
    """A random place outside the board, nearer ones being likelier."""
    away = reach + float(rng.exponential(60.0))
    side = int(rng.integers(4))
    along = rng.uniform(low_mm - 60, high_mm + 60)
    across = (low_mm - away, high_mm + away)[side % 2]
    return np.array([across[0], along[1]]) if side < 2 else np.array([along[0], across[1]])


def _thing(rng: np.random.Generator) -> Mesh:
    kind = rng.random()
    colour = rng.uniform(0.02, 0.8, 3) if rng.random() < 0.6 else np.full(3, rng.uniform(0.02, 0.85))
    if kind < 0.22:
        return _coloured(block(rng.uniform((50, 40), (120, 90)), float(rng.uniform(4, 45)), 2.0, 1.0), colour)
    if kind < 0.38:
        return _coloured(block(rng.uniform((40, 25), (110, 80)), 0.4, 0.6, 0.2), np.full(3, rng.uniform(0.5, 0.85)))
    if kind < 0.55:
        return _cup(rng, colour)
    if kind < 0.75:
        radius = float(rng.uniform(3, 5.5))
        return _coloured(block((float(rng.uniform(55, 95)), radius), 2 * radius, radius, 0.9 * radius), colour)
    if kind < 0.87:
        return _coloured(block((75.0, 37.0), 8.0, 9.0, 2.0), np.full(3, rng.uniform(0.01, 0.06)))
    bends = np.linspace(-np.pi / 2 + 0.2, np.pi / 2, 20)
    ball = lathe(np.stack([np.cos(bends), 1 + np.sin(bends)], axis=1), 32)
    return _coloured(ball.placed((0, 0, 0), scale=float(rng.uniform(8, 32))), colour)


def _cup(rng: np.random.Generator, colour: FloatArray) -> Mesh:
    radius, height = float(rng.uniform(28, 44)), float(rng.uniform(30, 105))
    outline = [[0.8, 0], [0.85, 0.05], [0.97, 0.7], [1.0, 1.0], [0.94, 1.0], [0.9, 0.7], [0.8, 0.55], [0.0, 0.55]]
    cup = _coloured(lathe(np.array(outline) * (radius, height), 40), colour)
    inside = cup.places[:, 2] < 0.56 * height
    near = np.linalg.norm(cup.places[:, :2], axis=1) < 0.83 * radius
    drink = rng.uniform(0.01, 0.3, 3)
    return cup.coloured(np.where((inside & near)[:, None], drink, cup.colours))


def _coloured(mesh: Mesh, colour: FloatArray) -> Mesh:
    return mesh.coloured(np.asarray(colour, dtype=np.float64))
