"""The chess kernel against the rules, known counts, the heuristics in plain Python and plain minimax."""

from __future__ import annotations

import dataclasses
import random
import threading
from collections.abc import Iterator

import pytest

import games
from agents import kernels
from agents.agent import Limits
from agents.kernels.memory import STATE
from agents.minimax import minimax
from agents.perft import perft
from agents.registry import load_agent
from agents.search import WIN
from games.chess import CLAIM, Chess, Move, Position
from games.chess import heuristics as plain
from games.chess.kernel import ChessSearch, place
from games.chess.kernel import memory as layout
from games.chess.kernel.evaluation import evaluate
from games.chess.kernel.exchange import gain
from games.chess.kernel.negamax import write_moves
from rules.turns import line_of_play
from tests.agents.kernel_moves import moves_of

NEVER = threading.Event()
RULES: list[dict[str, object]] = [{}, {"draws": "automatic"}, {"draws": "never"}, {"start": 0}, {"start": 959}]
COUNTS = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": (4, 197_281),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (4, 4_085_603),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": (5, 674_624),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": (4, 422_333),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (4, 2_103_487),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": (4, 3_894_594),
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9": (4, 326_672),
}
"""Published counts (https://www.chessprogramming.org/Perft_Results, .../Chess960_Perft_Results): plies, leaves."""
SHUFFLERS = "8/8/4k3/8/8/3K4/7R/8 w - - {} 90"


def chess(**rules: object) -> Chess:
    game = games.load("chess", rules)
    assert isinstance(game, Chess)
    return game


def random_line(game: Chess, draw: random.Random, most: int = 200) -> Iterator[tuple[Position, Move | None]]:
    """The positions of a random game that claims no draw, each with the move that led there."""
    position, last = game.initial(), None
    for _ in range(most):
        if game.outcome(position) is not None:
            return
        yield position, last
        last = draw.choice([move for move in game.legal_moves(position) if move != CLAIM])
        position = game.apply(position, last)


def positions(game: Chess, seed: int, count: int) -> list[tuple[Position, Move | None]]:
    """Unfinished positions from random games, with the move that led to each."""
    draw, found = random.Random(seed), list[tuple[Position, Move | None]]()
    while len(found) < count:
        line = list(random_line(game, draw))
        found += draw.sample(line, min(8, len(line)))
    return found[:count]


def few_moves(game: Chess, seed: int, count: int) -> list[Position]:
    """Positions with few moves, from late in random games, so that plain minimax has not much to do."""
    draw, found = random.Random(seed), list[Position]()
    while len(found) < count:
        line = [position for position, _ in random_line(game, draw)][60:]
        found += [position for position in line if len(game.legal_moves(position)) < 15][:3]
    return found[:count]


def before_mates(game: Chess, seed: int, count: int) -> list[Position]:
    """Positions two and three plies before random games end with a mate."""
    draw, found = random.Random(seed), list[Position]()
    while len(found) < count:
        line = [position for position, _ in random_line(game, draw)]
        if any(game.outcome(game.apply(line[-1], move)) for move in game.legal_moves(line[-1])):
            found += line[-3:-1]
    return found[:count]


def judged(search: ChessSearch, position: Position, last: Move | None = None) -> int:
    place(search.memory, position)
    if last is not None and last != CLAIM:
        search.memory[STATE + layout.LAST] = last.to
    return int(evaluate(search.memory, STATE))


def score(game: Chess, heuristic: str, position: Position, depth: int, last: Move | None = None, ply: int = 0) -> int:
    return minimax(game, position, depth, plain.HEURISTICS[heuristic], last, ply)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_kernel_sees_exactly_the_legal_moves(rules: dict[str, object]) -> None:
    game = chess(**rules)
    search = ChessSearch(game, table_mb=1, seed=0)
    for position, _ in positions(game, 1, 300):
        assert set(moves_of(search, write_moves, position)) == set(game.legal_moves(position)), game.format_position(
            position
        )


