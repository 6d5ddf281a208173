"""The line above the board: what somebody must do now, in words that name piece, cells and person."""

from __future__ import annotations

from typing import Any

import pytest

import games
from daemon.commands.command import Command, Pace, Pause, Resign
from daemon.config.seats import Seat
from daemon.judging import phrases
from daemon.judging.referee import Referee
from daemon.match.command_handlers import obey
from daemon.match.match import Match
from daemon.page.instruction import instruction
from daemon.page.view import top_of
from rules import EMPTY
from rules.turns import line_of_play
from tests.daemon.match_bench import Post

AGENTS = (None, "level-3")


def told(name: str, agents: tuple[str | None, str | None], moves: str = "", answer: str = "", **rest: Any) -> str:
    """The instruction after some moves, and the agent's answer if there is one, as `kind: text`."""
    game = games.load(name, {})
    positions = line_of_play(game, moves.split(), game.starts[0])
    referee = Referee(game, agents, positions, moves.split())
    if answer:
        referee.reply(str(agents[game.to_move(positions[-1])]), referee.ply, answer)
    return "{kind}: {text}".format(**instruction(referee, **rest))


@pytest.mark.parametrize(
    ("game", "moves", "answer", "said"),
    [
        ("morris", "d2", "f4", "please: Please lay a dark man on f4 for the computer."),
        ("morris", "d2 a1 d3 a7 f2", "a4xd3", "Please lay a dark man on a4 for the computer. Take the piece on d3 off"),
        ("reversi", "d3", "c3", "please: Please lay a white disc on c3 for the computer. Turn the piece on d4."),
        ("ganh", "a4-b4", "a1-b2", "please: Please move the piece of Down a1 → b2 for the computer."),
    ],
)
def test_an_agents_move_is_asked_for_with_its_piece_and_where_it_goes(
    game: str, moves: str, answer: str, said: str
) -> None:
    assert said in told(game, AGENTS, moves, answer)


def test_the_person_to_move_is_called_you_or_by_name_and_an_agent_the_computer() -> None:
    assert told("morris", AGENTS) == "move: Your move."
    assert told("morris", AGENTS, "d2") == "wait: The computer is thinking."
    assert told("morris", (None, None), "d2") == "move: Dark's turn."
    assert told("morris", (None, None), "d2", names=("Ana", "Ben")) == "move: Ben, your move."
    assert told("morris", ("level-1", "level-2"), "d2") == "wait: Dark is thinking."


def test_what_must_be_put_right_comes_first_and_then_the_end_or_the_pause() -> None:
    game = games.load("morris", {})
    referee = Referee(game, (None, None), line_of_play(game, ["d2", "f4"]), ["d2", "f4"])
    match = Match(referee)
    match.watched = True
    referee.withdraw(1)
    assert instruction(referee) == {"kind": "right", "text": "Take f4 away."}
    assert obey(match, Pause(), None).accepted
    assert instruction(referee)["kind"] == "paused"
    other = Match(Referee(game, (None, None), line_of_play(game, ["d2"]), ["d2"]))
    assert obey(other, Resign("light"), None).accepted
    assert instruction(other.referee) == {"kind": "over", "text": "Dark wins: light resigned."}


def test_a_tile_is_asked_for_by_its_ends() -> None:
    game = games.load("dominoes", {})
    start = game.deal(game.starts[0], 3)
    first = next(move for move in game.legal_moves(start) if game.steps(start, move))
    referee = Referee(game, ("level-1", None), [start], [])
    referee.reply("level-1", 0, game.format_move(start, first))
    steps = game.steps(start, first)
    text = instruction(referee)["text"]
    assert text.startswith("Please lay the blank-four on ") and all(game.cells[step.cell] in text for step in steps)
    assert set(game.board(start)) == {EMPTY}


def test_the_name_on_top_is_the_side_whose_men_begin_there() -> None:
    tops = {name: top_of(games.load(name, {})) for name in games.shipped()}
    assert tops.pop("co_ganh") == 0 and set(tops.values()) == {1}


def test_a_pass_says_when_there_was_no_move() -> None:
    game = games.load("reversi", {})
    position = game.parse_position(f"XO{'-' * 62} O")
    forced = game.legal_moves(position)
    assert [game.format_move(position, move) for move in forced] == ["pass"]
    (said,) = phrases.ply_sentences(game, position, forced[0])
    assert str(said) == "White has no move and passes."


def test_two_agents_wait_before_each_move_for_as_long_as_was_chosen() -> None:
    now_s, post = [0.0], Post()
    agents = "alphabeta", "alphabeta"
    seats = Seat(agents[0]), Seat(agents[1])
    match = Match(Referee(games.load("morris", {}), agents), seats=seats, publisher=post, clock=lambda: now_s[0])
    with pytest.raises(AssertionError):
        accepted(match, Pace(2.0))  # nobody has said that it may be chosen
    match.pace_s = 0.0
    match.start()
    accepted(match, Pace(2.0))
    for move, at_s, plies in (("d2", 0.0, 1), ("f4", 0.0, 1), ("", 1.9, 1), ("", 2.0, 2)):
        if move:
            post.answer(move)
        now_s[0] = at_s
        match.poll()
        assert match.referee.ply == plies


def accepted(match: Match, command: Command) -> None:
    assert obey(match, command, None).accepted
