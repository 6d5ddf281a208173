"""The reversi kernel against the rules and plain Python, and with a warm cache."""

from __future__ import annotations

import functools
import random
import threading
import time
from typing import Any

import numpy as np
import pytest

from agents import kernels
from agents.kernels.memory import trained
from agents.search import WIN
from games.reversi import CELLS, Position, Reversi
from games.reversi import heuristics as plain
from games.reversi.kernel import ReversiSearch
from games.reversi.kernel import memory as layout
from games.reversi.kernel.discs import flips, moves, stable
from games.reversi.kernel.endgame import prove
from games.reversi.kernel.groups import CONSTANT, GROUPS, MOBILITY, SIZES, STARTS, groups_of
from games.reversi.kernel.memory import STAGE_WORDS, STAGES
from games.reversi.kernel.midgame import WON, evaluate
from games.reversi.kernel.patterns import MAX_VALUE, TEMPO, stage_of
from games.reversi.kernel.proof import prove_result

GAME = Reversi()
KNOWN = (1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284)
U = np.uint64


@functools.cache
def positions(seed: int, number: int, empties: tuple[int, int] = (1, 60)) -> tuple[Position, ...]:
    """Unfinished positions from random games, with a number of empty squares in that range."""
    draw, found = random.Random(seed), list[Position]()
    while len(found) < number:
        position, line = GAME.initial(), []
        while GAME.outcome(position) is None:
            if empties[0] <= 64 - sum(discs.bit_count() for discs in position.discs) <= empties[1]:
                line.append(position)
            position = GAME.apply(position, draw.choice(GAME.legal_moves(position)))
        found += draw.sample(line, min(3, len(line)))
    return tuple(found[:number])


def discs_of(position: Position) -> tuple[Any, Any]:
    return U(position.discs[position.side]), U(position.discs[1 - position.side])


def test_moves_and_flips_are_those_of_the_rules() -> None:
    draw = random.Random(1)
    for _ in range(3000):
        occupied = draw.getrandbits(64) | draw.getrandbits(64)
        mine = draw.getrandbits(64) & occupied
        theirs = occupied & ~mine
        position = Position((mine, theirs), 0)
        assert int(moves(U(mine), U(theirs))) == GAME.places(position, 0)
        for cell in range(64):
            if not occupied >> cell & 1:
                assert int(flips(U(mine), U(theirs), U(cell))) == GAME.turned(position, cell), (mine, theirs, cell)


def test_the_published_counts_come_out() -> None:
    assert tuple(kernels.perft(GAME, GAME.initial(), depth) for depth in range(len(KNOWN))) == KNOWN


def slow_count(position: Position, depth: int) -> int:
    """Counts leaves as the published figures do: a pass is a ply, and a finished game is one leaf."""
    if depth == 0 or GAME.outcome(position) is not None:
        return 1
    return sum(slow_count(GAME.apply(position, move), depth - 1) for move in GAME.legal_moves(position))


def test_counts_agree_with_the_rules_where_games_end_and_sides_pass() -> None:
    for position in positions(2, 60, (1, 12)):
        assert kernels.perft(GAME, position, 4) == slow_count(position, 4)


def test_discs_called_stable_are_those_of_plain_python() -> None:
    for position in positions(3, 300, (1, 40)):
        mine, theirs = discs_of(position)
        assert int(stable(mine, theirs)) == plain.never_turned(int(mine), int(theirs))


@pytest.mark.parametrize("name", plain.HEURISTICS)
def test_named_heuristics_have_the_plain_values(name: str) -> None:
    memory = ReversiSearch(GAME, 1, 0, name).memory
    for position in positions(4, 200):
        assert int(evaluate(memory, *discs_of(position))) == plain.HEURISTICS[name](GAME, position, None), position


def minimax(memory: Any, position: Position, depth: int, ply: int = 0) -> int:
    """Plain minimax with the evaluation of that memory; a pass is a ply."""
    if GAME.outcome(position) is not None:
        mine, theirs = (int(discs).bit_count() for discs in discs_of(position))
        ahead = 64 - 2 * theirs if mine > theirs else 2 * mine - 64 if mine < theirs else 0
        if memory[layout.JUDGE] != layout.PATTERNS:
            return (WIN - ply) * (ahead > 0) - (WIN - ply) * (ahead < 0)
        return 100 * ahead + WON * (ahead > 0) - WON * (ahead < 0)
    if depth == 0:
        return int(evaluate(memory, *discs_of(position)))
    return max(-minimax(memory, GAME.apply(position, move), depth - 1, ply + 1) for move in GAME.legal_moves(position))


