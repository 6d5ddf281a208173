"""Another process loads compiled kernels from the disk: it compiles nothing again, and finds the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HEAD = """
import json, os, threading
from pathlib import Path
import games
from agents import kernels
from agents.agent import Limits
from agents.registry import load_agent
from rules.turns import line_of_play
results = {}
"""
TAKE_DOWN = """
results[{name!r}] = [count(), found]
"""
RECORD = """
from numba.core import event
compilations = event.RecordingListener()
event.register("numba:compile", compilations)
count = lambda: len(compilations.buffer)
"""
PROGRAMS = {
    "morris": """
position = games.load("morris").parse_position("OOMOEOMOOOOOMOOEOEMEOOMM0064")
answer = load_agent("alphabeta", games.load("morris", {"flying": True})).choose(
    position, Limits(depth=6), threading.Event()
)
found = [answer.score, answer.nodes, list(answer.pv)]
""",
    "morris tables": """
from games.nine_mens_morris.kernel import MorrisSearch
from agents.jobs import ALONE
from agents.tables.build import Builder
os.environ["KIBITZER_TABLES"] = "tables"
game = games.load("morris", {"flying": True, "men": 3})  # of which there are no larger tables
[header] = Builder(game, Path("tables"), lambda what, steps: None).build(6, ALONE)
search = MorrisSearch(game, 1, 0)
search.begin(game.parse_position("OOMOEOMOOOOOMOOEOEOOOOOO0033"), 1000, False)
found = [header.checksum, search.deepen(1).score]
""",
    "reversi": """
from games.reversi.kernel import ReversiSearch
game = games.load("reversi")
search = ReversiSearch(game, 1, 0)
search.begin(game.initial(), 3000, False)
early = [search.deepen(depth) for depth in range(1, 5)][-1]
late = game.parse_position("-OOOOO----OXXO-XXXOXOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOOO---XXXXX-- X")
search.begin(late, None, False)
solved = [search.deepen(depth) for depth in range(1, 9)][-1]
found = [early.score, early.nodes, solved.score, solved.final, kernels.perft(game, game.initial(), 6)]
assert found[-1] == 8200
""",
    "co_ganh": """
game = games.load("ganh", {"capture": "flip", "mo": True})
answer = load_agent("alphabeta", game).choose(game.initial(), Limits(nodes=50000), threading.Event())
found = [answer.score, answer.nodes, list(answer.pv), kernels.perft(game, game.initial(), 5)]
assert found[-1] == 254280
""",
    "chess": """
game = games.load("chess")
answer = load_agent("alphabeta", game).choose(game.initial(), Limits(nodes=50000), threading.Event())
found = [answer.score, answer.nodes, list(answer.pv), kernels.perft(game, game.initial(), 4)]
assert found[-1] == 197281
""",
    "go": """
game = games.load("go")
answer = load_agent("mcts", game, {"seed": 1}).choose(game.initial(), Limits(nodes=2000), threading.Event())
found = [answer.score, answer.nodes, list(answer.pv)]
""",
    "draughts": """
game = games.load("draughts", {"set": "international"})
position = game.parse_position("B:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46:BK17,K24")
answer = load_agent("alphabeta", game).choose(position, Limits(nodes=20000), threading.Event())
found = [answer.score, answer.nodes, list(answer.pv), kernels.perft(game, position, 4)]
assert found[-1] == 5432
""",
    "gomoku": """
game = games.load("gomoku")
found = []
for options in ({}, {"heuristic": "windows"}):
    position = line_of_play(game, "h8 g8 g7 i9 i7".split(), game.initial())[-1]
    answer = load_agent("alphabeta", game, options).choose(position, Limits(depth=3), threading.Event())
    found.append([answer.score, answer.nodes, list(answer.pv)])
""",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, tuple[int, object]]]:
    """What this process and then another one had compiled by the end of each program, and what they found."""
    root, found = Path(__file__).resolve().parents[2], list[dict[str, tuple[int, object]]]()
    script = HEAD + "".join(text + TAKE_DOWN.format(name=name) for name, text in PROGRAMS.items())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("cold"))
        patch.setenv("KIBITZER_TABLES", "")
        names: dict[str, Any] = {"count": int}
        exec(compile(script, "programs", "exec", dont_inherit=True), names)
        found.append(json.loads(json.dumps(names["results"])))
    folder = tmp_path_factory.mktemp("warm")
    environment = {**os.environ, "PYTHONPATH": str(root), "KIBITZER_TABLES": ""}
    command = [sys.executable, "-c", RECORD + script + "print(json.dumps(results))"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [*found, json.loads(done.stdout)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_second_process_compiles_nothing_and_finds_the_same(
    name: str, runs: list[dict[str, tuple[int, object]]]
) -> None:
    (_, first), (compiled, second) = (one[name] for one in runs)
    assert compiled == 0
    assert second == first
