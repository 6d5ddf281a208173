"""Confidently read boards of every game are explained by the moves that made them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import games
from rules import AnyGame
from tests.daemon.belief.once import played, referee_at, show
from tests.daemon.readings import judged, reading_of

PLIES = 40


def after_forced_passes(game: AnyGame, position: Any) -> Any:
    """The position in which somebody can do something."""
    while len(moves := game.legal_moves(position)) == 1 and not game.steps(position, moves[0]):
        position = game.apply(position, moves[0])
    return position


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", games.names())
def test_a_game_is_followed_move_by_move(name: str, seed: int) -> None:
    game, dice = games.load(name), random.Random(seed)
    referee, position = referee_at(game), game.initial()
    for _ in range(PLIES):
        if game.outcome(position) is not None:
            break
        moves = game.legal_moves(position)
        seen = [move for move in moves if game.steps(position, move)]
        side, move = game.to_move(position), dice.choice(seen or list(moves))
        position = game.apply(position, move)
        if not seen:
            continue
        show(referee, game.board(position), (side,))
        assert (referee.verdict, game.board(referee.position)) == ("legal", game.board(position))
        assert game.format_position(referee.position) == game.format_position(after_forced_passes(game, position))


@pytest.mark.parametrize("name", ["go", "gomoku", "nine_mens_morris"])
def test_on_cells_outside_the_picture_nothing_has_changed_until_they_are_seen(name: str) -> None:
    game = games.load(name)
    referee, position = referee_at(game), game.initial()
    move = game.legal_moves(position)[0]
    after = game.board(game.apply(position, move))
    outside = np.zeros(len(game.cells), dtype=np.bool_)
    outside[[0, 1, 2]] = True
    judged(referee, reading_of(game, after).without(outside))
    assert (referee.verdict, referee.moves) == ("unchanged", [])
    assert played(referee, after) == [game.format_move(position, move)]


@pytest.mark.parametrize("name", ["go", "gomoku", "nine_mens_morris"])
def test_a_doubtful_cell_in_the_picture_is_asked_about_though_others_are_outside(name: str) -> None:
    game = games.load(name)
    referee = referee_at(game)
    outside = np.zeros(len(game.cells), dtype=np.bool_)
    outside[[0, 1, 2]] = True
    reading = reading_of(game, game.board(game.initial()), doubts={game.cells[5]: (game.pieces[0], 0.5)})
    judged(referee, reading.without(outside))
    assert (referee.verdict, referee.moves) == ("ambiguous", [])
