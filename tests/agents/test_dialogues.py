"""How real engines answer, as dialogues with a program that expects exactly what is sent to it.

Sanmill reports and answers on one line, counts scores for white and may think longer than it was allowed; NTest loads
its opening book anew for every `set depth` and knows no limit but that.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import games
from agents import engines, registry
from agents.agent import AgentError, Answer, Limits

DIALOGUE = Path(__file__).parent / "fake_engines" / "dialogue.py"
UCI = "> uci\n< A banner, version 1\n< uciok\n> ucinewgame\n> isready\n< readyok\n"
NBOARD = "> nboard 2\n< set myname Deep\n> ping 1\n< pong 1\n"


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Registers an engine that holds the dialogue; returns its agent."""

    def opened(game: Any, protocol: str, dialogue: str, *encoding: str, **settings: float) -> Any:
        (tmp_path / "dialogue.txt").write_text(dialogue)
        command = [sys.executable, str(DIALOGUE), str(tmp_path / "dialogue.txt"), *encoding]
        table = "".join(f"{name} = {value}\n" for name, value in settings.items())
        (tmp_path / "engines.toml").write_text(f'[engines.real]\nprotocol = "{protocol}"\ncommand = {command}\n{table}')
        monkeypatch.setenv(engines.FILE_VARIABLE, str(tmp_path / "engines.toml"))
        return registry.load_agent("external", game)

    return opened


def answer(agent: Any, moves: str, limits: Limits) -> tuple[str, Answer]:
    position = games.line_of_play(agent.game, moves.split())[-1]
    told = agent.choose(position, limits, threading.Event())
    return agent.game.format_move(position, told.move), told


def test_a_report_and_its_move_may_be_one_line_with_whites_score(engine: Any) -> None:
    one_line = "> position fen .*\n> go depth 1 movetime 1000\n< info depth 1 score cp 4 nodes 52 bestmove d6\n"
    agent = engine(games.load("morris"), "uci", UCI + one_line)
    move, told = answer(agent, "", Limits(depth=1))
    assert (move, told.score, told.depth, told.nodes) == ("d6", 4.0, 1, 52)
    agent = engine(games.load("morris"), "uci", UCI + one_line)
    assert answer(agent, "a1", Limits(depth=1))[1].score == -4.0


def test_a_mills_second_question_has_a_deadline_and_a_time_of_its_own(engine: Any) -> None:
    mill = (
        "> position fen .* w p p .*\n> go movetime 1000\n~ 0.7\n< bestmove g7\n"
        "> position fen .* moves g7\n> go movetime ([123]\\d\\d|\\d\\d)\n~ 1.2\n< bestmove xa1\n"
    )
    agent = engine(games.load("morris"), "uci", UCI + mill, grace_s=20.0)
    assert answer(agent, "a7 a1 d7 d1", Limits(time_s=1.0))[0] == "g7xa1"


def test_an_engine_that_thinks_too_long_is_told_to_stop_and_has_a_grace(engine: Any) -> None:
    late = "> position .*\n> go movetime 200\n> stop\n~ 0.3\n< bestmove d6\n"
    agent = engine(games.load("morris"), "uci", UCI + late, grace_s=20.0)
    assert answer(agent, "", Limits(time_s=0.2))[0] == "d6"


def test_a_grace_ends(engine: Any) -> None:
    never = "> position .*\n> go movetime 200\n> stop\n"
    agent = engine(games.load("morris"), "uci", UCI + never, grace_s=0.5)
    with pytest.raises(AgentError, match="engine real gave no answer in time"):
        answer(agent, "", Limits(time_s=0.2))


def test_a_depth_is_said_once_and_the_clock_with_the_game(engine: Any) -> None:
    plies = "".join(
        f"> set game .*TI\\[{clock}\\].*\n{depth}> ping {ping}\n< pong {ping}\n> go\n"
        f"< status busy\n~ {pause}\n< === {move}\n"
        for clock, depth, ping, pause, move in (
            ("5:05", "> set depth 12\n", 2, 2.0, "F5/1.5/0.2"),  # a fifth of the time: neither deeper nor less deep
            ("4:55", "", 3, 0.0, "C5/-1/0.2"),
        )
    )
    agent = engine(games.load("reversi"), "nboard", NBOARD + plies)
    move, told = answer(agent, "", Limits(time_s=10.0))
    assert (move, told.score, told.depth) == ("f5", 1.5, 12)
    assert answer(agent, "f5 d6", Limits(time_s=10.0))[0] == "c5"


def test_a_late_engine_is_interrupted_and_looks_less_deep(engine: Any) -> None:
    late = (
        "> set game .*\n> set depth 12\n> ping 2\n< pong 2\n> go\n> ping 3\n< pong 3\n"
        "> set depth (1[01]|\\d)\n> ping 4\n< pong 4\n> go\n< === F5\n"
    )
    agent = engine(games.load("reversi"), "nboard", NBOARD + late, grace_s=20.0)
    assert answer(agent, "", Limits(time_s=0.3))[0] == "f5"


def test_an_answer_that_comes_instead_of_the_pong_counts(engine: Any) -> None:
    late = "> set game .*\n> set depth 12\n> ping 2\n< pong 2\n> go\n> ping 3\n< === F5/0/1\n< pong 3\n"
    agent = engine(games.load("reversi"), "nboard", NBOARD + late, grace_s=20.0)
    assert answer(agent, "", Limits(time_s=0.3))[0] == "f5"


def test_utf_16_is_read(engine: Any) -> None:
    ask = "> position .*\n> go movetime \\d+\n< bestmove d6\n"
    agent = engine(games.load("morris"), "uci", UCI + ask, "utf-16")
    assert answer(agent, "", Limits())[0] == "d6"


def test_an_engine_of_another_protocol_is_named(engine: Any) -> None:
    agent = engine(games.load("morris"), "uci", "> uci\n< ? unknown command\n", timeout_s=1.0)
    with pytest.raises(AgentError, match=r"real does not greet as an engine for uci does: .*'\? unknown command'"):
        answer(agent, "", Limits())
