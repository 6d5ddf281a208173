"""The gomoku kernel against the rules, the heuristic in plain Python and plain minimax."""

from __future__ import annotations

import random
import threading
from typing import Any

import numpy as np
import pytest

import games
from agents import heuristics, kernels
from agents.agent import Limits
from agents.minimax import minimax
from agents.registry import load_agent
from agents.search import FORCED, MAX_DEPTH, WIN, Iteration
from games.gomoku import Choice, Position
from games.gomoku.heuristics import candidates
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel.board import allocate, count_in, first_in, lift, made_at, place
from games.gomoku.kernel.by_threats import ThreatSearch
from games.gomoku.kernel.by_windows import WindowsSearch
from games.gomoku.kernel.evaluation import evaluate
from games.gomoku.kernel.fours import answer_at
from games.gomoku.kernel.prover import write_stones
from rules.turns import line_of_play
from tests.agents.threat_lines import fives, fours

U = np.uint64
NEVER = threading.Event()
RULES: list[dict[str, object]] = [{}, {"exact_five": True}, {"size": "19"}, {"first": "white"}]


def middle_games(game: Any, seed: int, count: int, most: int) -> list[Any]:
    """Positions from random games with most stones near the middle."""
    draw, found = random.Random(seed), list[Any]()
    while len(found) < count:
        position = game.initial()
        for _ in range(draw.randrange(most)):
            moves = game.legal_moves(position)
            near = [move for move in moves if all(3 <= part < 12 for part in divmod(move.cell, game.size))]
            position = game.apply(position, draw.choice(near if near and draw.random() < 0.8 else moves))
            if game.outcome(position) is not None:
                break
        else:
            found.append(position)
    return found