@pytest.mark.parametrize("text", COUNTS)
def test_the_kernel_counts_as_published(text: str) -> None:
    game = chess(start=0) if "HF" in text else chess()
    depth, leaves = COUNTS[text]
    assert kernels.perft(game, game.parse_position(text), depth) == leaves


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_kernel_counts_the_same_leaves(rules: dict[str, object]) -> None:
    game = chess(**rules)
    for position, _ in positions(game, 2, 12):
        assert kernels.perft(game, position, 2) == perft(game, position, 2)
    assert kernels.perft(game, game.initial(), 0) == 1


@pytest.mark.parametrize("rules", RULES[:3], ids=str)
def test_draws_and_claims_are_counted_as_the_rules_have_them(rules: dict[str, object]) -> None:
    game = chess(**rules)
    for quiet in (97, 98, 99, 147, 148, 149):
        position = game.parse_position(SHUFFLERS.format(quiet))
        if game.outcome(position) is None:
            assert kernels.perft(game, position, 3) == perft(game, position, 3), quiet
    to_and_fro = "Kd4 Kd6 Kd3 Ke6".split() * 3
    for position in line_of_play(game, to_and_fro[:7], game.parse_position(SHUFFLERS.format(0)))[4:]:
        assert kernels.perft(game, position, 4) == perft(game, position, 4)


@pytest.mark.parametrize("heuristic", plain.HEURISTICS)
def test_the_kernel_judges_as_the_plain_functions(heuristic: str) -> None:
    game = chess()
    search = ChessSearch(game, table_mb=1, seed=0, heuristic=heuristic)
    for position, last in positions(game, 3, 300):
        assert judged(search, position, last) == plain.HEURISTICS[heuristic](game, position, last)


@pytest.mark.parametrize("heuristic", plain.HEURISTICS)
@pytest.mark.parametrize("rules", RULES[:4], ids=str)
def test_a_search_to_a_depth_has_the_score_of_plain_minimax(rules: dict[str, object], heuristic: str) -> None:
    game = chess(**rules)
    search = ChessSearch(game, table_mb=1, seed=0, heuristic=heuristic)
    for number, position in enumerate(few_moves(game, 4, 12)):
        depth = 3 if number % 4 == 0 else 2
        search.begin(position, None, exact=True)
        for level in range(1, depth + 1):
            found = search.deepen(level)
            assert found.score == score(game, heuristic, position, level), (game.format_position(position), level)
        after = game.apply(position, found.move)
        assert -score(game, heuristic, after, depth - 1, found.move, 1) == found.score


@pytest.mark.parametrize("rules", RULES[:3], ids=str)
def test_draws_in_reach_are_seen_whatever_was_learnt_before(rules: dict[str, object]) -> None:
    game = chess(**rules)
    search = ChessSearch(game, table_mb=1, seed=0, heuristic="places")
    start = game.parse_position(SHUFFLERS.format(0))
    line = line_of_play(game, "Kd4 Kd6 Kd3 Ke6 Kd4 Kd6 Kd3".split(), start)[1:]
    line += [game.parse_position(SHUFFLERS.format(quiet)) for quiet in (95, 98, 99, 146, 148, 97)]
    for position in line:
        if game.outcome(position) is None:
            search.begin(position, None, exact=True)
            for level in (1, 2, 3):
                assert search.deepen(level).score == score(game, "places", position, level)


def test_what_a_capture_wins_counts_all_that_follow_on_its_cell() -> None:
    game = chess()
    search = ChessSearch(game, table_mb=1, seed=0)
    for text, move, won in (
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "Rxe5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "Nxe5", 100 - 320),
        ("4k3/8/4p3/3p4/8/8/3Q4/4K3 w - - 0 1", "Qxd5", 100 - 900),
        ("4k3/8/8/3p4/8/3R4/3R4/4K3 w - - 0 1", "Rxd5", 100),
        ("4k3/8/3r4/3p4/8/3R4/3Q4/4K3 w - - 0 1", "Rxd5", 100),
    ):
        position = game.parse_position(text)
        place(search.memory, position)
        chosen = game.parse_move(position, move)
        assert gain(search.memory, STATE, chosen.origin, chosen.to) == won, text


