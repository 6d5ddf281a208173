"""Confidently read boards of every game are explained by the moves that made them."""

from __future__ import annotations

import random

import numpy as np
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


@pytest.mark.parametrize("name", ["go", "gomoku", "nine_mens_morris"])
def test_on_cells_outside_the_picture_nothing_has_changed_until_they_are_seen(name: str) -> None:
    game = games.load(name)
    position = game.initial()
    move = game.legal_moves(position)[0]
    after = game.board(game.apply(position, move))
    outside = np.zeros(len(game.cells), dtype=np.bool_)
    outside[[0, 1, 2]] = True
    event = explain(game, [position], reading_of(game, after).without(outside))
    assert (event.explanations[0].kind, event.ambiguous) == ("unchanged", False)
    seen = explain(game, [position], reading_of(game, after))
    assert (seen.explanations[0].kind, seen.explanations[0].moves) == ("plies", (move,))
    elsewhere = reading_of(game, game.board(position), doubts={game.cells[5]: (game.pieces[0], 0.5)}).without(outside)
    assert explain(game, [position], elsewhere).ambiguous
