"""The draughts kernel against the rules, published counts, the heuristics in plain Python and plain minimax."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import games
from agents import kernels
from agents.agent import Limits
from agents.kernels.memory import STATE
from agents.minimax import minimax
from agents.perft import perft
from agents.registry import load_agent
from agents.search import WIN
from games.draughts import Draughts, Position
from games.draughts import heuristics as plain
from games.draughts.kernel import DraughtsSearch, place
from games.draughts.kernel.evaluation import evaluate
from games.draughts.kernel.negamax import write_moves
from rules.turns import line_of_play
from tests.agents.kernel_moves import moves_of

NEVER = threading.Event()
SETS: list[dict[str, object]] = [{"set": name} for name in Draughts.about.rule_sets]
MIXED: list[dict[str, object]] = [
    {"set": "english", "size": 10, "backwards": True, "longest": True},
    {"set": "english", "passing": True, "flying": True, "repetition": 2, "king_plies": 6},
    {"set": "russian", "size": 10, "longest": True, "king_plies": 0, "repetition": 0},
]
COUNTS = (Path(__file__).parents[1] / "games" / "data" / "draughts.perft").read_text().splitlines()
ENDINGS = {
    "english": "W:WK14,K22:BK1,K7",
    "international": "W:WK6,K27,K36:BK50",
    "brazilian": "B:WK14,K22:BK1",
    "russian": "W:WK14,K22:BK1,K7",
    "pool": "W:WK14,K22:BK1,K7",
}
"""Kings that shuffle."""
KINGS_LOOSE = {"8": "B:WK3,K27,12,21:B9,20,K29,K6", "10": "B:WK3,K27,32,41:B9,20,K49,K6"}


def draughts(**rules: object) -> Draughts:
    game = games.load("draughts", rules)
    assert isinstance(game, Draughts)
    return game


def random_line(game: Draughts, draw: random.Random, start: Position | None = None) -> Iterator[Position]:
    """The positions of a random game, at most as many as a draw takes."""
    position = start or game.initial()
    for _ in range(120):
        if game.outcome(position) is not None:
            return
        yield position
        position = game.apply(position, draw.choice(game.legal_moves(position)))


def positions(game: Draughts, seed: int, count: int) -> list[Position]:
    """Unfinished positions of random games, of which every third begins with many kings."""
    draw, found = random.Random(seed), list[Position]()
    kings = game.parse_position(KINGS_LOOSE[game.rules.size])
    while len(found) < count:
        line = list(random_line(game, draw, kings if draw.random() < 1 / 3 else None))
        found += draw.sample(line, min(8, len(line)))
    return found[:count]


def few_moves(game: Draughts, seed: int, count: int) -> list[Position]:
    """Positions with few moves, so that plain minimax has not much to do."""
    return [one for one in positions(game, seed, 8 * count) if len(game.legal_moves(one)) < 10][:count]


def judged(search: DraughtsSearch, position: Position) -> int:
    place(search.memory, search.game, position)
    return int(evaluate(search.memory, STATE))


def score(game: Draughts, heuristic: str, position: Position, depth: int, ply: int = 0) -> int:
    return minimax(game, position, depth, plain.HEURISTICS[heuristic], None, ply)


@pytest.mark.parametrize("rules", SETS + MIXED, ids=str)
def test_the_kernel_sees_exactly_the_legal_moves_in_their_order(rules: dict[str, object]) -> None:
    game = draughts(**rules)
    search = DraughtsSearch(game, table_mb=1, seed=0)
    for position in positions(game, 1, 200):
        assert moves_of(search, write_moves, position) == game.legal_moves(position), game.format_position(position)


@pytest.mark.parametrize("line", [line for line in COUNTS if not line.startswith("#")])
def test_the_kernel_counts_as_published(line: str) -> None:
    rules, start, *counts = line.split()
    game = draughts(set=rules, repetition=0, king_plies=0, last_pieces=False)
    position = game.initial() if start == "start" else game.parse_position(start)
    assert [kernels.perft(game, position, depth) for depth in range(1, len(counts) + 1)] == list(map(int, counts))


@pytest.mark.parametrize("rules", SETS + MIXED, ids=str)
def test_the_kernel_counts_the_same_leaves(rules: dict[str, object]) -> None:
    game = draughts(**rules)
    for position in positions(game, 2, 12):
        assert kernels.perft(game, position, 3) == perft(game, position, 3)
    assert kernels.perft(game, game.initial(), 0) == 1


@pytest.mark.parametrize("rules", [*SETS, MIXED[1]], ids=str)
def test_draws_are_counted_as_the_rules_have_them(rules: dict[str, object]) -> None:
    game, draw, drawn = draughts(**rules), random.Random(3), 0
    for _ in range(4):
        start = game.parse_position(ENDINGS[str(rules["set"])])
        line = list(random_line(game, draw, start))
        drawn += game.outcome(game.apply(line[-1], game.legal_moves(line[-1])[0])) is not None
        for position in line[-4:]:
            assert kernels.perft(game, position, 3) == perft(game, position, 3), position
    assert drawn


@pytest.mark.parametrize("heuristic", plain.HEURISTICS)
@pytest.mark.parametrize("rules", SETS + MIXED, ids=str)
def test_the_kernel_judges_as_the_plain_functions(rules: dict[str, object], heuristic: str) -> None:
    game = draughts(**rules)
    search = DraughtsSearch(game, table_mb=1, seed=0, heuristic=heuristic)
    for position in positions(game, 4, 80):
        assert judged(search, position) == plain.HEURISTICS[heuristic](game, position, None)


@pytest.mark.parametrize("heuristic", plain.HEURISTICS)
@pytest.mark.parametrize("rules", SETS + MIXED, ids=str)
def test_a_search_to_a_depth_has_the_score_of_plain_minimax(rules: dict[str, object], heuristic: str) -> None:
    game = draughts(**rules)
    search = DraughtsSearch(game, table_mb=1, seed=0, heuristic=heuristic)
    for position in few_moves(game, 5, 6):
        search.begin(position, None, exact=True)
        for level in (1, 2, 3):
            found = search.deepen(level)
            assert found.score == score(game, heuristic, position, level), (game.format_position(position), level)
        after = game.apply(position, found.move)
        assert -score(game, heuristic, after, 2, 1) == found.score


@pytest.mark.parametrize("rules", SETS, ids=str)
def test_draws_in_reach_are_seen_whatever_was_learnt_before(rules: dict[str, object]) -> None:
    game, draw = draughts(**rules), random.Random(6)
    search = DraughtsSearch(game, table_mb=1, seed=0, heuristic="placed")
    line = list(random_line(game, draw, game.parse_position(ENDINGS[str(rules["set"])])))
    for position in line[-12:]:
        search.begin(position, None, exact=True)
        for level in (1, 2):
            assert search.deepen(level).score == score(game, "placed", position, level), position


@pytest.mark.parametrize(
    ("rules", "text", "plies"),
    [
        ("russian", "W:WK1:B6", 1),
        ("english", "B:W32:BK27,K18", 5),
        ("international", "W:W28,K1:B23", 1),
    ],
)
def test_wins_are_found_and_counted_in_plies(rules: str, text: str, plies: int) -> None:
    game = draughts(set=rules)
    answer = load_agent("alphabeta", game).choose(game.parse_position(text), Limits(nodes=200_000), NEVER)
    assert answer.score == WIN - plies
    assert answer.exact


@pytest.mark.parametrize("rules", SETS, ids=str)
def test_every_near_win_that_a_search_by_nodes_claims_is_one(rules: dict[str, object]) -> None:
    game, claimed = draughts(**rules), 0
    kept = load_agent("alphabeta", game, {"table_mb": 1})
    draw = random.Random(7)
    for _ in range(12):
        for position in list(random_line(game, draw, game.parse_position(KINGS_LOOSE[game.rules.size])))[-5:]:
            answer = kept.choose(position, Limits(nodes=20_000), NEVER)
            distance = WIN - abs(answer.score or 0)
            if distance <= 5:
                claimed += 1
                exact = load_agent("alphabeta", game, {"table_mb": 1})
                assert exact.choose(position, Limits(depth=int(distance)), NEVER).score == answer.score
    assert claimed > 10


@pytest.mark.parametrize("rules", SETS + MIXED, ids=str)
def test_the_expected_line_is_legal_and_begins_with_the_move(rules: dict[str, object]) -> None:
    game = draughts(**rules)
    agent = load_agent("alphabeta", game, {"table_mb": 1})
    for position in positions(game, 8, 15):
        answer = agent.choose(position, Limits(nodes=5000), NEVER)
        line_of_play(game, answer.pv, position)
        assert answer.pv[0] == game.format_move(position, answer.move)


@pytest.mark.parametrize("rules", SETS + MIXED, ids=str)
def test_both_sides_judge_mirrored_positions_alike(rules: dict[str, object]) -> None:
    game = draughts(**rules)
    search, last = DraughtsSearch(game, table_mb=1, seed=0), len(game.cells) - 1

    def turned(squares: int) -> int:
        return sum(1 << last - square for square in range(last + 1) if squares >> square & 1)

    for position in positions(game, 9, 80):
        light, dark = position.pieces
        mirrored = Position((turned(dark), turned(light)), turned(position.kings), 1 - position.side)
        assert judged(search, position) == judged(search, mirrored)
