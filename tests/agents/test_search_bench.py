"""The search bench's report: nodes by engine and depth, and whether all scores agree; no speeds are tested."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from typer.testing import CliRunner

import games
from agents.arena import openings
from agents.books import opening
from lab.bench.cli import app
from lab.bench.speed import cold_start
from lab.bench.speed import search as search_bench
from lab.bench.speed.cold_start import ColdStartError, Start
from lab.bench.speed.search import Cost, GameCost

GANH = games.load("ganh")


def figures(**changes: Any) -> GameCost:
    exact = (
        Cost("minimax", 10, 0.1, 1),
        Cost("minimax", 1000, 2.0, 2),
        Cost("plain alphabeta", 100, 0.5, 2),
        Cost("kernel alphabeta", 80, 0.01, 2),
    )
    values: dict[str, Any] = {
        "game": "reversi", "heuristic": "adaptive", "positions": 3, "exact": exact, "scores_equal": True,
        "engine": Cost("engine", 4000, 0.5, 9), "mcts": (Cost("mcts", 25, 0.1, None),),
        "perft": (Cost("kernel perft", 900, 0.1, 5), Cost("plain perft", 90, 0.1, 4)), "endgames": (),
    }  # fmt: skip
    return GameCost(**{**values, **changes})


def test_ratios_compare_the_last_depth_only() -> None:
    # By hand: 1000 / 100 nodes; 2 / 0.5 s; 2 / 0.01 s; the engine's 8000 nodes/s against 200.
    assert figures().ratios == {
        "minimax nodes / plain alphabeta nodes": 10,
        "minimax seconds / plain alphabeta seconds": 4,
        "minimax seconds / kernel seconds": 200,
        "plain alphabeta seconds / kernel seconds": 50,
        "engine nodes/s / plain alphabeta nodes/s": 40,
        "perft leaves/s: kernel / plain": 10,
    }
    without = figures(exact=figures().exact[:3], perft=())
    assert set(without.ratios) == {"minimax nodes / plain alphabeta nodes", "minimax seconds / plain alphabeta seconds"}


def test_different_scores_are_shouted() -> None:
    assert "scores at the same depth equal" in "\n".join(search_bench.lines_of(figures()))
    assert "DIFFERENT" in "\n".join(search_bench.lines_of(figures(scores_equal=False)))


def test_the_record_is_json_with_speeds_and_ratios() -> None:
    found = json.loads(json.dumps(figures().as_json()))
    assert found["exact"][0] == {"what": "minimax", "nodes": 10, "seconds": 0.1, "depth": 1, "per_second": 100}
    assert found["ratios"]["minimax seconds / kernel seconds"] == 200


def test_everyone_searches_the_same_positions_to_the_same_depth_and_finds_the_same() -> None:
    positions = [opening.position(GANH) for opening in openings.drawn(GANH, 6, 1, 2)]
    costs, equal = search_bench._exact(GANH, positions, "material", 2)
    assert equal
    assert [(one.what, one.depth) for one in costs] == [
        ("minimax", 1), ("minimax", 2), ("plain alphabeta", 2), ("kernel alphabeta", 2)
    ]  # fmt: skip
    assert costs[0].nodes < costs[1].nodes and costs[2].nodes < costs[1].nodes
    assert all(one.seconds > 0 for one in costs)


def test_a_search_that_finds_another_score_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_bench, "_plain", lambda *_: lambda: (12345.0, 1))
    assert not search_bench._exact(GANH, [GANH.initial()], "material", 1)[1]


def test_a_real_worker_is_started_and_answers() -> None:
    empty, warm = cold_start.measure(games.load("dominoes"), "greedy")
    assert (empty.cache, warm.cache) == ("empty", "warm")
    for one in (empty, warm):
        assert one.nodes > 0 and 0 < one.ready_s <= one.seconds and one.cpu_s > 0
        assert one.met == (one.seconds <= one.limit_s and one.cpu_s <= cold_start.PROCESSOR_S)
    assert not dataclasses.replace(empty, cpu_s=cold_start.PROCESSOR_S + 0.01).met


@pytest.mark.parametrize("name", ["gomoku", "reversi", "morris"])
def test_a_worker_is_asked_what_no_opening_book_answers(name: str) -> None:
    game = games.load(name)
    state = cold_start.first_state(game, "alphabeta")
    book = opening.of(game)
    assert book is None or book.known(game.parse_position(state.position)) == []
    assert (state.ply > 0) == (book is not None)
    assert state.to_move == game.to_move(game.parse_position(state.position))


def test_a_worker_that_cannot_answer_is_not_waited_for_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_start, "PATIENCE_S", 0.2)
    with pytest.raises(ColdStartError, match=r"did not answer within 0\.2 s"):
        list(cold_start.measure(games.load("dominoes"), "static"))


def test_a_worker_that_ends_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_start.sys, "executable", "/bin/false")
    with pytest.raises(ColdStartError, match="ended with status 1"):
        list(cold_start.measure(games.load("dominoes")))


def test_the_command_exits_with_one_where_a_promise_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = [Start("dominoes", "empty", 3.0, 1.0, 0.9, 5, 10.0), Start("dominoes", "warm", 2.0, 1.0, 0.9, 5, 1.5)]
    monkeypatch.setattr("lab.bench.cli.worker_bench.measure", lambda _game: starts)
    monkeypatch.setattr("lab.bench.cli.search_bench.measure", lambda _game, _told: figures())
    words = ["search", "--game", "dominoes", "--cold-start"]
    result = CliRunner().invoke(app, [*words, "--json"])
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [one["met"] for one in found["starts"]] == [True, False] and found["games"][0]["ratios"]
    del starts[1]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0 and "met     dominoes, empty cache" in shown.stdout


def test_a_game_that_does_not_exist_is_refused() -> None:
    result = CliRunner().invoke(app, ["search", "--game", "ludo"])
    assert result.exit_code == 2 and "ludo" in result.stderr
