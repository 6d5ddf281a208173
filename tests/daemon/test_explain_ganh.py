"""Captures of cờ gánh seen half done."""

from __future__ import annotations

import pytest

import games
from daemon.interpret.explain import explain
from daemon.judging.phrases import missing_steps
from rules.turns import carry_out
from tests.daemon.readings import reading_of


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
    steps = game.steps(position, move)
    board = carry_out(game.board(position), [steps[0], *(steps[index] for index in taken)])
    best = explain(game, [position], reading_of(game, board)).explanations[0]
    assert (best.kind, best.moves) == ("unfinished", (move,))
    assert str(missing_steps(game, position, move, best.missing, best.board)) == said
