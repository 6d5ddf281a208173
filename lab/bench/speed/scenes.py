"""Scenes for all measurements: pictures of a simulated table before and after one move, or two photos."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import cv2
import numpy as np

import games
from calibration.template import BoardTemplate, load_template
from lab.simulated.arrays import FloatArray
from lab.simulated.scenes import random_play
from lab.simulated.table import SimulatedTable
from rules import AnyGame
from rules.options import switched_on
from vision.frame import Image, SourceError
from vision.sources.encoded import decode

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
    """A game's scene: simulated, or the first two photos of a folder. Raises GameError, SourceError."""
    game = games.load(name)
    template = load_template(game.name, switched_on(game))
    if photos is not None:
        before, after = _photos(photos)
        return Scene(game, template, f"photos of {photos.name}", before, before, after, None)
    history, moves = played(game)
    start, before, after = _simulated(game, template, history, moves[-1])
    move = game.format_move(history[-2], moves[-1])
    return Scene(game, template, "simulated table", start, before, after, history[:-1], move)


def still_scene(name: str) -> tuple[Scene, FloatArray]:
    """A table in the middle of a game, on which nothing happens, and its corners. Raises GameError."""
    game = games.load(name)
    template = load_template(game.name, switched_on(game))
    position: Any = random_play(game, np.random.default_rng(SEED), STILL_PLIES)
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
