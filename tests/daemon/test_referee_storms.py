"""Whatever eyes and hands do, the referee believes nothing that never stood there, and always finds back."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import games
from daemon.judging import adopting
from daemon.judging.referee import Referee
from games import AnyGame
from tests.daemon.storms import Table, follows_the_rules, look, storm

EXAMPLES = {"morris": 30, "reversi": 25, "gomoku": 8, "ganh": 30, "dominoes": 6}
CALM = settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(params=EXAMPLES, scope="module")
def game(request: pytest.FixtureRequest) -> AnyGame:
    return games.load(request.param)


def test_nothing_is_believed_that_never_stood_there_and_the_true_board_always_resumes(game: AnyGame) -> None:
    @settings(CALM, max_examples=EXAMPLES[game.short_name])
    @given(SEEDS)
    def check(seed: int) -> None:
        table = Table(game, random.Random(seed))
        referee = Referee(game)
        look(table, referee)
        for _ in range(4):
            storm(table, referee, 4, doubts=True)
            assert follows_the_rules(referee)
            assert game.board(referee.position) in table.stood
            table.mend()
            look(table, referee)
            if referee.verdict == "ambiguous":  # moved back, or taken back: only people know
                adopting.adopt(referee, table.reading(), game.sides[game.to_move(table.positions[-1])])
            assert game.board(referee.position) == table.board, referee.verdict

    check()
