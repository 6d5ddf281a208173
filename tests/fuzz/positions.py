"""Positions of all games from which moves are tried, met in random play under several rules."""

from __future__ import annotations

import functools
import random
from typing import Any

import games
from games import AnyGame

RULES: dict[str, tuple[dict[str, object], ...]] = {
    "gomoku": ({}, {"renju": True}, {"swap2": True}, {"size": 19}),
    "nine_mens_morris": ({}, {"flying": False}),
}
PLIES = (0, 3, 9, 20, 45)
SEED = 20


@functools.cache
def all_games() -> tuple[AnyGame, ...]:
    """Every game under its usual rules, and under some that change what its texts may say."""
    found = []
    for name in games.names():
        for rules in RULES.get(name, ({},)):
            try:
                found.append(games.load(name, rules))
            except games.RuleError:
                continue
    return tuple(found)


@functools.cache
def walks() -> tuple[tuple[AnyGame, Any], ...]:
    """Games with positions, in an order that does not change."""
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
    """The data as text, as the command line would give it: what is no UTF-8 becomes lone surrogates."""
    return data.decode("utf-8", "surrogateescape")
