"""Faults named for boards that no move of cờ gánh leads to."""

from __future__ import annotations

import functools

import pytest

from games.co_ganh import CELLS, CoGanh, Position
from tests.games.asked import game_of

TURNING: dict[str, object] = {"capture": "flip"}
FORCING: dict[str, object] = {"capture": "flip", "mo": True}


ganh = functools.partial(game_of, CoGanh)


def position(text: str, **rules: object) -> Position:
    return ganh(**rules).parse_position(text)


START = ganh().initial()
FLANKS = position("up:..W../...../.B.B./...../....B")
"""Up's man on c5 is two steps from c3, which lies between Down's men on b3 and d3."""
CARRIES = position("up:...../..W../.B.B./...../....B")
"""Up's man on c4 can step between Down's men."""
OPEN = ganh(**FORCING).parse_position("down:W..../..W../.W.W./.B.../....B:vacated=c3")


@pytest.mark.parametrize(
    ("rules", "before", "changes", "rule", "said"),
    [
        ({}, START, {"a4": ".", "b4": "W", "a2": ".", "b2": "B"}, "unexplained", "No move of up leads here."),
        (
            {},
            START,
            {"a2": ".", "b2": "B"},
            "not_your_turn",
            "It is up's turn, but down moved a2 to b2. Move it back to",
        ),
        ({}, START, {"a4": ".", "b3": "W"}, "not_adjacent", "a4 and b3 are not joined by a line. Move it back to a4."),
        ({}, START, {"a5": ".", "c3": "W"}, "nothing_to_jump", "there is no enemy man to leap over on b4"),
        ({}, START, {"c3": "W"}, "extra_man", "up laid one on c3. Take it away."),
        ({}, START, {"c3": "B"}, "extra_man", "down laid one on c3. Take it away."),
        ({}, START, {"a4": "."}, "man_missing", "The man on a4 is missing. Put up's man back on a4."),
        ({}, START, {"a2": "W"}, "piece_changed_colour", "On a2 the man has changed its colour: turn it back."),
        ({}, START, {"a4": ".", "b4": "W", "e4": ".", "d4": "W"}, "two_men_moved", "Up moved 2 men at once."),
        (
            {},
            START,
            {"a4": ".", "b4": "W", "a3": "."},
            "not_captured",
            "The move to b4 captures nobody, but a3 was taken.",
        ),
        ({}, START, {"a4": ".", "b4": "W", "a5": "."}, "wrong_man_removed", "Up's own man was taken."),
        ({}, CARRIES, {"c4": ".", "c3": "W", "d3": "."}, "capture_unfinished", "captures b3 and d3: take b3 too."),
        (
            {},
            CARRIES,
            {"c4": ".", "c3": "W", "b3": ".", "d3": ".", "e1": "."},
            "not_captured",
            "captures b3 and d3 only",
        ),
        (TURNING, CARRIES, {"c4": ".", "c3": "W", "d3": "W"}, "capture_unfinished", "turn b3 too."),
        (
            TURNING,
            CARRIES,
            {"c4": ".", "c3": "W", "d3": "."},
            "man_not_turned",
            "are turned, not taken. Put down's man",
        ),
        (
            TURNING,
            CARRIES,
            {"c4": ".", "c3": "W", "e1": "W"},
            "not_captured",
            "e1 was turned. Turn down's man back on e1.",
        ),
        (TURNING, CARRIES, {"d3": "W"}, "man_turned_without_move", "No man was moved, but d3 changed. Turn it back."),
        (TURNING, CARRIES, {"c4": "B"}, "piece_changed_colour", "On c4 the man has changed its colour"),
        (TURNING, FLANKS, {"c5": ".", "c3": "W"}, "no_jumps", "Nobody jumps in this game"),
        (FORCING, OPEN, {"e1": ".", "e2": "B"}, "must_enter", "c3 was left open: down must step onto it. Move e2 back"),
    ],
)
def test_a_wrong_board_is_named_by_its_rule(
    rules: dict[str, object], before: Position, changes: dict[str, str], rule: str, said: str
) -> None:
    game = ganh(**rules)
    board = list(game.board(before))
    for name, letter in changes.items():
        board[CELLS.index(name)] = letter
    fault = game.fault(before, "".join(board))
    assert fault.rule == rule
    assert said in fault.text
    assert fault.cells == tuple(sorted(CELLS.index(name) for name in changes))


def test_touching_the_board_after_the_end_is_said_to_be_too_late() -> None:
    game = ganh()
    over = position("down:W..../...../...../...../.....")
    fault = game.fault(over, "." * 25)
    assert (fault.rule, fault.text) == ("game_over", "The game is over. Put up's man back on a5.")
