"""Black's fouls in renju: drawn cases, and comparison with a second implementation."""

from __future__ import annotations

import functools
import random
from pathlib import Path

import pytest

from games.gomoku import Gomoku
from games.gomoku.board import board
from games.gomoku.renju import foul, fouls
from rules.turns import cells_of
from tests.games.asked import game_of
from tests.games.gomoku_reference import Referee

DATA = Path(__file__).parent / "data"
VERDICTS = {"3": "double_three", "4": "double_four", "6": "overline", "5": "", "n": ""}
SIZE = 15


gomoku = functools.partial(game_of, Gomoku)


def drawn() -> list[tuple[str, int, int, int, str]]:
    """The title, black stones, white stones, marked cell and mark of every drawn case."""
    found = []
    for block in (DATA / "gomoku.fouls").read_text().split("\n\n")[1:]:
        title, *rows = block.strip("\n").splitlines()
        letters = {
            (SIZE - int(row[:2])) * SIZE + column: letter for row in rows for column, letter in enumerate(row[3:])
        }
        black, white = (sum(1 << cell for cell, letter in letters.items() if letter == mark) for mark in "XO")
        marked = [(cell, letter) for cell, letter in letters.items() if letter in VERDICTS]
        assert len(marked) == 1, title
        found.append((title, black, white, *marked[0]))
    return found


def referee(black: int, white: int, size: int = SIZE) -> Referee:
    black_points, white_points = (frozenset(divmod(cell, size) for cell in cells_of(bits)) for bits in (black, white))
    return Referee(black_points, white_points, size)


def random_stones(draw: random.Random, size: int) -> tuple[int, int]:
    """Random crowded stones, without a black five."""
    while True:
        black = white = 0
        top, left, side = draw.randrange(size - 8), draw.randrange(size - 8), 9
        for cell in ((top + row) * size + left + column for row in range(side) for column in range(side)):
            chance = draw.random()
            black |= (chance < 0.3) << cell
            white |= (0.3 <= chance < 0.42) << cell
        if not board(size).has_five(black):
            return black, white


@pytest.mark.parametrize(("title", "black", "white", "cell", "mark"), drawn(), ids=lambda value: str(value)[:60])
def test_drawn_fouls_are_told_by_both_judges(title: str, black: int, white: int, cell: int, mark: str) -> None:
    assert foul(board(SIZE), black, white, cell) == VERDICTS[mark]
    assert referee(black, white).foul(divmod(cell, SIZE)) == VERDICTS[mark]
    assert bool(fouls(SIZE, black, white) >> cell & 1) == bool(VERDICTS[mark])
    made = board(SIZE).has_five(black | 1 << cell, exactly=True)
    assert made == (mark == "5")


@pytest.mark.parametrize("seed", range(24))
def test_a_second_judge_finds_the_same_fouls_on_crowded_boards(seed: int) -> None:
    draw = random.Random(seed)
    size = (15, 19)[seed % 2]
    black, white = random_stones(draw, size)
    slow, found = referee(black, white, size), fouls(size, black, white)
    for cell in cells_of(board(size).full & ~(black | white)):
        verdict = slow.foul(divmod(cell, size))
        assert foul(board(size), black, white, cell) == verdict
        assert bool(found >> cell & 1) == bool(verdict)


def test_the_crowded_boards_have_every_foul_and_threes_that_are_none() -> None:
    told: list[str] = []
    for seed in range(24):
        black, white = random_stones(random.Random(seed), (15, 19)[seed % 2])
        size = (15, 19)[seed % 2]
        told += [foul(board(size), black, white, cell) for cell in cells_of(fouls(size, black, white))]
    assert {code: told.count(code) > 5 for code in set(told)} == dict.fromkeys(
        ("overline", "double_four", "double_three"), True
    )
