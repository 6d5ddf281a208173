"""Random pictures of single cells: any board, any pieces, any hand, any light.

A patch is drawn on a canvas one and a half times as fine and twice as wide as the network's input, so that neighbours,
leaning side walls and shadows reach in from outside; `textures` then photographs it. Pieces are flat, domed, tall,
glossy, ringed, coins or glass, in any two colours.
"""

from __future__ import annotations

import copy
import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.train.objects import draw_object
from lab.train.textures import Colour, Kinds, Textures, board_colour, ink_on, photograph, surface

LUMA = np.array([0.114, 0.587, 0.299])
"""Weights of blue, green and red in brightness."""
CELL_PX = 72
"""Pixels of the cell's side on the canvas; the network sees it at `PATCH_PX`."""
CANVAS_PX = 2 * CELL_PX


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
    light, dark = _two_colours(chance, ground)
    one = Man(light, chance)
    other = copy.copy(one)
    other.colour = dark
    if chance.random() >= 0.85:
        other.dome, other.rings = float(chance.choice((0.0, 0.6))), int(chance.integers(0, 3))
        other.diameter *= chance.uniform(0.85, 1.1)
    return one, other


def _two_colours(chance: Rng, ground: Float32Array) -> tuple[FloatArray, FloatArray]:
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
    shape = np.zeros((CANVAS_PX, CANVAS_PX), dtype=np.float32)
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


Canvas = Float32Array
"""float32 (CANVAS_PX, CANVAS_PX, 3) BGR, 0 to 1."""

EMPTY, LIGHT, DARK, OTHER = range(4)
CLASSES = ("empty", "light", "dark", "other")
PATCH_PX = 48
CENTRE = CANVAS_PX / 2


@dataclasses.dataclass(frozen=True, eq=False)
class Patch:
    image: NDArray[np.uint8]
    """(48, 48, 3) BGR."""
    label: int
    """Index into CLASSES."""
    colours: Float32Array
    """(6,) mean BGR, 0 to 1, of the piece and of its surroundings, as photographed; NaN if there is no piece."""


class PatchMaker:
    """Draws an endless series of patches; the same seed draws the same ones."""

    def __init__(self, seed: int) -> None:
        self._chance = np.random.default_rng(seed)
        self._textures = Textures(self._chance)

    def draw(self) -> Patch:
        """The next patch: a good third empty, half a piece of either side, the rest covered by another object."""
        chance = self._chance
        label = int(chance.choice(4, p=(0.36, 0.26, 0.26, 0.12)))
        canvas, ground = self._board()
        light, dark = draw_man_pair(chance, ground)
        self._neighbours(canvas, light, dark)
        mask = np.zeros((CANVAS_PX, CANVAS_PX), dtype=np.float32)
        if label in (LIGHT, DARK) or (label == OTHER and chance.random() < 0.4):
            man = light if label == LIGHT or (label == OTHER and chance.random() < 0.5) else dark
            centre = CENTRE + chance.normal(0, 0.055, 2) * CELL_PX
            draw_man(canvas, man, centre, chance, self._textures, mask)
        if label == OTHER:
            mask[:] = 0
            draw_object(canvas, chance, self._textures, covering=True)
        elif chance.random() < 0.06:
            draw_object(canvas, chance, self._textures, covering=False)
        image, seen = photograph(canvas, mask, chance, CELL_PX, PATCH_PX)
        return Patch(image, label, _mean_colours(image, seen))

    def _board(self) -> tuple[Canvas, Float32Array]:
        chance = self._chance
        ground = board_colour(chance, WOOD_AND_FELT)
        contrast = float(chance.choice((0.01, 0.03, 0.07, 0.13)) * chance.uniform(0.4, 1.3))
        canvas = surface(ground, self._textures.cut(chance, CANVAS_PX), contrast, chance)
        if chance.random() < 0.2:
            _checker(canvas, chance, self._textures)
        _lines(canvas, ground, chance)
        if chance.random() < 0.3:
            _landmark(canvas, ground, chance)
        return canvas, ground

    def _neighbours(self, canvas: Canvas, light: Man, dark: Man) -> None:
        """Pieces on the cells around, near enough to reach into the patch."""
        chance = self._chance
        if chance.random() < 0.45:
            return
        share = chance.uniform(0.2, 1.0)
        pitch = light.diameter * chance.uniform(1.02, 1.6)
        turn = chance.uniform(0, np.pi / 2) if chance.random() < 0.15 else 0.0
        steps = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]
        for dx, dy in steps:
            if chance.random() > share:
                continue
            angle = np.array([dx * np.cos(turn) - dy * np.sin(turn), dx * np.sin(turn) + dy * np.cos(turn)])
            centre = CENTRE + angle * pitch + chance.normal(0, 0.05, 2) * CELL_PX
            draw_man(canvas, light if chance.random() < 0.5 else dark, centre, chance, self._textures, None)


WOOD_AND_FELT: Kinds = (
    (0.5, (17, 6), (30, 190), (50, 250)),
    (0.68, None, (0, 30), (25, 255)),
    (0.8, (65, 12), (70, 230), (40, 200)),
    (1.0, None, (0, 255), (20, 255)),
)
"""Mostly wood and paper, sometimes felt green, sometimes anything."""


