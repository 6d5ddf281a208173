"""The reversi heuristics, on boards that can be counted by hand and against slow definitions."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import games
from agents import heuristics
from games.reversi import CELLS, Position, Reversi
from games.reversi import heuristics as features
from games.reversi.bitboard import FULL

GAME = Reversi()
USUAL = "---------------------------OX------XO--------------------------- X"


def position(rows: str, mover: str = "X") -> Position:
    letters = "".join(row.ljust(8, "-") for row in rows.split()).ljust(64, "-")
    return GAME.parse_position(f"{letters} {mover}")


def value(name: str, of: Position) -> int:
    return heuristics.of(GAME)[name](GAME, of, None)


def random_positions(seed: int) -> Iterator[Position]:
    dice, here = random.Random(seed), GAME.initial()
    while moves := GAME.legal_moves(here):
        yield here
        here = GAME.apply(here, dice.choice(moves))
    yield here


def test_the_usual_one_is_adaptive_and_all_are_named() -> None:
    assert next(iter(heuristics.of(games.load("reversi")))) == "adaptive"
    assert {"static", "stable", "adaptive", "corners", "edges", "coin_parity", "mobility", "stability"} <= set(
        heuristics.of(GAME)
    )


@pytest.mark.parametrize("name", features.HEURISTICS)
def test_each_is_opposite_for_the_other_side_and_nothing_at_the_start(name: str) -> None:
    assert value(name, GAME.initial()) == 0
    for here in random_positions(1):
        other = Position(here.discs, 1 - here.side)
        assert value(name, here) == -value(name, other)


@pytest.mark.parametrize("name", features.HEURISTICS)
def test_each_is_the_same_on_a_board_turned_around(name: str) -> None:
    for here in list(random_positions(2))[::7]:
        black, white = (int(f"{discs:064b}"[::-1], 2) for discs in here.discs)
        assert value(name, Position((black, white), here.side)) == value(name, here)


def test_a_percentage_is_rounded_toward_zero_for_both_sides() -> None:
    assert features.percentage(0, 0) == 0
    assert features.percentage(2, 1) == 33
    assert features.percentage(1, 2) == -33
    assert features.percentage(0, 5) == -100


def test_the_features_count_what_they_say() -> None:
    here = position("X-XO---O -X------ OO------ -------- -------- -------- -------- X------X")
    assert value("corners", here) == 100 * (3 - 1) // 4
    assert value("edges", here) == -(100 * (2 - 1) // 3)  # c1 against d1 and a3; a1, h1 and the like are no edges
    assert value("coin_parity", here) == 100 * (5 - 4) // 9
    moves = [len(GAME.legal_moves(Position(here.discs, side))) for side in (0, 1)]
    assert value("mobility", here) == features.percentage(*moves)


def test_the_simple_measure_holds_corners_edge_squares_and_lonely_discs_for_stable() -> None:
    here = position("X-XO---- -------- -------- ---X---- --O----- ------O- -------- -------X")
    mine, theirs = here.discs
    names = {CELLS[cell] for cell in range(64) if features.quiet(mine, theirs) >> cell & 1}
    assert names == {"a1", "c1", "h8"}
    names = {CELLS[cell] for cell in range(64) if features.quiet(theirs, mine) >> cell & 1}
    assert names == {"d1", "g6"}


def test_no_disc_that_counts_as_truly_stable_is_ever_turned() -> None:
    seen = 0
    for seed in range(8):
        dice = random.Random(seed)
        for here in random_positions(seed):
            safe = [features.never_turned(here.discs[side], here.discs[1 - side]) for side in (0, 1)]
            seen += sum(discs.bit_count() for discs in safe)
            later = here
            while moves := GAME.legal_moves(later):
                later = GAME.apply(later, dice.choice(moves))
                assert all(discs & later.discs[side] == discs for side, discs in enumerate(safe))
    assert seen > 1000


def test_a_corner_and_what_leans_on_it_is_truly_stable_and_a_full_board_wholly() -> None:
    here = position("XXXO---- X------- O-------")
    assert features.never_turned(*here.discs) == sum(1 << CELLS.index(name) for name in ("a1", "b1", "c1", "a2"))
    assert features.never_turned(here.discs[1], here.discs[0]) == 0
    full = Position((FULL & 0xF0F0F0F0F0F0F0F0, FULL & 0x0F0F0F0F0F0F0F0F), 0)
    assert features.never_turned(*full.discs) == full.discs[0]


def test_the_strategies_with_true_stability_differ_from_the_others_in_that_feature_alone() -> None:
    seen = 0
    for here in random_positions(3):
        less = value("stability", here) - value("true_stability", here)
        assert value("stable", here) - value("stable_truly", here) == features.STABLE_WEIGHTS["stability"] * less
        weights = features.weights_of(here)
        assert value("adaptive", here) - value("adaptive_truly", here) == weights["stability"] * less
        seen += less != 0
    assert seen > 10


def test_static_adds_the_table() -> None:
    assert value("static", position("XO------")) == 4 + 3
    assert value("static", position("XO------", "O")) == -7
    assert value("static", position("-------- -X------ --O-----")) == -4 - 1
    assert sum(features.TABLE) == 2 * (
        4 * (4 - 3 + 2 + 2) // 2 + 2 * (-3 - 4 - 1 - 1) + 2 * (2 - 1 + 1) + 2 * (2 - 1 + 1)
    )


@pytest.mark.parametrize(
    ("discs", "weights"), [(19, features.OPENING), (20, features.MIDDLE), (49, features.MIDDLE), (50, features.END)]
)
def test_adaptive_changes_its_weights_with_the_discs_on_the_board(discs: int, weights: dict[str, int]) -> None:
    dice = random.Random(discs)
    cells = dice.sample(range(64), discs)
    mine = sum(1 << cell for cell in cells[: discs // 3])
    here = Position((mine, sum(1 << cell for cell in cells) ^ mine), 0)
    expected = sum(weight * value(name, here) for name, weight in weights.items())
    assert value("adaptive", here) == expected != 0
    assert value("stable", here) == sum(weight * value(name, here) for name, weight in features.STABLE_WEIGHTS.items())
