"""Agents of others join from the bus; the table's own worker is told only of Kibitzer's own."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from daemon.bus import requests, worker_registry
from daemon.cli import play
from daemon.commands.game_choice import player_faults
from daemon.config.seats import own_agents, seat
from daemon.config.settings import Config, ConfigError, PlayerSection, load_config
from daemon.run.game_chooser import check_players
from daemon.setup.catalogue import Catalogue
from daemon.setup.menu import menu_of
from system import processes
from tests.daemon.play.test_no_camera import Table

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol.md"


@pytest.fixture(scope="module")
def catalogue() -> dict[str, Any]:
    return Catalogue().wait(60)


@contextlib.contextmanager
def stranger(folder: Path) -> Iterator[None]:
    """The agent `mascot` from the document, as a program of its own."""
    code = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)[0]
    program = subprocess.Popen([sys.executable, "-I", "-c", code, f"ipc://{folder}/bus/s", f"ipc://{folder}/bus/r"])
    try:
        yield
    finally:
        program.kill()
        program.wait()


def agents_part(table: Table) -> dict[str, Any]:
    part: dict[str, Any] = table.get("healthz")["parts"]["agents"]
    return part


def test_the_agent_of_the_document_plays_against_one_of_our_own_is_waited_for_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "PATIENCE_S", 0.0)
    monkeypatch.setattr(worker_registry, "ALIVE_S", 3.0)
    bus = {"state": f"ipc://{tmp_path}/bus/s", "reply": f"ipc://{tmp_path}/bus/r"}
    table = Table(tmp_path, "morris", ("random", "bus:mascot"), bus=bus)
    try:
        table.wait(lambda: table.get("state")["ply"] == 1)
        table.wait(lambda: agents_part(table)["text"] == "no worker here plays mascot")
        asked = table.get("state")["sequence"]
        time.sleep(1.0)  # several times what it has to answer
        assert table.get("state")["sequence"] == asked
        monkeypatch.setattr(requests, "PATIENCE_S", 30.0)
        with stranger(tmp_path):
            table.wait(lambda: table.get("state")["ply"] > 4 and agents_part(table)["ok"])
            assert "bus:mascot" in offered(table.get("menu"), "nine_mens_morris")
        table.wait(lambda: not agents_part(table)["ok"])
        assert table.get("state")["awaiting"] == "agent"
        with stranger(tmp_path):
            stood = table.get("state")["ply"]
            table.wait(lambda: table.get("state")["ply"] > stood + 2)
        assert "mascot does not answer. I ask again." not in [one["text"] for one in table.get("events")]
        chosen = {"first": {"agent": ""}, "second": {"agent": "random"}}
        assert table.tell("menu", players=chosen)[0] == 200
        table.wait(lambda: table.get("state")["players"][1]["agent"] == "random" and agents_part(table)["ok"])
    finally:
        table.close()


def offered(menu: dict[str, Any], game: str) -> list[str]:
    return [agent["name"] for one in menu["games"] if one["name"] == game for agent in one["agents"]]


def test_the_own_worker_is_told_only_the_names_that_it_knows() -> None:
    seats = seat(PlayerSection(agent="bus:mascot")), seat(PlayerSection(agent="random"))
    assert own_agents(seats) == ("random",)
    assert (seats[0].agent, seats[0].joins) == ("mascot", True)


@pytest.mark.parametrize(
    ("agent", "fault"),
    [
        ("nosuch", "players.second.agent = 'nosuch': there is no such agent; there are: "),
        (
            "alfabeta",
            "near it: alphabeta. An agent of your own, which joins kibitzer run from the bus, is bus:alfabeta",
        ),
        ("Alfabeta", "near it: alphabeta"),
        ("GNU-Go", "players.second.agent = 'GNU-Go': is not installed: apt install gnugo"),
        ("static", "plays no nine_mens_morris; who does: alphabeta"),
        ("bus:random", "random is Kibitzer's own agent; leave bus: away"),
        ("bus:mascot", ""),
        ("level-3", ""),
    ],
)
def test_a_name_is_an_agent_of_our_own_or_said_to_join(agent: str, fault: str, catalogue: dict[str, Any]) -> None:
    config = Config.model_validate({"players": {"second": {"agent": agent}}})
    known = [one | {"installed": False} for one in catalogue["known"]]
    agents = [one for one in catalogue["agents"] if one["name"] not in [engine["name"] for engine in known]]
    catalogue = catalogue | {"known": known, "agents": agents}
    faults = "\n".join(player_faults(config, "nine_mens_morris", catalogue))
    assert fault in faults and bool(fault) == bool(faults)


def test_settings_with_an_unknown_agent_are_not_taken_while_the_daemon_runs_either(catalogue: dict[str, Any]) -> None:
    wrong = Config.model_validate({"players": {"first": {"agent": "nosuch"}}})
    with pytest.raises(ConfigError, match=r"players\.first\.agent = 'nosuch'"):
        check_players(wrong, catalogue)
    check_players(wrong, {})  # the agents are not known yet


@pytest.mark.parametrize("agent", ["bus:", "bus:two words", "bus:" + "x" * 65, "a" * 65, "ä"])
def test_what_cannot_be_a_name_on_the_bus_is_refused(agent: str, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f'[players.first]\nagent = "{agent}"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"players\.first\.agent = 'b|players\.first\.agent = '[aä]"):
        load_config(path)


def test_the_menu_lists_who_has_joined_and_who_is_awaited_and_never_thousands(catalogue: dict[str, Any]) -> None:
    config = Config.model_validate({"players": {"first": {"agent": "bus:awaited"}}})
    joined = {"nine_mens_morris": ["alphabeta", *(f"stranger-{number}" for number in range(10_000))]}
    menu = menu_of(config, "0", catalogue, joined=joined)
    names = offered(menu, "nine_mens_morris")
    assert {"bus:awaited", "bus:stranger-0"} <= set(names) and "bus:alphabeta" not in names and len(names) < 100
    assert not any(name.startswith("bus:") for name in offered(menu, "reversi"))


def test_a_daemon_with_an_unknown_agent_does_not_start(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    record = f'[journal]\npath = "{tmp_path}/journal.sqlite"\n'
    path.write_text(f'[players.second]\nagent = "nosuch"\n[camera]\nsource = "none"\n{record}', encoding="utf-8")
    command = (sys.executable, "-m", "daemon.cli", "run", "--config", str(path))
    done = processes.run(command, 120.0, capture_output=True, text=True)
    assert done.returncode == 2 and "players.second.agent = 'nosuch': there is no such agent" in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not (tmp_path / "journal.sqlite").exists()


@pytest.mark.parametrize(("player", "told"), [("nosuch", "there is no such agent"), ("bus:mascot", "kibitzer run")])
def test_the_terminal_refuses_who_cannot_play_there(player: str, told: str, tmp_path: Path) -> None:
    words = ["--game", "morris", "--dark", player, "--journal", str(tmp_path / "journal.sqlite")]
    done = CliRunner().invoke(play.app, words)
    assert done.exit_code == 2 and told in done.stderr and len(done.stderr.splitlines()) == 1
