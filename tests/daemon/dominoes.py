"""Dominoes games for tests, random and annotated, and what a referee concludes from their boards."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from daemon.game.effects import Effect
from daemon.judging.referee import Referee
from lab.bench.watch_dominoes import Tile
from rules import AnyGame, Counts, Side
from tests.daemon.readings import judged, reading_of


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
