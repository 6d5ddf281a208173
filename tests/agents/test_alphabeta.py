"""The engine against plain minimax, the rules and the clock, and its options: depths by phase, errors, heuristics."""

from __future__ import annotations

import dataclasses
import itertools
import random
import threading
import time
from typing import Any

import pytest

import games
from agents import alphabeta, heuristics, kernels
from agents.agent import AgentError, GameAgent, Limits
from agents.alphabeta import AlphaBeta
from agents.kernels.memory import STATE, STATE_WORDS
from agents.perft import perft
from agents.plain_search import PlainSearch
from agents.registry import load_agent
from agents.search import WIN, Iteration
from games.nine_mens_morris import NineMensMorris, Position
from games.nine_mens_morris.kernel import MorrisSearch
from games.nine_mens_morris.kernel.moves import write_moves
from games.nine_mens_morris.kernel.negamax import negamax
from rules.turns import line_of_play
from tests.agents.kernel_moves import moves_of
from tests.agents.minimax import minimax
from tests.agents.morris import bits, morris
from tests.agents.random_games import positions

RULES: list[dict[str, object]] = [
    {},
    {"flying": True},
    {"mill_protected": True, "flying": True},
    {"diagonals": True, "men": 12},
    {"diagonals": True, "mill_protected": True, "men": 6, "flying": True},
    {"men": 3, "flying": True, "repetition": 2, "quiet_plies": 3},
    {"men": 4, "quiet_plies": 5},
    {"set": "lasker"},
    {"set": "twelve"},
    {"men": 4, "move_early": True, "flying": True},
    {"first": "dark", "repetition": 0, "quiet_plies": 0},
]
NEVER = threading.Event()


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_kernel_sees_exactly_the_legal_moves(rules: dict[str, object]) -> None:
    game = morris(**rules)
    search = MorrisSearch(game, table_mb=1, seed=0)
    for position in positions(game, 1, 150):
        assert set(moves_of(search, write_moves, position)) == set(game.legal_moves(position))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_kernel_counts_the_same_leaves(rules: dict[str, object]) -> None:
    game = morris(**rules)
    for position in positions(game, 3, 10):
        assert kernels.perft(game, position, 3) == perft(game, position, 3)
    assert kernels.perft(game, game.initial(), 0) == 1


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_a_search_to_a_depth_has_the_score_of_plain_minimax(rules: dict[str, object]) -> None:
    game = morris(**rules)
    search = MorrisSearch(game, table_mb=1, seed=0, heuristic="best")
    for position in positions(game, 2, 40):
        depth = 3 if len(game.legal_moves(position)) < 12 else 2
        search.begin(position, None, exact=True)
        for level in range(1, depth + 1):
            found = search.deepen(level)
            assert found.score == minimax(game, position, level), (game.format_position(position), level)
        after = game.apply(position, found.move)
        assert -minimax(game, after, depth - 1, found.move, ply=1) == found.score


def test_deep_searches_of_endgames_have_the_score_of_plain_minimax() -> None:
    game = morris(repetition=2, quiet_plies=5)
    search = MorrisSearch(game, table_mb=1, seed=0, heuristic="best")
    for text in ("MOOOOOEOOMOOOOEOOOOOOMOE0033", "OMOOMOOMOEOOOEOOOOEOOOOO0033"):
        position = game.parse_position(text)
        for depth in range(1, 6):
            search.begin(position, None, exact=True)
            assert search.deepen(depth).score == minimax(game, position, depth), depth


def test_men_in_mills_are_taken_where_no_other_is_left() -> None:
    game = morris(mill_protected=True)
    search = MorrisSearch(game, table_mb=1, seed=0)
    alone = Position((bits("a7 d7 g4 f6"), bits("a1 d1 g1")), (0, 0), 0)
    joined = Position((bits("a7 d7 g4 f6"), bits("a1 d1 g1 b2")), (0, 0), 0)
    for position, taken in ((alone, 3), (joined, 1)):
        moves = set(moves_of(search, write_moves, position))
        assert moves == set(game.legal_moves(position))
        assert sum(move.removed is not None for move in moves) == taken


