"""Scenes for all measurements: pictures of a table before and after one move. Those of dominoes are drawn."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

import games
from calibration.template import BoardTemplate, load_template
from lab.simulated.arrays import FloatArray
from lab.simulated.table import SimulatedTable
from rules import AnyGame
from rules.options import switched_on
from vision.frame import Image, SourceError
from vision.pose import project
from vision.primitives.printed import draw_print, drawn_from_board
from vision.sources.encoded import decode

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


SIZE_PX = (1280, 720)
PLIES = 9
"""Plies played before the move that is watched."""
STILL_PLIES = 20
PICTURES = 8
"""Pictures of one table that differ only by the camera's noise."""
NOISE = 1.5
"""Standard deviation, in grey values, of the noise added to pictures that have none."""
SEED = 5
STROKE_S = 0.25


@dataclasses.dataclass(frozen=True, eq=False)
class Scene:
    game: AnyGame
    template: BoardTemplate
    what: str
    """Origin of the pictures."""
    start: list[Image]
    """The board at the start of the game; with photos, the first photo."""
    before: list[Image]
    after: list[Image]
    history: list[Any] | None
    """Positions from the start to the one before the move; None if only pictures are known."""
    move: str = ""
    """Text of the move; empty if only pictures are known."""


def scene_of(name: str, photos: Path | None = None) -> Scene:
    """A game's scene: simulated or drawn, or the first two photos of a folder. Raises GameError, SourceError."""
    game = games.load(name)
    template = load_template(game.name, switched_on(game))
    if photos is not None:
        before, after = _photos(photos)
        return Scene(game, template, f"photos of {photos.name}", before, before, after, None)
    history, moves = played(game)
    if template.printed is None:
        start, before, after = _simulated(game, template, history, moves[-1])
        what = "simulated table"
    else:
        texts = [game.format_move(position, move) for position, move in zip(history, moves, strict=False)]
        start, before, after = (
            _noisy(draw_dominoes(game, lays, template, SIZE_PX)) for lays in ([], texts[:-1], texts)
        )
        what = "drawn board"
    return Scene(game, template, what, start, before, after, history[:-1], game.format_move(history[-2], moves[-1]))


def still_scene(name: str) -> tuple[Scene, FloatArray | None]:
    """A table in the middle of a game, on which nothing happens, and its corners if known.

    Raises GameError.
    """
    game = games.load(name)
    template = load_template(game.name, switched_on(game))
    if template.printed is not None:
        return scene_of(name), None
    chance = random.Random(SEED)
    position: Any = game.initial()
    for _ in range(STILL_PLIES):
        legal = list(game.legal_moves(position))
        if not legal:
            break
        position = game.apply(position, chance.choice(legal))
    table = SimulatedTable(template, game.board(position), seed=SEED, size_px=SIZE_PX)
    pictures = [table.render()]
    return Scene(game, template, "simulated table", pictures, pictures, pictures, None), table.corners_px()


def played(game: AnyGame) -> tuple[list[Any], list[Any]]:
    """A game's first plies at random: the positions, and the moves between them.

    They only place pieces where the game has such moves.
    """
    chance = random.Random(SEED)
    history: list[Any] = [game.initial()]
    moves: list[Any] = []
    while len(moves) <= PLIES:
        legal = list(game.legal_moves(history[-1]))
        moves.append(chance.choice([move for move in legal if _only_adds(game, history[-1], move)] or legal))
        history.append(game.apply(history[-1], moves[-1]))
    return history, moves


def _only_adds(game: AnyGame, position: Any, move: Any) -> bool:
    steps = game.steps(position, move)
    return bool(steps) and all(step.kind == "place" for step in steps)


def _simulated(game: AnyGame, template: BoardTemplate, history: list[Any], move: Any) -> list[list[Image]]:
    empty = SimulatedTable(template, game.board(history[0]), seed=SEED, size_px=SIZE_PX)
    table = empty.with_board(game.board(history[-2]), SEED)
    pictures = [[one.render() for _ in range(PICTURES)] for one in (empty, table)]
    table.perform(game.steps(history[-2], move), game.to_move(history[-2]))
    while table.busy:
        table.advance(STROKE_S)
    return [*pictures, [table.render() for _ in range(PICTURES)]]


def _photos(folder: Path) -> tuple[list[Image], list[Image]]:
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".jpg", ".jpeg", ".png"))
    if len(paths) < 2:
        raise SourceError(f"{folder}: two photos are needed, one before and one after a move; there are {len(paths)}")
    pictures = [decode(path.read_bytes()) for path in paths[:2]]
    if any(picture is None for picture in pictures):
        raise SourceError(f"{folder}: {paths[0].name} or {paths[1].name} is no picture")
    before, after = (_noisy(_fitted(picture)) for picture in pictures if picture is not None)
    return before, after


def _fitted(picture: Image) -> Image:
    scale = min(SIZE_PX[0] / picture.shape[1], SIZE_PX[1] / picture.shape[0])
    width, height = round(picture.shape[1] * scale), round(picture.shape[0] * scale)
    canvas = np.full((SIZE_PX[1], SIZE_PX[0], 3), 90, dtype=np.uint8)
    left, top = (SIZE_PX[0] - width) // 2, (SIZE_PX[1] - height) // 2
    canvas[top : top + height, left : left + width] = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    return canvas


def _noisy(picture: Image) -> list[Image]:
    chance = np.random.default_rng(SEED)
    size = (*picture.shape[:2], 1)
    noise = (NOISE * chance.standard_normal(size, dtype=np.float32) for _ in range(PICTURES))
    return [np.clip(np.rint(picture + one), 0, 255).astype(np.uint8) for one in noise]
