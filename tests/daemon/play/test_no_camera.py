"""The daemon without a camera is healthy, takes moves from its page, and resumes after a restart."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import games
from calibration.template import load_template
from daemon.config.settings import Config
from daemon.run.loop import Daemon
from daemon.run.session import Session
from tests.daemon.http_client import ask
from tests.daemon.quiet_table import quiet
from tests.waiting import PATIENCE_S


class Table:
    """A daemon that runs in a thread, and its page."""

    def __init__(self, folder: Path, game: str, agents: tuple[str, str] = ("", ""), **sections: Any) -> None:
        own: dict[str, Any] = {
            "game": {"name": game, "deal_seed": 5},
            "players": {"first": {"agent": agents[0]}, "second": {"agent": agents[1], "time_s": 0.2}},
            "camera": {"source": "none"},
        }
        config = quiet(folder, **own | sections)
        self.configured = config.model_dump()
        self._stop, self._address = threading.Event(), ""
        self._thread = threading.Thread(target=self._run, args=(config,), daemon=True)
        self._thread.start()
        self.wait(lambda: self._address and self.status("state") == 200)

    def _run(self, config: Config) -> None:
        """Body of the thread; the thread that opens the record must also use it."""
        with contextlib.closing(Session(config, games.load(config.game.name))) as session:
            assert session.services.page is not None
            self._address = session.services.page.address
            template = load_template(session.game.name)
            Daemon(session, config, template, None, config.camera.source).run(self._stop)

    def close(self) -> None:
        """Ends the daemon."""
        self._stop.set()
        self._thread.join(20)

    def wait(self, condition: Callable[[], object]) -> None:
        """Waits until the condition holds, as long as a busy computer may take."""
        deadline_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline_s
            time.sleep(0.02)

    def status(self, path: str) -> int:
        """HTTP status of a GET."""
        return self.ask(path)[0]

    def get(self, path: str) -> Any:
        """JSON of a GET."""
        return self.ask(path)[1]

    def tell(self, path: str = "tell", **words: object) -> tuple[int, Any]:
        """HTTP status and JSON of a posted command."""
        return self.ask(path, json.dumps(words).encode())

    def ask(self, path: str, body: bytes | None = None) -> tuple[int, Any]:
        """HTTP status and JSON; a body makes the request a POST."""
        reply = ask(f"{self._address}{path}", body)
        return reply.status, reply.json


Sit = Callable[..., Table]


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    tables: list[Table] = []

    def sit(game: str = "morris", **rest: Any) -> Table:
        tables.append(Table(tmp_path, game, **rest))
        return tables[-1]

    yield sit
    for table in tables:
        table.close()


def test_a_daemon_without_a_camera_is_well_and_ready_and_says_that_it_has_none(sit: Sit) -> None:
    table = sit()
    table.wait(lambda: table.status("readyz") == 200)
    status, health = table.ask("healthz")
    assert status == 200 and health["parts"]["camera"] == {
        "ok": True,
        "text": "none is wanted: moves are told",
        "state": "unwanted",
        "age_s": None,
        "reopened": 0,
        "dropped": 0,
    }
    said = [one["text"] for one in table.get("events")]
    assert said == ["A new game of nine men's morris. Light begins.", "No camera: tap to move."]


def test_a_move_told_on_the_page_is_the_state_that_it_shows_next(sit: Sit) -> None:
    table = sit()
    listed = table.get("legal")
    assert (listed["ply"], listed["side"], len(listed["moves"])) == (0, "light", 24)
    assert table.tell(command="move", move="d2", ply=0) == (200, {"code": "done", "text": "Light: d2."})
    table.wait(lambda: table.get("state")["moves"] == ["d2"])
    assert len(table.get("legal")["moves"]) == 23
    refused = {"code": "refused", "text": "d2 cannot be played: d2 is occupied.", "rule": "occupied"}
    assert table.tell(command="move", move="d2") == (409, refused)
    assert table.tell(command="move", move="d3", ply=0)[1]["text"] == "The game has gone on: look again."
    assert table.tell(command="move", move="x" * 65)[0] == 400


def test_a_game_played_by_word_goes_on_after_a_restart_with_the_same_hands(sit: Sit) -> None:
    table = sit("dominoes")
    table.tell(command="move", move=table.get("legal")["moves"][0]["move"])
    table.wait(lambda: table.get("state")["ply"] == 1)
    hand = table.get("legal")["hand"]
    table.close()
    again = sit("dominoes")
    assert (again.get("state")["ply"], again.get("legal")["hand"]) == (1, hand)
    assert len(hand) == 4


def test_a_worker_answers_and_its_move_stands_at_once(sit: Sit) -> None:
    table = sit(agents=("", "random"))
    table.tell(command="move", move="d2")
    table.wait(lambda: table.get("state")["ply"] == 2)
    assert table.get("state")["awaiting"] == "move"
