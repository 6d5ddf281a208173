"""Dominoes games for tests, random and annotated, and what a referee concludes from their boards."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import games
from daemon.game.effects import Effect
from daemon.judging.referee import Referee
from rules import AnyGame, Counts, Side, Step
from rules.turns import carry_out
from tests.daemon.readings import judged, reading_of


@dataclasses.dataclass(frozen=True)
class Tile:
    """One tile when it was laid."""

    board: str
    """The board including this tile."""
    side: Side
    points: int
    """Points for the side that laid it."""


def played(game: AnyGame, seed: int, tiles: int) -> list[Tile]:
    """A random game in which sides sometimes pass."""
    dice, position = random.Random(seed), game.initial()
    laid: list[Tile] = []
    while len(laid) < tiles:
        moves = list(game.legal_moves(position))
        seen = [move for move in moves if game.steps(position, move)]
        move = dice.choice(seen) if seen and dice.random() < 0.8 else next(m for m in moves if m not in seen)
        side, gains = game.to_move(position), Counts.of(game).gains(position, move)
        steps = game.steps(position, move)
        position = game.apply(position, move)
        if steps:
            assert gains is not None
            laid.append(Tile(game.board(position), side, gains[side].total))
    return laid


def annotated(folder: Path, number: int) -> list[Tile]:
    """A real game, read from its annotation files."""
    game = games.load("dominoes")
    movers = [
        int(line.split()[1][-1]) - 1 for line in (folder / f"{number}_mutari.txt").read_text().splitlines() if line
    ]
    board, tiles = game.board(game.initial()), []
    for move, side in enumerate(movers, 1):
        first, one, second, other, points = (folder / f"{number}_{move:02d}.txt").read_text(encoding="utf-8").split()
        ends = ((game.cells.index(first), one), (game.cells.index(second), other))
        board = carry_out(board, [Step("place", cell, None, pips) for cell, pips in ends])
        tiles.append(Tile(board, side, int(points)))
    return tiles


def show(referee: Referee, board: str, movers: Sequence[Side] = (), **doubts: tuple[str, float]) -> list[Effect]:
    """Shows the referee a board and returns its effects; a doubt names a cell, as in `_7E=("4", 0.3)`."""
    named = {name.lstrip("_"): doubt for name, doubt in doubts.items()}
    reading = reading_of(referee.game, board, doubts=named)
    return judged(referee, reading, movers)


def laid_points(referee: Referee) -> list[tuple[Side, int]]:
    """Side and points of every laid tile, as the referee now believes."""
    found: list[tuple[Side, Any]] = []
    for index in referee.line.seen:
        ply = referee.line.plies[index]
        gains = Counts.of(referee.game).gains(referee.history[index], ply.move)
        assert gains is not None
        found.append((ply.side, gains[ply.side].total))
    return found
