"""A board that must rest for a while before it is believed, but is covered again before that."""

from __future__ import annotations

import random

import pytest

import games
from daemon.interpret.explain import explain
from daemon.interpret.explanation import MoveEvent
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


def event(referee: Referee, board: str) -> MoveEvent:
    return explain(referee.game, referee.history, reading_of(referee.game, board))


@pytest.mark.parametrize(("seed", "plies"), [(20, 36), (23, 56), (28, 32), (20, 46), (29, 38)])
def test_two_plies_that_may_be_half_of_a_takeback_are_borne_out_by_the_next(seed: int, plies: int) -> None:
    """Alone, the third ply is explained by nothing, or by three unseen plies."""
    referee, (_, second, third) = played(seed, plies)
    glimpsed = event(referee, second)
    assert glimpsed.goes_back
    assert not referee.bears_out(event(referee, third))
    referee.glimpse(glimpsed)
    assert referee.bears_out(event(referee, third))
    referee.see(event(referee, third))
    assert [referee.game.board(position) for position in referee.history[-2:]] == [second, third]


def test_a_board_that_was_glimpsed_counts_for_nothing_once_another_was_judged() -> None:
    referee, (_, second, third) = played(20, 36)
    before = referee.game.board(referee.position)
    referee.glimpse(event(referee, second))
    referee.see(event(referee, before))
    assert not referee.bears_out(event(referee, third))
