"""Random stretches of board with dominoes on them, and the true label of every cell."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.train.domino_camera import View, draw_view, photograph
from lab.train.domino_ground import CANVAS_PX, GRID, draw_ground
from lab.train.domino_tiles import CELL_PX, SPRITE_PX, TileDesign, draw_tile, draw_tile_design
from lab.train.foreign_objects import draw_foreign_object
from lab.train.textures import Textures

CLASSES = ".0123456?"
"""Class letters in the order of the labels: empty, the pips of a half, a foreign object."""
OTHER = CLASSES.index("?")
NONE, UP, RIGHT, DOWN, LEFT = range(5)
STEPS = {UP: (-1, 0), RIGHT: (0, 1), DOWN: (1, 0), LEFT: (0, -1)}
"""Row and column offsets to the other half."""
CLEAR, COVERED = 0.06, 0.55
"""Share of a cell's middle that a foreign object may hide, and the share from which the cell is labelled OTHER."""
FloatImage = NDArray[np.float32]


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
        ground = draw_ground(chance, self._textures)
        layout = _lay(ground.playable, chance)
        view = draw_view(chance)
        canvas = ground.canvas
        _draw_tiles(canvas, layout, draw_tile_design(chance), view, chance, self._textures)
        hidden = np.zeros(canvas.shape[:2], dtype=np.float32)
        if chance.random() < 0.3:
            for _ in range(int(chance.integers(1, 4))):
                draw_foreign_object(canvas, hidden, chance, self._textures)
        known = _mark_hidden(layout, hidden) & ground.playable
        known[[0, -1]] = known[:, [0, -1]] = False
        cells = np.argwhere(known)
        patches = photograph(canvas, cells, view, chance)
        rows, columns = cells.T
        return patches, layout.labels[rows, columns], layout.partners[rows, columns]


def _lay(playable: NDArray[np.bool_], chance: np.random.Generator) -> _Layout:
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
    canvas: FloatImage,
    layout: _Layout,
    make: TileDesign,
    view: View,
    chance: np.random.Generator,
    textures: Textures,
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


def _lay_over(layer: FloatImage, sprite: FloatImage, middle: NDArray[np.float64], angle: float) -> None:
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


def _moved(layer: FloatImage, shift_px: NDArray[np.float64] | tuple[float, float]) -> FloatImage:
    shift = np.array([[1, 0, shift_px[0]], [0, 1, shift_px[1]]], dtype=np.float64)
    return np.asarray(cv2.warpAffine(layer, shift, (CANVAS_PX, CANVAS_PX)), dtype=np.float32)


def _mark_hidden(layout: _Layout, hidden: FloatImage) -> NDArray[np.bool_]:
    """Mask of the cells that can be judged: clear ones, and hidden ones, which become OTHER."""
    margin = CELL_PX // 6
    middles = hidden.reshape(GRID, CELL_PX, GRID, CELL_PX)[:, margin:-margin, :, margin:-margin].mean(axis=(1, 3))
    covered = middles > COVERED
    layout.labels[covered], layout.partners[covered] = OTHER, NONE
    return np.asarray(covered | (middles < CLEAR), dtype=np.bool_)
