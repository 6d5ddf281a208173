"""Draws stretches of board with domino tiles, photographs them, and cuts their cells.

Boards have squares, printed diamonds with numbers, letters, a crease, a border.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.arrays import BoolArray, Float32Array, FloatArray, Rng
from lab.train.domino_tiles import CELL_PX, SPRITE_PX, TileDesign, draw_tile
from lab.train.objects import draw_foreign_object
from lab.train.textures import (
    Colour,
    Kinds,
    Textures,
    as_colour,
    board_colour,
    expose,
    ink_on,
    light,
    shaken,
    store,
    surface,
)

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


PATCH_PX = 48
RECTIFIED_CELL_PX = 32
"""Pixels on a cell's side in rectified pictures of this board; a patch shows one and a half cells."""


class View:
    """A random view, mostly from nearly above; tiles are a quarter to half a cell thick."""

    def __init__(self, chance: Rng) -> None:
        self.azimuth_rad = float(chance.uniform(0, 2 * np.pi))
        """Direction in the canvas away from the camera."""
        slant = min(abs(float(chance.normal(0, 0.28))), 0.75)
        rise = min(float(chance.uniform(0.15, 0.5)) * np.tan(slant), 0.3)
        sun, reach = chance.uniform(0, 2 * np.pi), chance.uniform(0, 0.3) * CELL_PX
        self.squash = float(np.cos(slant))
        """Cosine of the camera's slant."""
        self.lean = float(np.cos(self.azimuth_rad) * rise), float(np.sin(self.azimuth_rad) * rise)
        """Offset of the tiles' faces from their feet in the view, in cells."""
        self.shadow_px = float(-np.cos(sun) * reach), float(-np.sin(sun) * reach)
        self.shadow_blur_px = float(chance.uniform(0.6, 6))
        self.shadow_depth = float(chance.uniform(0, 0.75))
        """0 to 1."""
        self.light_rad = float(sun)
        """Direction from which the light comes, in the canvas."""


def photograph(canvas: Float32Array, cells: NDArray[np.intp], view: View, chance: Rng) -> NDArray[np.uint8]:
    """(n, 48, 48, 3) the cells (row, column) as a camera and a rectification might deliver them."""
    light(canvas, chance)
    if chance.random() < 0.15:
        light(canvas, chance)
    picture_from_canvas, size = _project(view, chance)
    picture = cv2.warpPerspective(
        canvas, picture_from_canvas, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REFLECT
    )
    picture = _blur(np.asarray(picture, dtype=np.float32), chance)
    if chance.random() < 0.35:  # from very dark to clipped
        picture = np.clip(picture * np.float32(np.exp(chance.uniform(-1.6, 0.9))), 0, 1)
    pixels = store(expose(picture, chance), chance, 0.014, 0.6, 96)
    rectified = _straighten(pixels, picture_from_canvas, chance)
    half = PATCH_PX // 2
    padded = cv2.copyMakeBorder(rectified, half, half, half, half, cv2.BORDER_REPLICATE)
    patches = np.empty((len(cells), PATCH_PX, PATCH_PX, 3), dtype=np.uint8)
    for index, (row, column) in enumerate(cells):
        top, left = ((place + 0.5) * RECTIFIED_CELL_PX for place in (row, column))
        patches[index] = padded[int(top) : int(top) + PATCH_PX, int(left) : int(left) + PATCH_PX]
    return patches


def _project(view: View, chance: Rng) -> tuple[FloatArray, tuple[int, int]]:
    """Homography from the canvas to a camera's picture, and that picture's size in pixels."""
    cell_px = float(np.exp(chance.uniform(np.log(14), np.log(58))))
    turn = view.azimuth_rad + np.pi / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float64)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    seen = corners @ spin * np.array([1, view.squash])
    seen /= 1 + seen[:, 1:] * chance.uniform(-0.05, 0.05) * np.sqrt(1 - view.squash**2)
    seen = (seen - seen.min(axis=0)) * GRID / 2 * cell_px
    width, height = np.ceil(seen.max(axis=0)).astype(int)
    source = ((corners + 1) / 2 * CANVAS_PX).astype(np.float32)
    homography = cv2.getPerspectiveTransform(source, seen.astype(np.float32))
    return np.asarray(homography, dtype=np.float64), (max(int(width), 8), max(int(height), 8))