def after_plies(game: NineMensMorris, position: Position, plies: int) -> set[Position]:
    """Every unfinished position that is reached after exactly that many plies."""
    reached = {position}
    for _ in range(plies):
        reached = {game.apply(one, move) for one in reached for move in game.legal_moves(one)}
    return {one for one in reached if game.outcome(one) is None}


def scores_with_and_without_memory(
    game: NineMensMorris, position: Position, depth: int, known: set[Position], known_depth: int
) -> tuple[int, int]:
    """The scores with a table that has seen each known position as a root, and with an empty table."""
    kept, fresh = MorrisSearch(game, table_mb=1, seed=0), MorrisSearch(game, table_mb=1, seed=0)
    for root in known:
        kept.begin(root, None, exact=True)
        kept.deepen(known_depth)
    for search in (kept, fresh):
        search.begin(position, None, exact=True)
    return kept.deepen(depth).score, fresh.deepen(depth).score


def test_scores_stored_with_other_counts_of_quiet_moves_do_not_hide_the_draw() -> None:
    game = morris(quiet_plies=20, repetition=0)
    for position in positions(game, 8, 500):
        if any(position.hands):
            continue
        known = after_plies(game, dataclasses.replace(position, quiet=0), 1)
        for quiet in (16, 17):
            counted = dataclasses.replace(position, quiet=quiet)
            kept, fresh = scores_with_and_without_memory(game, counted, 4, known, 3)
            assert kept == fresh, (game.format_position(position), quiet)


@pytest.mark.parametrize("sign", [1, -1], ids=["won", "lost"])
def test_a_stored_distance_to_the_end_counts_from_where_it_is_found(sign: int) -> None:
    game = morris(flying=True)
    search, least = MorrisSearch(game, table_mb=1, seed=0), WIN - 10
    for position in positions(game, 9, 400):
        search.begin(position, None, exact=True)
        score = search.deepen(4).score
        if sign * score > least:
            break
    assert sign * score > least
    words = int(STATE_WORDS)
    states = search.memory[int(STATE) : int(STATE) + 7 * words].reshape(7, words)
    states[6] = states[0]
    assert negamax(search.memory, 6, 4, score - 1, score) == score - sign * 6


def test_a_repetition_that_the_games_history_makes_a_draw_is_seen() -> None:
    game = morris()
    start = Position((bits("a7 g7 f4"), bits("a1 g1 b4 d2 e3")), (0, 0), 0)
    line = line_of_play(game, ["a7-d7", "a1-d1", "d7-a7", "d1-a1"] * 2, start)[:-1]
    search = MorrisSearch(game, table_mb=1, seed=0, heuristic="best")
    for position in line:
        search.begin(position, None, exact=True)
        assert search.deepen(2).score == minimax(game, position, 2)


def test_faster_wins_score_higher_and_are_taken() -> None:
    game = morris()
    now = Position((bits("a7 d7 g4"), bits("a1 d2 f6")), (0, 0), 0)
    answer = load_agent("alphabeta", game).choose(now, Limits(depth=5), NEVER)
    assert answer.score == WIN - 1
    assert game.format_move(now, answer.move).startswith("g4-g7x")
    assert answer.depth == 1


def test_the_expected_line_is_legal_and_begins_with_the_move() -> None:
    game = morris()
    for position in positions(game, 3, 20):
        answer = load_agent("alphabeta", game, {"table_mb": 1}).choose(position, Limits(depth=5), NEVER)
        line_of_play(game, answer.pv, position)
        assert answer.pv[0] == game.format_move(position, answer.move)
        assert answer.depth == 5 or abs(answer.score or 0) > WIN - 100


def test_plain_python_agrees_with_the_kernel_where_the_end_is_in_sight() -> None:
    game = morris(men=3, flying=True, quiet_plies=4)
    ends = 0
    for position in positions(game, 4, 12):
        search = PlainSearch(game, heuristics.points)
        search.begin(position, None, exact=True)
        score = minimax(game, position, 2)
        if abs(score) < WIN - 100:
            score = 0  # `points` knows no features: it judges everything but a forced end as even
        assert search.deepen(2).score == score
        ends += score != 0
    assert ends


