"""An agent's move and the next one may look like another move than the one that was asked for."""

from __future__ import annotations

import games
from daemon.judging.effects import Announcement, Record
from daemon.judging.explain import explain
from daemon.judging.referee import Referee
from tests.daemon.readings import reading_of

LINE = (
    "a4 b6 g4 b2 f6 g7 d6 a7 f2 d3 f4xb6 d7xf6 d5 e3 c3 c4 c5 e5 g4-g1 g7-g4 d6-f6xc4 g4-g7xf6 c5-c4 b2-d2 a4-b4 d2-d1"
).split()
ASKED, NEXT, ANOTHER = "d5-c5xa7", "d7-a7", "d5-c5xd7"


def test_players_who_answer_at_once_are_believed_to_have_obeyed_first() -> None:
    game = games.load("morris")
    history = games.line_of_play(game, LINE)
    referee = Referee(game, ("alphabeta", None), history, LINE)
    referee.reply("alphabeta", len(LINE), ASKED)
    position = history[-1]
    board = games.carry_out(game.board(position), game.steps(position, game.parse_move(position, ANOTHER)))
    effects = referee.see(explain(game, referee.history, reading_of(game, board)))
    assert [one.move for one in effects if isinstance(one, Record)] == [ASKED, NEXT]
    assert not any(one.code == "illegal" for one in effects if isinstance(one, Announcement))


def test_a_takeback_that_looks_like_a_move_nobody_asked_the_agent_for_is_a_takeback() -> None:
    game = games.load("morris")
    before = game.parse_position("light:EEEOEOEEOOMMOMOOOOMOMOOO2256")
    after = game.apply(before, game.parse_move(before, "f6xa7"))
    referee = Referee(game, (None, "alphabeta"), [before, after], ["f6xa7"])
    referee.reply("alphabeta", 1, "e5xc4")
    event = explain(game, referee.history, reading_of(game, game.board(before)))
    assert event.explanations[0].kind == "plies"  # a7, taking f6, is a legal move
    effects = referee.see(event)
    assert [one.code for one in effects if isinstance(one, Announcement)] == ["takeback"]
    assert (referee.ply, referee.awaiting) == (0, "move")
