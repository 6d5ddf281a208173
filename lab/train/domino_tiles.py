"""Random domino tiles of any make, as sprites along x, one half left and one right."""

from __future__ import annotations

import cv2
import numpy as np

from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.train.textures import Colour, as_colour

CELL_PX = 44
"""Pixels on a cell's side on the canvas, finer than the network's input."""
SPRITE_PX = (112, 64)
"""Pixels of a sprite's width and height; the tile lies in its middle."""
PATTERNS: tuple[tuple[tuple[int, int], ...], ...] = (
    (),
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    ((-1, -1), (1, -1), (-1, 1), (1, 1), (0, 0)),
    ((-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)),
)
"""Places of the pips by number, in steps; x runs along the tile."""


class TileDesign:
    """The look of a random set: mostly white or ivory with black pips, also black, coloured or with coloured pips.

    Lengths are in cells.
    """

    def __init__(self, chance: Rng) -> None:
        self.face, self.pips = _colours(chance)
        """`pips` are colours by number of pips."""
        self.width = float(chance.uniform(0.84, 0.99))
        shade = chance.uniform(0.45, 1.0)
        two_tone = chance.random() < 0.15
        self.side = as_colour(chance.uniform(0, 1, 3) if two_tone else np.array(self.face) * shade)
        divided, pinned = chance.random() < 0.85, chance.random() < 0.22
        carved = chance.random() < 0.3
        self.divider = as_colour(np.array(self.face) * chance.uniform(0.4, 0.8)) if carved else self.pips[1]
        self.length = float(np.clip(2 * self.width + chance.normal(0.03, 0.05), 1.75, 2.0))
        self.corner = float(chance.choice((0.04, 0.1, 0.16, 0.25)) * chance.uniform(0.7, 1.3))
        self.bevel = float(chance.choice((0.0, 0.05, 0.12)) * chance.uniform(0.6, 1.4))
        self.bevel_depth = float(chance.uniform(0.05, 0.4))
        self.pip_radius = float(chance.uniform(0.075, 0.13))
        self.pip_step = float(chance.uniform(0.23, 0.3))
        self.pip_style = int(chance.choice(4, p=(0.55, 0.25, 0.05, 0.15)))
        """0 flat, 1 a dent with a highlight, 2 a ring, 3 rimmed."""
        self.divider_width = float(chance.uniform(0.02, 0.08)) if divided else 0.0
        self.divider_length = float(chance.uniform(0.6, 1.0))
        self.pin = float(chance.uniform(0.04, 0.1)) if pinned else 0.0
        """Radius of the pin in the middle; 0 without."""
        self.pin_colour = _metal(chance)
        self.gloss = float(chance.choice((0.0, 0.0, 0.3, 0.8)) * chance.uniform(0.4, 1.2))
        self.grime = float(chance.choice((0.0, 0.015, 0.05)))
        self.crosswise_six = bool(chance.random() < 0.04)
        """Whether the lines of three of the 6 run across the tile."""


def draw_tile(
    make: TileDesign, pips: tuple[int, int], chance: Rng, texture: Float32Array, light_rad: float
) -> Float32Array:
    """float32 (height, width, 4): colours times alpha, and alpha; `texture` is at least as large as the sprite."""
    width, height = SPRITE_PX
    inside_px, across, along = _inside(make)
    alpha = np.clip(inside_px + 0.5, 0, 1)
    tone = 1 + make.grime * texture[:height, :width] * 2 + np.float32(chance.normal(0, 0.02))
    face = np.array(make.face, dtype=np.float32) * tone[..., None]
    centre, step = make.length / 4 * CELL_PX, make.pip_step * CELL_PX
    if make.divider_width:
        _draw_divider(face, make)
    for sign, count in ((-1, pips[0]), (1, pips[1])):
        mirror = int(chance.choice((-1, 1)))
        for x, y in PATTERNS[count]:
            if make.crosswise_six and count == 6:
                x, y = y, x
            at = (width / 2 + sign * centre + x * step, height / 2 + mirror * y * step)
            _draw_pip(face, at, make, count, chance)
    if make.pin:
        _circle(face, (width / 2, height / 2), make.pin * CELL_PX, make.pin_colour)
        _circle(face, (width / 2 - 1, height / 2 - 1), make.pin * CELL_PX * 0.4, (0.95, 0.97, 1.0))
    rim = np.clip(1 - inside_px / max(make.bevel * CELL_PX, 1e-3), 0, 1) if make.bevel else np.zeros_like(alpha)
    slope = along * np.float32(np.cos(light_rad)) + across * np.float32(np.sin(light_rad))
    face = face * (1 + np.float32(make.bevel_depth) * rim * slope)[..., None]
    if make.gloss and chance.random() < 0.5:
        face += _shine(chance, make.gloss)[..., None]
    return np.dstack([np.clip(face, 0, 1) * alpha[..., None], alpha]).astype(np.float32)


