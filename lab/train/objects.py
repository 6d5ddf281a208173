"""Random objects that cover a cell and are no pieces: fingers, hands, sleeves, cards, pens, cloth, discs."""

from __future__ import annotations

import cv2
import numpy as np

from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.train.textures import Textures, as_colour


def draw_object(canvas: Float32Array, chance: Rng, textures: Textures, *, covering: bool) -> None:
    """Draws an object over the canvas of a cell: over most of the cell, or only in from its edge."""
    shape = np.zeros(canvas.shape[:2], dtype=np.float32)
    reach = chance.uniform(-18, 16) if covering else chance.uniform(34, 52)
    kind = chance.random()
    if kind < 0.45:
        colour = _skin_colour(chance)
        (_fingers if chance.random() < 0.6 and covering else _edge)(shape, chance, reach)
    elif kind < 0.75:
        colour = chance.uniform(0, 1, 3) * chance.uniform(0.1, 1)
        _edge(shape, chance, reach)
    else:
        colour = chance.uniform(0, 1, 3)
        if covering:
            size, thin = chance.uniform(45, 140), chance.uniform(0.35, 1.0)
            _polygon(shape, chance, np.full(2, len(shape) / 2), size, thin, rough_px=6)
        else:
            _edge(shape, chance, reach)
    _lay(canvas, shape, colour, chance, textures, shift_px=8, blur_px=(1, 6), round_px=(5, 16), lines=(0, 0, 1, 3))


def draw_foreign_object(
    canvas: Float32Array, hidden: Float32Array, cell_px: int, chance: Rng, textures: Textures
) -> None:
    """Draws an object over a canvas of many cells, and adds its outline to `hidden`."""
    shape = np.zeros(canvas.shape[:2], dtype=np.float32)
    kind = chance.random()
    if kind < 0.8:
        if kind < 0.55:
            _limb(shape, cell_px, chance)
            colour = _skin_colour(chance) if kind < 0.35 else chance.uniform(0, 1, 3) * chance.uniform(0.1, 1)
        else:
            size, thin = cell_px * chance.uniform(0.6, 3.0), chance.uniform(0.15, 1.0)
            _polygon(shape, chance, chance.uniform(0, len(shape), 2), size, thin, rough_px=0.08 * cell_px)
            colour = chance.uniform(0, 1, 3)
        _lay(
            canvas, shape, colour, chance, textures, shift_px=14, blur_px=(1, 12), round_px=(4, 20), lines=(0, 0, 2, 6)
        )
    else:
        _disc(canvas, shape, cell_px, chance)
    np.maximum(hidden, shape, out=hidden)


def _skin_colour(chance: Rng) -> FloatArray:
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
        tip = len(shape) / 2 + along * (reach - chance.uniform(0, 20)) + side + chance.normal(0, 4, 2)
        _bar(shape, tip, tip + along * 170 + across * chance.normal(0, 18), width)


def _limb(shape: Float32Array, cell_px: int, chance: Rng) -> None:
    """One to four rounded bars from one side, as fingers or as an arm."""
    angle = chance.uniform(0, 2 * np.pi)
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    count = int(chance.integers(1, 5))
    width = cell_px * (chance.uniform(0.5, 1.1) if count > 1 else chance.uniform(0.5, 4.0))
    tip = chance.uniform(0.15, 0.85, 2) * len(shape)
    for index in range(count):
        start = tip + across * index * width * chance.uniform(0.8, 1.1) - along * chance.uniform(0, 0.8) * width
        _bar(shape, start, start + along * 1.6 * len(shape) + across * chance.normal(0, 0.4) * cell_px, width)


def _bar(shape: Float32Array, start: FloatArray, end: FloatArray, width: float) -> None:
    cv2.line(shape, (int(start[0]), int(start[1])), (int(end[0]), int(end[1])), 1.0, int(width), cv2.LINE_AA)


