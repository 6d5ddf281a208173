"""Half of a takeback can look like several plies: which boards must wait, on a line of cờ gánh."""

from __future__ import annotations

import pytest

import games
from daemon.interpret.explain import explain
from rules.turns import line_of_play
from tests.daemon.readings import reading_of

GAME = games.load("ganh")
HISTORY = line_of_play(GAME, ["a5-b4", "a3-b2", "c5-d4", "e2-d2", "b4-a5"])


def after(*moves: str) -> str:
    """The last board, after men are moved by hand from cell to cell."""
    board = list(GAME.board(HISTORY[-1]))
    for origin, cell in (move.split("-") for move in moves):
        here, there = GAME.cells.index(origin), GAME.cells.index(cell)
        board[here], board[there] = ".", board[here]
    return "".join(board)


@pytest.mark.parametrize(
    ("moves", "goes_back"),
    [
        (("b2-a3", "d4-c5"), True),  # a man of each side, back to where it began
        (("b2-a3", "d4-c4"), False),  # one of them goes where it never was
        (("b2-a3",), False),  # a plain move: nothing to wait for
    ],
)
def test_several_plies_that_only_put_men_back_may_be_half_of_a_takeback(
    moves: tuple[str, ...], goes_back: bool
) -> None:
    event = explain(GAME, HISTORY, reading_of(GAME, after(*moves)))
    assert event.explanations[0].kind == "plies"
    assert event.goes_back == goes_back


def test_a_takeback_itself_is_believed_at_once() -> None:
    event = explain(GAME, HISTORY, reading_of(GAME, GAME.board(HISTORY[2])))
    assert (event.explanations[0].kind, event.goes_back) == ("takeback", False)
