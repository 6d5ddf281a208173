"""A table with a failed part keeps running, says so once, shows it, and recovers by itself."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import games
from calibration.template import load_template
from daemon.bus import bus
from daemon.cli.run import Daemon
from daemon.page import web
from daemon.run import health
from daemon.run.config_apply import ConfigApplier
from daemon.run.health import health_of
from daemon.run.session import Session
from daemon.supervision import camera as camera_module
from daemon.supervision import watchdog
from daemon.supervision.notify import Notifier
from daemon.supervision.troubles import FAULT_REPORTS
from daemon.voice import VoiceError, speech
from daemon.words import translation
from tests.daemon.http_client import ask
from tests.daemon.quiet_table import FREE, quiet
from tests.daemon.supervision.test_camera import Plug
from tests.waiting import PATIENCE_S, wait_for
from vision.frame import SourceError


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks on every turn and reports trouble without a grace time."""
    monkeypatch.setattr(health, "LOOK_S", 0.0)
    for name, manner in FAULT_REPORTS.items():
        monkeypatch.setitem(FAULT_REPORTS, name, dataclasses.replace(manner, grace_s=0.0))


class Heard(Notifier):
    """Notes what systemd would receive."""

    def __init__(self) -> None:
        super().__init__({})
        self.watchdog_s = 0.001
        self.messages: list[str] = []

    def _send(self, text: str, wait_s: float = 0.0) -> None:
        self.messages.append(text)


