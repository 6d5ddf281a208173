"""The contract that every agent keeps, in every game."""

from __future__ import annotations

import dataclasses
import random
import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import games
from agents import levels, registry
from agents.agent import Answer, GameAgent, Limits
from agents.engines.known import known
from rules import AnyGame
from rules.options import parse_options, rule

PAIRS = [(agent, game) for agent in registry.names() for game in registry.games_of(agent)]
LEVELS = [f"level-{number}" for number in levels.NUMBERS]
NOT_WHOLE = {*LEVELS, *(engine.name for engine in known())} - {"level-1", "level-5", "level-8"}
WHOLE = [(agent, game) for agent, game in PAIRS if agent not in NOT_WHOLE]
"""Agents that play whole games. The levels only wrap other agents with limits, so three of them are enough; installed
engines have tests of their own (test_real_engines.py), and are not ours to spend minutes on."""
QUICK: dict[str, dict[str, object]] = {"mcts": {"playout_plies": 2}, "alphabeta": {"table_mb": 1}}


def test_the_agents_are_found_by_listing_the_folder() -> None:
    assert {"alphabeta", "random"} <= set(registry.names())
    assert all(registry.find(name).name == name for name in registry.names())


@pytest.mark.parametrize(("agent", "game"), WHOLE)
def test_a_whole_game_is_played_with_legal_moves(agent: str, game: str) -> None:
    rules = games.load(game)
    player, draw = registry.load_agent(agent, rules, QUICK.get(agent)), random.Random(1)
    position = rules.initial(seed=1)
    for _ in range(1000):
        if rules.outcome(position) is not None:
            break
        answer = player.choose(position, Limits(nodes=12), threading.Event())
        assert answer.move in rules.legal_moves(position)
        assert answer.pv[0] == rules.format_move(position, answer.move)
        assert answer.nodes >= 0
        assert answer.seconds >= 0
        drawn = draw.choice(list(rules.legal_moves(position)))
        position = rules.apply(position, draw.choice([answer.move, drawn]))
    assert rules.outcome(position) is not None
    with pytest.raises(ValueError, match="over"):
        player.choose(position, Limits(depth=1), threading.Event())


@pytest.mark.parametrize(("agent", "game"), PAIRS)
def test_one_that_is_stopped_already_still_answers_and_stop_ends_the_thinking(agent: str, game: str) -> None:
    rules = games.load(game)
    start, player, stop = rules.initial(seed=1), registry.load_agent(agent, rules), threading.Event()
    stop.set()
    began_s = time.thread_time()
    assert player.choose(start, Limits(time_s=30), stop).move in rules.legal_moves(start)
    assert time.thread_time() - began_s < 1
    if agent not in LEVELS[:-1]:
        stop.clear()
        threading.Timer(0.05, stop.set).start()
        assert player.choose(start, Limits(time_s=600), stop).move in rules.legal_moves(start)


@pytest.mark.parametrize(("agent", "game"), [pair for pair in PAIRS if pair[0] not in LEVELS[:-1]])
def test_an_answer_without_limits_ends_by_itself(agent: str, game: str) -> None:
    rules = games.load(game)
    start, player = rules.initial(seed=1), registry.load_agent(agent, rules, QUICK.get(agent))
    assert player.choose(start, Limits(), threading.Event()).move in rules.legal_moves(start)


def test_the_agent_in_the_document_plays() -> None:
    text = (Path(__file__).parents[2] / "docs" / "adding-an-agent.md").read_text(encoding="utf-8")
    source = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    names = {"Any": Any, "AnyGame": AnyGame, "Answer": Answer, "GameAgent": GameAgent, "Limits": Limits}
    written: dict[str, Any] = {**names, "dataclasses": dataclasses, "rule": rule, "threading": threading}
    exec(compile(source, "adding-an-agent.md", "exec", dont_inherit=True), written)
    game = games.load("morris")
    for last, expected in ((False, "a7"), (True, "g1")):
        made = written["AGENT"](game, parse_options(written["AGENT"].Options, {"last": last}, "first", "option"))
        assert made.choose(game.initial(), Limits(), threading.Event()).pv == (expected,)
