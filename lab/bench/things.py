"""Lays things that are no men over labelled pictures of boards, drawn by seed: what lies about on tables, and light.

Cards, phones, bowls of stones, hats and mugs lie on the rim or on empty cells, with their shadows; sun falls on a part
of the board, and lamps are mirrored in it. No cell under a thing holds a man, so the labels remain true.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from calibration.labels import Label
from calibration.template import BoardTemplate
from rules import EMPTY
from vision.frame import Image
from vision.pose import pose_from_corners

Rng = np.random.Generator
Canvas = NDArray[np.float32]
PIXELS_PER_MM = 2.0
AROUND = 0.35
"""Width of what is drawn around the board, as a share of its longer side."""
TRIES = 60
GAMMA = 2.2


@dataclasses.dataclass(frozen=True, eq=False)
class Thing:
    colours: Canvas
    """(height, width, 3) share of white light that it throws back."""
    cover: Canvas
    """(height, width) 0 to 1."""


def with_things(image: Image, label: Label, template: BoardTemplate, rng: Rng) -> Image:
    """The picture with one thing, and perhaps sun or a mirrored lamp; a thing finds no place on a board full of men."""
    assert label.corners_px is not None
    border = AROUND * max(template.size_mm)
    width, height = (round((side + 2 * border) * PIXELS_PER_MM) for side in template.size_mm)
    canvas_from_board = np.array([[PIXELS_PER_MM, 0, border * PIXELS_PER_MM]] * 2 + [[0, 0, 1.0]])
    canvas_from_board[1] = canvas_from_board[0][[1, 0, 2]]
    image_from_canvas = pose_from_corners(label.corners_px, template).image_from_board @ np.linalg.inv(
        canvas_from_board
    )
    cells = (template.cells_mm + border) * PIXELS_PER_MM
    men = cells[[letter != EMPTY for letter in label.cells]]
    light = (image / np.float32(255)) ** GAMMA
    white = float(np.quantile(light, 0.97))
    size = image.shape[1], image.shape[0]

    def seen(picture: Canvas) -> Canvas:
        return np.asarray(cv2.warpPerspective(picture, image_from_canvas, size, flags=cv2.INTER_AREA))

    kind = rng.integers(3)
    if kind != 2 and (thing := _placed(rng, (height, width), men, template)) is not None:
        cover = cv2.GaussianBlur(thing.cover, (0, 0), 1.2)
        way = rng.uniform(-8, 8, 2) * PIXELS_PER_MM
        moved = np.array([[1, 0, way[0]], [0, 1, way[1]]], dtype=np.float32)
        shadow = cv2.warpAffine(thing.cover, moved, (width, height))
        shadow = cv2.GaussianBlur(shadow, (0, 0), rng.uniform(2, 8) * PIXELS_PER_MM) * rng.uniform(0.2, 0.6)
        light = light * (1 - seen(np.asarray(shadow, dtype=np.float32))[..., None])
        covered = seen(np.asarray(cover, dtype=np.float32))[..., None]
        light = light * (1 - covered) + white * seen(thing.colours) * covered
    if kind != 0:
        falls, tint = (_sun if rng.random() < 0.4 else _lamp)(rng, (height, width))
        strength = seen(falls)[..., None] * tint
        light = light * (1 + strength) if tint.max() > 1 else light + white * strength
    noisy = np.clip(light, 0, 1) ** (1 / GAMMA) * 255 + rng.normal(0, 1.5, image.shape)
    return np.asarray(np.clip(noisy, 0, 255), dtype=np.uint8)


def _placed(rng: Rng, shape: tuple[int, int], men: FloatArray, template: BoardTemplate) -> Thing | None:
    """A thing that lies on the board or its rim and on no man."""
    draw: Callable[[Rng, tuple[int, int], FloatArray], Thing] = THINGS[rng.integers(len(THINGS))]
    border = AROUND * max(template.size_mm) * PIXELS_PER_MM
    clear = np.zeros(shape, np.uint8)
    for x, y in men:
        reach = 0.75 * template.man_diameter_mm * PIXELS_PER_MM
        cv2.circle(clear, (round(x), round(y)), round(reach), 1, -1)
    board = np.zeros(shape, np.bool_)
    board[round(border) : -round(border), round(border) : -round(border)] = True
    for _ in range(TRIES):
        middle = rng.uniform(0.6 * border, np.array(shape[::-1]) - 0.6 * border)
        thing = draw(rng, shape, middle)
        if not (clear[thing.cover > 0]).any() and (board & (thing.cover > 0)).sum() > template.cell_mm**2:
            return thing
    return None


def _card(rng: Rng, shape: tuple[int, int], middle: FloatArray) -> Thing:
    sides = rng.uniform(50, 95) * np.array([1.0, rng.uniform(1.2, 1.9)])
    return _rectangle(rng, shape, middle, sides, rng.uniform(0.5, 1, 3), rng.uniform(0, 0.9, 3))


def _phone(rng: Rng, shape: tuple[int, int], middle: FloatArray) -> Thing:
    return _rectangle(rng, shape, middle, np.array([72.0, 148.0]), rng.uniform(0.01, 0.1, 3), rng.uniform(0, 0.3, 3))


def _rectangle(
    rng: Rng, shape: tuple[int, int], middle: FloatArray, sides: FloatArray, colour: FloatArray, print_: FloatArray
) -> Thing:
    box = (tuple(middle.tolist()), tuple((sides * PIXELS_PER_MM).tolist()), float(rng.uniform(0, 180)))
    corners = cv2.boxPoints(box)
    cover = np.zeros(shape, np.float32)
    cv2.fillConvexPoly(cover, corners.astype(np.int32), 1.0, cv2.LINE_AA)
    colours = _plain(shape, colour)
    for _ in range(rng.integers(12)):
        at = middle + rng.uniform(-0.5, 0.5, 2) * sides.min() * PIXELS_PER_MM
        radius = round(rng.uniform(1.5, 9) * PIXELS_PER_MM)
        cv2.circle(colours, tuple(int(part) for part in at), radius, print_.tolist(), -1, cv2.LINE_AA)
    return Thing(colours, cover)


def _bowl(rng: Rng, shape: tuple[int, int], middle: FloatArray) -> Thing:
    radius, centre = rng.uniform(40, 75) * PIXELS_PER_MM, tuple(int(part) for part in middle)
    colours, cover = _plain(shape, rng.uniform(0.05, 0.9, 3)), np.zeros(shape, np.float32)
    cv2.circle(cover, centre, round(radius), 1.0, -1, cv2.LINE_AA)
    cv2.circle(colours, centre, round(radius * 0.9), (rng.uniform(0.02, 0.3, 3)).tolist(), -1, cv2.LINE_AA)
    stone = rng.choice([0.03, 0.85])
    for _ in range(rng.integers(60)):
        angle, away = rng.uniform(0, 2 * np.pi), radius * 0.78 * np.sqrt(rng.random())
        at = middle + away * np.array([np.cos(angle), np.sin(angle)])
        shade = (stone * rng.uniform(0.6, 1.1, 1) * np.ones(3)).tolist()
        cv2.circle(colours, tuple(int(part) for part in at), round(9 * PIXELS_PER_MM), shade, -1, cv2.LINE_AA)
    return Thing(colours, cover)


def _hat(rng: Rng, shape: tuple[int, int], middle: FloatArray) -> Thing:
    axes = rng.uniform(80, 140) * PIXELS_PER_MM * np.array([1, rng.uniform(0.75, 1)])
    return _oval(rng, shape, middle, axes, rng.uniform(0.02, 0.7, 3), 0.6)


def _mug(rng: Rng, shape: tuple[int, int], middle: FloatArray) -> Thing:
    radius = rng.uniform(35, 48) * PIXELS_PER_MM
    mug = _oval(rng, shape, middle, np.array([radius, radius]), rng.uniform(0.05, 0.95, 3), 0.85)
    angle = rng.uniform(0, 2 * np.pi)
    at = middle + 1.2 * radius * np.array([np.cos(angle), np.sin(angle)])
    cv2.circle(mug.cover, tuple(int(part) for part in at), round(radius * 0.4), 1.0, round(radius * 0.2), cv2.LINE_AA)
    return mug


def _oval(
    rng: Rng, shape: tuple[int, int], middle: FloatArray, axes: FloatArray, colour: FloatArray, inner: float
) -> Thing:
    colours, cover = _plain(shape, colour), np.zeros(shape, np.float32)
    box = (tuple(middle.tolist()), tuple((2 * axes).tolist()), float(rng.uniform(0, 180)))
    cv2.ellipse(cover, box, 1.0, -1, cv2.LINE_AA)
    within = (box[0], tuple((2 * inner * axes).tolist()), box[2])
    cv2.ellipse(colours, within, (colour * rng.uniform(0.4, 1.3)).tolist(), -1, cv2.LINE_AA)
    weave = cv2.GaussianBlur(rng.normal(0, 1, shape).astype(np.float32), (0, 0), rng.uniform(0.8, 4))
    return Thing(colours * (1 + 0.3 * weave[..., None] / weave.std() * rng.random()).astype(np.float32), cover)


def _plain(shape: tuple[int, int], colour: FloatArray) -> Canvas:
    return np.broadcast_to(colour.astype(np.float32), (*shape, 3)).copy()


THINGS = (_card, _phone, _bowl, _hat, _mug)


def _sun(rng: Rng, shape: tuple[int, int]) -> tuple[Canvas, FloatArray]:
    """A patch of sun as a window throws it: how many times the other light it adds, and its colour."""
    box = (
        tuple((rng.uniform(0.2, 0.8, 2) * shape[::-1]).tolist()),
        tuple((rng.uniform(0.15, 0.5, 2) * shape).tolist()),
    )
    corners = cv2.boxPoints((*box, float(rng.uniform(0, 180))))
    corners[:, 0] += (corners[:, 1] - corners[:, 1].mean()) * rng.uniform(-0.5, 0.5)
    falls = np.zeros(shape, np.float32)
    cv2.fillConvexPoly(falls, corners.astype(np.int32), 1.0)
    soft = np.asarray(cv2.GaussianBlur(falls, (0, 0), rng.uniform(0.7, 4) * PIXELS_PER_MM), dtype=np.float32)
    return soft * np.float32(rng.uniform(0.6, 2.5)), np.array([0.85, 1.0, 1.1])


def _lamp(rng: Rng, shape: tuple[int, int]) -> tuple[Canvas, FloatArray]:
    """Lamps mirrored in the board: tubes, or bulbs with a glow; the light is added to the board's own."""
    falls = np.zeros(shape, np.float32)
    long = rng.random() < 0.6
    for _ in range(rng.integers(1, 4)):
        middle = rng.uniform(0.2, 0.8, 2) * shape[::-1]
        breadth = rng.uniform(2.5, 9) * PIXELS_PER_MM
        sides = breadth * np.array([rng.uniform(5, 20) if long else rng.uniform(1, 3), 1])
        turn, one = float(rng.uniform(0, 180)), np.zeros(shape, np.float32)
        cv2.ellipse(one, (tuple(middle.tolist()), tuple((2 * sides).tolist()), turn), 1.0, -1, cv2.LINE_AA)
        soft = cv2.GaussianBlur(one, (0, 0), rng.uniform(0.15, 0.8) * breadth)
        glow = cv2.GaussianBlur(one, (0, 0), 3 * breadth)
        falls += soft * np.float32(rng.uniform(0.3, 2)) + glow * np.float32(rng.uniform(0, 0.5))
    return falls, np.array([1.0, 1.0, 0.95])