def _checker(canvas: Canvas, chance: Rng, textures: Textures) -> None:
    colour = board_colour(chance, WOOD_AND_FELT)
    other = surface(colour, textures.cut(chance, CANVAS_PX), 0.05, chance)
    pitch = CELL_PX * chance.uniform(0.8, 1.3)
    low, high = int(CENTRE - pitch / 2), int(CENTRE + pitch / 2)
    for rows, columns in ((slice(0, low), slice(low, high)), (slice(high, None), slice(low, high))):
        canvas[rows, columns] = other[rows, columns]
        canvas[columns, rows] = other[columns, rows]


def _lines(canvas: Canvas, ground: Float32Array, chance: Rng) -> None:
    kind = chance.random()
    if kind < 0.1:
        return
    ink = ink_on(ground, chance, 0.65, 0.05)
    width = max(1, round(float(chance.choice((1, 2, 3, 4, 6, 9)) * chance.uniform(0.7, 1.3))))
    centre = CENTRE + chance.normal(0, 0.03, 2) * CELL_PX
    if kind < 0.28:
        _frame(canvas, centre, ink, width, chance)
        return
    arms = chance.random(4) < chance.choice((0.5, 0.75, 1.0))
    angles = [index * np.pi / 2 for index in range(4) if arms[index]]
    if chance.random() < 0.2:
        angles += [np.pi / 4 + index * np.pi / 2 for index in range(4) if chance.random() < 0.6]
    turn = chance.normal(0, 0.04) if chance.random() < 0.9 else chance.uniform(0, np.pi)
    for angle in angles:
        _segment(canvas, centre, centre + 160 * np.array([np.cos(angle + turn), np.sin(angle + turn)]), ink, width)
    if chance.random() < 0.35:
        _passing_line(canvas, ink, width, chance)
    if chance.random() < 0.35:
        _dot(canvas, centre, ink, chance)


def _frame(canvas: Canvas, centre: FloatArray, ink: Colour, width: int, chance: Rng) -> None:
    half = CELL_PX * chance.uniform(0.4, 0.65)
    for sign in (-1, 1):
        offset = np.array([sign * half, 0.0])
        _segment(canvas, centre + offset - (0, 160), centre + offset + (0, 160), ink, width)
        _segment(canvas, centre + offset[::-1] - (160, 0), centre + offset[::-1] + (160, 0), ink, width)


def _passing_line(canvas: Canvas, ink: Colour, width: int, chance: Rng) -> None:
    distance = CELL_PX * chance.uniform(0.25, 0.7) * chance.choice((-1, 1))
    start, end = np.array([CENTRE + distance, -10.0]), np.array([CENTRE + distance, CANVAS_PX + 10.0])
    if chance.random() < 0.5:
        start, end = start[::-1], end[::-1]
    _segment(canvas, start, end, ink, width)


def _dot(canvas: Canvas, centre: FloatArray, ink: Colour, chance: Rng) -> None:
    """A printed point, ring or drilled hole on the crossing."""
    radius = CELL_PX * float(chance.choice((0.05, 0.09, 0.14, 0.2, 0.28)) * chance.uniform(0.8, 1.2))
    filled = radius < 0.2 * CELL_PX and chance.random() < 0.7
    at = (int(centre[0] * 16), int(centre[1] * 16))
    cv2.circle(canvas, at, int(radius * 16), ink, -1 if filled else int(chance.integers(1, 5)), cv2.LINE_AA, 4)


def _landmark(canvas: Canvas, ground: Float32Array, chance: Rng) -> None:
    at = tuple(int(value) for value in chance.integers(5, CANVAS_PX - 5, 2))
    if chance.random() < 0.5:
        letter = chr(int(chance.integers(48, 90)))
        scale, width = float(chance.uniform(0.4, 1.4)), int(chance.integers(1, 3))
        cv2.putText(
            canvas, letter, at, cv2.FONT_HERSHEY_SIMPLEX, scale, ink_on(ground, chance, 0.65, 0.05), width, cv2.LINE_AA
        )
    else:
        end = chance.uniform(0, CANVAS_PX, 2)
        _segment(canvas, np.array(at, dtype=np.float64), end, ink_on(ground, chance, 0.65, 0.05), 1)


def _segment(canvas: Canvas, start: FloatArray, end: FloatArray, ink: Colour, width: int) -> None:
    points = [tuple(round(float(value) * 16) for value in point) for point in (start, end)]
    cv2.line(canvas, points[0], points[1], ink, width, cv2.LINE_AA, 4)


def _mean_colours(image: NDArray[np.uint8], mask: Float32Array) -> Float32Array:
    """(6,) mean colours inside and outside the mask; NaN inside if the mask is empty."""
    colours = np.full(6, np.nan, dtype=np.float32)
    inside = mask > 0.9
    if inside.sum() > 30:
        colours[:3] = image[inside].mean(axis=0) / 255.0
    outside = mask < 0.05
    if outside.sum() > 100:
        colours[3:] = image[outside].mean(axis=0) / 255.0
    return colours
