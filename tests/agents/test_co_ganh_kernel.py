"""The cờ gánh kernel against the rules, the heuristics in plain Python and plain minimax."""

from __future__ import annotations

import dataclasses
import random
import threading

import numpy as np
import pytest

import games
from agents import kernels
from agents.agent import Limits
from agents.minimax import minimax
from agents.perft import perft
from agents.registry import load_agent
from agents.search import WIN
from games.co_ganh import CELLS, CoGanh, Position
from games.co_ganh import heuristics as plain
from games.co_ganh.kernel import GanhSearch
from games.co_ganh.kernel.evaluation import evaluate
from games.co_ganh.kernel.moves import write_moves
from rules.turns import line_of_play
from tests.agents.kernel_moves import moves_of

RULES: list[dict[str, object]] = [{}, {"capture": "flip"}, {"capture": "flip", "mo": True}]
NEVER = threading.Event()


def ganh(**rules: object) -> CoGanh:
    game = games.load("ganh", rules)
    assert isinstance(game, CoGanh)
    return game


def positions(game: CoGanh, seed: int, count: int) -> list[Position]:
    """Unfinished positions from random games, including late ones."""
    draw, found = random.Random(seed), list[Position]()
    while len(found) < count:
        position, line = game.initial(), []
        while game.outcome(position) is None:
            line.append(position)
            position = game.apply(position, draw.choice(game.legal_moves(position)))
        found += draw.sample(line, min(8, len(line)))
    return found[:count]


def ends(game: CoGanh, seed: int, count: int) -> list[Position]:
    """Positions three plies before the end of random games."""
    draw, found = random.Random(seed), list[Position]()
    while len(found) < count:
        line = [game.initial()]
        while game.outcome(line[-1]) is None:
            line.append(game.apply(line[-1], draw.choice(game.legal_moves(line[-1]))))
        found.append(line[-4])
    return found


def score(game: CoGanh, heuristic: str, position: Position, depth: int, ply: int = 0) -> int:
    return minimax(game, position, depth, plain.HEURISTICS[heuristic], ply=ply)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_kernel_sees_exactly_the_legal_moves(rules: dict[str, object]) -> None:
    game = ganh(**rules)
    search = GanhSearch(game, table_mb=1, seed=0)
    for position in positions(game, 1, 300):
        assert set(moves_of(search, write_moves, position)) == set(game.legal_moves(position))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_kernel_counts_the_same_leaves(rules: dict[str, object]) -> None:
    game = ganh(**rules, limit=30)
    for position in positions(game, 2, 40):
        assert kernels.perft(game, position, 3) == perft(game, position, 3)
    assert kernels.perft(game, game.initial(), 5) == perft(game, game.initial(), 5)
    assert kernels.perft(game, game.initial(), 0) == 1


@pytest.mark.parametrize("heuristic", plain.HEURISTICS)
def test_the_kernel_judges_as_the_plain_functions(heuristic: str) -> None:
    game = ganh()
    search = GanhSearch(game, table_mb=1, seed=0, heuristic=heuristic)
    for position in positions(game, 3, 300):
        men = np.uint64(position.men[position.side]), np.uint64(position.men[1 - position.side])
        assert evaluate(search.memory, *men) == plain.HEURISTICS[heuristic](game, position, None)


@pytest.mark.parametrize("heuristic", ["material", "material_1_2", "features"])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_a_search_to_a_depth_has_the_score_of_plain_minimax(rules: dict[str, object], heuristic: str) -> None:
    game = ganh(**rules, limit=40)
    search = GanhSearch(game, table_mb=1, seed=0, heuristic=heuristic)
    for position in positions(game, 4, 25):
        depth = 3 if len(game.legal_moves(position)) < 9 else 2
        search.begin(position, None, exact=True)
        for level in range(1, depth + 1):
            found = search.deepen(level)
            assert found.score == score(game, heuristic, position, level), (game.format_position(position), level)
        after = game.apply(position, found.move)
        assert -score(game, heuristic, after, depth - 1, 1) == found.score


