"""Monte Carlo tree search: its formula, its choices, and its limits."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import pytest

import games
from agents import mcts
from agents.agent import AgentError, Answer, Limits
from agents.mcts import Node
from agents.registry import load_agent
from rules.turns import line_of_play
from tests.agents.random_games import positions

NEVER = threading.Event()


def node(playouts: int, wins: float, bias: float = 0.0) -> Node:
    made = Node(None, 0)
    made.playouts, made.wins, made.bias = playouts, wins, bias
    return made


def parent(*children: Node) -> Node:
    made = node(sum(child.playouts for child in children), 0)
    made.children = dict(enumerate(children))
    return made


def test_the_most_promising_child_has_the_highest_bound() -> None:
    def bound(child: Node) -> float:
        n = child.playouts + 1e-6
        return child.wins / n + math.sqrt(2) * math.sqrt(math.log(root.playouts + 1e-6) / n)

    for counts in ([(10, 6), (3, 1), (1, 0)], [(50, 30), (50, 29), (7, 4)], [(2, 0), (2, 2), (90, 80)]):
        root = parent(*(node(*count) for count in counts))
        children = list(root.children.values())
        assert mcts.most_promising(root, children, math.sqrt(2), 0.0) is max(children, key=bound)


def test_knowledge_weighs_less_the_more_is_played() -> None:
    fresh, worn = parent(node(1, 0.5), node(1, 0.5, bias=1.0)), parent(node(900, 460), node(900, 450, bias=1.0))
    assert mcts.most_promising(fresh, list(fresh.children.values()), 1.4, 1.0) is fresh.children[1]
    assert mcts.most_promising(worn, list(worn.children.values()), 1.4, 1.0) is worn.children[0]


def test_the_four_choices() -> None:
    game = games.load("ganh")
    root = parent(node(60, 40), node(3, 2.5), node(30, 21), node(0, 0))
    assert mcts.choice(root, "max", game) == 1
    assert mcts.choice(root, "robust", game) == 0
    assert mcts.choice(root, "secure", game) == 0
    assert mcts.max_robust(root) is None
    assert mcts.max_robust(parent(node(60, 50), node(3, 1))) == 0
    assert mcts.choice(parent(node(60, 50), node(3, 1)), "max_robust", game) == 0


def test_of_equal_means_the_child_with_the_fewest_replies_is_taken() -> None:
    game = games.load("morris")
    few, many = node(4, 2), node(4, 2)
    few.position, many.position = line_of_play(game, ["d2", "f4", "a1"])[-1], game.initial()
    assert mcts.choice(parent(many, few), "max", game) == 1


def test_every_child_is_tried_before_any_is_tried_again() -> None:
    game = games.load("reversi")
    player: Any = load_agent("mcts", game, {"seed": 1})
    for count in range(1, 9):
        player._root = None
        player.choose(game.initial(), Limits(nodes=count), NEVER)
        tried = sorted(child.playouts for child in player._root.children.values())
        assert (tried[-1] == 1) == (count <= 4)
        assert sum(tried) == count


@pytest.mark.parametrize(
    ("options", "limits", "count"),
    [
        ({}, Limits(), 100),
        ({"simulations": 30}, Limits(), 30),
        ({"simulations": 30}, Limits(nodes=40), 40),
        ({"simulations": 30}, Limits(time_s=60), 30),
        ({"child": "max_robust"}, Limits(nodes=40), 40),
    ],
)
def test_playouts_are_counted(options: dict[str, object], limits: Limits, count: int) -> None:
    game = games.load("reversi")
    answer = load_agent("mcts", game, {"seed": 1, **options}).choose(game.initial(), limits, NEVER)
    assert answer.nodes == count
    assert -1 <= (answer.score or 0) <= 1


def test_a_win_in_one_is_found() -> None:
    game = games.load("morris")
    position = game.parse_position("MMOOOOOEOOOOOOMOOOOOEOEO0033")
    for child in mcts.CHILDREN:
        answer = load_agent("mcts", game, {"seed": 2, "child": child}).choose(position, Limits(nodes=400), NEVER)
        assert game.outcome(game.apply(position, answer.move)) is not None


def test_the_tree_is_kept_between_moves() -> None:
    game = games.load("ganh")
    for keep in (True, False):
        player: Any = load_agent("mcts", game, {"seed": 1, "keep_tree": keep, "playout_plies": 20})
        answer = player.choose(game.initial(), Limits(), NEVER)
        position = game.apply(game.initial(), answer.move)
        expected = max(player._root.children[answer.move].children.items(), key=lambda item: item[1].playouts)
        known = expected[1].playouts
        player.choose(game.apply(position, expected[0]), Limits(nodes=10), NEVER)
        assert player._root.playouts == (known + 10 if keep else 10)


def test_the_seed_repeats_the_search() -> None:
    game = games.load("ganh")

    def asked(seed: int) -> Answer:
        return load_agent("mcts", game, {"seed": seed, "playout_plies": 30}).choose(game.initial(), Limits(), NEVER)

    assert (asked(3).move, asked(3).score) == (asked(3).move, asked(3).score)
    assert len({asked(seed).move for seed in range(1, 9)}) > 1


def test_it_errs_as_often_as_asked() -> None:
    game = games.load("reversi")
    for percent, least, most in ((0, 0, 0), (50, 20, 80), (100, 100, 100)):
        player = load_agent("mcts", game, {"seed": 3, "error_percent": percent})
        answers = [player.choose(game.initial(), Limits(nodes=1), NEVER) for _ in range(100)]
        assert least <= sum(answer.score is None for answer in answers) <= most


def test_it_beats_random() -> None:
    game = games.load("ganh")
    won = 0.0
    for seed in range(1, 7):
        players = [load_agent("mcts", game, {"seed": seed, "simulations": 30, "playout_plies": 20})]
        players.append(load_agent("random", game, {"seed": seed}))
        mine, position = seed % 2, game.initial()
        while (outcome := game.outcome(position)) is None:
            side = game.to_move(position)
            position = game.apply(position, players[side != mine].choose(position, Limits(), NEVER).move)
        won += 0.5 if outcome.winner is None else float(outcome.winner == mine)
    assert won >= 5


def test_a_hidden_hand_does_not_change_the_search() -> None:
    game = games.load("dominoes")
    for position in positions(game, 5, 3):
        hidden = game.view(position, game.to_move(position))
        seen, unseen = (
            load_agent("mcts", game, {"seed": 5, "playout_plies": 4}).choose(one, Limits(nodes=12), NEVER)
            for one in (position, hidden)
        )
        assert (seen.move, seen.score) == (unseen.move, unseen.score)


@pytest.mark.parametrize("text", ["x", "-1", "nan", "inf"])
def test_a_constant_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(AgentError, match="option c is a number of at least 0"):
        load_agent("mcts", games.load("ganh"), {"c": text})


def test_stop_is_answered_at_once() -> None:
    game = games.load("dominoes")
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    began_s = time.thread_time()
    answer = load_agent("mcts", game).choose(game.initial(seed=1), Limits(time_s=60), stop)
    assert answer.nodes >= 1
    assert time.thread_time() - began_s < 2
