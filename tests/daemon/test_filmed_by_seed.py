"""Films made from seeds: the plan and the game that a seed gives, what hands do, and how silence is judged."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

import games
from calibration.template import load_template
from lab.films.bench import dues_of, total
from lab.films.films import Showing
from lab.films.hands import Hosts, swaps_of, without_replaced
from lab.films.judge import LOW, judge
from lab.films.parts import FEATHER_PX, blended, merged
from lab.films.plan import FEWEST, GAMES, Board, FilmPlan, draw_plan, play
from lab.films.shoot import Change, shifts
from lab.simulated.arm import Reach
from lab.simulated.camera import Region
from rules import Step
from rules.options import switched_on
from rules.turns import begins_turn

SEEDS = range(24)


def boards_of(plan: FilmPlan) -> list[Board]:
    game = games.load(plan.game, plan.rules)
    return play(game, load_template(game.name, switched_on(game)), plan.plies, plan.halves, plan.rng("play"))


def test_a_seed_gives_the_same_film_again_and_another_attempt_another_one() -> None:
    for seed in SEEDS:
        assert draw_plan(seed) == draw_plan(seed)
        assert draw_plan(seed) != draw_plan(seed, 1)
        assert draw_plan(seed).game == draw_plan(seed, 1).game
    assert boards_of(draw_plan(3)) == boards_of(draw_plan(3))


@pytest.mark.parametrize("first", [0, 8, 40])
def test_eight_seeds_in_a_row_have_every_game_once(first: int) -> None:
    assert sorted(draw_plan(seed).game for seed in range(first, first + 8)) == sorted(name for name, _ in GAMES)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_films_game_is_legal_and_half_turns_begin_one(seed: int) -> None:
    plan = dataclasses.replace(draw_plan(seed), halves=0.8)
    game, boards = games.load(plan.game, plan.rules), boards_of(plan)
    position = next(start for start in game.starts if game.board(start) == boards[0].cells)
    plies = [board for board in boards[1:] if board.ply is not None]
    assert len(plies) >= FEWEST
    for board in boards[1:]:
        if board.ply is None:
            assert begins_turn(game, position, board.cells)
            continue
        if not any(game.format_move(position, move) == board.move for move in game.legal_moves(position)):
            # Who lays a double tile and holds none that fits has passed, which only those who see the hand know.
            position = game.apply(position, next(m for m in game.legal_moves(position) if not game.steps(position, m)))
        position = game.apply(position, game.parse_move(position, board.move))
        assert game.board(position) == board.cells


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hand_touches_every_cell_that_changes(seed: int) -> None:
    plan = dataclasses.replace(draw_plan(seed), halves=0.5, resting=1.0, second_hand=1.0)
    game, boards = games.load(plan.game, plan.rules), boards_of(plan)
    template = load_template(game.name, switched_on(game))
    away = np.array([[0.0, 900.0], [0.0, -900.0]])
    hosts = Hosts(plan, template, lambda side: Reach(0.0, float(away[side, 1]), 40.0), list(away))
    for before, board in itertools.pairwise(boards):
        turn = hosts.turn(board)
        changed = {cell for cell, pair in enumerate(zip(before.cells, board.cells, strict=True)) if pair[0] != pair[1]}
        assert changed <= turn.swapped(turn.duration_s)
        assert all(turn.hands(at_s) for at_s, _ in turn.swaps)
        assert not turn.swapped(0.0) and not turn.hands(turn.duration_s + 0.1)
        assert {track.side for track in turn.tracks} == {0, 1}


def test_a_taken_man_is_replaced_in_one_grip() -> None:
    taken, moved = (Step("remove", 4),), (Step("move", 4, 9, "W"),)
    assert without_replaced([taken, moved]) == [moved]
    assert without_replaced([moved, (Step("remove", 7),)]) == [moved, (Step("remove", 7),)]
    assert swaps_of([]) == ()


def test_a_board_is_never_pushed_unless_it_is_asked_for() -> None:
    assert not shifts(12, 0.0, np.random.default_rng(3)).any()
    pushed = shifts(400, 1.5, np.random.default_rng(3))
    assert not pushed[0].any() and pushed[1:].all() and np.abs(pushed[:, :2]).max() < 12


def test_parts_that_lie_together_are_rendered_as_one_and_blend_into_the_picture() -> None:
    near, far = [Region(0, 0, 40, 40), Region(20, 0, 60, 40)], Region(200, 200, 240, 240)
    assert sorted(merged([*near, far]), key=lambda part: part.left) == [Region(0, 0, 60, 40), far]
    film = np.zeros((60, 60, 3), np.float32)
    blended(film, Region(0, 10, 40, 50), np.ones((40, 40, 3), np.float32))
    assert film[30, 0, 0] == film[30, 20, 0] == 1.0  # no seam at the picture's edge
    assert film[30, 39, 0] == pytest.approx(1 / FEATHER_PX) and film[30, 40, 0] == 0


class FlatTable:
    """Replaces a table: cells in a row, 40 px apart, with flat men."""

    men_mm = 5.0

    def cells_px(self, cells: Sequence[int], rise_mm: float = 0.0) -> NDArray[np.float64]:
        return np.array([[20.0 + 40 * cell, 20 - rise_mm / 10] for cell in cells])


def test_each_cell_changes_when_the_hand_has_touched_it() -> None:
    pictures = [np.full((40, 120, 3), level, np.uint8) for level in (50, 200)]
    change = Change(FlatTable(), [Board("W..", 0), Board("..W", 1)], pictures, 1)  # type: ignore[arg-type]
    assert (change.picture(frozenset()) == 50).all() and (change.picture(frozenset({0, 2})) == 200).all()
    lifted = change.picture(frozenset({0}))
    assert (lifted[:, :56] == 200).all() and (lifted[:, 64:] == 50).all()


def shown(*boards: str) -> list[Showing]:
    """These boards shown for 4 s each, free from second 1 to 3 of each; a * marks half a turn."""
    return [
        Showing(str(n), cells.strip("*"), 4.0 * n, 4.0 * n + 1, 4.0 * n + 3, cells.endswith("*"))
        for n, cells in enumerate(boards)
    ]


def event(time_s: float, cells: str, code: str = "move") -> dict[str, object]:
    return {"event": code, "frame": time_s, "cells": cells}


def test_half_a_turn_is_no_ply_and_only_unfinished() -> None:
    dues = dues_of(shown("..", "W.", "WB*", "BB"))
    judged = judge(dues, [event(5.5, "W."), event(10.0, "WB", "unfinished"), event(13.5, "BB")])
    assert (judged.boards, judged.followed, judged.illegal, judged.told, judged.complaints) == (2, 2, 1, 1, 0)
    assert judge(dues, [event(10.0, "WB", "illegal")]).complaints == 1
    assert judge(dues, [event(9.5, "WB")]).wrong == ("9.50 s: WB",)


def test_silence_is_counted_from_the_hand_that_is_gone_for_missed_boards_only() -> None:
    dues = dues_of(shown("..", "W.", "WB", "BB"))
    told = [event(5.5, "W."), event(9.5, "WB"), event(13.5, "BB")]
    assert judge(dues, told).silence_s == 0
    assert judge(dues, [told[0], told[2]]).silence_s == 4.5  # from 9 s, until the next board is told
    assert judge(dues, told[:1]).silence_s == 6.0  # until the film ends, at 15 s


def test_a_true_reason_ends_the_silence_and_an_untrue_one_does_not() -> None:
    dues = dues_of(shown("..", "W.", "WB", "BB"))
    assert judge(dues, [event(6.0, "", "unclear")]).silence_s == 1.0
    assert judge(dues, [event(6.0, "", "trouble")]).silence_s == 10.0
    assert judge(dues, [event(6.0, "", "trouble") | {"text": f"{LOW} Put it higher."}]).silence_s == 1.0
    assert judge(dues, [event(6.0, "W.", "desync")]).silence_s == 1.0
    assert judge(dues, [event(6.0, ".B", "desync")]).silence_s == 10.0
    assert judge(dues, [event(6.0, "", "unclear"), event(8.0, ".B", "illegal")]).silence_s == 7.0


def test_sums_have_the_longest_silence() -> None:
    dues = dues_of(shown("..", "W.", "WB", "BB"))
    good, bad = judge(dues, [event(5.5, "W."), event(9.5, "WB"), event(13.5, "BB")]), judge(dues, [])
    sums = total([good, bad])
    assert (sums["boards"], sums["followed"], sums["silence_s"]) == (6, 3, 10.0)
    assert total([])["verdict_median_s"] is None
