"""The daemon's loop with a camera that comes and goes; what SIGHUP from a closed terminal does."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import games
from calibration.template import load_template
from daemon.cli import run as run_cli
from daemon.cli.run import Daemon
from daemon.commands.game_choice import path_of, restored
from daemon.config.settings import PlayerSection, PlayersSection
from daemon.page.phones.door import Invitation
from daemon.run.health import health_of
from daemon.run.session import Session
from daemon.supervision import camera as camera_module
from rules import UnknownGame
from tests.daemon.quiet_table import quiet
from tests.waiting import wait_for
from vision.frame import Frame, SourceError


class Camera:
    """A live source that the test switches on and off."""

    live = True

    def __init__(self) -> None:
        self.on = True
        self._shade = 0

    def read(self, timeout_s: float) -> Frame | None:
        time.sleep(0.02)
        if not self.on:
            return None
        self._shade = (self._shade + 7) % 256
        return Frame(np.full((48, 64, 3), self._shade, np.uint8), time.monotonic(), self._shade)

    def close(self) -> None:
        pass


def test_a_game_and_two_people_of_the_command_line_are_kept_as_the_pages_choice_is(tmp_path: Path) -> None:
    config = quiet(tmp_path, players={"first": {"name": "Ana"}}, game={"name": "morris", "rules": {"flying": True}})
    catalogue: Any = SimpleNamespace(newest={})
    assert run_cli._chosen(config, config, "nine_mens_morris", None, catalogue) is config
    wanted = run_cli._chosen(config, config, "chess", True, catalogue)
    assert (wanted.game.name, wanted.game.rules) == ("chess", {})
    assert [(one.agent, one.name) for one in wanted.players.both] == [("", "Ana"), ("", "")]
    assert restored(path_of(Path(config.journal.path)), config) == wanted
    mine = config.model_copy(update={"players": PlayersSection(second=PlayerSection(agent="level-2"))})
    again = run_cli._chosen(wanted, mine, "", False, catalogue)
    assert (again.game.name, again.players.second.agent) == ("chess", "level-2")
    with pytest.raises(UnknownGame):
        run_cli._chosen(config, config, "ches", None, catalogue)


def test_the_code_for_phones_is_shown_on_a_terminal_and_never_in_a_log(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    invitation = Invitation(("https://192.0.2.7:8766/phone#secret-code",), 60.0, 0)
    with caplog.at_level("DEBUG"):
        run_cli._show_invitation(invitation)
    assert "secret-code" not in capsys.readouterr().err + caplog.text and "/phone" in caplog.text
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    run_cli._show_invitation(invitation)
    assert "https://192.0.2.7:8766/phone#secret-code" in capsys.readouterr().err


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def session(tmp_path: Path, said: list[str]) -> Iterator[Session]:
    config = quiet(tmp_path, camera={"frozen_s": 1.0}, page={"enabled": False, "window": False})
    session = Session(config, games.load("morris"))
    session.services.say = lambda text, **_rest: said.append(text)  # type: ignore[method-assign]
    yield session
    session.close()


def test_where_whoever_moves_first_begins_nobody_else_is_said_to(tmp_path: Path) -> None:
    config = quiet(tmp_path, camera={"source": "none"}, page={"enabled": False, "window": False})
    session = Session(config, games.load("morris", {"first": "auto"}))
    daemon = Daemon(session, config, load_template("nine_mens_morris"), None, "none")
    try:
        told = daemon._beginning(session.begin(None))
        assert told == "A new game of nine men's morris. Whoever moves first begins."
    finally:
        daemon.camera.close()
        session.close()


def test_camera_that_is_absent_silent_and_back_is_told_each_time_once(
    session: Session, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    camera, plugged = Camera(), threading.Event()

    def open_camera(*_words: object, **_options: object) -> Camera:
        if not plugged.is_set():
            raise SourceError("camera 0: not there")
        return camera

    monkeypatch.setattr(camera_module, "open_source", open_camera)
    monkeypatch.setattr(camera_module, "REOPEN_S", (0.1,))
    daemon, stop = (
        Daemon(session, session.services.config, load_template("nine_mens_morris"), None, "0"),
        threading.Event(),
    )

    def act() -> None:
        wait_for(lambda: "I have no camera. Is it plugged in? I keep trying." in said)
        assert health_of(session)["camera"]["ok"] is False
        plugged.set()
        wait_for(lambda: said[-1] == "The camera's picture is back.")
        camera.on = False
        wait_for(lambda: said[-1] == "No picture comes from the camera. Is it plugged in?")
        health = health_of(session)["camera"]
        assert (health["ok"], health["text"], health["state"]) == (
            False,
            "No picture comes from the camera. Is it plugged in?",
            "silent",
        )
        camera.on = True
        wait_for(lambda: said[-1] == "The camera's picture is back.")

    failures: list[BaseException] = []

    def player() -> None:
        try:
            act()
        except BaseException as error:  # noqa: BLE001 - the top of the thread
            failures.append(error)
        stop.set()

    thread = threading.Thread(target=player)
    thread.start()
    daemon.run(stop)
    thread.join()
    assert not failures, (failures, said)
    assert len(said) == 5
    assert health_of(session)["camera"]["ok"] is True


@pytest.mark.parametrize(
    ("had_terminal", "has_terminal", "ends"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_hang_up_reads_the_settings_and_ends_only_what_lost_its_terminal(
    monkeypatch: pytest.MonkeyPatch, had_terminal: bool, has_terminal: bool, ends: bool
) -> None:
    monkeypatch.setattr(run_cli.os, "isatty", lambda _file: has_terminal)
    daemon: Any = SimpleNamespace(wants_reading=False)
    stop = threading.Event()
    run_cli._hang_up(daemon, stop, had_terminal)
    assert daemon.wants_reading and stop.is_set() == ends