def _edge(shape: Float32Array, chance: Rng, reach: float) -> None:
    """Everything beyond a curved line: an arm, a sleeve, a head."""
    angle = chance.uniform(0, 2 * np.pi)
    grid = np.arange(len(shape), dtype=np.float32) - len(shape) / 2
    along = grid[None, :] * np.cos(angle) + grid[:, None] * np.sin(angle)
    across = grid[:, None] * np.cos(angle) - grid[None, :] * np.sin(angle)
    bend = chance.normal(0, 0.004) * across**2 + chance.uniform(0, 5) * np.sin(across * chance.uniform(0.02, 0.12))
    shape[along > reach + bend] = 1.0


def _polygon(
    shape: Float32Array, chance: Rng, middle: FloatArray, size_px: float, thin: float, rough_px: float
) -> None:
    """A card: a rectangle `thin` times as wide as long, turned and not quite straight."""
    angle = chance.uniform(0, np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([[-1, -thin], [1, -thin], [1, thin], [-1, thin]]) * size_px / 1.3
    points = middle + (corners + chance.normal(0, rough_px, (4, 2))) @ turn.T + chance.normal(0, 8, 2)
    cv2.fillPoly(shape, [np.round(points).astype(np.int32)], 1.0, cv2.LINE_AA)


def _disc(canvas: Float32Array, shape: Float32Array, cell_px: int, chance: Rng) -> None:
    """A pawn: a disc of translucent or plain plastic with a rim, or a coin."""
    at = tuple(int(value) for value in chance.uniform(0, len(shape), 2))
    radius = int(cell_px * chance.uniform(0.3, 0.6))
    cv2.circle(shape, (at[0], at[1]), radius, 1.0, -1, cv2.LINE_AA)
    colour = chance.uniform(0, 1, 3).astype(np.float32)
    cover = shape[..., None] * np.float32(chance.uniform(0.5, 1.0))
    canvas[:] = canvas * (1 - cover) + cover * colour
    rim = as_colour(np.clip(colour * chance.uniform(0.6, 1.5), 0, 1))
    cv2.circle(canvas, (at[0], at[1]), int(radius * chance.uniform(0.5, 1.0)), rim, 2, cv2.LINE_AA)


def _lay(
    canvas: Float32Array,
    shape: Float32Array,
    colour: FloatArray,
    chance: Rng,
    textures: Textures,
    *,
    shift_px: int,
    blur_px: tuple[float, float],
    round_px: tuple[float, float],
    lines: tuple[int, ...],
) -> None:
    """Lays the shape and its shadow over the canvas: rounded towards its outline, with texture and sometimes print."""
    moved = np.roll(shape, tuple(chance.integers(-shift_px, shift_px + 1, 2)), (0, 1))
    shadow = cv2.GaussianBlur(moved, (0, 0), chance.uniform(*blur_px))
    canvas *= (1 - shadow * chance.uniform(0, 0.6)).astype(np.float32)[..., None]
    depth = cv2.GaussianBlur(shape, (0, 0), float(chance.uniform(*round_px)))
    shade = 1 - chance.uniform(0, 0.8) * (1 - depth)
    texture = cv2.resize(textures.cut(chance, min(len(shape), 200)), shape.shape)
    shade += texture * chance.choice((0.02, 0.06, 0.15))
    face = np.asarray(np.clip(colour, 0, 1).astype(np.float32) * shade.astype(np.float32)[..., None])
    for _ in range(int(chance.choice(lines))):
        ends = [int(place) for place in chance.integers(0, len(shape), 4)]
        ink = as_colour(np.clip(colour * chance.uniform(0.3, 1.7), 0, 1))
        cv2.line(face, (ends[0], ends[1]), (ends[2], ends[3]), ink, int(chance.integers(1, 7)), cv2.LINE_AA)
    cover = cv2.GaussianBlur(shape, (0, 0), float(chance.choice((0.8, 1.5, 4.0))))[..., None]
    canvas[:] = np.clip(canvas * (1 - cover) + np.clip(face, 0, 1) * cover, 0, 1)
