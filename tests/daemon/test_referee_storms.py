"""Whatever eyes and hands do, the referee believes only boards that stood there, and always recovers."""

from __future__ import annotations

import random

import pytest

import games
from daemon.judging import adopting
from daemon.judging.referee import Referee
from rules import AnyGame
from tests.daemon.storms import Table, follows_the_rules, look, show, storm

EXAMPLES = {"morris": 15, "reversi": 25, "gomoku": 5, "ganh": 20, "dominoes": 4}
"""Storms of each game, by the seeds from 0 on: the same in every process.

Of the first 3,000 of morris six end on a board that the referee objects to until it is adopted."""


@pytest.fixture(params=EXAMPLES, scope="module")
def game(request: pytest.FixtureRequest) -> AnyGame:
    return games.load(request.param)


def test_nothing_is_believed_that_never_stood_there_and_the_true_board_always_resumes(game: AnyGame) -> None:
    for seed in range(EXAMPLES[game.about.short_name]):
        table = Table(game, random.Random(seed))
        referee = Referee(game)
        look(table, referee)
        for _ in range(4):
            storm(table, referee, 4, doubts=True)
            assert follows_the_rules(referee)
            assert game.board(referee.position) in table.stood
            table.mend()
            look(table, referee)
            if referee.verdict == "ambiguous":  # moved back or taken back: only people know which
                adopting.adopt(referee, table.reading(), game.sides[game.to_move(table.positions[-1])])
            assert game.board(referee.position) == table.board, referee.verdict


def test_a_board_misread_for_sure_is_mended_by_adopting_what_really_stands_there(game: AnyGame) -> None:
    for seed in range(1 + EXAMPLES[game.about.short_name] // 3):
        table = Table(game, random.Random(seed))
        referee = Referee(game)
        for _ in range(3):
            table.move()
            look(table, referee)
            show(referee, table.misread())
        side = game.sides[game.to_move(table.positions[-1])]
        if game.outcome(table.positions[-1]) is None:
            adopting.adopt(referee, table.reading(), side)
            assert follows_the_rules(referee)
            assert game.board(referee.position) == table.board


@pytest.mark.parametrize("agents", [("one", None), (None, "two"), ("one", "two")])
def test_with_agents_too_nothing_is_believed_but_what_they_play_and_the_game_goes_on(
    game: AnyGame, agents: tuple[str | None, str | None]
) -> None:
    for seed in range(max(2, EXAMPLES[game.about.short_name] // 3)):
        table = Table(game, random.Random(seed))
        referee = Referee(game, agents)
        look(table, referee)
        for _ in range(6):
            if game.outcome(table.positions[-1]) is not None:
                break
            table.disturb()
            look(table, referee)
            table.mend()
            look(table, referee)
            assert game.board(referee.position) == table.board
            play(table, referee)
            assert referee.awaiting in ("move", "agent", "nothing")


def play(table: Table, referee: Referee) -> None:
    """Makes the next ply correctly: an agent names it and a hand makes it, or a person makes it."""
    game, side = table.game, table.game.to_move(referee.position)
    assert referee.awaiting == ("move" if referee.agents[side] is None else "agent")
    move = table.dice.choice(list(game.legal_moves(referee.position)))
    steps = game.steps(referee.position, move)
    ply, text = referee.ply, game.format_move(referee.position, move)
    if agent := referee.agents[side]:
        assert referee.reply(agent, ply, text)
        assert referee.awaiting == "carry_out" or not steps
    if steps:
        table.positions.append(game.apply(referee.position, move))
        table.mend()
        look(table, referee)
    elif not agent:
        return
    assert referee.moves[ply] == text
    table.positions = list(referee.history)
