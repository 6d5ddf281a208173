"""Captures of cờ gánh seen half done."""

from __future__ import annotations

import pytest

import games
from daemon.belief.deciding import Unfinished
from rules.turns import carry_out
from tests.daemon.belief.once import played, referee_at, show, trouble
from tests.daemon.belief.once import said as told


@pytest.mark.parametrize(
    ("capture", "taken", "said"),
    [
        ("remove", (), "Take the pieces on b3 and d3 off the board."),
        ("remove", (1,), "Take the piece on d3 off the board."),
        ("remove", (2,), "Take the piece on b3 off the board."),
        ("flip", (2,), "Turn the piece on b3."),
    ],
)
def test_what_is_left_to_capture_is_named(capture: str, taken: tuple[int, ...], said: str) -> None:
    game = games.load("ganh", {"capture": capture})
    position = game.parse_position("up:...../..W../.B.B./...../....B")
    move = game.parse_move(position, "c4-c3")
    steps, referee = game.steps(position, move), referee_at(game, start=position)
    effects = show(referee, carry_out(game.board(position), [steps[0], *(steps[index] for index in taken)]))
    asked = trouble(referee)
    assert isinstance(asked, Unfinished)
    assert (referee.verdict, asked.moves, told(effects)) == ("unfinished", (move,), said)
    assert played(referee, game.board(game.apply(position, move))) == [game.format_move(position, move)]
