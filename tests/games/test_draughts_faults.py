"""Boards of draughts that no turn leads to: the rule is named, with what to do."""

from __future__ import annotations

import pytest

import games
from games.draughts import Draughts
from rules.turns import begins_turn

START = "start"
TAKES = "W:W14,22:B9,17,18,1"
MOST = "W:W36,28:B31,22,23"
KING = "W:WK28,40:B1"

BOARDS = [
    ("english", START, "-24 W19", "not_your_turn", "It is dark's turn, but light moved 24 to 19. Move it back to 24."),
    ("english", START, "-11 B18", "not_a_step", "a man goes one square forward along a diagonal. Move it back to 11."),
    ("english", START, "-11 -10 B15 B14", "two_men_moved", "Dark moved 2 men at once. Take 14 and 15 away."),
    ("english", START, "W16", "extra_man", "Light laid a man on 16, but no man is laid in this game. Take it away."),
    ("english", START, "B16 B17", "extra_man", "Dark laid men on 16 and 17"),
    ("english", START, "-11 W11", "piece_changed_colour", "The man on 11 has changed its colour. Put it back."),
    ("english", TAKES, "-22 W17", "occupied", "Light moved from 22 onto dark's man on 17: a man is taken by a jump"),
    ("english", START, "-22", "man_missing", "The man on 22 is missing. Put light's man back on 22."),
    ("english", START, "-11 B15 -22", "wrong_man_taken", "The move from 11 to 15 does not take 22. Put it back."),
    ("english", START, "-11 B15 -24 W20", "unexplained", "No turn of dark leads here."),
    ("english", TAKES, "-22 W26", "must_take", "Light must take: 14x5, 22x6 or 22x15. Move it back to 22."),
    ("english", TAKES, "-14 W10", "must_take", "Light must take: 14x5, 22x6 or 22x15. Move it back to 14."),
    ("english", TAKES, "-22 W15 -18 -17", "wrong_man_taken", "The move from 22 to 15 does not take 17. Put it back."),
    ("english", "W:W28:B1", "-28 W32", "backwards", "Only kings move backwards, and on 28 stands a man."),
    ("english", "W:WK18:B1", "-18 W9", "not_a_step", "a king goes one square along a diagonal"),
    ("english", "W:W18:B1", "-18 W14 -1", "wrong_man_taken", "The move from 18 to 14 does not take 1."),
    ("english", "W:W18:B1", "-18 W9 -1", "nothing_jumped", "From 18 to 9 nothing is taken."),
    ("english", "W:W5:B1,K14", "-5 W9", "game_over", "The game is over. Move it back to 5."),
    ("international", MOST, "-28 W17 -22", "must_take_most", "Light must take the most pieces: 36x29."),
    ("international", KING, "-28 W27", "not_a_step", "a king goes along a diagonal as far as it is free"),
]


def board_with(game: Draughts, position: object, changes: str) -> str:
    letters = list(game.board(position))  # type: ignore[arg-type]
    for change in changes.split():
        letters[int(change[1:]) - 1] = change[0].replace("-", ".")
    return "".join(letters)


@pytest.mark.parametrize(("rules", "text", "changes", "rule", "said"), BOARDS)
def test_a_broken_rule_is_named(rules: str, text: str, changes: str, rule: str, said: str) -> None:
    game = games.load("draughts", {"set": rules})
    assert isinstance(game, Draughts)
    position = game.initial() if text == START else game.parse_position(text)
    board = board_with(game, position, changes)
    assert not begins_turn(game, position, board)
    fault = game.fault(position, board)
    assert fault.rule == rule and said in fault.text
    assert {game.cells[cell] for cell in fault.cells} == {change[1:] for change in changes.split()}


@pytest.mark.parametrize("changes", ["-22 W13", "-22 W13 -17", "-22 W6 -9", "-22 W6", "-22", "-22 -17 -9"])
def test_a_capture_half_done_is_a_turn_not_yet_finished(changes: str) -> None:
    game = games.load("draughts")
    assert isinstance(game, Draughts)
    position = game.parse_position(TAKES)
    assert begins_turn(game, position, board_with(game, position, changes))
