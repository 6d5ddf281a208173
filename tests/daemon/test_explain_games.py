"""Confidently read boards of every game are explained by the moves that made them."""

from __future__ import annotations

import random

import pytest

import games
from daemon.interpret.explain import explain
from tests.daemon.readings import reading_of

PLIES = 40


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", games.names())
def test_a_game_is_followed_move_by_move(name: str, seed: int) -> None:
    game, dice = games.load(name), random.Random(seed)
    position = game.initial()
    believed = [position]
    for _ in range(PLIES):
        if game.outcome(position) is not None:
            break
        moves = game.legal_moves(position)
        seen = [move for move in moves if game.steps(position, move)]
        side, move = game.to_move(position), dice.choice(seen or list(moves))
        position = game.apply(position, move)
        if not seen:
            continue
        event = explain(game, believed, reading_of(game, game.board(position)), (side,))
        best = event.explanations[0]
        assert (best.kind, best.board, event.ambiguous) == ("plies", game.board(position), False)
        believed += best.positions
        assert game.format_position(believed[-1]) == game.format_position(position)
