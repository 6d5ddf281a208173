"""Bounds on the number of positions, against boards that are written out and positions that are met."""

from __future__ import annotations

import itertools
import random

import pytest

import games
from rules.arrangements import arrangements, at_most

SIZED = [name for name in games.shipped() if games.part_of(name, "size") is not None]


@pytest.mark.parametrize(("cells", "first", "second"), [(4, 1, 1), (5, 2, 2), (5, 3, 2), (6, 2, 5)])
def test_boards_are_as_many_as_can_be_written_out(cells: int, first: int, second: int) -> None:
    boards = ["".join(board) for board in itertools.product(".WB", repeat=cells)]
    assert arrangements(cells, first, second) == sum(
        board.count("W") == first and board.count("B") == second for board in boards
    )
    assert at_most(cells, first, second) == sum(
        board.count("W") <= first and board.count("B") <= second for board in boards
    )


def test_the_games_of_the_original_texts_with_a_board_of_men_have_a_bound() -> None:
    assert SIZED == ["co_ganh", "gomoku", "nine_mens_morris", "reversi"]


def test_the_bounds_are_those_of_a_second_way_to_count() -> None:
    of = {name: games.part_of(name, "size").bound(games.load(name)).positions for name in SIZED}  # type: ignore[union-attr]
    assert of["reversi"] == 2 * 16 * 3**60
    # A generating function: the coefficient of x^i y^j of (1 + x + y)^25, by Pascal's rule.
    ways = {(0, 0): 1}
    for _ in range(25):
        grown: dict[tuple[int, int], int] = {}
        for (white, black), count in ways.items():
            for more in ((white, black), (white + 1, black), (white, black + 1)):
                grown[more] = grown.get(more, 0) + count
        ways = grown
    assert of["co_ganh"] == 2 * sum(count for (white, black), count in ways.items() if white <= 8 and black <= 8)
    flip = games.load("co_ganh", {"capture": "flip"})
    assert games.part_of("co_ganh", "size").bound(flip).positions == 2 * sum(  # type: ignore[union-attr]
        count for (white, black), count in ways.items() if white + black == 16
    )


@pytest.mark.parametrize("rules", [{}, {"men": 3}, {"set": "lasker"}])
def test_a_small_game_of_morris_meets_no_more_positions_than_its_bound(rules: dict[str, object]) -> None:
    game = games.load("nine_mens_morris", rules)
    bound = games.part_of("nine_mens_morris", "size").bound(game).positions  # type: ignore[union-attr]
    if "men" in rules:
        # By hand: 0 to 3 laid by each side, so many or fewer on the board, either to move.
        assert bound == 2 * sum(
            arrangements(24, one, other)
            for first, second in itertools.product(range(4), repeat=2)
            for one, other in itertools.product(range(first + 1), range(second + 1))
        )
    draw, met = random.Random(1), set()
    for _ in range(50):
        position = game.initial()
        while moves := game.legal_moves(position):
            met.add((position.men, position.hands, position.side))
            position = game.apply(position, draw.choice(list(moves)))
    assert 50 < len(met) <= bound


def test_rules_by_which_more_than_the_board_counts_have_no_bound() -> None:
    for name, rules in (("gomoku", {"swap2": True}), ("gomoku", {"opening": "swap"})):
        assert games.part_of(name, "size").bound(games.load(name, rules)) is None  # type: ignore[union-attr]
    forced = games.load("co_ganh", {"capture": "flip", "mo": True})
    assert games.part_of("co_ganh", "size").bound(forced) is None  # type: ignore[union-attr]