@pytest.mark.parametrize("limits", [Limits(time_s=0.2), Limits()], ids=["time", "default"])
def test_the_clock_is_kept(limits: Limits, monkeypatch: pytest.MonkeyPatch) -> None:
    game = morris()
    agent = load_agent("alphabeta", game, {"book": False})
    agent.prepare(NEVER)
    monkeypatch.setattr(time, "monotonic", time.process_time)  # other programs may slow down the wall clock
    began_s = time.thread_time()
    answer = agent.choose(game.initial(), limits, NEVER)
    assert time.thread_time() - began_s < (limits.time_s or 1.0) + 0.2
    assert answer.depth >= 4


@pytest.mark.parametrize("name", ["chess", "co_ganh", "draughts"])
def test_compiled_searches_visit_no_more_positions_than_allowed(name: str) -> None:
    game = games.load(name)
    answer = load_agent("alphabeta", game).choose(game.initial(), Limits(nodes=5000), NEVER)
    assert 2500 < answer.nodes <= 5000
    least = load_agent("alphabeta", game).choose(game.initial(), Limits(nodes=1), NEVER)
    assert least.move in game.legal_moves(game.initial())


@pytest.mark.parametrize("name", ["chess", "co_ganh", "draughts"])
def test_equal_moves_of_compiled_searches_are_chosen_by_the_seed(name: str) -> None:
    game = games.load(name)
    chosen = {
        seed: load_agent("alphabeta", game, {"seed": seed, "heuristic": "material", "table_mb": 1})
        .choose(game.initial(), Limits(depth=2), NEVER)
        .move
        for seed in range(1, 12)
    }
    assert len(set(chosen.values())) > 2


def test_no_more_positions_are_visited_than_allowed() -> None:
    game = morris()
    answer = load_agent("alphabeta", game, {"book": False}).choose(game.initial(), Limits(nodes=5000), NEVER)
    assert 2500 < answer.nodes <= 5001
    least = load_agent("alphabeta", game, {"book": False}).choose(game.initial(), Limits(nodes=1), NEVER)
    assert least.move in game.legal_moves(game.initial())


class _NoKernel:
    """The rules of morris under a name for which there is no kernel, as a sixth game would have."""

    name = "sixth_game"

    def __init__(self, game: NineMensMorris) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


@pytest.mark.parametrize("name", games.names())
def test_the_first_ply_is_searched_however_short_the_time_is(name: str) -> None:
    game = games.load(name)
    stopped = threading.Event()
    stopped.set()
    for stop in (threading.Event(), stopped):
        assert (
            load_agent("alphabeta", game, {"book": False}).choose(game.initial(), Limits(time_s=0.001), stop).depth >= 1
        )


@pytest.mark.parametrize("limits", [Limits(depth=60), Limits(time_s=600), Limits(nodes=10**12)], ids=str)
@pytest.mark.parametrize("wrapped", [False, True], ids=["kernel", "plain Python"])
def test_stop_is_answered_at_once_with_the_best_move_so_far(wrapped: bool, limits: Limits) -> None:
    game: Any = _NoKernel(morris()) if wrapped else morris()
    agent = load_agent("alphabeta", game, {"book": False})
    agent.choose(game.initial(), Limits(depth=1), NEVER)
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    began_s = time.thread_time()
    answer = agent.choose(game.initial(), limits, stop)
    assert stop.is_set() and time.thread_time() - began_s < 0.4
    assert answer.move in game.legal_moves(game.initial())
    assert 1 <= answer.depth < 60


def test_a_search_lets_other_threads_run() -> None:
    game = morris()
    agent = load_agent("alphabeta", game, {"book": False})
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.wait(0.02):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    agent.choose(game.initial(), Limits(time_s=0.6), NEVER)
    done.set()
    thread.join()
    assert max(b - a for a, b in itertools.pairwise(ticks)) < 0.3
    assert len(ticks) > 10


def winner(game: NineMensMorris, players: tuple[GameAgent, GameAgent], limits: Limits, drawn: int = 0) -> int | None:
    """The winner of a game; `drawn` is not 0: the seed of four random moves that begin it."""
    position, draw = game.initial(), random.Random(drawn)
    for _ in range(4 if drawn else 0):
        position = game.apply(position, draw.choice(game.legal_moves(position)))
    while (outcome := game.outcome(position)) is None:
        position = game.apply(position, players[position.side].choose(position, limits, NEVER).move)
    return outcome.winner