class Table:
    """A daemon that the test runs turn by turn, with a camera that the test controls."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, **sections: dict[str, object]) -> None:
        self.plug: Plug | None = Plug()
        config = quiet(folder, **sections)
        self.session = Session(config, games.load("morris"))
        self.said: list[str] = []
        say = self.session.services.say

        def note(text: str, *, urgent: bool = False, code: str = "trouble") -> None:
            self.said.append(text)
            say(text, urgent=urgent, code=code)

        monkeypatch.setattr(self.session.services, "say", note)
        monkeypatch.setattr(camera_module, "open_source", self._open)
        monkeypatch.setattr(camera_module, "REOPEN_S", (0.0,))
        self.heard = Heard()
        template = load_template("nine_mens_morris")
        self.daemon = Daemon(self.session, config, template, None, "0", notifier=self.heard)
        self.daemon._begin(resume=True)
        self._shade = 0

    def _open(self, *_words: object, **_options: object) -> Plug:
        if self.plug is None:
            raise SourceError("camera 0: not there")
        return self.plug

    def turn(self) -> None:
        """One turn of the loop, with a new picture if the camera is plugged in."""
        self._shade = (self._shade + 7) % 256
        if self.plug is not None:
            self.plug.send(self._shade)
        self.daemon._turn()
        self.daemon.watchdog.look()

    def until(self, condition: Callable[[], object]) -> None:
        deadline_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline_s, (self.said, health_of(self.session))
            self.turn()

    def part(self, name: str) -> dict[str, Any]:
        return health_of(self.session)[name]

    def get(self, path: str) -> tuple[int, Any]:
        assert self.session.services.page is not None
        reply = ask(self.session.services.page.address + path)
        return reply.status, reply.body.decode() if path in {"metrics", "board.svg"} else reply.json

    def close(self) -> None:
        self.daemon.watchdog.close()
        self.daemon.camera.close()
        self.session.close()


Sit = Callable[..., Table]


@pytest.fixture
def sit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sit]:
    tables: list[Table] = []

    def make(**sections: dict[str, object]) -> Table:
        tables.append(Table(tmp_path, monkeypatch, **sections))
        return tables[-1]

    yield make
    for table in tables:
        table.close()
    translation.speak("en")  # the language is global to the process


def test_table_is_ready_after_the_first_good_frame_and_while_frames_are_fresh(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = sit()
    assert table.get("readyz") == (503, {"ready": False, "text": "starting"})
    assert not any("READY=1" in message for message in table.heard.messages)
    table.until(lambda: table.daemon.heartbeat.frames)
    table.turn()
    assert table.get("readyz")[0] == 200
    assert sum("READY=1" in message for message in table.heard.messages) == 1
    monkeypatch.setattr(table.daemon.heartbeat, "clock", lambda: time.monotonic() + health.STALE_S + 1)
    table.daemon.supervision.turn(None)
    assert table.get("readyz")[0] == 503


def test_daemon_without_a_camera_is_up_says_so_once_and_is_ready_when_one_comes(sit: Sit) -> None:
    table = sit()
    table.plug = None
    table.until(lambda: not table.part("camera")["ok"])
    for _ in range(20):
        table.turn()
    assert table.said.count("I have no camera. Is it plugged in? I keep trying.") == 1
    assert table.get("readyz") == (503, {"ready": False, "text": "I have no camera (camera 0: not there)."})
    status, health = table.get("healthz")
    assert status == 503 and health["parts"]["camera"]["state"] == "away"
    # Up and alive all the same: a restart would not bring a camera.
    assert any("READY=1\nSTATUS=degraded: camera: I have no camera" in message for message in table.heard.messages)
    assert "WATCHDOG=1" in table.heard.messages
    table.plug = Plug()
    table.until(lambda: table.said[-1] == "The camera's picture is back.")
    table.turn()
    assert table.get("readyz")[0] == 200


def test_loudspeaker_that_is_missing_is_told_in_writing_once_and_missed_no_more_when_it_is_there(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = True

    def speak(_self: object, _phrase: str) -> VoiceError | None:
        return VoiceError("there is no voice on this computer", lasting=True) if missing else None

    monkeypatch.setattr(speech.Speaker, "_speak", speak)
    monkeypatch.setattr(speech, "AGAIN_S", 0.0)
    table = sit(speech={"enabled": True})
    words = "No loudspeaker found. I write everything here."
    table.until(lambda: words in table.said)
    for _ in range(20):
        table.turn()
    assert table.said.count(words) == 1 and table.part("voice")["state"] == "written_only"
    assert any(one["text"] == words for one in table.get("events")[1])
    missing = False
    table.session.services.say("Light: a1.")
    table.until(lambda: table.said[-1] == "I can speak again.")


def test_agent_that_nobody_offers_is_told_once(sit: Sit) -> None:
    table = sit(
        players={"second": {"agent": "mascot"}},
        bus=FREE | {"start_workers": False},
    )
    table.until(lambda: "No worker here plays mascot." in table.said)
    for _ in range(20):
        table.turn()
    assert table.said.count("No worker here plays mascot.") == 1 and not table.part("agents")["ok"]


def test_full_disk_is_told_with_what_to_do_and_forgotten_when_there_is_room(sit: Sit) -> None:
    table = sit()
    free = 5_000_000
    disk = table.daemon.supervision.disk
    disk._measure, disk._looked_s = lambda _folder: free, float("-inf")
    table.until(lambda: "The disk is almost full: 0.005 GB left. Please make room." in table.said)
    assert not table.part("disk")["ok"]
    free, disk._looked_s = 10**10, float("-inf")
    table.until(lambda: table.said[-1] == "There is enough room on the disk again.")
    assert table.part("disk")["ok"]


def server_on(port: int) -> socket.socket | None:
    """Somebody else's server; None if the port is still taken."""
    with contextlib.suppress(OSError):
        return socket.create_server(("127.0.0.1", port))
    return None


