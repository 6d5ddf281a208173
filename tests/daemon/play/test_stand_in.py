"""An engine at the table fails in its own process: Kibitzer's own player takes its seat until the next game."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path

import pytest

import tests.agents
from agents import engines
from daemon.bus import requests
from daemon.record.journal import Journal
from tests.daemon.play.test_no_camera import Table

FAKE = Path(tests.agents.__path__[0]) / "fake_engines" / "engine.py"
ENGINE = {"agent": "external", "options": {"engine": "tired"}, "time_s": 0.2}


@pytest.mark.parametrize("manner", ["dies", "lies"])
def test_the_game_goes_on_with_a_word_about_who_plays_instead(
    manner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "REFUSED_PATIENCE_S", 0.0)
    command = json.dumps([sys.executable, str(FAKE), "uci", manner])
    (tmp_path / "engines.toml").write_text(f'[engines.tired]\nprotocol = "uci"\ncommand = {command}\n', "utf-8")
    monkeypatch.setenv(engines.FILE_VARIABLE, str(tmp_path / "engines.toml"))
    with contextlib.closing(Table(tmp_path, "morris", players={"first": {}, "second": ENGINE})) as table:
        assert table.tell(command="move", move="d2")[0] == 200
        table.wait(lambda: table.get("state")["ply"] == 2)
        state, told = table.get("state"), [one["text"] for one in table.get("events")]
        assert [player["agent"] for player in state["players"]] == [None, "level-5"]
        assert sum("Kibitzer's own player at level 5 plays instead." in text for text in told) == 1
        assert any(text.startswith("tired finds no move: engine tired ") for text in told)
        assert table.tell(command="new_game")[0] == 200
        table.wait(lambda: table.get("state")["ply"] == 0)
        assert table.get("state")["players"][1]["agent"] == "external"
    with contextlib.closing(Journal(tmp_path / "journal.sqlite")) as journal:
        newest, played = sorted(journal.games(), key=lambda game: len(game.plies))
    assert (newest.players[1], played.players) == ("external:engine=tired,time_s=0.2", ("person", "level-5"))
    assert [note.kind for note in played.notes if note.kind == "stand_in"] == ["stand_in"]
