"""Morris' learnt patterns: the groups' numbers, symmetry, where they judge, and that games can be learnt from."""

from __future__ import annotations

import random

import numpy as np
import pytest

from games.nine_mens_morris import MorrisRules, NineMensMorris
from games.nine_mens_morris.kernel import MorrisSearch
from games.nine_mens_morris.kernel import memory as layout
from games.nine_mens_morris.kernel.evaluation import evaluate
from games.nine_mens_morris.kernel.patterns import GROUPS, IN_SIDES, IN_SQUARES, numbers, stage
from lab.train import morris
from rules.symmetry import symmetries
from tests.agents.morris import bits

U = np.uint64
GAME = NineMensMorris()


def drawn(seed: int) -> tuple[int, int]:
    draw = random.Random(seed)
    cells = draw.sample(range(24), draw.randint(6, 18))
    half = len(cells) // 2
    return sum(1 << cell for cell in cells[:half]), sum(1 << cell for cell in cells[half:])


def image(side: int, points: tuple[int, ...]) -> int:
    return sum(1 << points[cell] for cell in range(24) if side >> cell & 1)


def value(search: MorrisSearch, mine: int, theirs: int, my_hand: int = 0, their_hand: int = 0) -> int:
    return int(evaluate(search.memory, U(mine), U(theirs), my_hand, their_hand, 0))


@pytest.mark.parametrize("seed", range(8))
def test_a_groups_number_has_a_digit_for_each_of_its_points(seed: int) -> None:
    mine, theirs = drawn(seed)
    expected = [
        sum(3**place * ((mine >> cell & 1) + 2 * (theirs >> cell & 1)) for place, cell in enumerate(group))
        for group in GROUPS
    ]
    squares, sides = (int(numbers(U(mine), U(theirs), first)) for first in (IN_SQUARES, IN_SIDES))
    assert [squares >> 16 * lane & 0xFFFF for lane in range(3)] == expected[:3]
    assert [sides >> 16 * lane & 0xFFFF for lane in range(4)] == expected[3:]


def test_a_position_is_worth_the_same_in_every_symmetry() -> None:
    search = MorrisSearch(GAME, 1, 0)
    for seed in range(20):
        mine, theirs = drawn(seed)
        values = {value(search, image(mine, points), image(theirs, points)) for points in symmetries(GAME)}
        assert len(values) == 1


def test_more_men_are_worth_more_and_laying_counts_those_in_hand() -> None:
    search = MorrisSearch(GAME, 1, 0)
    many, few = bits("a7 g7 d6 c4 e3 f2"), bits("d7 b4 g1")
    assert value(search, many, few) > 100 > -100 > value(search, few, many)
    assert value(search, many, few, 2, 8) < value(search, many, few)


def test_stages_follow_the_men_to_lay_then_the_men_left_then_who_flies() -> None:
    seven, three = U(bits("a7 d7 g7 b6 d6 f6 c5")), U(bits("a1 d1 g1"))
    five = U(bits("a4 b4 c4 e4 f4"))
    assert [int(stage(three, three, hand, hand, False, False)) for hand in (8, 5, 3, 1)] == [0, 1, 2, 3]
    assert [int(stage(seven, theirs, 0, 0, False, False)) for theirs in (five, three)] == [5, 6]
    flying = ((True, False), (False, True), (True, True))
    assert [int(stage(three, three, 0, 0, mine, theirs)) for mine, theirs in flying] == [8, 9, 10]


def test_patterns_judge_on_their_board_alone_and_not_for_a_named_heuristic() -> None:
    for rules, heuristic, patterns in (
        (MorrisRules(), "", 1),
        (MorrisRules(flying=True, mill_protected=True), "", 1),
        (MorrisRules(diagonals=True), "", 0),
        (MorrisRules(), "best", 0),
    ):
        search = MorrisSearch(NineMensMorris(rules), 1, 0, heuristic)
        assert int(search.memory[layout.JUDGE]) == patterns, rules


def test_games_teach_that_men_are_worth_having() -> None:
    def by_men(memory: layout.Memory) -> None:
        for phase in range(4):
            memory[int(layout.WEIGHTS) + 16 * phase + 3] = 100

    positions = morris.play(by_men, 60, 1, 0.9, 3, lambda _: None)
    again = morris.play(by_men, 60, 1, 0.9, 3, lambda _: None)
    assert all(np.array_equal(one, other) for one, other in zip(positions, again, strict=True))
    assert 0.4 < float(positions.worth.mean()) < 0.6
    fitted = morris.fit(positions, 3, 1, lambda: None)
    search = MorrisSearch(GAME, 1, 0)
    search.memory[int(layout.PATTERNS) : int(layout.PATTERNS_END)] = fitted.weights.reshape(-1).view(np.uint64)
    many, few = bits("a7 g7 d6 c4 e3 f2"), bits("d7 b4 g1")
    assert value(search, many, few) > value(search, few, many)
