"""Random legal dominoes games, and what a camera would read after each tile."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

from calibration.annotations import Annotation, PhotoName
from daemon.scoring.photo_series import Series, Shot
from games.double_double_dominoes import CELLS, DoubleDoubleDominoes, Lay
from rules import Side

GAME = DoubleDoubleDominoes()


@dataclasses.dataclass(frozen=True)
class Laid:
    """One tile of a game, and the board and pawns after it."""

    annotation: Annotation
    side: Side
    board: str
    pawns: tuple[int, int]


def random_game(seed: int, tiles: int) -> list[Laid]:
    """A random game of this many tiles; red begins, and players sometimes pass."""
    chance = random.Random(seed)
    position = GAME.initial()
    laid: list[Laid] = []
    while len(laid) < tiles:
        moves = GAME.legal_moves(position)
        lays = [move for move in moves if isinstance(move, Lay)]
        passes = [move for move in moves if not isinstance(move, Lay)]
        move = chance.choice(passes if not lays or (passes and laid and chance.random() < 0.1) else lays)
        if isinstance(move, Lay):
            side, gains = position.to_move, GAME.gains(position, move)
            annotation = Annotation((CELLS[move.cells[0]], CELLS[move.cells[1]]), move.pips, gains[side].total)
            position = GAME.apply(position, move)
            laid.append(Laid(annotation, side, position.board, position.pawns))
        else:
            position = GAME.apply(position, move)
    return laid


def series_of(laid: list[Laid], missing: tuple[int, ...] = (), game: int = 1) -> Series:
    """The game's photos, without the missing numbers."""
    shots = [
        Shot(PhotoName(game, number), None if number in missing else Path(f"{game}_{number:02d}.jpg"), one.side)
        for number, one in enumerate(laid, 1)
    ]
    return Series(game, tuple(shots), ())
