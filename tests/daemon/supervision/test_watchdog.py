"""A hanging main loop, detected from another thread."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.supervision.notify import Notifier
from daemon.supervision.watchdog import (
    BEGINNING,
    LOOK_S,
    RECENT_S,
    REMEMBERED,
    STUCK_STATUS,
    Heartbeat,
    Liveness,
    Watchdog,
)
from tests.daemon.supervision.still_clock import StillClock

WELL = Liveness(capture=True, bus=True, settled=True, text="Reversi, 3 plies")


class Told(Notifier):
    """Notes what systemd would receive."""

    def __init__(self) -> None:
        super().__init__({})
        self.watchdog_s = 6.0
        self.messages: list[str] = []

    def _send(self, text: str, wait_s: float = 0.0) -> None:
        self.messages.append(text.split("\n")[0])


class Players:
    """Notes what is said and shown."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.shown = ""

    def say(self, text: str, *, urgent: bool = False, code: str = "trouble") -> None:
        self.said.append(text)

    def report_stuck(self, text: str) -> None:
        self.shown = text

    def has_spoken(self, timeout_s: float) -> bool:
        return True


@dataclasses.dataclass
class Table:
    """A watchdog with everything it checks."""

    clock: StillClock = dataclasses.field(default_factory=StillClock)
    end_s: float = 60.0
    liveness: Liveness = WELL

    def __post_init__(self) -> None:
        self.heartbeat, self.players, self.told = Heartbeat(self.clock), Players(), Told()
        self.ended: list[int] = []
        self.watchdog = Watchdog(
            self.heartbeat, self.players, lambda: self.liveness, self.told,
            stuck_s=10.0, end_s=self.end_s, end=self.ended.append,
        )  # fmt: skip

    def look_for(self, seconds: float) -> None:
        for _ in range(round(seconds / LOOK_S)):
            self.clock.pass_s(LOOK_S)
            self.watchdog.look()

    @property
    def signs_of_life(self) -> int:
        return self.told.messages.count("WATCHDOG=1")


def test_step_within_the_deadline_is_nobodys_business() -> None:
    table = Table()
    for _ in range(5):
        table.heartbeat.begin("frame")
        table.look_for(9.5)
    assert table.players.said == [] and table.ended == [] and table.signs_of_life > 10


def test_loop_that_hangs_is_told_once_shown_and_left_without_signs_of_life() -> None:
    table = Table()
    table.heartbeat.begin("frame 7")
    table.look_for(10)
    before = table.signs_of_life
    table.look_for(30)
    assert table.players.said == ["I am stuck. Please wait; nothing recorded is lost."]
    assert table.players.shown == "stuck for 40 s (frame 7)"
    assert table.signs_of_life == before and table.told.messages[-1] == "STATUS=stuck: frame 7"
    assert table.ended == []


def test_first_frame_may_take_longer() -> None:
    table = Table()
    table.heartbeat.begin("frame 0", BEGINNING)
    table.look_for(10 * BEGINNING)
    assert table.players.said == [] and table.signs_of_life > 0
    table.look_for(1)
    assert len(table.players.said) == 1


def test_process_that_was_stopped_as_a_whole_is_not_taken_for_a_stuck_loop() -> None:
    table = Table()
    table.heartbeat.begin("frame 7")
    table.look_for(2)
    table.clock.pass_s(1000)
    table.look_for(7)
    assert table.players.said == [] and table.ended == []
    table.look_for(5)
    assert len(table.players.said) == 1


def test_loop_that_comes_back_says_so_and_gives_signs_of_life_again() -> None:
    table = Table()
    table.heartbeat.begin("frame 7")
    table.look_for(20)
    before = table.signs_of_life
    table.heartbeat.begin("frame 8")
    table.look_for(3)
    assert table.players.said[-1] == "I am back." and len(table.players.said) == 2
    assert table.signs_of_life > before


def test_loop_that_stays_away_ends_the_process_with_a_status_of_its_own() -> None:
    table = Table()
    table.heartbeat.begin("frame 7")
    table.look_for(60)
    assert table.ended == []
    table.look_for(LOOK_S)
    assert table.ended == [STUCK_STATUS]
    assert table.players.said[-1] == "I must start again. Nothing recorded is lost."


def test_stuck_daemon_is_not_ended_where_that_is_not_wanted() -> None:
    table = Table(end_s=0.0)
    table.heartbeat.begin("frame 7")
    table.look_for(1000)
    assert table.ended == []


@pytest.mark.parametrize("sick", [{"capture": False}, {"bus": False}])
def test_signs_of_life_want_capture_loop_and_bus_alike(sick: dict[str, bool]) -> None:
    table = Table(liveness=dataclasses.replace(WELL, **sick))  # type: ignore[arg-type]
    for _ in range(100):
        table.heartbeat.begin("frame")
        table.look_for(LOOK_S)
    assert table.signs_of_life == 0


