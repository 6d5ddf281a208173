"""Engines that need no configuration: installed ones are agents with levels, others are named with their package."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

import pytest

import games
import tests.agents
from agents import agents_cli, protocols, registry
from agents.agent import AgentError, Limits
from agents.engines import known
from agents.engines.known import KnownEngine

FAKE = Path(tests.agents.__path__[0]) / "fake_engines" / "engine.py"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only GRhino is installed: a program of that name which notes how it was called."""
    monkeypatch.setattr(known, "FOLDERS", ())
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program, called = tmp_path / "gtp-rhino", tmp_path / "called"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {called}\nPYTHONPATH={ROOT} exec {sys.executable} {FAKE} gtp good\n', encoding="utf-8"
    )
    program.chmod(0o755)
    return called


@pytest.mark.parametrize("engine", known.known(), ids=lambda engine: engine.name)
def test_every_engine_of_the_file_can_be_started_at_eight_levels(
    engine: KnownEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KnownEngine, "path", "/usr/games/program")
    assert (
        engine.protocol in protocols.NAMES and engine.package and len({len(of) for of in engine.levels.values()}) == 1
    )
    at = [engine.at(level) for level in range(1, 9)]
    assert len({len(one.command) for one in at}) == 1 and at[0] != at[7]
    assert not any("{" in word for one in at for word in (*one.command, *one.options, *one.options.values()))
    assert registry.find(engine.name).name == engine.name


def test_an_installed_engine_plays_at_its_level_and_a_missing_one_is_named(installed: Path) -> None:
    game = games.load("reversi")
    for level, argument in ((1, "--level=1"), (8, "--level=5")):
        player = registry.load_agent("GRhino", game, {"level": level})
        answer = player.choose(game.initial(), Limits(time_s=1.0), threading.Event())
        assert answer.move in game.legal_moves(game.initial())
        assert installed.read_text("utf-8").splitlines()[-1] == argument
        player.close()  # type: ignore[attr-defined]
    assert registry.games_of("GRhino") == ("reversi",)
    told = agents_cli.catalogue(("reversi",))
    assert {"name": "GRhino", "game": "reversi", "package": "grhino", "installed": True} in told["known"]
    (installed.parent / "gtp-rhino").unlink()
    assert not registry.games_of("GRhino")
    with pytest.raises(AgentError, match="gtp-rhino is not installed: apt install grhino"):
        registry.load_agent("GRhino", game)
    told = agents_cli.catalogue(("reversi",))
    assert "GRhino" not in [agent["name"] for agent in told["agents"]]
    assert json.loads(json.dumps(told["known"]))[0]["installed"] is False
