"""Turns drawn tables into samples: another view, clutter, covers, light, blur, noise; and what is to be learnt."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.train.textures import Textures
from vision.frame import Image
from vision.pose import project

STRIDE = 4
CORNER_SIGMA = 1.3
"""Spread of a corner's spot, in cells of the maps."""
HIDDEN = 0.5
"""Share of a corner's surroundings that a cover hides from which the corner is not to be found."""
NO_BOARD = 0.12
CUT_OFF = 0.15
TURNED = 0.6
"""Share of the views turned by any angle; the others stand nearly as the table's picture does."""
COVERED = 0.45
RECOLOURED = 0.25
SKINS = ((150, 180, 226), (98, 128, 176), (60, 84, 130))


def draw_view(
    table: Image, corners: FloatArray, size_px: tuple[int, int], stock: tuple[Textures, Float32Array], rng: Rng
) -> tuple[Image, Float32Array]:
    """A random view of the table in a picture of that width and height; `stock` are textures and noises.

    With it (3, h / 4, w / 4) inside, corners, outline: 0 to 1.
    """
    textures, noises = stock
    empty = rng.random() < NO_BOARD
    matrix = _camera(corners, size_px, rng)
    image = _seen(table, matrix, size_px, textures, rng)
    corners = project(matrix, corners)
    if empty:
        image = _without(image, corners, textures, rng)
    covered = np.zeros(image.shape[:2], dtype=np.uint8)
    if rng.random() < 0.55:
        _lay_things(image, None if empty else corners, textures, rng)
    if not empty and rng.random() < COVERED:
        _cover(image, covered, corners, textures, rng)
    maps = np.zeros((3, size_px[1] // STRIDE, size_px[0] // STRIDE), dtype=np.float32)
    if not empty:
        _draw_maps(maps, corners, covered)
    return _lit(image, noises, rng), maps


def _camera(corners: FloatArray, size_px: tuple[int, int], rng: Rng) -> FloatArray:
    """(3, 3) from the table's picture to the sample: turned, flipped, scaled, slightly in another perspective."""
    middle = corners.mean(axis=0)
    turn = rng.uniform(-np.pi, np.pi) if rng.random() < TURNED else rng.normal(0, 0.15)
    flip = -1.0 if rng.random() < 0.5 else 1.0
    cos, sin = np.cos(turn), np.sin(turn)
    aspect = np.exp(rng.normal(0, 0.06))
    linear = np.array([[cos, -sin], [sin, cos]]) @ np.diag([flip * aspect, 1 / aspect])
    spread = np.ptp((corners - middle) @ linear.T, axis=0)
    fit = float((np.array(size_px) / spread).min())
    scale = fit * float(rng.uniform(0.38, 1.0))
    room = (np.array(size_px) - scale * spread) / 2
    shift = rng.uniform(-1, 1, 2) * room
    if rng.random() < CUT_OFF:
        shift = shift + rng.uniform(-0.45, 0.45, 2) * scale * spread
    matrix = np.eye(3)
    matrix[:2, :2] = scale * linear
    matrix[:2, 2] = np.array(size_px) / 2 + shift - scale * linear @ middle
    bend = np.eye(3)
    bend[2, :2] = rng.normal(0, 0.10, 2) / np.array(size_px)
    centre = np.eye(3)
    centre[:2, 2] = -np.array(size_px) / 2 - shift
    back = np.linalg.inv(centre)
    return np.asarray(back @ bend @ centre @ matrix)


def _seen(table: Image, matrix: FloatArray, size_px: tuple[int, int], textures: Textures, rng: Rng) -> Image:
    """The table in that view; what lies beyond its picture is some ground."""
    if np.sqrt(abs(np.linalg.det(matrix[:2, :2]))) < 0.6:
        table = np.asarray(cv2.pyrDown(table), dtype=np.uint8)
        matrix = matrix @ np.diag([2.0, 2.0, 1.0])
    height, width = table.shape[:2]
    seen = cv2.warpPerspective(table, matrix, size_px, flags=cv2.INTER_LINEAR)
    there = np.zeros((size_px[1], size_px[0]), dtype=np.uint8)
    edge = project(matrix, np.array([[1, 1], [width - 2, 1], [width - 2, height - 2], [1, height - 2]], np.float64))
    cv2.fillConvexPoly(there, np.rint(edge).astype(np.int32), 255)
    ground = _ground(size_px, textures, rng)
    return np.asarray(cv2.copyTo(seen, there, ground), dtype=np.uint8)


def _ground(size_px: tuple[int, int], textures: Textures, rng: Rng) -> Image:
    texture = textures.cut(rng, int(rng.integers(60, 220)))
    colour = (rng.uniform(15, 235, 3) * 0.4 + rng.uniform(15, 235) * 0.6).astype(np.float32)
    contrast = np.float32(rng.choice((0.0, 6.0, 18.0, 40.0)) * rng.uniform(0.5, 1.2))
    ground = np.clip(colour + contrast * texture[..., None], 0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(ground, size_px, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def _without(image: Image, corners: FloatArray, textures: Textures, rng: Rng) -> Image:
    """The picture with something else where the board was: ground, or a ruled or chequered thing that is no board."""
    size_px = image.shape[1], image.shape[0]
    middle = corners.mean(axis=0)
    mask = np.zeros(image.shape[:2], dtype=np.uint8)
    if rng.random() < 0.4:
        mask[:] = 255
    else:
        cv2.fillConvexPoly(mask, np.rint(middle + rng.uniform(1.3, 2.0) * (corners - middle)).astype(np.int32), 255)
    return np.asarray(cv2.copyTo(_ground(size_px, textures, rng), mask, image), dtype=np.uint8)


def _lay_things(image: Image, corners: FloatArray | None, textures: Textures, rng: Rng) -> None:
    """Draws papers, books, boxes, cables and round things round the board, never over it."""
    height, width = image.shape[:2]
    drawn = image.copy()
    for _ in range(int(rng.integers(1, 9))):
        colour = tuple(float(one) for one in rng.uniform(10, 240, 3) * 0.5 + rng.uniform(10, 240) * 0.5)
        ink = tuple(float(one) for one in rng.uniform(0, 255, 3))
        middle, kind = rng.uniform(0, 1, 2) * (width, height), rng.random()
        if kind < 0.6:
            size = rng.uniform(0.03, 0.5, 2) * width
            turn = float(rng.choice((0, 90)) + rng.normal(0, 12)) if rng.random() < 0.6 else float(rng.uniform(0, 180))
            box = cv2.boxPoints((tuple(map(float, middle)), tuple(map(float, size)), turn)).astype(np.float64)
            box += rng.normal(0, 0.06, (4, 2)) * size.min()
            cv2.fillConvexPoly(drawn, np.rint(box).astype(np.int32), colour, cv2.LINE_AA)
            _rule(drawn, box, ink, rng)
        elif kind < 0.8:
            axes = (int(rng.integers(4, 60)), int(rng.integers(4, 60)))
            at = (int(middle[0]), int(middle[1]))
            cv2.ellipse(drawn, at, axes, float(rng.uniform(0, 180)), 0, 360, colour, -1, cv2.LINE_AA)
            cv2.ellipse(drawn, at, axes, 0.0, 0, 360, ink, 1, cv2.LINE_AA)
        else:
            points = np.cumsum(np.concatenate([middle[None], rng.normal(0, 45, (6, 2))]), axis=0)
            cv2.polylines(
                drawn, [np.rint(points).astype(np.int32)], False, colour, int(rng.integers(1, 6)), cv2.LINE_AA
            )
    if corners is None:
        image[:] = drawn
        return
    middle = corners.mean(axis=0)
    board = np.zeros((height, width), dtype=np.uint8)
    around = middle + rng.uniform(1.12, 1.3) * (corners - middle)
    cv2.fillConvexPoly(board, np.rint(around).astype(np.int32), 255)
    image[board == 0] = drawn[board == 0]


def _rule(drawn: Image, box: FloatArray, ink: tuple[float, ...], rng: Rng) -> None:
    kind = rng.random()
    if kind < 0.3:
        for share in np.linspace(0.08, 0.92, int(rng.integers(3, 16))):
            start, end = box[0] + share * (box[1] - box[0]), box[3] + share * (box[2] - box[3])
            cv2.line(drawn, tuple(map(int, start)), tuple(map(int, end)), ink, 1, cv2.LINE_AA)
    elif kind < 0.45:
        middle = box.mean(axis=0)
        frame = np.rint(middle + rng.uniform(0.6, 0.95) * (box - middle)).astype(np.int32)
        cv2.polylines(drawn, [frame], True, ink, int(rng.integers(1, 4)), cv2.LINE_AA)
    elif kind < 0.65:
        for _ in range(int(rng.integers(2, 12))):
            share = rng.uniform(0.05, 0.8, 2)
            at = box[0] + share[0] * (box[1] - box[0]) + share[1] * (box[3] - box[0])
            size = float(rng.uniform(0.2, 0.8))
            cv2.putText(drawn, _word(rng), tuple(map(int, at)), cv2.FONT_HERSHEY_SIMPLEX, size, ink, 1, cv2.LINE_AA)


def _word(rng: Rng) -> str:
    return "".join(chr(int(code)) for code in rng.integers(97, 123, int(rng.integers(2, 9))))


def _cover(image: Image, covered: NDArray[np.uint8], corners: FloatArray, textures: Textures, rng: Rng) -> None:
    """Lays a hand, an arm, a cloth or a small thing over a part of the board."""
    kind = rng.random()
    middle, side = corners.mean(axis=0), float(np.linalg.norm(corners[0] - corners[2])) / 1.41
    if kind < 0.2:  # a cloth or a sheet over one side
        one, two, three, four = np.roll(corners, int(rng.integers(4)), axis=0)
        share = rng.uniform(0.1, 0.55)
        quad = np.array([one + 0.4 * (one - four), two + 0.4 * (two - three), two + share * (three - two)])
        shape = np.concatenate([quad, [one + (share + rng.normal(0, 0.08)) * (four - one)]])
    elif kind < 0.7:  # an arm from beyond, perhaps across the whole board
        start = middle + side * rng.uniform(-0.7, 0.7, 2)
        angle, wide = rng.uniform(0, 2 * np.pi), side * rng.uniform(0.04, 0.2)
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        end = start + 2 * side * along
        shape = np.array([start - 0.7 * wide * across, start + 0.7 * wide * across])
        shape = np.concatenate([shape, [end + 1.3 * wide * across, end - 1.3 * wide * across]])
        cv2.circle(covered, (int(start[0]), int(start[1])), int(wide), 255, -1, cv2.LINE_AA)
    else:
        turns = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(4, 10))))
        at = middle + side * rng.uniform(-0.6, 0.6, 2)
        reach = side * rng.uniform(0.03, 0.16)
        shape = at + reach * np.stack([np.cos(turns), np.sin(turns)], axis=1) * rng.uniform(0.6, 1.2, (len(turns), 1))
    cv2.fillPoly(covered, [np.rint(shape).astype(np.int32)], 255, cv2.LINE_AA)
    ground = _ground((image.shape[1], image.shape[0]), textures, rng)
    if rng.random() < 0.5:
        skin = np.full_like(ground, SKINS[int(rng.integers(3))])
        ground = np.asarray(cv2.addWeighted(ground, 0.25, skin, 0.75, 0.0), dtype=np.uint8)
    fall = cv2.blur(np.roll(covered, tuple(rng.integers(-8, 9, 2)), (0, 1)), (9, 9))
    shade = (float(rng.uniform(0, 0.5)) * fall.astype(np.float32)).astype(np.uint8)
    image[:] = cv2.subtract(image, cv2.merge([shade, shade, shade]))
    image[:] = cv2.copyTo(ground, covered, image)


def _draw_maps(maps: Float32Array, corners: FloatArray, covered: NDArray[np.uint8]) -> None:
    height, width = maps.shape[1:]
    size = (width, height)
    # The middle of the first cell lies at 1.5 pixels.
    cells = (corners - (STRIDE - 1) / 2) / STRIDE
    fixed = np.rint(cells * 16).astype(np.int32)
    inside = np.zeros((height, width), dtype=np.uint8)
    cv2.fillConvexPoly(inside, fixed, 255, cv2.LINE_AA, 4)
    hidden = cv2.resize(covered, size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    big = cv2.blur(hidden, (9, 9))
    maps[0] = inside.astype(np.float32) / 255
    outline = np.zeros((height, width), dtype=np.uint8)
    cv2.polylines(outline, [fixed], True, 255, 2, cv2.LINE_AA, 4)
    maps[2] = outline.astype(np.float32) / 255 * (1 - hidden)
    y, x = np.mgrid[:height, :width].astype(np.float32)
    for at in cells:
        column, row = round(float(at[0])), round(float(at[1]))
        if not (0 <= column < width and 0 <= row < height) or big[row, column] > HIDDEN:
            continue
        spot = np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / (2 * CORNER_SIGMA**2))
        np.maximum(maps[1], spot, out=maps[1])


def _lit(image: Image, noises: Float32Array, rng: Rng) -> Image:
    """The picture in other light, through another lens and sensor, and compressed."""
    gain = np.exp(rng.normal(0, 0.25) + rng.normal(0, 0.1, 3))
    if rng.random() < 0.12:
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        image = np.asarray(cv2.merge([grey, grey, grey]), dtype=np.uint8)
    elif rng.random() < RECOLOURED:
        image = _recoloured(image, rng)
    levels = (np.arange(256)[:, None] / 255) ** np.exp(rng.normal(0, 0.2)) * gain * 255
    light = np.asarray(cv2.LUT(image, levels.astype(np.float32)[None]), dtype=np.float32)
    height, width = image.shape[:2]
    field, glare = _field((width // 4, height // 4), rng)
    if field is not None:
        light *= np.asarray(cv2.resize(field, (width, height)), dtype=np.float32)[..., None]
    if glare is not None:
        light += np.asarray(cv2.resize(glare, (width, height)), dtype=np.float32)[..., None]
    if rng.random() < 0.5:
        soft = cv2.GaussianBlur(np.clip(light, 0, 255), (0, 0), float(rng.uniform(0.3, 1.4)))
        light = np.asarray(soft, dtype=np.float32)
    start = int(rng.integers(len(noises) - light.size))
    cv2.scaleAdd(noises[start : start + light.size].reshape(light.shape), float(rng.exponential(3.0)), light, light)
    picture = np.clip(light, 0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 90))])
        picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)
    return picture


