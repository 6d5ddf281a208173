"""Plain minimax: its strength, and that alpha-beta finds the same values in every game."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import games
from agents import heuristics
from agents.agent import AgentError, Limits
from agents.minimax import minimax
from agents.move_request import imagined
from agents.plain_search import PlainSearch
from agents.registry import load_agent
from agents.search import WIN
from rules import AnyGame
from tests.agents.random_games import positions

NEVER = threading.Event()
PAIRS = [(game, name) for game in games.names() for name in heuristics.of(games.load(game))]
LEAVES = 1500
"""Positions that one score may cost, approximately."""


def affordable(game: AnyGame, position: Any) -> int:
    moves = max(2, len(game.legal_moves(position)))
    return max(1, min(3, next(depth for depth in range(1, 99) if moves ** (depth + 1) > LEAVES)))


def samples(game: AnyGame, count: int) -> list[tuple[Any, int]]:
    """Positions with the depth to search; positions that allow two plies or more are preferred."""
    found = [(position, affordable(game, position)) for position in positions(game, 7, 4 * count)]
    return sorted(found, key=lambda sample: sample[1] == 1)[:count]


@pytest.mark.parametrize(("name", "heuristic"), PAIRS)
def test_alpha_beta_has_the_score_of_minimax(name: str, heuristic: str) -> None:
    game = games.load(name)
    agent = load_agent("alphabeta", game, {"heuristic": heuristic, "table_mb": 1})
    for position, depth in samples(game, 6):
        world = imagined(game, position, 0)
        score = minimax(game, world, depth, heuristics.of(game)[heuristic])
        answer = agent.choose(position, Limits(depth=depth), NEVER)
        assert answer.score == score, game.format_position(position)


@pytest.mark.parametrize("name", games.names())
def test_alpha_beta_in_plain_python_has_the_score_and_a_move_of_minimax_and_so_has_the_agent(name: str) -> None:
    game = games.load(name)
    heuristic = next(iter(heuristics.of(game).values()))
    for number, (position, depth) in enumerate(samples(game, 4)):
        search = PlainSearch(game, seed=3)
        world = imagined(game, position, 0)
        search.begin(world, None, exact=True)
        for level in range(1, depth + 1):
            found = search.deepen(level)
            assert found.score == minimax(game, world, level, heuristic), game.format_position(position)
        child = game.apply(world, found.move)
        after = minimax(game, child, depth - 1, heuristic, found.move, 1)
        assert (after if game.to_move(child) == game.to_move(world) else -after) == found.score
        if number < 2:
            answer = load_agent("minimax", game, {"depth": depth}).choose(position, Limits(), NEVER)
            assert (answer.score, answer.depth) == (found.score, depth)


def test_a_faster_win_scores_higher() -> None:
    game = games.load("morris")
    position = game.parse_position("MMOOOOOEOOOOOOMOOOOOEOEO0033")
    scores = [minimax(game, position, depth, heuristics.of(game)["winning"]) for depth in (1, 3)]
    assert scores == [WIN - 1, WIN - 1]


def test_a_hand_that_is_hidden_does_not_change_the_answer() -> None:
    game = games.load("dominoes")
    for position in positions(game, 3, 6):
        hidden = game.view(position, game.to_move(position))
        for agent in ("minimax", "alphabeta"):
            seen, unseen = (
                load_agent(agent, game, {"seed": 5}).choose(one, Limits(depth=1), NEVER) for one in (position, hidden)
            )
            assert (seen.move, seen.score) == (unseen.move, unseen.score)


def test_an_own_hand_that_nobody_named_is_imagined_and_the_answer_is_legal() -> None:
    game = games.load("dominoes")
    position = game.initial()
    for _ in range(12):
        answer = load_agent("minimax", game).choose(position, Limits(), NEVER)
        assert answer.move in game.legal_moves(position)
        position = game.apply(position, answer.move)


def test_an_unknown_heuristic_is_refused_with_those_there_are() -> None:
    game = games.load("morris")
    with pytest.raises(AgentError, match=r"no heuristic 'nope'.*best.*last_move_mill"):
        load_agent("minimax", game, {"heuristic": "nope"})