def _blur(picture: Float32Array, chance: Rng) -> Float32Array:
    kind = chance.random()
    if kind < 0.35:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(chance.uniform(0.3, 1.3))), dtype=np.float32)
    elif kind < 0.45:
        picture = np.asarray(shaken(picture, int(chance.integers(2, 6)), chance), dtype=np.float32)
    elif kind < 0.6:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.0)
        picture = picture + (picture - soft) * np.float32(chance.uniform(0.3, 1.5))
    return np.asarray(np.clip(picture, 0, 1), dtype=np.float32)


def _straighten(pixels: NDArray[np.uint8], picture_from_canvas: FloatArray, chance: Rng) -> NDArray[np.uint8]:
    """The board from above at RECTIFIED_CELL_PX, by a pose with small errors in place, turn, size and slant."""
    source = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float64) * CANVAS_PX
    wrong = chance.normal(0, 0.04, 2) + chance.normal(0, 0.045, (4, 2))
    target = source / CELL_PX + wrong
    rectified_from_canvas = cv2.getPerspectiveTransform(
        source.astype(np.float32), (target * RECTIFIED_CELL_PX).astype(np.float32)
    )
    rectified_from_picture = rectified_from_canvas @ np.linalg.inv(picture_from_canvas)
    side = GRID * RECTIFIED_CELL_PX
    return np.asarray(cv2.warpPerspective(pixels, rectified_from_picture, (side, side)), dtype=np.uint8)


CLASSES = ".0123456?"
"""Class letters in the order of the labels: empty, the pips of a half, a foreign object."""
OTHER = CLASSES.index("?")
NONE, UP, RIGHT, DOWN, LEFT = range(5)
STEPS = {UP: (-1, 0), RIGHT: (0, 1), DOWN: (1, 0), LEFT: (0, -1)}
"""Row and column offsets to the other half."""
CLEAR, COVERED = 0.06, 0.55
"""Share of a cell's middle that a foreign object may hide, and the share from which the cell is labelled OTHER."""


@dataclasses.dataclass(eq=False)
class _Layout:
    labels: NDArray[np.int64]
    """(GRID, GRID) indices into CLASSES."""
    partners: NDArray[np.int64]
    """(GRID, GRID) direction of the other half."""
    tiles: list[tuple[int, int, int]]
    """Row, column and direction of the first half of each tile."""


