"""Names of reversi's openings, and the corner handicap."""

from __future__ import annotations

import functools
import itertools

import pytest

from daemon.judging import phrases
from games.reversi import Position, Reversi
from games.reversi.bitboard import CELLS
from games.reversi.openings import LINES, TURNS
from rules.turns import line_of_play
from tests.games.asked import game_of

reversi = functools.partial(game_of, Reversi)


def cells_in(moves: str) -> list[str]:
    return [moves[at : at + 2] for at in range(0, len(moves), 2)]


@pytest.mark.parametrize("name", LINES)
def test_every_line_is_legal_and_known_in_all_four_symmetries(name: str) -> None:
    game = reversi()
    for turn in TURNS:
        moves = [CELLS[turn[CELLS.index(cell)]] for cell in cells_in(LINES[name])]
        assert game.opening(line_of_play(game, moves)[-1]) == name


def test_lines_have_names_of_their_own() -> None:
    game = reversi()
    ends = [game.format_position(line_of_play(game, cells_in(moves))[-1]) for moves in LINES.values()]
    assert len(set(ends)) == len(LINES)


def test_a_well_known_opening_is_named_as_players_write_it() -> None:
    game = reversi()
    line = line_of_play(game, ["f5", "d6", "c3", "d3", "c4"])
    assert [game.opening(position) for position in line][-4:] == ["Perpendicular"] * 3 + ["Tiger"]
    assert game.opening(game.initial()) == ""


def test_the_name_is_said_once_when_the_known_lines_are_left() -> None:
    game = reversi()
    line = line_of_play(game, ["f5", "d6", "c3", "d3", "c4"])
    assert game.opening(line_of_play(game, ["b3"], line[-1])[-1]) == "Aubrey"
    for _ in range(3):
        after = (game.apply(line[-1], move) for move in game.legal_moves(line[-1]))
        line.append(next(position for position in after if not game.opening(position)))
    said = [str(one) for before, after in itertools.pairwise(line) for one in phrases.opening_left(game, before, after)]
    assert said == ["So far it was the opening Tiger."]


@pytest.mark.parametrize(
    ("name", "corners"), [("corner", "a1"), ("two_corners", "a1 h8"), ("four_corners", "a1 h8 h1 a8")]
)
def test_black_has_the_corners_of_its_handicap_and_white_begins(name: str, corners: str) -> None:
    game = reversi(set=name)
    start = game.initial()
    assert {cell for cell, letter in zip(game.cells, game.board(start), strict=True) if letter == "B"} == {
        "e4",
        "d5",
        *corners.split(),
    }
    assert start.side == 1
    assert game.opening(game.apply(start, game.legal_moves(start)[0])) == ""
    assert isinstance(start, Position) and game.parse_position(game.format_position(start)) == start
    assert reversi(set=name, first="black").initial().side == 0
