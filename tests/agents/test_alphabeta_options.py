"""The options of alpha-beta: depths by phase, errors, heuristics, and when it stops."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import games
from agents import alphabeta
from agents.agent import AgentError, Limits
from agents.alphabeta import AlphaBeta
from agents.plain_search import PlainSearch
from agents.registry import load_agent
from agents.search import Iteration

NEVER = threading.Event()
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


@pytest.mark.parametrize("limits", [Limits(depth=60), Limits(time_s=600), Limits(nodes=10**12)], ids=str)
def test_stop_reaches_a_long_search_of_any_kind(limits: Limits) -> None:
    player, stop = load_agent("alphabeta", GANH), threading.Event()
    player.choose(GANH.initial(), Limits(depth=1), NEVER)
    threading.Timer(0.1, stop.set).start()
    answer = player.choose(GANH.initial(), limits, stop)
    assert answer.move in GANH.legal_moves(GANH.initial())
    assert 1 <= answer.depth < 60


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


def test_options_out_of_range_are_refused() -> None:
    with pytest.raises(AgentError, match="error_percent is between 0 and 100, not 101"):
        load_agent("alphabeta", GANH, {"error_percent": 101})
    with pytest.raises(AgentError, match=r"co_ganh has no heuristic 'best'; it has .*engine's own"):
        load_agent("alphabeta", GANH, {"heuristic": "best"})


def test_plain_python_takes_any_of_equal_moves_by_its_seed() -> None:
    chosen = set()
    for seed in range(1, 12):
        search = PlainSearch(GANH, seed=seed)
        search.begin(GANH.initial(), None, exact=True)
        chosen.add([search.deepen(depth) for depth in (1, 2)][-1].move)
    assert len(chosen) > 2
