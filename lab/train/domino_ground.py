"""Random boards under dominoes: squares, printed diamonds with numbers, letters, a crease, a border."""

from __future__ import annotations

import cv2
import numpy as np

from lab.simulated.arrays import BoolArray, Float32Array, FloatArray, Rng
from lab.train.domino_tiles import CELL_PX
from lab.train.textures import Colour, Kinds, Textures, as_colour, board_colour, ink_on, surface

GRID = 8
"""Cells on a side of a drawn stretch of board."""
CANVAS_PX = GRID * CELL_PX
FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_SCRIPT_COMPLEX,
    cv2.FONT_HERSHEY_PLAIN,
)


def draw_ground(chance: Rng, textures: Textures) -> tuple[Float32Array, BoolArray]:
    """(CANVAS_PX, CANVAS_PX, 3) BGR, 0 to 1; and (GRID, GRID) False beyond the border of the squares."""
    base = board_colour(chance, TEAL_AND_WOOD)
    canvas = _surface(base, chance, textures)
    playable = np.ones((GRID, GRID), dtype=np.bool_)
    ink = ink_on(base, chance, 0.6, 0.0)
    if chance.random() < 0.85:
        _draw_lines(canvas, ink, chance)
    share = float(chance.choice((0.0, 0.12, 0.3, 0.6)))
    for row, column in np.argwhere(chance.random((GRID, GRID)) < share):
        _draw_mark(canvas, (column + 0.5, row + 0.5), base, chance)
    if chance.random() < 0.45:
        for _ in range(int(chance.integers(1, 5))):
            (_draw_word if chance.random() < 0.45 else _draw_plates)(canvas, chance)
    if chance.random() < 0.3:
        _draw_crease(canvas, chance)
    if chance.random() < 0.35:
        _draw_border(canvas, playable, chance, textures)
    return canvas, playable


TEAL_AND_WOOD: Kinds = (
    (0.3, (88, 9), (80, 240), (50, 190)),
    (0.42, (62, 12), (60, 230), (40, 200)),
    (0.58, (14, 5), (40, 190), (40, 240)),
    (0.72, None, (0, 30), (20, 250)),
    (1.0, None, (0, 255), (20, 250)),
)
"""Teal and green, wood, white and grey, dark, any."""


def _surface(base: Float32Array, chance: Rng, textures: Textures) -> Float32Array:
    contrast = float(chance.choice((0.01, 0.03, 0.07, 0.13)) * chance.uniform(0.4, 1.3))
    piece = textures.cut(chance, int(chance.integers(160, 319)))
    texture = cv2.resize(piece, (CANVAS_PX, CANVAS_PX), interpolation=cv2.INTER_LINEAR)
    return surface(base, np.asarray(texture, dtype=np.float32), contrast, chance)


def _any(chance: Rng) -> Colour:
    kind = chance.random()
    ink = np.full(3, chance.uniform(0, 0.1) if kind < 0.5 else chance.uniform(0.85, 1.0))
    if kind < 0.3 or kind > 0.7:
        ink = chance.uniform(0, 1, 3)
    return as_colour(ink)


def _draw_lines(canvas: Float32Array, ink: Colour, chance: Rng) -> None:
    width = int(chance.choice((1, 1, 1, 2, 3)))
    shift = chance.normal(0, 0.01) * CELL_PX
    for index in range(GRID + 1):
        at = round((index * CELL_PX + shift) * 16)
        cv2.line(canvas, (at, 0), (at, CANVAS_PX * 16), ink, width, cv2.LINE_AA, 4)
        cv2.line(canvas, (0, at), (CANVAS_PX * 16, at), ink, width, cv2.LINE_AA, 4)


def _draw_mark(canvas: Float32Array, at: tuple[float, float], base: Float32Array, chance: Rng) -> None:
    """A diamond, star, disc or box in a square, with or without a number."""
    centre = np.array(at) * CELL_PX + chance.normal(0, 0.5, 2)
    radius = CELL_PX * chance.uniform(0.25, 0.62)
    fill, rim, text = _any(chance), _any(chance), _any(chance)
    kind = chance.random()
    if kind < 0.7:
        points = _star(centre, radius, float(chance.choice((0.45, 0.55, 0.7))))
        if chance.random() < 0.75:
            cv2.fillPoly(canvas, [np.round(points * 16).astype(np.int32)], rim, cv2.LINE_AA, 4)
            points = _star(centre, radius * chance.uniform(0.7, 0.92), 0.6)
        cv2.fillPoly(canvas, [np.round(points * 16).astype(np.int32)], fill, cv2.LINE_AA, 4)
    elif kind < 0.85:
        place = (round(centre[0] * 16), round(centre[1] * 16))
        cv2.circle(canvas, place, round(radius * 9), fill, -1 if chance.random() < 0.7 else 2, cv2.LINE_AA, 4)
    else:
        half = radius * 0.5
        low, high = np.round((centre - half) * 16).astype(int), np.round((centre + half) * 16).astype(int)
        corners = (int(low[0]), int(low[1])), (int(high[0]), int(high[1]))
        cv2.rectangle(canvas, corners[0], corners[1], fill, -1 if chance.random() < 0.7 else 2, cv2.LINE_AA, 4)
    if chance.random() < 0.8:
        _write(canvas, str(chance.integers(0, 10)), centre, CELL_PX * chance.uniform(0.2, 0.5), text, chance)