def nearly_full(game: Any, seed: int, empty: int) -> Any:
    """A position with few empty points in which nobody has five."""
    draw, size = random.Random(seed), game.size
    # Colours alternate by pairs of columns, shifted in every second row: no five. Then some points are cleared.
    cells = [(column + 2 * (row % 2)) // 2 % 2 for row in range(size) for column in range(size)]
    cleared = set(draw.sample(range(size * size), empty))
    stones = [sum(1 << c for c, colour in enumerate(cells) if colour == side and c not in cleared) for side in (0, 1)]
    while stones[0].bit_count() - stones[1].bit_count() not in (0, 1):
        more = 0 if stones[0].bit_count() > stones[1].bit_count() else 1
        stones[more] &= stones[more] - 1
    return Position((stones[0], stones[1]), stones[0].bit_count() - stones[1].bit_count())


@pytest.mark.parametrize("rules", RULES)
def test_windows_has_the_value_of_the_plain_function(rules: dict[str, object]) -> None:
    game: Any = games.load("gomoku", rules)
    search, plain = WindowsSearch(game, 0), heuristics.of(game)["windows"]
    for position in middle_games(game, 3, 25, 120):
        search.begin(position, None, exact=True)
        assert max(-900_000, min(900_000, search.value)) == plain(game, position, None)


@pytest.mark.parametrize("rules", RULES[:2])
def test_windows_alpha_beta_has_the_score_of_minimax_at_depths_two_and_three(rules: dict[str, object]) -> None:
    game = games.load("gomoku", rules)
    plain = heuristics.of(game)["windows"]
    agent = load_agent("alphabeta", game, {"heuristic": "windows"})
    for seed in range(2):
        position = nearly_full(game, seed, 6)
        assert game.outcome(position) is None
        for depth in (2, 3):
            answer = agent.choose(position, Limits(depth=depth), NEVER)
            assert answer.score == minimax(game, position, depth, plain), (seed, depth)


@pytest.mark.parametrize("rules", RULES)
def test_windows_alpha_beta_has_the_score_of_minimax_at_depth_one(rules: dict[str, object]) -> None:
    game = games.load("gomoku", rules)
    plain = heuristics.of(game)["windows"]
    agent = load_agent("alphabeta", game, {"heuristic": "windows"})
    for position in middle_games(game, 5, 2, 60):
        assert agent.choose(position, Limits(depth=1), NEVER).score == minimax(game, position, 1, plain)


def test_by_windows_renju_and_swap2_are_played_by_the_rules() -> None:
    for rule in ("renju", "swap2"):
        game = games.load("gomoku", {rule: True})
        search = kernels.search(game, 1, 0, "windows")
        assert search is not None
        search.begin(game.initial(), None, exact=True)
        assert search.deepen(1).move in game.legal_moves(game.initial())


def cells(memory: Any, colour: int, kind: np.uint64) -> int:
    """One of the kernel's sets of cells as the game's bits."""
    start = int(layout.SETS) + (colour * int(layout.SIDE_SETS) + int(kind)) * int(layout.SET_WORDS)
    words = [int(word) for word in memory[start : start + int(layout.SET_WORDS)]]
    found = [64 * place + bit for place, word in enumerate(words) for bit in range(64) if word >> bit & 1]
    return sum(1 << layout.index_of(cell, 15) for cell in found)


def test_the_sets_of_fives_and_fours_are_those_of_plain_windows() -> None:
    memory, draw = allocate(15, (False, False), 1), random.Random(2)
    stones = [0, 0]
    for _ in range(400):
        index = draw.choice([row * 15 + column for row in range(8) for column in range(8)])
        colour = next((side for side in (0, 1) if stones[side] >> index & 1), draw.randrange(2))
        stones[colour] ^= 1 << index
        write_stones(memory, 15, stones)
        for side in (0, 1):
            assert cells(memory, side, layout.FIVE) == fives(stones[side], stones[1 - side])
            assert cells(memory, side, layout.FOUR) == fours(stones[side], stones[1 - side])


@pytest.mark.parametrize("exact", [(False, False), (True, True), (True, False)])
def test_patterns_are_those_of_the_lines_and_a_closed_four_is_stopped_where_five_would_be(
    exact: tuple[bool, bool],
) -> None:
    memory, draw, stopped = allocate(15, exact, 1), random.Random(4), 0
    for _ in range(12):
        crowd = draw.sample(
            [row * 15 + column for row in range(2, 11) for column in range(2, 11)], draw.randrange(8, 40)
        )
        write_stones(memory, 15, [sum(1 << index for index in crowd[side::2]) for side in (0, 1)])
        for cell in (U(layout.cell_of(index, 15)) for index in range(225) if index not in crowd):
            made = [int(made_at(memory, cell, way)) for way in map(U, range(4))]
            for side in (0, 1):
                patterns = sum((pair >> 4 * side & 15) << 4 * way for way, pair in enumerate(made))
                assert memory[layout.PATTERNS + cell] >> U(16 * side) & U(0xFFFF) == patterns
                if sum(pair >> 4 * side & 15 >= 8 for pair in made) != 1:
                    continue
                if first_in(memory, U(side), U(layout.FIVE)):
                    continue
                way = next(way for way, pair in enumerate(made) if pair >> 4 * side & 15 >= 8)
                answer = answer_at(memory, cell, U(way), U(side)) % U(layout.CELLS)
                place(memory, cell, U(side))
                if count_in(memory, U(side), U(layout.FIVE)) == 1:
                    assert answer == first_in(memory, U(side), U(layout.FIVE))
                    stopped += 1
                lift(memory)
    assert stopped > 20


@pytest.mark.parametrize("rules", RULES)
def test_the_evaluation_follows_stones_that_come_and_go_and_is_fair_to_colours(rules: dict[str, object]) -> None:
    game: Any = games.load("gomoku", rules)
    exact = game.rules.exact_five
    draw, used = random.Random(6), allocate(game.size, (exact, exact), 1)
    totals = slice(int(layout.TOTALS), int(layout.LOOKED))
    start, values = used[totals].copy(), set[int]()
    for position in middle_games(game, 6, 8, 40):
        write_stones(used, game.size, position.stones)
        for _ in range(5):
            empty = [cell for cell in range(game.size**2) if not (position.stones[0] | position.stones[1]) >> cell & 1]
            for cell in draw.sample(empty, 3):
                place(used, layout.cell_of(cell, game.size), U(draw.randrange(2)))
                if draw.random() < 0.5:
                    evaluate(used, U(0))
            for _ in range(3):
                lift(used)
        fresh, exchanged = (allocate(game.size, (exact, exact), 1) for _ in range(2))
        write_stones(fresh, game.size, position.stones)
        write_stones(exchanged, game.size, position.stones[::-1])
        for colour in (0, 1):
            values.add(evaluate(used, U(colour)))
            assert evaluate(used, U(colour)) == evaluate(fresh, U(colour)) == evaluate(exchanged, U(1 - colour))
    assert len(values) > 12
    write_stones(used, game.size, (0, 0))
    assert np.array_equal(used[totals], start)


def position_of(game: Any, text: str) -> Any:
    return line_of_play(game, text.split(), game.initial())[-1]


def test_the_first_stone_lies_in_the_middle() -> None:
    for size, middle in (("15", "h8"), ("19", "j10")):
        game = games.load("gomoku", {"size": size})
        answer = load_agent("alphabeta", game, {"book": "false"}).choose(game.initial(), Limits(nodes=1000), NEVER)
        assert game.cells[answer.move.cell] in (middle, game.cells[int(size) ** 2 // 2])
        assert answer.depth == 1


def test_a_proven_win_ends_the_search_and_counts_its_plies() -> None:
    game = games.load("gomoku")
    position = position_of(game, "h8 a1 h9 a15 h10 o1")
    answer = load_agent("alphabeta", game).choose(position, Limits(nodes=10**9), NEVER)
    assert answer.score == WIN - 3 and len(answer.pv) == 3
    assert answer.nodes < 1000


def test_a_three_open_at_both_ends_is_answered() -> None:
    game = games.load("gomoku")
    position = position_of(game, "h8 a1 h9 a15 h10")
    answer = load_agent("alphabeta", game).choose(position, Limits(nodes=20_000), NEVER)
    assert answer.pv[0] in {"h6", "h7", "h11", "h12"}


def test_a_lost_position_is_still_defended() -> None:
    game = games.load("gomoku")
    position = position_of(game, "h8 a1 h9 a15 h10 o1 h11")
    answer = load_agent("alphabeta", game).choose(position, Limits(nodes=20_000), NEVER)
    assert answer.score == 2 - WIN and answer.pv[0] in {"h7", "h12"}


UNLIKELY_ANSWERS = "........O....../....X...X....../......XOOO.O.../........O....../.......XOX...../.......XX......"
UNLIKELY_MOVES = "........O....../....X...X....../......XOOOXO.../........O....../.......XOX...../.......XX......"
NO_TIME = "....O....O...../.............../.....OX.O....../......XX......./......X......../........X......"


def searched(rows: str, above: int, side: str, nodes: int) -> Iteration:
    """The iteration that decides the game, proven or not, or that the limit of positions stops."""
    game: Any = games.load("gomoku")
    empty = "." * game.size
    text = "/".join([*[empty] * above, rows, *[empty] * (9 - above)])
    search = ThreatSearch(game, 4, 0)
    search.begin(game.parse_position(f"{text}:{side}"), nodes, True)
    depth = 1
    while (found := search.deepen(depth)).whole and abs(found.score) <= FORCED // 2:
        depth += 1
    return found


@pytest.mark.parametrize(
    ("rows", "side", "sign"),
    [
        pytest.param(UNLIKELY_ANSWERS, "black", 1, id="unlikely answers"),
        pytest.param(UNLIKELY_MOVES, "white", -1, id="unlikely moves"),
    ],
)
def test_no_win_or_loss_is_claimed_that_moves_not_tried_may_prevent(rows: str, side: str, sign: int) -> None:
    found = searched(rows, 5, side, 1000)
    assert found.whole
    assert FORCED - MAX_DEPTH < sign * found.score < FORCED and not found.final  # as good as decided, but not proven


def test_a_search_that_is_stopped_claims_no_loss_that_a_move_not_searched_may_prevent() -> None:
    stopped = [
        found.score for nodes in range(200, 3000, 200) if not (found := searched(NO_TIME, 4, "white", nodes)).whole
    ]
    assert -FORCED < min(stopped) < MAX_DEPTH - FORCED  # as good as lost, but not proven


def test_black_keeps_from_renju_fouls() -> None:
    game: Any = games.load("gomoku", {"renju": True})
    # A black stone on h8 would make two open threes.
    position = position_of(game, "h9 a1 h10 c1 i8 e1 j8 a15")
    assert game.fouls(position) >> game.parse_move(game.initial(), "h8").cell & 1
    answer = load_agent("alphabeta", game).choose(position, Limits(nodes=20_000), NEVER)
    assert answer.pv[0] != "h8"
    assert answer.move in game.legal_moves(position)


@pytest.mark.parametrize("rules", [{"renju": True}, {"exact_five": True}, {"size": "19"}, {"swap2": True}])
def test_whole_games_are_legal_under_every_rule(rules: dict[str, object]) -> None:
    game = games.load("gomoku", rules)
    agent = load_agent("alphabeta", game, {"table_mb": 4})
    position = game.initial()
    for _ in range(30):
        if game.outcome(position) is not None:
            break
        position = game.apply(position, agent.choose(position, Limits(nodes=1500), NEVER).move)


def test_swap2_takes_black_where_black_stands_better() -> None:
    game = games.load("gomoku", {"swap2": True})
    agent = load_agent("alphabeta", game)
    good = position_of(game, "h8 a1 h9")
    assert agent.choose(good, Limits(nodes=20_000), NEVER).move == Choice("black")
    bad = position_of(game, "a1 h8 o1")
    assert agent.choose(bad, Limits(nodes=20_000), NEVER).move != Choice("black")


def test_a_search_limited_by_depth_is_always_the_same() -> None:
    game = games.load("gomoku")
    position = position_of(game, "h8 g8 g7 i9")
    used, fresh = load_agent("alphabeta", game), load_agent("alphabeta", game)
    used.choose(position_of(game, "h8 g8 g7"), Limits(nodes=20_000), NEVER)
    answers = [agent.choose(position, Limits(depth=4), NEVER) for agent in (used, fresh)]
    assert answers[0].score == answers[1].score and answers[0].pv == answers[1].pv


@pytest.mark.parametrize("heuristic", ["", "windows"])
def test_the_limit_of_positions_is_kept_and_an_interrupted_search_has_a_move(heuristic: str) -> None:
    game = games.load("gomoku")
    position = position_of(game, "h8 g8 g7 i9 i7 f9")
    answer = load_agent("alphabeta", game, {"heuristic": heuristic}).choose(position, Limits(nodes=5000), NEVER)
    assert answer.nodes < 7000 and answer.move in game.legal_moves(position)
    search = kernels.search(game, 1, 0, heuristic)
    assert search is not None
    search.begin(position, None, exact=False)
    assert search.deepen(1).move is not None
    thread = threading.Timer(0.05, search.interrupt)
    thread.start()
    found = search.deepen(40)
    thread.join()
    assert not found.whole


@pytest.mark.parametrize("rules", [{}, {"renju": True}, {"size": "19"}])
def test_a_search_of_one_position_still_plays_beside_a_stone(rules: dict[str, object]) -> None:
    game: Any = games.load("gomoku", rules)
    for position in middle_games(game, 9, 5, 30):
        if position.count:
            answer = load_agent("alphabeta", game).choose(position, Limits(nodes=1), NEVER)
            near = candidates(game, position, 4)
            assert near >> answer.move.cell & 1


def test_a_table_is_no_larger_than_asked_for() -> None:
    small, large = (allocate(15, (False, False), mebibytes).nbytes for mebibytes in (1, 33))
    assert large - small <= 32 * 2**20
    assert small < 4 * 2**20
