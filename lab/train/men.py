"""Random pieces: flat, domed, tall, glossy, ringed, coins, glass, in any two colours."""

from __future__ import annotations

import copy

import cv2
import numpy as np

from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.train.textures import Textures

LUMA = np.array([0.114, 0.587, 0.299])
"""Weights of blue, green and red in brightness."""
CELL_PX = 72


class Man:
    """A random piece; lengths in pixels of the canvas."""

    def __init__(self, colour: FloatArray, chance: Rng) -> None:
        """`colour` (3,) is BGR, 0 to 1."""
        self.colour = colour
        self.diameter = CELL_PX * chance.uniform(0.5, 0.98)
        height = float(chance.choice((0.0, 0.06, 0.15, 0.35))) * self.diameter * chance.uniform(0.6, 1.2)
        angle, sun = chance.uniform(0, 2 * np.pi), chance.uniform(0, 2 * np.pi)
        reach = self.diameter * chance.uniform(0.0, 0.3)
        self.shadow = float(np.cos(sun) * reach), float(np.sin(sun) * reach), float(chance.uniform(0, 0.7))
        """Offset x and y, and depth 0 to 1."""
        self.lean = float(np.cos(angle) * height), float(np.sin(angle) * height)
        """Offset of the top from the foot in the picture: from height and viewing angle."""
        self.dome = float(chance.choice((0.0, 0.25, 0.6)))
        self.gloss = float(chance.choice((0.0, 0.0, 0.5, 1.0)))
        self.rim = float(chance.choice((0.0, 0.15, 0.4)))
        self.rings = int(chance.choice((0, 0, 1, 3)))
        self.texture = float(chance.choice((0.0, 0.03, 0.1)))
        self.glass = float(chance.uniform(0.1, 0.6)) if chance.random() < 0.08 else 0.0
        self.hole = bool(chance.random() < 0.12)
        """Whether there is a dark dent in the middle, or a knob."""
        self.squash = float(chance.uniform(0.75, 1.0)) if chance.random() < 0.3 else 1.0
        """Least diameter over the greatest: foreshortened or not round."""
        self.corners = int(chance.integers(4, 9)) if chance.random() < 0.1 else 0
        """Number of corners (bricks, hexagons); 0 is round."""


def draw_man_pair(chance: Rng, ground: Float32Array) -> tuple[Man, Man]:
    """A light and a dark piece of one set; sets may be odd, and may barely show on the ground."""
    light, dark = _colours(chance, ground)
    one = Man(light, chance)
    other = copy.copy(one)
    other.colour = dark
    if chance.random() >= 0.85:
        other.dome, other.rings = float(chance.choice((0.0, 0.6))), int(chance.integers(0, 3))
        other.diameter *= chance.uniform(0.85, 1.1)
    return one, other


def _colours(chance: Rng, ground: Float32Array) -> tuple[FloatArray, FloatArray]:
    """Two colours, the brighter first: mostly near white and near black, else any two that differ."""
    kind = chance.random()
    for _ in range(50):
        if kind < 0.55:
            light = chance.uniform(0.72, 1.0) * (1 - np.array([0.35, 0.15, 0.05]) * chance.uniform(0, 1))
            dark = np.abs(chance.uniform(0.02, 0.25) + chance.normal(0, 0.02, 3))
        elif kind < 0.7:
            wood = np.array([0.45, 0.68, 0.86])
            light = wood * chance.uniform(0.75, 1.12)
            dark = np.array([0.1, 0.18, 0.32]) * chance.uniform(0.4, 1.6)
        else:
            light, dark = chance.uniform(0, 1, 3), chance.uniform(0, 1, 3)
        if light @ LUMA < dark @ LUMA:
            light, dark = dark, light
        apart = light @ LUMA - dark @ LUMA
        shows = min(np.abs(light - ground).max(), np.abs(dark - ground).max())
        if apart > 0.12 and shows > 0.07:
            break
    return np.clip(light, 0, 1), np.clip(dark, 0, 1)


