"""Faults named for boards that no turn of morris leads to."""

from __future__ import annotations

import functools

import pytest

from games.nine_mens_morris import CELLS, NineMensMorris, Position
from rules.turns import begins_turn, line_of_play
from tests.games.asked import game_of

morris = functools.partial(game_of, NineMensMorris)


def after(game: NineMensMorris, position: Position, **changes: str) -> str:
    """The board with other men on some cells: `d2="B"`."""
    board = list(game.board(position))
    for name, letter in changes.items():
        board[CELLS.index(name)] = letter
    return "".join(board)


def bits(names: str) -> int:
    return sum(1 << CELLS.index(name) for name in names.split())


LAYING = line_of_play(morris(), ["a7", "a1", "d7", "d1"])[-1]
"""Light lays next and can close a7-d7-g7."""
MOVING = Position((bits("a7 d7 g4 f6"), bits("a1 d1 g1 b4 c4")), (0, 0), 0)
"""Light moves next and can close a7-d7-g7 by g4-g7."""


@pytest.mark.parametrize(
    ("position", "changes", "rule", "said"),
    [
        (LAYING, {"d2": "B"}, "not_your_turn", "It is light's turn, but dark laid a man on d2. Take it back."),
        (LAYING, {"g1": "B", "a7": "."}, "not_your_turn", "dark laid g1 and took a7"),
        (LAYING, {"d2": "W", "f2": "W"}, "two_men_laid", "f2 and d2|d2 and f2"),
        (LAYING, {"d2": "W", "a1": "."}, "man_removed_without_mill", "d2 closes no mill, but a1 was taken"),
        (LAYING, {"g7": "W", "a1": ".", "d1": "."}, "two_men_removed", "one man only"),
        (LAYING, {"d2": "W", "a7": "."}, "must_place", "may not move a7 to d2 yet"),
        (LAYING, {"g7": "W", "a7": "."}, "must_place", "may not move a7 to g7 yet"),
        (LAYING, {"a1": "."}, "man_removed_without_mill", "a1 is gone, but no mill was closed"),
        (LAYING, {"a7": "."}, "man_missing", "a7 is missing"),
        (LAYING, {"a1": "W"}, "piece_changed_colour", "a1 has changed its colour"),
        (MOVING, {"g7": "W"}, "extra_man", "laid one more on g7. Take it away."),
        (MOVING, {"g7": "B"}, "extra_man", "Dark has no men left to lay"),
        (MOVING, {"a7": ".", "c3": "W"}, "not_adjacent", "a7 and c3 are not joined by a line"),
        (MOVING, {"b4": ".", "b6": "B"}, "not_your_turn", "dark moved b4 to b6"),
        (MOVING, {"f6": ".", "f4": "W", "a1": "."}, "man_removed_without_mill", "f4 closes no mill"),
        (MOVING, {"g4": ".", "g7": "W", "f6": "."}, "wrong_man_removed", "own man"),
        (MOVING, {"a7": ".", "f6": ".", "a4": "W", "f4": "W"}, "two_men_moved", "2 men at once"),
        (MOVING, {"a7": ".", "a4": "B"}, "unexplained", "Take a4 away. Put light's man back on a7."),
    ],
)
def test_a_wrong_board_is_named_by_its_rule(position: Position, changes: dict[str, str], rule: str, said: str) -> None:
    game = morris()
    board = after(game, position, **changes)
    assert not begins_turn(game, position, board)
    fault = game.fault(position, board)
    assert fault.rule == rule
    assert any(part in fault.text for part in said.split("|")), fault.text
    assert fault.cells == tuple(sorted(CELLS.index(name) for name in changes))


def test_a_protected_man_may_not_be_taken() -> None:
    game = morris(mill_protected=True)
    fault = game.fault(MOVING, after(game, MOVING, g4=".", g7="W", a1="."))
    assert fault.rule == "wrong_man_removed"
    assert "a1 stands in a mill" in fault.text


def test_touching_the_board_after_the_end_is_said_to_be_too_late() -> None:
    game = morris()
    over = Position((bits("a7 d7"), bits("a1 d1 g1")), (0, 0), 0)
    assert game.fault(over, after(game, over, a7=".", a4="W")).rule == "game_over"


def test_a_board_that_nothing_explains_lists_what_must_go_back() -> None:
    game = morris()
    fault = game.fault(LAYING, after(game, LAYING, d2="W", f2="B", a1="."))
    assert fault.rule == "unexplained"
    assert "a1 and f2" in fault.text or "f2" in fault.text
    assert len(fault.cells) == 3
