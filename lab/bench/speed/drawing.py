"""Draws pictures of a dominoes board: its print, tiles of the program's own design, and a slanted camera view."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from rules import AnyGame
from vision.frame import Image
from vision.pose import project
from vision.primitives.printed import draw_print, drawn_from_board

FloatArray = NDArray[np.float64]

PIXELS_PER_MM = 2.5
TILE_MM = (39.0, 19.0)
PIP_MM, PIP_STEP_MM = 3.6, 5.2
FACE, PIP, LINE, TABLE = (226, 236, 240), (34, 32, 36), (120, 124, 128), (74, 92, 112)
SHADOW_MM = 1.6
CORNERS = ((0.235, 0.05), (0.765, 0.06), (0.84, 0.97), (0.15, 0.96))
"""Corners of the drawing in the picture, as shares of its size; top left first, clockwise."""
PATTERNS = (
    (),
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    ((-1, -1), (1, -1), (-1, 1), (1, 1), (0, 0)),
    ((-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)),
)
"""Places of the pips on a half, by number, in steps; x runs along the tile."""


def draw_dominoes(game: AnyGame, lays: Sequence[str], template: BoardTemplate, size_px: tuple[int, int]) -> Image:
    """The board with these tiles ("8H6-8I1"), as a camera sees it. uint8 (height, width, 3) BGR, without noise."""
    sheet = draw_print(template, PIXELS_PER_MM)
    sheet_from_board = drawn_from_board(template, PIXELS_PER_MM)
    places = dict(zip(game.cells, project(sheet_from_board, template.cells_mm), strict=True))
    for lay in lays:
        halves = [(places[half[:-1]], int(half[-1])) for half in lay.split("-")]
        _draw_tile(sheet, halves)
    return _photograph(sheet, size_px)


def _draw_tile(sheet: Image, halves: Sequence[tuple[FloatArray, int]]) -> None:
    (one, _), (other, _) = halves
    along = (other - one) / np.linalg.norm(other - one)
    across = np.array([-along[1], along[0]])
    middle = (one + other) / 2
    shadow = np.full(2, SHADOW_MM * PIXELS_PER_MM)
    size = np.array(TILE_MM) * PIXELS_PER_MM
    _fill(sheet, middle + shadow, along, across, size, (28, 40, 44))
    _fill(sheet, middle, along, across, size, FACE)
    _fill(sheet, middle, along, across, np.array([0.8, 0.8 * TILE_MM[1]]) * PIXELS_PER_MM, LINE)
    for centre, pips in halves:
        for x, y in PATTERNS[pips]:
            at = centre + (along * x + across * y) * PIP_STEP_MM * PIXELS_PER_MM
            _disc(sheet, at, PIP_MM / 2 * PIXELS_PER_MM)


def _fill(
    sheet: Image,
    middle: FloatArray,
    along: FloatArray,
    across: FloatArray,
    size: FloatArray,
    colour: tuple[int, int, int],
) -> None:
    corners = [
        middle + along * x * size[0] / 2 + across * y * size[1] / 2 for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    cv2.fillConvexPoly(sheet, np.rint(np.array(corners) * 16).astype(np.int32), colour, cv2.LINE_AA, 4)


def _disc(sheet: Image, at: FloatArray, radius_px: float) -> None:
    cv2.circle(sheet, (round(at[0] * 16), round(at[1] * 16)), round(radius_px * 16), PIP, cv2.FILLED, cv2.LINE_AA, 4)


def _photograph(sheet: Image, size_px: tuple[int, int]) -> Image:
    height, width = sheet.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    seen = (np.array(CORNERS) * size_px).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(corners, seen)
    # A warp samples single pixels: without this blur, fine print would be aliased.
    soft = cv2.GaussianBlur(sheet, (0, 0), 0.35 * width / float(seen[2, 0] - seen[3, 0]))
    picture = _table(size_px)
    cover = cv2.warpPerspective(np.full((height, width), 255, np.uint8), matrix, size_px)[..., None] / 255.0
    return np.asarray(picture * (1 - cover) + cv2.warpPerspective(soft, matrix, size_px) * cover, dtype=np.uint8)


def _table(size_px: tuple[int, int]) -> Image:
    chance = np.random.default_rng(1)
    streaks = cv2.resize(chance.normal(0, 16, (size_px[1], 40)), size_px, interpolation=cv2.INTER_CUBIC)
    return np.clip(np.array(TABLE) + streaks[..., None], 0, 255).astype(np.uint8)
