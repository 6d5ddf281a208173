"""Faults named for boards that no move of gomoku leads to."""

from __future__ import annotations

import functools

import pytest

from games.gomoku import Gomoku, Position
from rules.turns import line_of_play
from tests.games.asked import game_of

gomoku = functools.partial(game_of, Gomoku)


def changed(game: Gomoku, position: Position, changes: str) -> str:
    """The board with other letters on some cells: `h8=B h9=.`."""
    cells = list(game.board(position))
    for word in changes.split():
        name, letter = word.split("=")
        cells[game.cells.index(name)] = letter
    return "".join(cells)


PLAYED = "h8 h9 i8 i9"
"""Moves after which black is to lay."""
CROSS = "g8 a1 i8 c1 h7 e1 h9 g1"
"""Moves after which a black stone on h8 would make two threes."""


@pytest.mark.parametrize(
    ("changes", "rule", "said"),
    [
        ("", "unexplained", "Nothing has changed on the board. It is black's turn."),
        ("a1=W", "not_your_turn", "It is black's turn, but white laid a stone on a1. Take it back."),
        ("a1=B b1=B", "two_stones_laid", "Black laid 2 stones, a1 and b1. Take all but one back."),
        ("a1=B b1=W", "two_stones_laid", "2 stones were laid, a1 and b1. Black is next: leave one of that colour"),
        ("h8=.", "stone_missing", "The black stone on h8 is missing. Put it back."),
        ("h8=. i9=.", "stone_missing", "The stones on i9 and h8 are missing. Put them back."),
        ("h8=. k8=B", "stone_moved", "The black stone on h8 was moved to k8. Stones never move: put it back."),
        ("h8=. k8=W", "unexplained", "Take the stone on k8 away. Put h8 back as it was."),
        ("h8=W", "piece_changed_colour", "The black stone on h8 has changed its colour. Put it back."),
        ("h8=W k1=B", "piece_changed_colour", "h8 has changed colour. Take the stone on k1 away. Put h8 back"),
    ],
)
def test_a_wrong_board_is_named_by_its_rule(changes: str, rule: str, said: str) -> None:
    game = gomoku()
    position = line_of_play(game, PLAYED.split())[-1]
    fault = game.fault(position, changed(game, position, changes))
    assert (fault.rule, fault.text) == (rule, fault.text)
    assert said in fault.text
    assert [game.cells[cell] for cell in fault.cells] == sorted(
        (word.split("=")[0] for word in changes.split()), key=game.cells.index
    )


def test_a_foul_is_named() -> None:
    game = gomoku(renju=True)
    position = line_of_play(game, CROSS.split())[-1]
    fault = game.fault(position, changed(game, position, "h8=B"))
    assert fault.rule == "double_three"
    assert fault.text == "Black may not lay on h8: it makes two threes at once. Take it back."


def test_the_foul_point_with_the_wrong_colour_is_the_wrong_colour() -> None:
    game = gomoku(renju=True)
    position = line_of_play(game, CROSS.split())[-1]
    assert game.fault(position, changed(game, position, "h8=W")).rule == "not_your_turn"


def test_a_stone_after_the_end_is_taken_away() -> None:
    game = gomoku()
    position = line_of_play(game, "a1 a2 b1 b2 c1 c2 d1 d2 e1".split())[-1]
    fault = game.fault(position, changed(game, position, "e2=W"))
    assert (fault.rule, fault.text) == ("game_over", "The game is over. Take the stone on e2 away.")


def test_in_the_opening_swap2_the_colour_that_is_next_is_told() -> None:
    game = gomoku(swap2=True)
    position = line_of_play(game, "h8 h9 i10".split())[-1]
    fault = game.fault(position, changed(game, position, "a1=B"))
    assert fault.rule == "wrong_colour"
    assert fault.text == "Second lays a white stone now. Take the black stone on a1 back."


def test_a_board_swept_clean_is_told_in_few_words() -> None:
    game = gomoku()
    position = game.initial()
    board = "".join("BW"[cell % 2] for cell in range(225))
    fault = game.fault(position, board)
    assert len(fault.text) < 200
    assert "217 more" in fault.text
