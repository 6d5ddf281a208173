"""The values of gomoku's patterns."""

from __future__ import annotations

import random

import pytest

import games
from agents import heuristics
from agents.search import MAX_DEPTH, WIN
from games.gomoku import Gomoku, Move, Position
from games.gomoku.heuristics import MOST, candidates, utility, windows
from rules.turns import cells_of, line_of_play


def gomoku(**rules: object) -> Gomoku:
    game = games.load("gomoku", rules)
    assert isinstance(game, Gomoku)
    return game


def row(game: Gomoku, letters: str, name: str = "d8") -> Position:
    """A position with black to move and these stones in a row from that point on: `x` black, `o` white, `.` empty."""
    start = game.cells.index(name)
    stones = [sum(1 << start + step for step, letter in enumerate(letters) if letter == mark) for mark in "xo"]
    return Position((stones[0], stones[1]), 0)


def mask(game: Gomoku, position: Position) -> int:
    """Black's centre mask minus white's on a board of 15 lines, by the formula of the specification."""
    worth = [7 - max(abs(cell // 15 - 7), abs(cell % 15 - 7)) for cell in range(225)]
    own, enemy = (sum(worth[cell] for cell in cells_of(stones)) for stones in position.stones)
    return own - enemy


@pytest.mark.parametrize(
    ("letters", "value"),
    [
        ("..xxxx..", 120_000),
        (".oxxxx..", 50_000),
        ("..xxxxo.", 50_000),
        (".oxxxxo.", 0),
        ("..xxx...", 30_000),
        (".o.xxx.o", 30_000),
        (".oxxx...", 15_000),
        (".oxxx.o.", 0),
        ("..xxxo..", 15_000),
        ("o.xxxo..", 0),
        ("..xxx.x..", 30_000 + 7_000),
        ("..x.xxx..", 30_000 + 7_000),
        (".oxxx.x.", 3_000),
        (".ox.xxx.", 3_000 + 30_000),
        (".oxxx.xo", 0),
        ("..xx....", 2_000),
        (".o.xx.o.", 0),
        ("o..xx.o.", 1_000),
        (".oxx....", 400),
        (".oxx..o.", 0),
        ("...xxo..", 400),
        ("..xx.x..", 100 + 1_000),
        (".o.xx.x.", 100),
        (".oxx.x..", 40),
        (".oxx.xo.", 0),
        (".ox.xx..", 40 + 1_000),
        ("..x.....", 0),
        ("..xx.xx..", 2_000),
    ],
)
def test_patterns_along_a_row_weigh_what_the_list_says(letters: str, value: int) -> None:
    game = gomoku()
    position = row(game, letters)
    assert windows(game, position, None) - mask(game, position) == value


@pytest.mark.parametrize(
    ("name", "letters", "value"),
    [("a8", "xxx", 15_000), ("a8", ".xxx", 30_000), ("l8", ".xxx", 15_000), ("a8", "xxxx", 50_000), ("a8", "xx", 400)],
)
def test_the_edge_is_as_closed_as_an_enemy(name: str, letters: str, value: int) -> None:
    game = gomoku()
    position = row(game, letters, name)
    assert windows(game, position, None) - mask(game, position) == value


@pytest.mark.parametrize("line", ["h8 i8 j8", "h8 h9 h10", "h8 i9 j10", "h8 g9 f10"])
def test_every_direction_counts(line: str) -> None:
    game = gomoku()
    black = sum(1 << game.cells.index(name) for name in line.split())
    assert windows(game, Position((black, 0), 0), None) // 1000 == 30


def test_a_diagonal_too_short_for_five_counts_nothing() -> None:
    game = gomoku()
    black = sum(1 << game.cells.index(name) for name in ("a4", "b3", "c2"))
    position = Position((black, 0), 0)
    assert windows(game, position, None) == mask(game, position)


def test_the_centre_is_worth_seven_and_the_edge_nothing() -> None:
    game = gomoku()
    for name, value in (("h8", 7), ("i9", 6), ("h1", 0), ("b2", 1), ("o15", 0)):
        stone = 1 << game.cells.index(name)
        assert windows(game, Position((stone, 0), 0), None) == value
        assert windows(game, Position((0, stone), 0), None) == -value


@pytest.mark.parametrize("rules", [{}, {"size": 19}, {"renju": True}, {"first": "white"}], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_value_is_opposite_for_the_other_side_and_below_every_win(rules: dict[str, object], seed: int) -> None:
    game, draw = gomoku(**rules), random.Random(seed)
    position = game.initial()
    while game.outcome(position) is None:
        near = [Move(cell) for cell in cells_of(candidates(game, position, 2) & ~game.fouls(position))]
        position = game.apply(position, draw.choice(near or list(game.legal_moves(position))))
        other = Position(position.stones, 1 - position.side)
        value = windows(game, position, None)
        if game.outcome(position) is None and game.outcome(other) is None:
            assert windows(game, other, None) == -value
        assert abs(value) <= MOST < WIN - MAX_DEPTH
        assert isinstance(value, int)


def test_a_final_state_is_worth_twice_its_patterns_without_the_mask() -> None:
    game = gomoku()
    position = line_of_play(game, "h8 a1 i8 c1 j8 e1 k8 g1 l8".split())[-1]
    assert windows(game, position, None) == utility(game, position) == -2 * 200_000


def test_many_fours_stay_below_a_win() -> None:
    game = gomoku()
    stones = sum(15 << 3 + 15 * line for line in (0, 2, 4, 6, 8, 10, 12, 14))
    assert windows(game, Position((stones, 0), 0), None) == MOST
    assert windows(game, Position((stones, 0), 1), None) == -MOST


def test_before_colours_are_chosen_who_will_choose_has_the_better_one() -> None:
    game = gomoku(swap2=True)
    position = line_of_play(game, "h8 a1 i8".split())[-1]
    assert windows(game, position, None) == 2013
    assert windows(game, game.apply(position, game.parse_move(position, "two")), None) == -2013
    assert windows(game, game.apply(position, game.parse_move(position, "black")), None) == -2013


def test_the_opening_ends_with_the_eighth_stone() -> None:
    game = gomoku()
    line = line_of_play(game, "h8 a1 i8 c1 j9 e1 k7 g1 l2".split())
    assert [heuristics.is_opening(game, position) for position in line] == [True] * 8 + [False] * 2


def test_candidates_are_the_empty_points_near_stones() -> None:
    game = gomoku()
    assert candidates(game, game.initial(), 2) == 1 << game.cells.index("h8")
    stones = sum(1 << game.cells.index(name) for name in ("a1", "o8"))
    found = [game.cells[cell] for cell in cells_of(candidates(game, Position((stones, 0), 0), 1))]
    assert sorted(found) == sorted("a2 b1 b2 n7 n8 n9 o7 o9".split())
    assert candidates(game, Position((1 << 112, 0), 0), 2).bit_count() == 24


def test_the_windows_are_the_usual_heuristic() -> None:
    game = gomoku()
    assert next(iter(heuristics.of(game))) == "windows"
    assert heuristics.of(game)["windows"](game, game.apply(game.initial(), Move(112)), Move(112)) == -7
