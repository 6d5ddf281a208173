"""Random pictures of single cells: any board, any pieces, any hand, any light.

A patch is drawn on a canvas one and a half times as fine and twice as wide as the network's input, so that neighbours,
leaning side walls and shadows reach in from outside; `lighting` then photographs it.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.train.men import Man, draw_man, draw_man_pair
from lab.train.objects import draw_object
from lab.train.textures import Colour, Kinds, Textures, board_colour, ink_on, photograph, surface

Canvas = Float32Array
"""float32 (CANVAS_PX, CANVAS_PX, 3) BGR, 0 to 1."""

EMPTY, LIGHT, DARK, OTHER = range(4)
CLASSES = ("empty", "light", "dark", "other")
CANVAS_PX = 144
CELL_PX = 72
"""Pixels of the cell's side on the canvas; the network sees it at `PATCH_PX`."""
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
        return Patch(image, label, _colours(image, seen))

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


def _colours(image: NDArray[np.uint8], mask: Float32Array) -> Float32Array:
    """(6,) mean colours inside and outside the mask; NaN inside if the mask is empty."""
    colours = np.full(6, np.nan, dtype=np.float32)
    inside = mask > 0.9
    if inside.sum() > 30:
        colours[:3] = image[inside].mean(axis=0) / 255.0
    outside = mask < 0.05
    if outside.sum() > 100:
        colours[3:] = image[outside].mean(axis=0) / 255.0
    return colours