def test_it_beats_random_twenty_times_out_of_twenty() -> None:
    game = morris()
    results = []
    for seed in range(1, 21):
        players = [load_agent("alphabeta", game, {"seed": seed}), load_agent("random", game, {"seed": seed})]
        mine = seed % 2
        order = (players[mine], players[1 - mine])
        results.append(winner(game, order, Limits(depth=3)) == mine)
    assert results == [True] * 20


def test_more_depth_beats_less() -> None:
    game = morris()
    points = 0.0
    for seed in range(1, 11):
        deep = load_agent("alphabeta", game, {"seed": seed, "depth": 5, "table_mb": 1})
        shallow = load_agent("alphabeta", game, {"seed": seed + 50, "depth": 1, "table_mb": 1})
        mine = seed % 2
        won = winner(game, (shallow, deep) if mine else (deep, shallow), Limits(), seed)
        points += 0.5 if won is None else float(won == mine)
    assert points >= 8.5


@pytest.mark.parametrize("agent", ["alphabeta", "minimax", "plain alphabeta"])
def test_equal_moves_are_chosen_by_the_seed(agent: str) -> None:
    game: Any = _NoKernel(morris()) if agent.startswith("plain") else morris()

    def chosen(seed: int) -> Any:
        player = load_agent(agent.removeprefix("plain "), game, {"seed": seed})
        return player.choose(game.initial(), Limits(depth=2), NEVER).move

    assert len({chosen(seed) for seed in range(1, 12)}) > 2
    assert chosen(3) == chosen(3)


def test_what_was_learnt_before_does_not_change_a_search_to_a_depth() -> None:
    game = morris()
    kept = load_agent("alphabeta", game)
    for position in positions(game, 5, 10):
        kept.choose(position, Limits(time_s=0.05), NEVER)
        fresh = load_agent("alphabeta", game)
        assert (
            kept.choose(position, Limits(depth=4), NEVER).score == fresh.choose(position, Limits(depth=4), NEVER).score
        )


def test_a_finished_game_and_wrong_options_are_refused() -> None:
    game = morris()
    over = Position((bits("a7 d7"), bits("a1 d1 g1")), (0, 0), 0)
    with pytest.raises(ValueError, match="over"):
        load_agent("alphabeta", game).choose(over, Limits(depth=1), NEVER)
    for agent, options, said in (
        ("alphabeta", {"tabel_mb": 1}, r"no option 'tabel_mb'.*table_mb"),
        ("alphabeta", {"error_percent": 101}, "error_percent is between 0 and 100, not 101"),
        ("alphabeta", {"heuristic": "nope"}, r"nine_mens_morris has no heuristic 'nope'; it has best.*engine's own"),
        ("random", {"seed": "x"}, "seed is a whole number, not 'x'"),
        ("deepblue", {}, r"no agent 'deepblue'.*alphabeta"),
    ):
        with pytest.raises(AgentError, match=said):
            load_agent(agent, game, options)


MORRIS, GANH = games.load("morris"), games.load("ganh")
MOVING = "MOOMOOOEOOEOOOMOOOMOEOEO0044"


class FakeSearch:
    """Finds the first legal move at every depth, and records the depths and the exactness asked for."""

    def __init__(self, final_at: int = 99) -> None:
        self.depths: list[int] = []
        self.final_at = final_at
        self.exact: bool | None = None

    def begin(self, position: Any, nodes: int | None, exact: bool) -> None:
        self.move, self.exact = GANH.legal_moves(position)[0], exact

    def deepen(self, depth: int) -> Iteration:
        self.depths.append(depth)
        return Iteration(True, self.move, 5, (self.move,), depth, final=depth >= self.final_at)

    def interrupt(self) -> None:
        raise AssertionError("nobody asked for it")


def with_search(search: FakeSearch) -> AlphaBeta:
    player = AlphaBeta(GANH)
    player._search = search
    return player


def test_nothing_is_deepened_once_an_iteration_is_final() -> None:
    search = FakeSearch(final_at=3)
    answer = with_search(search).choose(GANH.initial(), Limits(time_s=30), NEVER)
    assert (search.depths, answer.depth) == ([1, 2, 3], 3)