def draw_man(
    canvas: Float32Array, man: Man, centre: FloatArray, chance: Rng, textures: Textures, mask: Float32Array | None
) -> None:
    """Draws the piece with its foot at `centre` (x, y pixels of the canvas); adds its top to `mask`."""
    turn = float(chance.uniform(0, 360))
    softness = 1.0 + 0.12 * float(np.hypot(*man.shadow[:2]))
    shadow = cv2.GaussianBlur(_outline(man, centre + man.shadow[:2], turn), (0, 0), softness)
    canvas *= (1 - man.shadow[2] * shadow)[..., None]
    if man.lean != (0.0, 0.0):
        wall = _outline(man, centre, turn)
        for step in (0.25, 0.5, 0.75):
            wall = np.maximum(wall, _outline(man, centre + step * np.array(man.lean), turn))
        side = cv2.GaussianBlur(wall, (0, 0), 0.7)[..., None]
        canvas[:] = canvas * (1 - side) + side * (man.colour * chance.uniform(0.4, 0.8)).astype(np.float32)
    top = centre + np.array(man.lean)
    cover = _outline(man, top, turn)
    if mask is not None:
        np.maximum(mask, cover, out=mask)
    face = _face(man, top, canvas.shape[0], chance, textures)
    cover = cv2.GaussianBlur(cover, (0, 0), 0.8)[..., None] * (1 - man.glass)
    canvas[:] = np.clip(canvas * (1 - cover) + face * cover, 0, 1)
    if man.gloss:
        _highlight(canvas, man, top, chance)


def _outline(man: Man, centre: FloatArray, turn_deg: float) -> Float32Array:
    """1 inside the piece's outline, else 0."""
    shape = np.zeros((CELL_PX * 2, CELL_PX * 2), dtype=np.float32)
    radius = man.diameter / 2
    if man.corners:
        angles = np.deg2rad(turn_deg) + np.arange(man.corners) * 2 * np.pi / man.corners
        points = centre + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        cv2.fillPoly(shape, [np.round(points * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
        return shape
    axes = (int(radius * 16), int(radius * man.squash * 16))
    at = (int(centre[0] * 16), int(centre[1] * 16))
    cv2.ellipse(shape, at, axes, turn_deg, 0, 360, 1.0, -1, cv2.LINE_AA, 4)
    return shape


def _face(man: Man, centre: FloatArray, side_px: int, chance: Rng, textures: Textures) -> Float32Array:
    """The look of the top: dome shading, rim, rings, texture, dent."""
    grid = np.arange(side_px, dtype=np.float32)
    x = (grid[None, :] - np.float32(centre[0])) / np.float32(man.diameter / 2)
    y = (grid[:, None] - np.float32(centre[1])) / np.float32(man.diameter / 2)
    radius = np.sqrt(x * x + y * y)
    shade = np.ones_like(radius)
    if man.dome:
        sun = np.arctan2(-man.shadow[1], -man.shadow[0])
        side = x * np.float32(np.cos(sun)) + y * np.float32(np.sin(sun))
        shade += np.float32(man.dome * 0.5) * side - np.float32(man.dome * 0.35) * radius**2
    if man.rim:
        shade *= 1 - np.float32(man.rim) * (radius > 0.85) * np.float32(chance.choice((1.0, -0.6)))
    if man.rings:
        shade *= 1 - np.float32(0.25) * (np.sin(radius * np.float32(np.pi * man.rings * 2)) > 0.75)
    if man.texture:
        shade += textures.cut(chance, side_px) * np.float32(man.texture)
    if man.hole:
        shade = np.where(radius < 0.3, shade * np.float32(chance.choice((0.5, 1.3))), shade)
    return np.asarray(np.clip(man.colour.astype(np.float32) * shade[..., None], 0, 1), dtype=np.float32)


def _highlight(canvas: Float32Array, man: Man, centre: FloatArray, chance: Rng) -> None:
    spot = np.zeros(canvas.shape[:2], dtype=np.float32)
    for _ in range(int(chance.integers(1, 3))):
        at = centre + chance.uniform(-0.3, 0.3, 2) * man.diameter
        long, short = (int(man.diameter * chance.uniform(least, most)) for least, most in ((0.03, 0.16), (0.02, 0.08)))
        turn = float(chance.uniform(0, 180))
        axes = max(1, long), max(1, short)
        cv2.ellipse(spot, (int(at[0]), int(at[1])), axes, turn, 0, 360, 1.0, -1, cv2.LINE_AA)
    soft = cv2.GaussianBlur(spot, (0, 0), float(chance.uniform(0.7, 3.0)))[..., None]
    canvas[:] = np.clip(canvas + soft * np.float32(man.gloss * chance.uniform(0.4, 1)), 0, 1)
