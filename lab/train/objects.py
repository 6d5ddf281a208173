"""Random objects that cover a cell and are no pieces: fingers, hands, sleeves, cards, pens, cloth."""

from __future__ import annotations

import cv2
import numpy as np

from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.train.textures import Textures

SIDE_PX = 144


def draw_object(canvas: Float32Array, chance: Rng, textures: Textures, *, covering: bool) -> None:
    """Draws an object over the canvas: over most of the cell, or only in from its edge."""
    shape = np.zeros((SIDE_PX, SIDE_PX), dtype=np.float32)
    reach = chance.uniform(-18, 16) if covering else chance.uniform(34, 52)
    kind = chance.random()
    if kind < 0.45:
        colour = skin_colour(chance)
        (_fingers if chance.random() < 0.6 and covering else _edge)(shape, chance, reach)
    elif kind < 0.75:
        colour = chance.uniform(0, 1, 3) * chance.uniform(0.1, 1)
        _edge(shape, chance, reach)
    else:
        colour = chance.uniform(0, 1, 3)
        _polygon(shape, chance, reach, covering)
    shadow = cv2.GaussianBlur(np.roll(shape, tuple(chance.integers(-8, 9, 2)), (0, 1)), (0, 0), chance.uniform(1, 6))
    canvas *= (1 - shadow * chance.uniform(0, 0.6)).astype(np.float32)[..., None]
    face = _face(shape, colour, chance, textures)
    cover = cv2.GaussianBlur(shape, (0, 0), float(chance.choice((0.8, 1.5, 4.0))))[..., None]
    canvas[:] = np.clip(canvas * (1 - cover) + face * cover, 0, 1)


def skin_colour(chance: Rng) -> FloatArray:
    light, dark = np.array([0.66, 0.76, 0.93]), np.array([0.13, 0.2, 0.33])
    share = chance.beta(1.5, 1.2)
    return np.asarray((dark + (light - dark) * share) * (1 + chance.normal(0, 0.07, 3)))


def _fingers(shape: Float32Array, chance: Rng, reach: float) -> None:
    """Rounded bars side by side, a finger wide, from one side to beyond the centre."""
    angle = chance.uniform(0, 2 * np.pi)
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    width = chance.uniform(26, 60)
    for index in range(int(chance.integers(1, 4))):
        side = across * (index * width * chance.uniform(0.85, 1.15) - (width if index else 0) * 0.5)
        tip = SIDE_PX / 2 + along * (reach - chance.uniform(0, 20)) + side + chance.normal(0, 4, 2)
        root = tip + along * 170 + across * chance.normal(0, 18)
        points = [(int(tip[0]), int(tip[1])), (int(root[0]), int(root[1]))]
        cv2.line(shape, points[0], points[1], 1.0, int(width), cv2.LINE_AA)


def _edge(shape: Float32Array, chance: Rng, reach: float) -> None:
    """Everything beyond a curved line: an arm, a sleeve, a head."""
    angle = chance.uniform(0, 2 * np.pi)
    grid = np.arange(SIDE_PX, dtype=np.float32) - SIDE_PX / 2
    along = grid[None, :] * np.cos(angle) + grid[:, None] * np.sin(angle)
    across = grid[:, None] * np.cos(angle) - grid[None, :] * np.sin(angle)
    bend = chance.normal(0, 0.004) * across**2 + chance.uniform(0, 5) * np.sin(across * chance.uniform(0.02, 0.12))
    shape[along > reach + bend] = 1.0


def _polygon(shape: Float32Array, chance: Rng, reach: float, covering: bool) -> None:
    if not covering:
        _edge(shape, chance, reach)
        return
    size, thin = chance.uniform(45, 140), chance.uniform(0.35, 1.0)
    angle = chance.uniform(0, np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([[-1, -thin], [1, -thin], [1, thin], [-1, thin]]) * size / 1.3 + chance.normal(0, 6, (4, 2))
    points = SIDE_PX / 2 + corners @ turn.T + chance.normal(0, 8, 2)
    cv2.fillPoly(shape, [np.round(points).astype(np.int32)], 1.0, cv2.LINE_AA)


def _face(shape: Float32Array, colour: FloatArray, chance: Rng, textures: Textures) -> Float32Array:
    """The object's surface: rounded towards the outline, with texture, folds and sometimes print."""
    depth = cv2.GaussianBlur(shape, (0, 0), float(chance.uniform(5, 16)))
    shade = 1 - chance.uniform(0, 0.8) * (1 - depth) + textures.cut(chance, SIDE_PX) * chance.choice((0.02, 0.06, 0.15))
    face = np.asarray(np.clip(colour, 0, 1).astype(np.float32) * shade.astype(np.float32)[..., None])
    for _ in range(int(chance.choice((0, 0, 1, 3)))):
        ends = chance.integers(0, SIDE_PX, 4)
        ink = tuple(float(value) for value in np.clip(colour * chance.uniform(0.3, 1.7), 0, 1))
        cv2.line(
            face,
            (int(ends[0]), int(ends[1])),
            (int(ends[2]), int(ends[3])),
            ink,
            int(chance.integers(1, 7)),
            cv2.LINE_AA,
        )
    return np.asarray(np.clip(face, 0, 1), dtype=np.float32)