@pytest.mark.parametrize(
    ("limits", "exact"),
    [(Limits(depth=4), True), (Limits(depth=4, time_s=30), False), (Limits(depth=4, nodes=10**6), False)],
)
def test_a_search_is_exact_where_depth_alone_limits_it(limits: Limits, exact: bool) -> None:
    search = FakeSearch()
    with_search(search).choose(GANH.initial(), limits, NEVER)
    assert (search.exact, search.depths[-1]) == (exact, 4)


def test_a_depth_of_the_options_is_exact_too() -> None:
    search = FakeSearch()
    player = with_search(search)
    player.options = alphabeta.AlphaBetaOptions(depth=2)
    player.choose(GANH.initial(), Limits(), NEVER)
    assert (search.exact, search.depths) == (True, [1, 2])


def test_short_searches_by_depth_are_watched_by_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(alphabeta.Watch, "start", lambda watch: started.append(watch))
    monkeypatch.setattr(alphabeta, "SHORT_S", 1000.0)
    with_search(FakeSearch()).choose(GANH.initial(), Limits(depth=3), NEVER)
    assert not started
    with_search(FakeSearch()).choose(GANH.initial(), Limits(depth=3, time_s=30), NEVER)
    assert started


def test_the_opening_may_have_a_depth_of_its_own() -> None:
    player = load_agent("alphabeta", MORRIS, {"heuristic": "best", "opening_depth": 2, "depth": 1})
    assert player.choose(MORRIS.initial(), Limits(), NEVER).depth == 2
    moving = MORRIS.parse_position(MOVING)
    assert player.choose(moving, Limits(), NEVER).depth == 1
    assert player.choose(MORRIS.initial(), Limits(depth=3), NEVER).depth == 3


def test_errors_are_random_moves_so_often_and_repeat_with_the_seed() -> None:
    def played(percent: int, seed: int) -> list[Any]:
        player = load_agent("alphabeta", GANH, {"error_percent": percent, "seed": seed, "depth": 1})
        return [player.choose(GANH.initial(), Limits(), NEVER) for _ in range(60)]

    assert all(answer.score is None for answer in played(100, 1))
    assert all(answer.score is not None for answer in played(0, 1))
    errors = sum(answer.score is None for answer in played(30, 1))
    assert 8 <= errors <= 30
    assert [answer.move for answer in played(30, 1)] == [answer.move for answer in played(30, 1)]
    assert [answer.move for answer in played(30, 1)] != [answer.move for answer in played(30, 2)]


def test_a_heuristic_decides_what_a_kernel_or_plain_python_finds() -> None:
    position = MORRIS.parse_position("light:MMOOOOOEOOOOOOOOOOOOEOOO7722")
    by_mills = load_agent("alphabeta", MORRIS, {"heuristic": "closed_mills"}).choose(position, Limits(depth=1), NEVER)
    assert MORRIS.format_move(position, by_mills.move).startswith("g7x")
    assert by_mills.score == 1


def test_plain_python_searches_where_it_is_asked_for() -> None:
    game = games.load("draughts")
    compiled, plain = (
        load_agent("alphabeta", game, {"heuristic": "placed", "plain": plain}) for plain in ("false", "true")
    )
    answers = [agent.choose(game.initial(), Limits(depth=4), NEVER) for agent in (compiled, plain)]
    assert answers[0].score == answers[1].score
    assert [isinstance(getattr(agent, "_search"), PlainSearch) for agent in (compiled, plain)] == [False, True]  # noqa: B009
    assert not answers[1].stopgap


@pytest.mark.parametrize(
    ("played", "columns", "rows"), [((), "fghij", range(6, 11)), (("a1", "c2"), "abcde", range(1, 5))]
)
def test_on_a_large_board_errors_are_made_near_the_stones(played: tuple[str, ...], columns: str, rows: range) -> None:
    game = games.load("gomoku")
    position = game.initial()
    for text in played:
        position = game.apply(position, game.parse_move(position, text))
    agent = load_agent("alphabeta", game, {"error_percent": 100, "seed": 3})
    found = {agent.choose(position, Limits(), NEVER).pv[0] for _ in range(300)}
    assert found == {f"{column}{row}" for column in columns for row in rows} - set(played)