def _recoloured(image: Image, rng: Rng) -> Image:
    hue, saturation, value = cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2HSV))
    hue = ((hue.astype(np.int32) + int(rng.integers(180))) % 180).astype(np.uint8)
    saturation = cv2.convertScaleAbs(saturation, alpha=float(np.exp(rng.normal(0.2, 0.5))))
    turned = cv2.cvtColor(cv2.merge([hue, saturation, value]), cv2.COLOR_HSV2BGR)
    return np.asarray(turned, dtype=np.uint8)


def _field(size_px: tuple[int, int], rng: Rng) -> tuple[Float32Array | None, Float32Array | None]:
    """Light by place, relative to even light, and a reflection that is added to it."""
    width, height = size_px
    y, x = np.mgrid[-0.5 : 0.5 : height * 1j, -0.5 : 0.5 : width * 1j].astype(np.float32)
    field: Float32Array | None = None
    glare: Float32Array | None = None
    if rng.random() < 0.5:
        angle, depth = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0, 0.6))
        field = 1 + depth * (math.cos(angle) * x + math.sin(angle) * y)
    if rng.random() < 0.35:
        shadow = _shadow(size_px, rng)
        field = shadow if field is None else field * shadow
    if rng.random() < 0.15:
        at, wide = rng.uniform(-0.5, 0.5, 2).tolist(), rng.uniform(0.03, 0.15, 2).tolist()
        spot = np.exp(-(((x - at[0]) / wide[0]) ** 2) - ((y - at[1]) / wide[1]) ** 2)
        glare = float(rng.uniform(50, 255)) * spot
    return field, glare


def _shadow(size_px: tuple[int, int], rng: Rng) -> Float32Array:
    """Light let through by something with straight edges, such as a window's frame."""
    shape = np.zeros((size_px[1], size_px[0]), dtype=np.uint8)
    for _ in range(int(rng.integers(1, 4))):
        middle = rng.uniform(-0.2, 1.2, 2) * size_px
        points = middle + rng.normal(0, 0.5, (4, 2)) * size_px
        cv2.fillConvexPoly(shape, cv2.convexHull(np.rint(points).astype(np.int32)), 255)
    soft = cv2.GaussianBlur(shape, (0, 0), float(rng.uniform(0.3, 4)))
    return np.asarray(1 - float(rng.uniform(0.2, 0.7)) * soft.astype(np.float32) / 255, dtype=np.float32)


def draw_noises(rng: Rng) -> Float32Array:
    return rng.standard_normal(4_000_000, dtype=np.float32)
