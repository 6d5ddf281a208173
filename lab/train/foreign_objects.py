"""Random objects over a board of dominoes that are no tiles: fingers, arms, sleeves, cards, discs, small objects."""

from __future__ import annotations

import cv2
import numpy as np

from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.train.domino_ground import CANVAS_PX
from lab.train.domino_tiles import CELL_PX
from lab.train.objects import skin_colour
from lab.train.textures import Textures


def draw_foreign_object(canvas: Float32Array, hidden: Float32Array, chance: Rng, textures: Textures) -> None:
    """Draws one object over the canvas, and adds its outline to `hidden`."""
    shape = np.zeros((CANVAS_PX, CANVAS_PX), dtype=np.float32)
    kind = chance.random()
    if kind < 0.55:
        _limb(shape, chance)
        colour = skin_colour(chance) if kind < 0.35 else chance.uniform(0, 1, 3) * chance.uniform(0.1, 1)
    elif kind < 0.8:
        _polygon(shape, chance)
        colour = chance.uniform(0, 1, 3)
    else:
        _disc(canvas, shape, chance)
        np.maximum(hidden, shape, out=hidden)
        return
    fall = cv2.GaussianBlur(np.roll(shape, tuple(chance.integers(-14, 15, 2)), (0, 1)), (0, 0), chance.uniform(1, 12))
    canvas *= (1 - fall * chance.uniform(0, 0.6)).astype(np.float32)[..., None]
    depth = cv2.GaussianBlur(shape, (0, 0), float(chance.uniform(4, 20)))
    texture = cv2.resize(textures.cut(chance, 200), (CANVAS_PX, CANVAS_PX))
    tone = 1 - chance.uniform(0, 0.8) * (1 - depth) + texture * chance.choice((0.02, 0.06, 0.15))
    face = np.clip(colour, 0, 1).astype(np.float32) * tone.astype(np.float32)[..., None]
    _scribble(face, np.clip(colour, 0, 1), chance)
    cover = cv2.GaussianBlur(shape, (0, 0), float(chance.choice((0.8, 1.5, 4.0))))[..., None]
    canvas[:] = np.clip(canvas * (1 - cover) + face * cover, 0, 1)
    np.maximum(hidden, shape, out=hidden)


def _limb(shape: Float32Array, chance: Rng) -> None:
    """One to four rounded bars from one side, as fingers or as an arm."""
    angle = chance.uniform(0, 2 * np.pi)
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    count = int(chance.integers(1, 5))
    width = CELL_PX * (chance.uniform(0.5, 1.1) if count > 1 else chance.uniform(0.5, 4.0))
    tip = chance.uniform(0.15, 0.85, 2) * CANVAS_PX
    for index in range(count):
        start = tip + across * index * width * chance.uniform(0.8, 1.1) - along * chance.uniform(0, 0.8) * width
        end = start + along * 1.6 * CANVAS_PX + across * chance.normal(0, 0.4) * CELL_PX
        points = [(int(place[0]), int(place[1])) for place in (start, end)]
        cv2.line(shape, points[0], points[1], 1.0, int(width), cv2.LINE_AA)


def _polygon(shape: Float32Array, chance: Rng) -> None:
    size, thin = CELL_PX * chance.uniform(0.6, 3.0), chance.uniform(0.15, 1.0)
    angle = chance.uniform(0, np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([[-1, -thin], [1, -thin], [1, thin], [-1, thin]]) * size / 1.3
    points = chance.uniform(0, CANVAS_PX, 2) + (corners + chance.normal(0, 0.08, (4, 2)) * CELL_PX) @ turn.T
    cv2.fillPoly(shape, [np.round(points).astype(np.int32)], 1.0, cv2.LINE_AA)


def _disc(canvas: Float32Array, shape: Float32Array, chance: Rng) -> None:
    """A pawn: a disc of translucent or plain plastic with a rim, or a coin."""
    at = tuple(int(value) for value in chance.uniform(0, CANVAS_PX, 2))
    radius = int(CELL_PX * chance.uniform(0.3, 0.6))
    cv2.circle(shape, (at[0], at[1]), radius, 1.0, -1, cv2.LINE_AA)
    colour = chance.uniform(0, 1, 3).astype(np.float32)
    cover = shape[..., None] * np.float32(chance.uniform(0.5, 1.0))
    canvas[:] = canvas * (1 - cover) + cover * colour
    rim = np.clip(colour * chance.uniform(0.6, 1.5), 0, 1)
    ink = (float(rim[0]), float(rim[1]), float(rim[2]))
    cv2.circle(canvas, (at[0], at[1]), int(radius * chance.uniform(0.5, 1.0)), ink, 2, cv2.LINE_AA)


def _scribble(face: Float32Array, colour: FloatArray, chance: Rng) -> None:
    for _ in range(int(chance.choice((0, 0, 2, 6)))):
        ends = chance.integers(0, CANVAS_PX, 4)
        shade = np.clip(colour * chance.uniform(0.3, 1.7), 0, 1)
        ink = (float(shade[0]), float(shade[1]), float(shade[2]))
        first, last = (int(ends[0]), int(ends[1])), (int(ends[2]), int(ends[3]))
        cv2.line(face, first, last, ink, int(chance.integers(1, 7)), cv2.LINE_AA)