def _star(centre: FloatArray, radius: float, waist: float) -> FloatArray:
    """(8, 2) a four-pointed star; `waist` 0.707 is a straight-edged diamond."""
    turns = np.arange(8) * np.pi / 4
    reach = np.where(np.arange(8) % 2, radius * waist, radius)
    return np.asarray(centre + np.stack([np.cos(turns), np.sin(turns)], axis=1) * reach[:, None])


def _write(canvas: Float32Array, text: str, centre: FloatArray, height_px: float, ink: Colour, chance: Rng) -> None:
    font, width = int(chance.choice(FONTS)), int(chance.integers(1, 4))
    (long, tall), _ = cv2.getTextSize(text, font, 1.0, width)
    scale = height_px / tall
    at = (int(centre[0] - long * scale / 2), int(centre[1] + tall * scale / 2))
    if chance.random() < 0.4:
        cv2.putText(canvas, text, at, font, scale, _any(chance), width + 3, cv2.LINE_AA)
    cv2.putText(canvas, text, at, font, scale, ink, width, cv2.LINE_AA)


def _word(chance: Rng) -> str:
    letters = "".join(chr(int(code)) for code in chance.integers(97, 123, int(chance.integers(3, 9))))
    return letters.capitalize() if chance.random() < 0.6 else letters.upper()


def _draw_word(canvas: Float32Array, chance: Rng) -> None:
    """A logo's word in large outlined letters, at a slant."""
    layer = canvas.copy()
    centre, height = chance.uniform(0, CANVAS_PX, 2), CELL_PX * chance.uniform(0.3, 1.2)
    for _ in range(int(chance.integers(1, 3))):
        _write(layer, _word(chance), centre, height, _any(chance), chance)
    turn = cv2.getRotationMatrix2D((float(centre[0]), float(centre[1])), float(chance.normal(0, 12)), 1.0)
    size = (CANVAS_PX, CANVAS_PX)
    changed = (np.abs(layer - canvas).max(axis=2) > 0.01).astype(np.float32)
    share = cv2.warpAffine(changed, turn, size)[..., None]
    canvas[:] = canvas * (1 - share) + cv2.warpAffine(layer, turn, size) * share


def _draw_plates(canvas: Float32Array, chance: Rng) -> None:
    """Rows of printed plates with a letter on each, as tall as a cell or less: they are no tiles."""
    width, height = CELL_PX * chance.uniform(0.25, 0.7), CELL_PX * chance.uniform(0.4, 1.1)
    left, top = chance.uniform(-2, GRID, 2) * CELL_PX
    plate, ink = _any(chance), _any(chance)
    word, filling, swapped = _word(chance), chance.uniform(0.5, 0.95), chance.choice((0.0, 0.2, 0.5))
    for row in range(int(chance.integers(1, 3))):
        for column, letter in enumerate(word):
            x, y = left + column * width, top + row * height * chance.uniform(0.9, 1.1) + chance.normal(0, 1)
            colours = (ink, plate) if chance.random() < swapped else (plate, ink)
            low = round(x * 16), round(y * 16)
            high = round((x + width * chance.uniform(0.88, 1.02)) * 16), round((y + height * 0.95) * 16)
            cv2.rectangle(canvas, low, high, colours[0], -1, cv2.LINE_AA, 4)
            middle = np.array([x + width / 2, y + height / 2])
            _write(canvas, letter, middle, height * filling, colours[1], chance)


def _draw_crease(canvas: Float32Array, chance: Rng) -> None:
    """A board's fold: a thin light or dark line across everything, sometimes between two tones."""
    at, width = int(chance.integers(10, CANVAS_PX - 10)), int(chance.integers(1, 4))
    strip = (slice(at, at + width), slice(None)) if chance.random() < 0.5 else (slice(None), slice(at, at + width))
    canvas[strip] = np.clip(canvas[strip] + np.float32(chance.choice((-1, 1)) * chance.uniform(0.05, 0.6)), 0, 1)


def _draw_border(canvas: Float32Array, playable: BoolArray, chance: Rng, textures: Textures) -> None:
    """The area beyond the last row of squares: another surface, a thick line, printed shapes further out."""
    cells = int(chance.integers(1, 4))
    edge = cells * CELL_PX
    beyond = _surface(board_colour(chance, TEAL_AND_WOOD), chance, textures)[:edge]
    if chance.random() < 0.6 and cells > 1:
        plate, ink = _any(chance), _any(chance)
        x = chance.uniform(-CELL_PX, 0)
        while x < CANVAS_PX:
            top, long = chance.uniform(-0.5, 0.3) * CELL_PX, CELL_PX * chance.uniform(0.8, 2)
            bottom = min(top + CELL_PX, edge - 0.35 * CELL_PX)
            cv2.rectangle(beyond, (int(x), int(top)), (int(x + long), int(bottom)), plate, -1, cv2.LINE_AA)
            for _ in range(3):
                spot = (int(x + chance.uniform(0, long)), int(chance.uniform(top, bottom)))
                cv2.circle(beyond, spot, 4, ink, -1, cv2.LINE_AA)
            x += long + chance.uniform(0, 1) * CELL_PX
    width = int(chance.choice((0, 2, 4, 7)))
    if width:
        beyond[-width:] = _any(chance)
    for array, filling in ((canvas, beyond), (playable, np.zeros((cells, GRID), dtype=np.bool_))):
        array[: len(filling)] = filling
    quarter = int(chance.integers(4))
    canvas[:] = np.rot90(canvas, quarter).copy()
    playable[:] = np.rot90(playable, quarter).copy()