def test_sign_of_life_comes_three_times_in_the_watchdogs_interval_and_not_with_every_look() -> None:
    table = Table()
    for _ in range(120):
        table.heartbeat.begin("frame")
        table.look_for(LOOK_S)
    assert 60 / 6.0 * 3 - 1 <= table.signs_of_life <= 60 / 6.0 * 3 + 1


def test_ready_is_told_once_when_the_start_is_over() -> None:
    table = Table(liveness=dataclasses.replace(WELL, settled=False, text="starting"))
    table.watchdog.look()
    assert "READY=1" not in table.told.messages
    table.liveness = dataclasses.replace(WELL, text="degraded: camera: I have no camera.")
    table.look_for(5)
    assert table.told.messages.count("READY=1") == 1


def test_end_is_told_to_systemd_once() -> None:
    table = Table()
    table.watchdog.close()
    table.watchdog.close()
    assert table.told.messages == ["STOPPING=1"]


HANGS = """
import ctypes, sys, time
from daemon.supervision import watchdog
from daemon.supervision.notify import Notifier
from daemon.supervision.watchdog import Heartbeat

class Players:
    def say(self, text, **_): print(text, flush=True)
    def report_stuck(self, text): pass
    def has_spoken(self, timeout_s): return True

watchdog.LOCKED_S = 1.0
heartbeat = Heartbeat()
liveness = watchdog.Liveness(capture=True, bus=True, settled=True, text="")
watchdog.Watchdog(heartbeat, Players(), lambda: liveness, Notifier({}), stuck_s=0.5, end_s=1.0).start()
heartbeat.begin("a frame that never ends")
time.sleep(0.7)
if "locked" in sys.argv:
    ctypes.PyDLL(None).sleep(600)  # code in C that never gives Python's lock back
time.sleep(600)
"""


def hang(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "hangs.py").write_text(HANGS, encoding="utf-8")
    command = [sys.executable, str(folder / "hangs.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_process_whose_loop_hangs_ends_by_itself_and_says_where_it_stood(tmp_path: Path) -> None:
    done = hang(tmp_path)
    assert done.returncode == STUCK_STATUS, done.stderr
    assert done.stdout.splitlines() == [
        "I am stuck. Please wait; nothing recorded is lost.",
        "I must start again. Nothing recorded is lost.",
    ]
    assert "a frame that never ends" in done.stderr and "hangs.py" in done.stderr


def test_process_that_hangs_with_pythons_lock_held_ends_too(tmp_path: Path) -> None:
    done = hang(tmp_path, "locked")
    assert done.returncode == 1 and "Timeout" in done.stderr and "hangs.py" in done.stderr


def test_pulse_tells_rate_cost_and_age_of_frames() -> None:
    clock = StillClock()
    heartbeat = Heartbeat(clock)
    assert (heartbeat.rate_hz, heartbeat.cost_s, heartbeat.frame_age_s) == (0.0, 0.0, None)
    for _ in range(2 * REMEMBERED):
        heartbeat.begin("frame")
        clock.pass_s(0.02)
        heartbeat.frame_done(0.05)
        clock.pass_s(0.08)
    assert heartbeat.rate_hz == pytest.approx(10.0)
    assert (heartbeat.cost_s, heartbeat.late_s) == (pytest.approx(0.02), pytest.approx(0.07))
    assert heartbeat.status(stuck_s=10.0)["ok"] is True


def test_loop_that_does_not_keep_up_with_the_camera_is_too_slow() -> None:
    clock = StillClock()
    heartbeat = Heartbeat(clock)
    for _ in range(REMEMBERED):
        heartbeat.begin("frame")
        clock.pass_s(0.7)
        heartbeat.frame_done(0.1)
    status = heartbeat.status(stuck_s=10.0)
    assert status["ok"] is False and "too slow: a picture is judged 0.8 s after it was taken" in str(status["text"])


def test_a_loop_that_falls_behind_is_too_slow_within_three_seconds_and_a_single_search_is_not() -> None:
    clock = StillClock()
    heartbeat = Heartbeat(clock)

    def frame(seconds: float) -> None:
        heartbeat.begin("frame")
        clock.pass_s(seconds)
        heartbeat.frame_done(0.1)

    frame(5.0)  # the first loads the network
    for _ in range(REMEMBERED):
        frame(0.05)
        assert not heartbeat.is_late
        clock.pass_s(0.05)
    frame(2.0)
    assert not heartbeat.is_late, "one search for the board"
    began_s = clock()
    while not heartbeat.is_late:
        frame(1.0)
        assert clock() - began_s <= RECENT_S