@pytest.mark.parametrize(
    ("text", "plies"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
        ("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1", 3),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3),
    ],
)
def test_mates_are_found_and_counted_in_plies(text: str, plies: int) -> None:
    game = chess()
    position = game.parse_position(text)
    answer = load_agent("alphabeta", game).choose(position, Limits(nodes=200_000), NEVER)
    assert answer.score == WIN - plies
    assert answer.exact


@pytest.mark.parametrize("text", ["8/8/8/4k3/8/8/8/KQ6 w - - 0 1", "8/8/8/4k3/8/8/8/KR6 w - - 0 1"])
def test_a_lone_king_is_mated_with_little_search(text: str) -> None:
    game = chess()
    agent, position = load_agent("alphabeta", game, {"table_mb": 1}), game.parse_position(text)
    while game.outcome(position) is None:
        position = game.apply(position, agent.choose(position, Limits(nodes=3000), NEVER).move)
    assert game.outcome(position) is not None and game.outcome(position).winner == 0  # type: ignore[union-attr]


def test_every_near_win_that_a_search_by_nodes_claims_is_one() -> None:
    game, claimed = chess(), 0
    kept = load_agent("alphabeta", game, {"table_mb": 1})
    for position in before_mates(game, 6, 40):
        answer = kept.choose(position, Limits(nodes=20_000), NEVER)
        distance = WIN - abs(answer.score or 0)
        if distance <= 5:
            claimed += 1
            exact = load_agent("alphabeta", game, {"table_mb": 1})
            assert exact.choose(position, Limits(depth=int(distance)), NEVER).score == answer.score
    assert claimed > 10


def test_a_lost_game_is_claimed_drawn_and_a_won_one_is_not() -> None:
    game = chess()
    for text, claims in (("7k/8/6K1/8/8/8/8/5Q2 w - - 100 90", False), ("7k/8/6K1/8/8/8/8/4Q3 b - - 100 90", True)):
        answer = load_agent("alphabeta", game).choose(game.parse_position(text), Limits(nodes=20_000), NEVER)
        assert (answer.move == CLAIM) == claims
        assert answer.score == (0 if claims else WIN - 1)


def test_a_perpetual_check_saves_a_lost_game() -> None:
    game = chess()
    position = game.parse_position("6k1/6p1/8/7Q/8/8/qr6/7K w - - 0 1")
    answer = load_agent("alphabeta", game).choose(position, Limits(nodes=200_000), NEVER)
    assert answer.score == 0


def test_the_expected_line_is_legal_and_begins_with_the_move() -> None:
    for rules in RULES:
        game = chess(**rules)
        agent = load_agent("alphabeta", game, {"table_mb": 1})
        for position, _ in positions(game, 7, 15):
            answer = agent.choose(position, Limits(nodes=5000), NEVER)
            line_of_play(game, answer.pv, position)
            assert answer.pv[0] == game.format_move(position, answer.move)


def test_both_sides_judge_mirrored_positions_alike() -> None:
    game = chess()
    search = ChessSearch(game, table_mb=1, seed=0)
    for position, _ in positions(game, 9, 200):
        state = position.state
        rows = [state.board[first : first + 8].swapcase() for first in range(56, -1, -8)]
        rooks = sum(1 << (cell ^ 56) for cell in range(64) if state.rooks >> cell & 1)
        entry = state.entry if state.entry < 0 else state.entry ^ 56
        mirrored = state._replace(board="".join(rows), side=1 - state.side, rooks=rooks, entry=entry)
        assert judged(search, position) == judged(search, dataclasses.replace(position, state=mirrored, past=()))