@pytest.mark.parametrize("name", ["", "adaptive", "static"])
def test_a_search_to_a_depth_has_the_score_of_plain_minimax(name: str) -> None:
    search = ReversiSearch(GAME, 1, 0, name)
    for position in (
        *positions(6, 25),
        *positions(7, 40, (1, 6)),
        *(one for one in positions(8, 500, (1, 14)) if must_pass(one)),
    ):
        search.begin(position, None, exact=True)
        for depth in range(1, 4):
            found = search.deepen(depth)
            assert found.whole
            assert found.score == minimax(search.memory, position, depth), (GAME.format_position(position), depth)
            after = GAME.apply(position, found.move)
            assert -minimax(search.memory, after, depth - 1, 1) == found.score


def must_pass(position: Position) -> bool:
    return GAME.legal_moves(position)[0].cell is None


def test_positions_with_a_pass_are_among_those_tested() -> None:
    assert sum(map(must_pass, positions(8, 500, (1, 14)))) > 10


def best_result(position: Position) -> int:
    """The best result, found by trying all moves."""
    if GAME.outcome(position) is not None:
        mine, theirs = (int(discs).bit_count() for discs in discs_of(position))
        return 64 - 2 * theirs if mine > theirs else 2 * mine - 64 if mine < theirs else 0
    return max(-best_result(GAME.apply(position, move)) for move in GAME.legal_moves(position))


def test_proofs_agree_with_trying_everything() -> None:
    search = ReversiSearch(GAME, 1, 0)
    for position in (*positions(9, 40, (1, 6)), *positions(10, 4, (7, 7)), *positions(11, 3, (8, 8))):
        mine, theirs = discs_of(position)
        expected = best_result(position)
        search.begin(position, None, exact=False)
        proof = prove_result(search.memory, int(mine), int(theirs))
        assert (proof.low, proof.high) == (expected, expected), GAME.format_position(position)
        if not must_pass(position):
            after = GAME.apply(position, GAME.legal_moves(position)[0]._replace(cell=proof.best - 1))
            assert -best_result(after) == expected


def test_the_table_and_stable_discs_change_no_result() -> None:
    search = ReversiSearch(GAME, 1, 0)
    for position in positions(12, 60, (9, 11)):
        mine, theirs = discs_of(position)
        empties = 64 - sum(discs.bit_count() for discs in position.discs)
        search.begin(position, None, exact=True)
        score = search.deepen(2 * empties).score  # to the end, passes too, by the other search
        for alpha in (-9, -1, 1, 9):
            found = int(prove(search.memory, mine, theirs, alpha, empties, 0))
            assert (found > alpha) == (score > 100 * alpha + WON * ((alpha > 0) - (alpha < 0)))


def symmetric(board: int) -> list[int]:
    """The board in its eight rotations and reflections."""
    grid = np.array([board >> bit & 1 for bit in range(64)]).reshape(8, 8)
    turned = [np.rot90(one, turn) for one in (grid, grid.T) for turn in range(4)]
    return [sum(1 << index for index, bit in enumerate(one.ravel()) if bit) for one in turned]


def test_a_position_is_worth_the_same_from_every_side() -> None:
    memory = ReversiSearch(GAME, 1, 0).memory
    for position in positions(13, 60):
        mine, theirs = discs_of(position)
        boards = zip(symmetric(int(mine)), symmetric(int(theirs)), strict=True)
        assert len({int(evaluate(memory, U(own), U(other))) for own, other in boards}) == 1


def groups_by_squares(position: Position) -> set[int]:
    """The indices of the weights that apply to a board, by the listed squares."""
    names = (
        "a1 b1 c1 a2 b2 c2 a3 b3 c3", "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2", "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
        "a2 b2 c2 d2 e2 f2 g2 h2", "a3 b3 c3 d3 e3 f3 g3 h3", "a4 b4 c4 d4 e4 f4 g4 h4",
        "a1 b2 c3 d4 e5 f6 g7 h8", "b1 c2 d3 e4 f5 g6 h7", "c1 d2 e3 f4 g5 h6", "d1 e2 f3 g4 h5", "e1 f2 g3 h4",
    )  # fmt: skip
    mine, theirs = (int(discs) for discs in discs_of(position))
    found = set()
    for own, other in zip(symmetric(mine), symmetric(theirs), strict=True):
        for size, start, squares in zip(SIZES, STARTS, names, strict=True):
            cells = [CELLS.index(name) for name in squares.split()]
            assert len(cells) == size
            digits = [(own >> cell & 1) + 2 * (other >> cell & 1) for cell in cells]
            found.add(start + sum(digit * 3**place for place, digit in enumerate(digits)))
    return found


