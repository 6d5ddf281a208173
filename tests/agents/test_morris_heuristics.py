"""The morris heuristics: what each counts, on boards made for it, and that they treat both sides alike."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

from agents import heuristics
from agents.minimax import minimax
from games.nine_mens_morris import Move, NineMensMorris, Position
from games.nine_mens_morris.heuristics import (
    FLYING,
    HEURISTICS,
    LAYING,
    MOVING,
    is_opening,
    phase_weights,
    three_configurations,
)
from games.nine_mens_morris.kernel import MorrisSearch
from games.nine_mens_morris.kernel.evaluation import evaluate
from games.nine_mens_morris.kernel.weights import NAMED
from tests.agents.morris import bits, morris

RULES: list[dict[str, object]] = [
    {},
    {"flying": True},
    {"flying": True, "mill_protected": True},
    {"diagonals": True, "men": 12},
]


def moving(mine: str, theirs: str) -> Position:
    return Position((bits(mine), bits(theirs)), (0, 0), 0)


def lines(game: NineMensMorris, seed: int, count: int) -> list[tuple[Position, Move | None]]:
    """Positions from random games, including final ones, each with the move that led to it."""
    draw = random.Random(seed)
    found: list[tuple[Position, Move | None]] = []
    while len(found) < count:
        position, last = game.initial(), None
        line: list[tuple[Position, Move | None]] = []
        while True:
            line.append((position, last))
            if game.outcome(position) is not None:
                break
            last = draw.choice(game.legal_moves(position))
            position = game.apply(position, last)
        found += [line[-1], *draw.sample(line, min(9, len(line)))]
    return found[:count]


def test_best_is_the_usual_heuristic_of_eight() -> None:
    assert list(heuristics.of(morris())) == list(HEURISTICS)
    assert next(iter(HEURISTICS)) == "best"
    assert len(HEURISTICS) == 8


@pytest.mark.parametrize(
    ("name", "mine", "theirs", "value"),
    [
        ("closed_mills", "a7 d7 g7 d6 d5", "a1 d1 g1 b2", 1),
        ("closed_mills", "a7 d7 b6", "a1 d1 g1 b2", -1),
        ("blocked_men", "d7 a4 g7", "a7 d2 c4", 1),
        ("blocked_men", "a7 d2 c4", "d7 a4 g7", -1),
        ("mill_men", "a7 d7 g7 d6 d5 b2", "a1 d1 g1 c3", 5 - 3),
        ("two_configurations", "a7 d7 d6", "b2 d2 g4", 2 - 1),
        ("two_configurations", "a7 d7 b2", "g7 d1 f2", 0),
        ("double_mills", "a7 d7 g7 d6 d5 b2", "a1 d1 g1 c3", 1),
        ("winning", "a7 d7", "a1 d1 g1", -1),
        ("winning", "a7 d7 b6", "a1 d1", 1),
        ("winning", "a7 d7 b6", "a1 d1 g1", 0),
    ],
)
def test_a_feature_is_the_difference_of_what_both_sides_show(name: str, mine: str, theirs: str, value: int) -> None:
    assert HEURISTICS[name](morris(), moving(mine, theirs), None) == value


def test_three_configurations_are_two_ways_to_close_a_mill_through_one_man() -> None:
    assert three_configurations(morris(), moving("a7 d7 d6", "b2 d2 g4"), None) == 1
    assert three_configurations(morris(), moving("a7 d7 g4 f4", "b2 d2 c5"), None) == 0


def test_a_man_that_flies_is_never_blocked() -> None:
    position = moving("d7 a4 g7", "a7 d2 c4")
    assert HEURISTICS["blocked_men"](morris(), position, None) == 1
    assert HEURISTICS["blocked_men"](morris(flying=True), position, None) == 0


def test_the_last_move_counts_against_the_mover_only_where_it_closed_a_mill() -> None:
    position = moving("a7 d7 g4", "a1 d1 f2 b6")
    count = HEURISTICS["last_move_mill"]
    assert count(morris(), position, Move(0, 1, 5)) == -1
    assert count(morris(), position, Move(0, 1)) == 0
    assert count(morris(), position, None) == 0


def test_best_is_the_published_sum_of_each_phase() -> None:
    game, fly = morris(), morris(flying=True)
    laying = Position((bits("a7 d7 d6"), bits("b2 d2")), (6, 6), 0)
    assert HEURISTICS["best"](game, laying, None) == 9 * (3 - 2) + 10 * (2 - 1) + 7 * 1
    position = moving("a7 d7 g7 d6 d5 b2", "a1 d1 g1 c3")
    assert HEURISTICS["best"](game, position, Move(0, 1, 5)) == 43 * (2 - 1) + 11 * (6 - 4) + 8 * 1 - 14 - 10 * 1
    few = moving("a7 d7 d6", "b2 d2 g4")
    assert HEURISTICS["best"](fly, few, Move(0, 1, 5)) == 10 * (2 - 1) + 1 - 16
    assert HEURISTICS["best"](game, moving("a7 d7", "a1 d1 g1"), None) < -1000


def test_flying_weights_are_for_two_sides_that_fly() -> None:
    fly, walk = morris(flying=True), morris()
    three, five = moving("a7 d7 d6", "b2 d2 g4"), moving("a7 d7 d6", "b2 d2 g4 a1 g1")
    assert phase_weights(fly, three) == FLYING
    assert phase_weights(fly, five) == phase_weights(walk, three) == MOVING
    assert phase_weights(fly, fly.initial()) == LAYING
    assert is_opening(walk, dataclasses.replace(five, hands=(0, 1)))
    assert not is_opening(walk, five)


@pytest.mark.parametrize("name", [name for name in HEURISTICS if name != "last_move_mill"])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_what_is_good_for_one_side_is_as_bad_for_the_other(name: str, rules: dict[str, object]) -> None:
    game, seen = morris(**rules), set()
    for position, _ in lines(game, 5, 60):
        if (outcome := game.outcome(position)) is not None and outcome.reason != "two_men_left":
            continue  # being blocked and repetition depend on who is to move
        other = dataclasses.replace(position, side=1 - position.side)
        if game.outcome(other) is not None and outcome is None:
            continue
        value = HEURISTICS[name](game, position, None)
        assert HEURISTICS[name](game, other, None) == -value
        seen.add(value)
    assert len(seen) > 1


@pytest.mark.parametrize("name", list(HEURISTICS))
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_kernel_judges_as_the_plain_functions_do(name: str, rules: dict[str, object]) -> None:
    game = morris(**rules)
    search = MorrisSearch(game, table_mb=1, seed=0, heuristic=name)
    for position, last in lines(game, 6, 80):
        if game.outcome(position) is not None:
            continue
        side, other = position.side, 1 - position.side
        value = evaluate(
            search.memory, np.uint64(position.men[side]), np.uint64(position.men[other]),
            position.hands[side], position.hands[other], int(last is not None and last.removed is not None),
        )  # fmt: skip
        assert value == HEURISTICS[name](game, position, last), game.format_position(position)


@pytest.mark.parametrize("name", list(HEURISTICS))
def test_a_search_to_a_depth_has_the_score_of_plain_minimax_under_every_heuristic(name: str) -> None:
    game = morris(flying=True, mill_protected=True)
    search = MorrisSearch(game, table_mb=1, seed=0, heuristic=name)
    for position, _ in lines(game, 7, 16):
        if game.outcome(position) is None:
            search.begin(position, None, exact=True)
            assert search.deepen(2).score == minimax(game, position, 2, HEURISTICS[name])


def test_the_kernel_lists_the_heuristics_that_there_are() -> None:
    assert tuple(HEURISTICS) == tuple(NAMED)
