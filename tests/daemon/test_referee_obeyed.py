"""An agent's move together with the next one may look like another move than the one asked for."""

from __future__ import annotations

import pytest

import games
from daemon.game.effects import Announcement
from daemon.judging.referee import Referee
from rules.turns import carry_out, line_of_play
from tests.daemon.readings import codes, moves, see

LINE = (
    "a4 b6 g4 b2 f6 g7 d6 a7 f2 d3 f4xb6 d7xf6 d5 e3 c3 c4 c5 e5 g4-g1 g7-g4 d6-f6xc4 g4-g7xf6 c5-c4 b2-d2 a4-b4 d2-d1"
).split()
ASKED, NEXT, ANOTHER = "d5-c5xa7", "d7-a7", "d5-c5xd7"


def test_players_who_answer_at_once_are_believed_to_have_obeyed_first() -> None:
    game = games.load("morris")
    history = line_of_play(game, LINE)
    referee = Referee(game, ("alphabeta", None), history, LINE)
    referee.reply("alphabeta", len(LINE), ASKED)
    position = history[-1]
    board = carry_out(game.board(position), game.steps(position, game.parse_move(position, ANOTHER)))
    effects = see(referee, board)
    assert moves(effects) == [ASKED, NEXT]
    assert not any(one.code == "illegal" for one in effects if isinstance(one, Announcement))


def test_a_takeback_that_looks_like_a_move_nobody_asked_the_agent_for_is_a_takeback() -> None:
    game = games.load("morris")
    before = game.parse_position("light:EEEOEOEEOOMMOMOOOOMOMOOO2256")
    after = game.apply(before, game.parse_move(before, "f6xa7"))
    referee = Referee(game, (None, "alphabeta"), [before, after], ["f6xa7"])
    referee.reply("alphabeta", 1, "e5xc4")
    assert any(game.board(game.apply(after, move)) == game.board(before) for move in game.legal_moves(after))
    effects = see(referee, game.board(before))
    assert codes(effects) == ["takeback"]
    assert (referee.ply, referee.awaiting) == (0, "move")


def test_an_agents_move_laid_again_after_a_takeback_stands_again_whatever_the_agent_says_now() -> None:
    """The players only undo a takeback; nobody plays for the agent."""
    game = games.load("morris")
    texts = ["d6", "f4", "b4"]
    history = line_of_play(game, texts)
    referee = Referee(game, ("alphabeta", None), history[:1])
    for ply, text in enumerate(texts):
        if ply % 2 == 0:
            referee.reply("alphabeta", ply, text)
        see(referee, game.board(history[ply + 1]))
    assert referee.moves == texts
    for answer in ("", "g7"):
        back = see(referee, game.board(history[2]))
        assert codes(back) == ["takeback"]
        if answer:
            referee.reply("alphabeta", 2, answer)
        again = see(referee, game.board(history[3]))
        assert codes(again) == ["restored"]
        assert referee.moves == texts
    other = line_of_play(game, ["d6", "f4", "a1"])[-1]
    see(referee, game.board(history[2]))
    told = see(referee, game.board(other))
    assert codes(told) == ["illegal"]


def half_of_a_mill(agents: tuple[str | None, str | None]) -> tuple[Referee, str]:
    """Dark opens a mill, light moves to and fro: the board before is half of closing it again, or a takeback."""
    game = games.load("morris")
    history = [game.parse_position("light:OOOEEEOOEOOOMOOEEEMEMOEO0039")]
    texts = ["f2-f4", "c3-c4", "f4-f2"]
    for text in texts:
        history.append(game.apply(history[-1], game.parse_move(history[-1], text)))
    return Referee(game, agents, history, texts), game.board(history[0])


def test_half_of_a_move_that_no_agent_was_asked_for_is_a_takeback_where_it_can_be_one() -> None:
    for agents, verdict in (((None, None), "ambiguous"), ((None, "alphabeta"), "takeback")):
        referee, board = half_of_a_mill(agents)
        see(referee, board)
        assert referee.verdict == verdict


def test_half_of_a_move_before_the_agent_has_answered_is_to_be_put_back() -> None:
    referee, board = half_of_a_mill((None, "alphabeta"))
    referee = Referee(referee.game, referee.agents, referee.history[-1:])
    told = see(referee, board)
    assert [(one.code, one.rule) for one in told if isinstance(one, Announcement)] == [("illegal", "not_your_turn")]


@pytest.mark.parametrize("asked", ["f4-g4", "f4-f6"])
def test_a_board_of_two_plies_before_is_no_takeback_where_the_agents_move_and_the_next_lead_to_it(asked: str) -> None:
    """Both plies come in one look: the mill that closes next takes the agent's man where it just went."""
    game = games.load("morris")
    light, dark = "d7 b6 e5 e4 c3 b4 b2 g1".split(), "d6 c5 d5 a4 f2 a1 d1".split()
    letters = "".join("E" if cell in light else "M" if cell in dark else "O" for cell in game.cells)
    before = game.parse_position(f"dark:{letters}1078")
    positions = [before]
    for text in ("f4", "b4-c4"):
        positions.append(game.apply(positions[-1], game.parse_move(positions[-1], text)))
    referee = Referee(game, (None, "alphabeta"), positions, ["f4", "b4-c4"])
    referee.reply("alphabeta", 2, asked)
    effects = see(referee, game.board(before))
    taken = f"c4-b4x{asked[-2:]}"
    assert moves(effects) == [asked, taken]
    assert not any(one.code == "takeback" for one in effects if isinstance(one, Announcement))
