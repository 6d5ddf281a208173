"""The tree of a search: minimax's values, what alpha-beta cuts off, and the drawing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import games
from agents import heuristics
from agents.minimax import minimax
from agents.search_tree import Node, Shape, _search, lines_of, places, tree_of
from agents.tree_cli import app
from rules import AnyGame
from rules.turns import line_of_play

POSITIONS = (
    ("morris", "d2 f4 d6 f2", 2, 30),
    ("reversi", "f5 d6", 3, 30),
    ("ganh", "", 2, 30),
    ("draughts", "", 3, 30),
    ("morris", "d2 f4 d6 f2", 4, 3),
)


def grown(name: str, moves: str, depth: int, width: int, best_first: bool = False) -> tuple[AnyGame, Any, Node]:
    game = games.load(name)
    position = line_of_play(game, moves.split())[-1]
    return game, position, tree_of(game, position, heuristics.named(game, ""), Shape(depth, width, best_first))


@pytest.mark.parametrize(("name", "moves", "depth", "width"), POSITIONS)
@pytest.mark.parametrize("best_first", [False, True])
def test_alpha_beta_finds_what_minimax_finds_and_visits_less(
    name: str, moves: str, depth: int, width: int, best_first: bool
) -> None:
    game, position, root = grown(name, moves, depth, width, best_first)
    if not any(node.left_out for node in root.all()):
        visited: list[None] = []
        heuristic = heuristics.named(game, "")
        assert root.value == minimax(game, position, depth, heuristic, visit=lambda: visited.append(None))
        assert len(visited) == sum(1 for _ in root.all())
    assert root.found == root.value
    assert sum(node.is_cut for node in root.all()) > 0
    assert all(below.is_cut for node in root.all() if node.is_cut for below in node.all())


def test_the_best_first_leave_more_to_cut() -> None:
    cut = [sum(node.is_cut for node in grown("reversi", "f5 d6", 4, 30, best)[2].all()) for best in (False, True)]
    assert 0 < cut[0] < cut[1]


def leaf(value: int) -> Node:
    return Node("", True, value)


def test_the_tree_of_the_text_books_is_cut_where_they_cut_it() -> None:
    lows = [Node("abc"[at], False, min(row), [leaf(one) for one in row]) for at, row in enumerate(
        ([3, 12, 8], [2, 4, 6], [14, 5, 2])
    )]  # fmt: skip
    root = Node("", True, 3, lows)
    assert _search(root, -99, 99) == 3
    assert [[child.found for child in low.children] for low in lows] == [[3, 12, 8], [2, None, None], [14, 5, 2]]
    assert list(lines_of(root))[5:9] == ["  b: lowest 2", "    2", "    cut, 1 positions", "    cut, 1 positions"]
    at = places(root)
    assert [at[id(low)] for low in lows] == [(1.0, 1), (4.0, 1), (7.0, 1)] and at[id(root)] == (4.0, 0)


def test_the_command_tells_and_draws(tmp_path: Path) -> None:
    called = ["--game", "morris", "--moves", "d2 f4 d6 f2", "--depth", "3"]
    told = CliRunner().invoke(app, called)
    assert "minimax visits 40 positions, alpha-beta 30" in told.output, told.output
    as_json = json.loads(CliRunner().invoke(app, [*called, "--json"]).stdout)
    assert (as_json["positions"], as_json["visited"]) == (40, 30) and len(as_json["tree"]["children"]) == 3
    pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    drawn = CliRunner().invoke(app, [*called, "--out", str(tmp_path / "tree.svg")])
    assert drawn.exit_code == 0 and (tmp_path / "tree.svg").read_text().count("stroke-dasharray") >= 10


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--game", "dominoes"], "hidden tiles"),
        (["--game", "morris", "--width", "30", "--depth", "6"], "too many"),
        (["--game", "morris", "--out", "tree.doc"], "--out is a file that ends in"),
        (["--game", "morris", "--heuristic", "none"], "no heuristic"),
    ],
)
def test_what_cannot_be_drawn_is_refused(words: list[str], said: str) -> None:
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 2 and said in found.output
