"""A board that must rest for a while before it is believed, but is covered again before that."""

from __future__ import annotations

import random

import pytest

import games
from daemon.belief.look import Look
from daemon.judging.referee import Referee
from tests.daemon.readings import reading_of


def played(seed: int, plies: int) -> tuple[Referee, list[str]]:
    """The referee of a random morris game after some plies, and the boards of the next three."""
    game, chance = games.load("morris", {"flying": "true"}), random.Random(seed)
    line, texts = [game.starts[0]], []
    for _ in range(plies + 3):
        move = chance.choice(list(game.legal_moves(line[-1])))
        texts.append(game.format_move(line[-1], move))
        line.append(game.apply(line[-1], move))
    referee = Referee(game, history=line[: plies + 1], moves=texts[:plies])
    return referee, [game.board(position) for position in line[plies + 1 :]]


@pytest.mark.parametrize(("seed", "plies"), [(20, 36), (23, 56), (28, 32), (20, 46), (29, 38)])
def test_two_plies_that_may_be_half_of_a_takeback_are_borne_out_by_the_next(seed: int, plies: int) -> None:
    """Alone, the third ply is explained by nothing, or by three unseen plies."""
    referee, (_, second, third) = played(seed, plies)
    referee.see(Look(1.0, reading_of(referee.game, second)))
    referee.see(Look(1.4, reading_of(referee.game, third)))
    assert [referee.game.board(position) for position in referee.history[-2:]] == [second, third]