def test_the_limit_is_seen_whatever_was_learnt_further_away_from_it() -> None:
    game = ganh(limit=60)
    kept = GanhSearch(game, table_mb=1, seed=0, heuristic="material")
    for position in positions(game, 5, 12):
        for ply in (20, 57, 58, 59, 56):
            near = dataclasses.replace(position, ply=ply)
            kept.begin(near, None, exact=True)
            found = [kept.deepen(depth).score for depth in (1, 2, 3)]
            assert found == [score(game, "material", near, depth) for depth in (1, 2, 3)]


def test_a_lead_at_the_limit_is_a_win_and_no_lead_a_draw() -> None:
    game = ganh()
    for text, score in (
        ("up:WW..................../..B:ply=198", WIN - 2),
        ("up:W...................../.BB:ply=199", 1 - WIN),
        ("up:W...................../..B:ply=199", 0),
    ):
        answer = load_agent("alphabeta", game).choose(game.parse_position(text), Limits(depth=4), NEVER)
        assert answer.score == score


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_every_win_that_a_search_by_nodes_claims_is_one(rules: dict[str, object]) -> None:
    game = ganh(**rules)
    claimed = 0
    kept = load_agent("alphabeta", game, {"table_mb": 1})
    for position in positions(game, 6, 40) + ends(game, 8, 40):
        answer = kept.choose(position, Limits(nodes=20_000), NEVER)
        distance = WIN - abs(answer.score or 0)
        if distance <= 3:
            claimed += 1
            proof = score(game, "material", position, int(distance))
            assert proof == answer.score, game.format_position(position)
        elif distance < 100:
            exact = load_agent("alphabeta", game, {"table_mb": 1})
            assert abs(exact.choose(position, Limits(depth=int(distance)), NEVER).score or 0) >= WIN - distance
    assert claimed > 10


def test_the_expected_line_is_legal_and_begins_with_the_move() -> None:
    for rules in RULES:
        game = ganh(**rules)
        agent = load_agent("alphabeta", game, {"table_mb": 1})
        for position in positions(game, 7, 15):
            answer = agent.choose(position, Limits(nodes=5000), NEVER)
            line_of_play(game, answer.pv, position)
            assert answer.pv[0] == game.format_move(position, answer.move)


def test_unequal_weights_count_for_the_player_who_has_just_moved() -> None:
    game = ganh()
    position = game.parse_position("down:WWW....................BB")
    assert plain.HEURISTICS["material"](game, position, None) == 2 - 3
    # Each man of Up, who has just moved, counts 1, and each of Down -2: 3 - 4. Down sees the opposite.
    assert plain.HEURISTICS["material_1_2"](game, position, None) == 1
    assert plain.HEURISTICS["material_2_1"](game, position, None) == -4


@pytest.mark.parametrize("name", plain.FEATURES)
def test_each_feature_counts_one_thing(name: str) -> None:
    game = ganh()
    # Up, to move: c3 a5 b5; Down: b3 e1.
    position = game.parse_position("up:WW.../...../.BW../...../....B")
    expected = {
        "lines": (4 + 3 + 2, 2 + 3),
        "centre": (1, 1),
        "facing": (0, -1),
        "pairs": (1, 0),
        "mobility": (7 + 2 + 2, 3 + 3),
        "scored": (3, 2),
        "turn": (1, 0),
        "majority": (1, 0),
    }
    feature = plain.FEATURES[name]
    assert (feature(game, position, 0), feature(game, position, 1)) == expected[name]


def test_every_feature_has_a_weight() -> None:
    assert list(plain.WEIGHTS) == list(plain.FEATURES)
    assert all(plain.WEIGHTS.values())
    assert sum(plain.LINES) == 2 * 25 + 2 * 5 + 4 * 3
    assert {CELLS[cell] for cell in range(25) if plain.CENTRE >> cell & 1} == set("b2 b3 b4 c2 c3 c4 d2 d3 d4".split())