def _inside(make: TileDesign) -> tuple[Float32Array, Float32Array, Float32Array]:
    """Distance inside the rounded outline in pixels, negative outside; and the outline's normal, across and along."""
    width, height = SPRITE_PX
    x = np.arange(width, dtype=np.float32)[None, :] + np.float32(0.5 - width / 2)
    y = np.arange(height, dtype=np.float32)[:, None] + np.float32(0.5 - height / 2)
    corner = min(make.corner, make.width / 2) * CELL_PX
    past_x = np.abs(x) - np.float32(make.length * CELL_PX / 2 - corner)
    past_y = np.abs(y) - np.float32(make.width * CELL_PX / 2 - corner)
    outer = np.hypot(np.maximum(past_x, 0), np.maximum(past_y, 0))
    inside = corner - (outer + np.minimum(np.maximum(past_x, past_y), 0))
    sideways = past_x > past_y
    along = np.where(sideways, np.sign(x), 0) * np.ones_like(inside)
    across = np.where(sideways, 0, np.sign(y)) * np.ones_like(inside)
    return np.asarray(inside, dtype=np.float32), across.astype(np.float32), along.astype(np.float32)


def _draw_divider(face: Float32Array, make: TileDesign) -> None:
    width, height = SPRITE_PX
    half = make.divider_length * make.width * CELL_PX / 2
    thick = max(1, round(make.divider_width * CELL_PX))
    ends = [(round(width * 8), round((height / 2 + sign * half) * 16)) for sign in (-1, 1)]
    cv2.line(face, ends[0], ends[1], make.divider, thick, cv2.LINE_AA, 4)


def _draw_pip(face: Float32Array, at: tuple[float, float], make: TileDesign, count: int, chance: Rng) -> None:
    radius, colour = make.pip_radius * CELL_PX, make.pips[count]
    if make.pip_style == 3:
        _circle(face, at, radius * 1.25, as_colour(np.array(make.face) * 0.7))
    _circle(face, at, radius, colour)
    if make.pip_style == 1:
        lit = np.clip(np.array(colour) + 0.35, 0, 1)
        shift = radius * 0.35
        _circle(face, (at[0] + shift, at[1] - shift), radius * 0.45, as_colour(lit))
    elif make.pip_style == 2:
        _circle(face, at, radius * float(chance.uniform(0.3, 0.5)), make.face)


def _circle(face: Float32Array, at: tuple[float, float], radius: float, colour: Colour) -> None:
    cv2.circle(face, (round(at[0] * 16), round(at[1] * 16)), round(radius * 16), colour, -1, cv2.LINE_AA, 4)


def _shine(chance: Rng, gloss: float) -> Float32Array:
    """A lamp's reflection on one tile: a soft spot or a streak."""
    width, height = SPRITE_PX
    x = (np.arange(width, dtype=np.float32)[None, :] - np.float32(chance.uniform(0, width))) / CELL_PX
    y = (np.arange(height, dtype=np.float32)[:, None] - np.float32(chance.uniform(0, height))) / CELL_PX
    spread = np.float32(chance.uniform(0.05, 0.5)), np.float32(chance.uniform(0.05, 0.5))
    return np.asarray(np.exp(-((x / spread[0]) ** 2) - (y / spread[1]) ** 2) * gloss, dtype=np.float32)


def _colours(chance: Rng) -> tuple[Colour, tuple[Colour, ...]]:
    """Random colours of the face, and of the pips by number, always with enough contrast."""
    kind = chance.random()
    if kind < 0.68:
        face = chance.uniform(0.8, 1.0) * (1 - np.array([0.3, 0.1, 0.03]) * chance.beta(1, 2))
        ink = np.abs(chance.uniform(0.0, 0.16) + chance.normal(0, 0.02, 3))
    elif kind < 0.83:
        face = np.abs(chance.uniform(0.03, 0.2) + chance.normal(0, 0.02, 3))
        ink = chance.uniform(0.75, 1.0) * (1 - np.array([0.3, 0.1, 0.03]) * chance.beta(1, 2))
    else:
        face = np.array([0.35, 0.6, 0.8]) * chance.uniform(0.6, 1.2) if kind < 0.89 else chance.uniform(0, 1, 3)
        dark = face.mean() > 0.45
        ink = chance.uniform(0, 0.2, 3) if dark else chance.uniform(0.75, 1.0, 3)
    plain = [ink] * 7
    if chance.random() < 0.15:
        plain = [_vivid(chance, face) for _ in range(7)]
    colours = [as_colour(one) for one in np.clip([face, *plain], 0, 1)]
    return colours[0], tuple(colours[1:])


def _vivid(chance: Rng, face: FloatArray) -> FloatArray:
    for _ in range(40):
        colour = chance.uniform(0, 1, 3)
        if abs(float((colour - face) @ np.array([0.114, 0.587, 0.299]))) > 0.3:
            return colour
    return np.full(3, 0.0 if face.mean() > 0.5 else 1.0)


def _metal(chance: Rng) -> Colour:
    brass, steel = np.array([0.3, 0.6, 0.75]), np.array([0.65, 0.65, 0.65])
    return as_colour((brass if chance.random() < 0.6 else steel) * chance.uniform(0.6, 1.2))