def test_the_46_groups_are_those_named() -> None:
    for position in positions(14, 40):
        [groups] = groups_of(*(np.array([discs]) for discs in discs_of(position)))
        assert len(groups) == GROUPS
        chosen = {int(index) for index in groups}
        assert chosen <= groups_by_squares(position)
        assert {sum(index >= start for start in STARTS) for index in chosen} == set(range(1, len(STARTS) + 1))


def test_a_value_is_the_sum_of_the_weights_of_groups_and_moves() -> None:
    memory = ReversiSearch(GAME, 1, 0).memory
    weights = trained(layout.TRAINED).view(np.int16).reshape(STAGES, 4 * STAGE_WORDS).astype(int)
    units = np.clip(np.rint(weights / layout.UNIT), -127, 127).astype(int) * layout.UNIT
    for position in positions(17, 100):
        mine, theirs = discs_of(position)
        stage = int(stage_of(mine, theirs))
        [groups] = groups_of(np.array([mine]), np.array([theirs]))
        free = int(moves(mine, theirs)).bit_count() - int(moves(theirs, mine)).bit_count()
        value = int(units[stage, groups].sum() + weights[stage, [MOBILITY + 32 + free, CONSTANT]].sum() + TEMPO[stage])
        assert int(evaluate(memory, mine, theirs)) == min(max(value, -MAX_VALUE), MAX_VALUE)


def test_the_expected_line_is_legal_and_begins_with_the_move() -> None:
    search = ReversiSearch(GAME, 1, 0)
    for position in positions(15, 30):
        search.begin(position, 20_000, exact=False)
        found = None
        for depth in range(1, 6):
            if found is not None and found.final:
                break
            found = search.deepen(depth)
            if found.move is None:
                break
            assert found.pv[0] == found.move
            following = position
            for move in found.pv:
                following = GAME.apply(following, move)


def test_a_certain_win_ranks_above_every_evaluation_and_is_final() -> None:
    search = ReversiSearch(GAME, 1, 0)
    for position in positions(16, 20, (8, 10)):
        search.begin(position, None, exact=False)
        depth, found = 1, search.deepen(1)
        while not found.final:
            depth += 1
            found = search.deepen(depth)
        result = best_result_by_proof(position)
        assert found.score == 100 * result + WON * (result > 0) - WON * (result < 0)


def best_result_by_proof(position: Position) -> int:
    mine, theirs = discs_of(position)
    return prove_result(ReversiSearch(GAME, 1, 0).memory, int(mine), int(theirs)).low


def test_equal_moves_are_chosen_by_the_seed() -> None:
    chosen = set()
    for seed in range(1, 9):
        search = ReversiSearch(GAME, 1, seed)
        search.begin(GAME.initial(), None, exact=True)
        chosen.add(search.deepen(2).move)
    assert len(chosen) > 1


def test_an_interrupted_search_ends_at_once_with_a_legal_move_or_none() -> None:
    search = ReversiSearch(GAME, 16, 0)
    hard = GAME.parse_position("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X")
    for position, depth in ((hard, 40), (GAME.initial(), 30)):
        search.begin(position, None, exact=False)
        threading.Timer(0.2, search.interrupt).start()
        began_s = time.thread_time()
        found = search.deepen(depth)
        assert time.thread_time() - began_s < 5
        assert not found.whole
        assert found.move is None or found.move in GAME.legal_moves(position)


def test_no_more_positions_are_visited_than_allowed() -> None:
    search = ReversiSearch(GAME, 1, 0)
    search.begin(GAME.initial(), 5000, exact=False)
    nodes, depth, found = 0, 1, search.deepen(1)
    while found.whole:
        depth += 1
        found = search.deepen(depth)
    nodes = found.nodes
    assert 2500 < nodes <= 5001


def test_what_a_selective_search_left_in_the_table_does_not_change_a_search_to_a_depth() -> None:
    search = ReversiSearch(GAME, 8, 0)
    for position in positions(31, 6, (20, 50)):
        search.begin(position, None, exact=False)
        for depth in range(1, 10):
            search.deepen(depth)
        search.begin(position, None, exact=True)
        kept = [search.deepen(depth).score for depth in range(1, 6)]
        fresh = ReversiSearch(GAME, 8, 0)
        fresh.begin(position, None, exact=True)
        assert kept == [fresh.deepen(depth).score for depth in range(1, 6)]


def test_a_selective_search_sees_as_deep_with_far_fewer_positions() -> None:
    cost = {True: 0, False: 0}
    for position in positions(32, 5, (30, 45)):
        for exact in cost:
            search = ReversiSearch(GAME, 8, 0)
            search.begin(position, None, exact=exact)
            cost[exact] += [search.deepen(depth).nodes for depth in range(1, 10)][-1]
    assert cost[False] * 20 < cost[True]  # 9 times fewer if searches of one and two plies are not cut