def test_page_whose_port_is_taken_while_it_is_down_is_opened_when_the_port_is_free(
    sit: Sit, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    table = sit(page={"port": port, "window": False, "token": str(tmp_path / "token")})
    table.until(lambda: table.get("board.svg")[0] == 200)
    board = table.get("board.svg")[1]
    page = table.session.services.page
    assert page is not None
    page.close()
    other = wait_for(lambda: server_on(port))  # a busy computer lets go of a port late
    assert other is not None
    with other, caplog.at_level(logging.WARNING):
        table.until(lambda: any("I cannot show the page (port" in text for text in table.said))
        assert table.session.services.page is None
        for _ in range(20):
            table.turn()
    assert sum("I cannot show the page" in text for text in table.said) == 1
    table.daemon.supervision.reopened["page"]._limit._starts.clear()
    table.until(lambda: table.said[-1] == "The page is there again.")
    assert table.get("healthz")[1]["parts"]["page"]["ok"]
    table.until(lambda: table.get("board.svg")[0] == 200)
    assert table.get("board.svg")[1] == board


def test_bus_that_has_stopped_is_opened_again_at_the_same_address_and_the_match_publishes_there(sit: Sit) -> None:
    table = sit()
    before = table.session.services.bus
    before.close()
    table.until(lambda: table.session.services.bus is not before)
    assert table.session.services.bus.state_endpoint == before.state_endpoint
    published = table.session.services.bus.counters()["published"]
    assert table.session.match is not None
    table.session.match.retune()
    table.until(lambda: table.session.services.bus.counters()["published"] > published)


def test_voice_whose_thread_has_died_is_replaced(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    table = sit()
    before = table.session.services.speaker
    before.close()
    table.until(lambda: table.session.services.speaker is not before)
    assert table.session.services.speaker.is_alive and table.daemon.supervision.reopened["voice"].restarts == 1


def test_figures_of_all_parts_are_there_for_prometheus(sit: Sit) -> None:
    table = sit()
    table.until(lambda: table.daemon.heartbeat.frames > 2)
    table.turn()
    text = table.get("metrics")[1]
    found = {line.split()[0]: float(line.split()[1]) for line in text.splitlines() if not line.startswith("#")}
    wanted = """frames_total frames_per_second frame_seconds frame_age_seconds judged_after_seconds
        camera_reopened_total
        camera_picture_age_seconds camera_dropped_frames_total voice_restarts_total page_restarts_total memory_bytes
        bus_restarts_total speech_waiting record_waiting open_descriptors threads uptime_seconds disk_free_bytes ready
        healthy"""
    assert {f"kibitzer_{name}" for name in wanted.split()} <= set(found)
    assert found["kibitzer_frames_total"] > 2 and found["kibitzer_memory_bytes"] > 10**7


def test_settings_read_again_reach_everything_that_runs(sit: Sit, tmp_path: Path) -> None:
    table = sit()
    match, eyes = table.session.match, table.session.eyes
    assert match is not None and eyes is not None
    path = tmp_path / "table.toml"
    applier = ConfigApplier(path, table.session, table.daemon.camera, table.daemon.supervision, table.daemon.watchdog)
    table.daemon.config_applier = applier
    voice = table.session.services.speaker
    first = table.plug
    table.until(lambda: table.daemon.heartbeat.frames)
    bus = '[bus]\nstate = "tcp://127.0.0.1:*"\nreply = "tcp://127.0.0.1:*"\nstart_workers = false\n'
    path.write_text(
        f"""{bus}[players.first]\nagent = "mascot"\n[players.second]\nagent = ""\n[eyes]\nsettle_s = 0.7\nlost_s = 4.0
[speech]\nenabled = false\nlanguage = "pl"\n[clock]\ncontrol = "move"\nminutes = 5.0\n[camera]\nfrozen_s = 20.0
[supervision]\nstuck_s = 20.0\nfree_mb = 7\n[page]\nwindow = false\nport = 1\n""",
        encoding="utf-8",
    )
    table.plug = Plug()
    table.daemon.wants_reading = True
    table.until(lambda: applier.readings)
    # Said in the new language, which is one of the settings.
    assert table.said[-1] == "Nowe ustawienia działają; niektóre czekają na ponowny start."
    assert match.referee.agents == ("mascot", None) and match.referee.awaiting == "agent"
    assert (eyes.pipeline.gate.settle_s, eyes.lost_s) == (0.7, 4.0)
    assert table.session.services.speaker is not voice and table.session.services.config.speech.language == "pl"
    assert table.session.timer is not None and table.session.timer.clock.control.time_s == 300.0
    assert (table.daemon.watchdog.stuck_s, table.daemon.supervision.disk.least_mb) == (20.0, 7)
    table.until(lambda: first is not None and first.closed)
    assert "page.port" in table.part("settings")["waiting"]
    assert [message.split("\n")[0] for message in table.heard.messages if "RELOADING" in message] == ["RELOADING=1"]
    path.write_text("[eyes]\nsettle_s = 99\n", encoding="utf-8")
    table.daemon.wants_reading = True
    table.until(lambda: applier.readings == 2)
    assert table.said[-1] == translation.worded("The new settings are wrong. I keep the old ones.")
    assert not table.part("settings")["ok"] and "eyes.settle_s = 99" in table.part("settings")["text"]
    assert eyes.pipeline.gate.settle_s == 0.7


def test_frame_that_never_ends_is_told_by_another_thread_on_the_page(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "LOOK_S", 0.05)
    table = sit()
    table.daemon.watchdog.stuck_s, table.daemon.watchdog.end_s = 0.2, 0.4
    ended, again = threading.Event(), threading.Event()
    table.daemon.watchdog._end = lambda status: ended.set() if status == 70 else None
    table.until(lambda: table.daemon.heartbeat.frames)
    monkeypatch.setattr(table.daemon._runner, "tick", lambda _frame: (again.wait(30), None)[1])
    table.daemon.watchdog.start()
    loop = threading.Thread(target=table.daemon._turn)
    loop.start()
    assert ended.wait(20)
    status, health = table.get("healthz")
    assert status == 503 and "stuck for" in health["parts"]["pipeline"]["text"]
    assert table.get("readyz")[0] == 503
    assert table.said[-2:] == [
        "I am stuck. Please wait; nothing recorded is lost.",
        "I must start again. Nothing recorded is lost.",
    ]
    again.set()
    loop.join(20)


def test_page_and_bus_whose_threads_hang_are_no_sign_of_life(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    table = sit()
    page, channel, again = table.session.services.page, table.session.services.bus, threading.Event()
    assert page is not None and page.status()["ok"] and channel.status()["ok"]
    monkeypatch.setattr(web, "SILENT_S", 0.2)
    page._loop.call_soon_threadsafe(again.wait, 20)

    def hangs() -> bool:
        page.publish(figures={})
        page.publish(health={})
        return page.status()["text"] == "it hangs"

    wait_for(hangs)
    again.set()
    wait_for(lambda: page.status()["ok"])
    monkeypatch.setattr(bus, "SILENT_S", -1.0)
    assert channel.status() == {"ok": False, "text": "it hangs"}


def test_the_next_game_waits_until_all_of_this_one_is_written(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    table = sit()
    match = table.session.match
    assert match is not None
    match.new_game_wanted = True
    monkeypatch.setattr(type(match.backlog), "waiting", property(lambda _self: 2))
    for _ in range(5):
        table.turn()
    assert table.session.match is match
    monkeypatch.setattr(type(match.backlog), "waiting", property(lambda _self: 0))
    table.until(lambda: table.session.match is not match)


def test_free_memory_is_returned_every_few_seconds(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    table, now_s, returned = sit(), [0.0], []
    monkeypatch.setattr(table.daemon.heartbeat, "clock", lambda: now_s[0])
    monkeypatch.setattr(health.resources, "return_free_memory", lambda: returned.append(now_s[0]))
    for second in range(25):
        now_s[0] = 1000.0 + second
        table.daemon.supervision.turn(None)
    assert returned == [1000.0, 1010.0, 1020.0]
