"""Positions of all games from random play, under several rules, in which moves are tried."""

from __future__ import annotations

import functools
import random
from typing import Any

import games
from rules import AnyGame, RuleError

RULES: dict[str, tuple[dict[str, object], ...]] = {
    "gomoku": ({}, {"renju": True}, {"swap2": True}, {"size": 19}),
    "nine_mens_morris": ({}, {"flying": False}),
}
PLIES = (0, 3, 9, 20, 45)
SEED = 20


@functools.cache
def all_games() -> tuple[AnyGame, ...]:
    """Every game under its usual rules, and under some that change its texts."""
    found = []
    for name in games.names():
        for rules in RULES.get(name, ({},)):
            try:
                found.append(games.load(name, rules))
            except RuleError:
                continue
    return tuple(found)


@functools.cache
def walks() -> tuple[tuple[AnyGame, Any], ...]:
    """Pairs of a game and a position, in a fixed order."""
    return tuple((game, position) for game in all_games() for position in _walk(game))


def _walk(game: AnyGame) -> list[Any]:
    draw, position, found = random.Random(SEED), game.initial(SEED), []
    for ply in range(max(PLIES) + 1):
        if ply in PLIES:
            found.append(position)
        moves = list(game.legal_moves(position))
        if not moves:
            break
        position = game.apply(position, draw.choice(moves))
    return found


def text_of(data: bytes) -> str:
    """The data as text, as from a command line: bytes that are not UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")