class SceneMaker:
    """Draws an endless series of board stretches; the same seed draws the same ones."""

    def __init__(self, seed: int) -> None:
        self._chance = np.random.default_rng(seed)
        self._textures = Textures(self._chance)

    def draw(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """The next scene's patches (n, 48, 48, 3), their labels (n,) and their partners' directions (n,)."""
        chance = self._chance
        canvas, playable = draw_ground(chance, self._textures)
        layout = _lay(playable, chance)
        view = View(chance)
        _draw_tiles(canvas, layout, TileDesign(chance), view, chance, self._textures)
        hidden = np.zeros(canvas.shape[:2], dtype=np.float32)
        if chance.random() < 0.3:
            for _ in range(int(chance.integers(1, 4))):
                draw_foreign_object(canvas, hidden, CELL_PX, chance, self._textures)
        known = _mark_hidden(layout, hidden) & playable
        known[[0, -1]] = known[:, [0, -1]] = False
        cells = np.argwhere(known)
        patches = photograph(canvas, cells, view, chance)
        rows, columns = cells.T
        return patches, layout.labels[rows, columns], layout.partners[rows, columns]


def _lay(playable: BoolArray, chance: Rng) -> _Layout:
    """Tiles on random pairs of free cells, from none to nearly all."""
    layout = _Layout(np.zeros((GRID, GRID), dtype=np.int64), np.zeros((GRID, GRID), dtype=np.int64), [])
    free = playable.copy()
    wanted = int(chance.beta(1.2, 1.0) * GRID * GRID / 2)
    pairs = [(row, column, way) for row in range(GRID) for column in range(GRID) for way in (RIGHT, DOWN)]
    for index in chance.permutation(len(pairs)):
        row, column, way = pairs[index]
        other = row + STEPS[way][0], column + STEPS[way][1]
        if len(layout.tiles) >= wanted:
            break
        if max(other) >= GRID or not free[row, column] or not free[other]:
            continue
        free[row, column] = free[other] = False
        layout.labels[row, column], layout.labels[other] = 1 + chance.integers(0, 7, 2)
        layout.partners[row, column], layout.partners[other] = way, (LEFT if way == RIGHT else UP)
        layout.tiles.append((row, column, way))
    return layout


def _draw_tiles(
    canvas: Float32Array, layout: _Layout, make: TileDesign, view: View, chance: Rng, textures: Textures
) -> None:
    """Draws all tiles: first their shadows, then their sides, then their faces."""
    faces = np.zeros((CANVAS_PX, CANVAS_PX, 4), dtype=np.float32)
    texture = textures.cut(chance, SPRITE_PX[0])
    drift, spread = chance.normal(0, 0.04, 2), chance.uniform(0.0, 0.09)
    turn = np.deg2rad(chance.uniform(0.0, 4.0))
    for row, column, way in layout.tiles:
        other = row + STEPS[way][0], column + STEPS[way][1]
        pips = int(layout.labels[row, column]) - 1, int(layout.labels[other]) - 1
        angle = float(np.clip(chance.normal(0, turn), -0.15, 0.15)) + (np.pi / 2 if way == DOWN else 0.0)
        shift = np.clip(drift + chance.normal(0, spread, 2), -0.22, 0.22)
        middle = (np.array([column + other[1] + 1, row + other[0] + 1]) / 2 + shift) * CELL_PX
        sprite = draw_tile(make, pips, chance, texture, view.light_rad - angle)
        _lay_over(faces, sprite, middle, angle)
    alpha = faces[..., 3]
    shadow = cv2.GaussianBlur(_moved(alpha, view.shadow_px), (0, 0), view.shadow_blur_px)
    canvas *= (1 - view.shadow_depth * shadow)[..., None]
    lean = np.array(view.lean) * CELL_PX
    for share in np.linspace(0, 1, max(2, int(np.abs(lean).max() / 1.5)))[:-1]:
        wall = _moved(alpha, lean * share)[..., None]
        canvas[:] = canvas * (1 - wall) + wall * np.array(make.side, dtype=np.float32) * np.float32(0.7 + 0.2 * share)
    top = np.dstack([_moved(faces[..., channel], lean) for channel in range(4)])
    canvas[:] = canvas * (1 - top[..., 3:]) + top[..., :3]


def _lay_over(layer: Float32Array, sprite: Float32Array, middle: FloatArray, angle: float) -> None:
    """Composes a turned sprite into the layer; parts beyond the layer are clipped."""
    reach = int(np.hypot(*SPRITE_PX) / 2) + 2
    left, top = (int(value) - reach for value in middle)
    cosine, sine = np.cos(angle), np.sin(angle)
    turn = np.array([[cosine, -sine], [sine, cosine]])
    shift = middle - np.array([left, top]) - turn @ (np.array(SPRITE_PX) / 2)
    piece = cv2.warpAffine(sprite, np.hstack([turn, shift[:, None]]), (2 * reach, 2 * reach))
    rows = slice(max(0, top), min(CANVAS_PX, top + 2 * reach))
    columns = slice(max(0, left), min(CANVAS_PX, left + 2 * reach))
    piece = piece[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
    layer[rows, columns] = layer[rows, columns] * (1 - piece[..., 3:]) + piece


def _moved(layer: Float32Array, shift_px: FloatArray | tuple[float, float]) -> Float32Array:
    shift = np.array([[1, 0, shift_px[0]], [0, 1, shift_px[1]]], dtype=np.float64)
    return np.asarray(cv2.warpAffine(layer, shift, (CANVAS_PX, CANVAS_PX)), dtype=np.float32)


def _mark_hidden(layout: _Layout, hidden: Float32Array) -> BoolArray:
    """Mask of the cells that can be judged: clear ones, and hidden ones, which become OTHER."""
    margin = CELL_PX // 6
    middles = hidden.reshape(GRID, CELL_PX, GRID, CELL_PX)[:, margin:-margin, :, margin:-margin].mean(axis=(1, 3))
    covered = middles > COVERED
    layout.labels[covered], layout.partners[covered] = OTHER, NONE
    return np.asarray(covered | (middles < CLEAR), dtype=np.bool_)
