"""Watching worker processes: the workers here are whole programs that misbehave."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.messages import MessageError, ReadyMessage, encode
from daemon.bus import workers
from daemon.bus.bus import Bus
from daemon.bus.worker_registry import MAX_WORKERS, WorkerRegistry
from daemon.bus.workers import WorkerProcess
from daemon.supervision.restarts import RestartLimit
from tests.waiting import wait_for

SLEEPER = "import time; time.sleep(60)"
STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
CHATTERER = "for n in range(100000): print('x' * 2000)"


class Start:
    """Starts worker programs, and ends them after the test."""

    def __init__(self) -> None:
        self.started: list[WorkerProcess] = []

    def __call__(self, code: str, **options: object) -> WorkerProcess:
        worker = WorkerProcess(["a"], "tcp://s", "tcp://r", command=(sys.executable, "-c", code), **options)  # type: ignore[arg-type]
        self.started.append(worker)
        return worker


@pytest.fixture
def start() -> Iterator[Start]:
    made = Start()
    yield made
    for worker in made.started:
        worker.close()


def is_gone(pid: int) -> bool:
    """Whether the process no longer exists, not even as a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def pid_of(worker: WorkerProcess) -> int:
    pid = wait_for(lambda: worker.status()["pid"])
    assert isinstance(pid, int)
    return pid


def test_the_worker_is_told_where_to_connect_and_who_its_parent_is(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "arguments"
    start(f"import sys, pathlib, time; pathlib.Path({str(file)!r}).write_text(' '.join(sys.argv[1:])); time.sleep(60)")
    wait_for(lambda: file.exists() and file.read_text())
    assert file.read_text() == f"--connect tcp://s --reply tcp://r --agents a --name house --parent {os.getpid()}"


def test_a_worker_that_is_killed_is_started_again(start: Start) -> None:
    worker = start(SLEEPER)
    first = pid_of(worker)
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: worker.status()["pid"] not in (None, first))
    assert is_gone(first)
    assert worker.status()["restarts"] == 1


def test_a_worker_that_dies_at_once_is_given_up_for_a_while_and_then_tried_again(start: Start) -> None:
    troubles: list[str] = []
    worker = start(
        "print('no such agent'); raise SystemExit(3)",
        on_trouble=troubles.append,
        limit=RestartLimit(most=2, window_s=0.5),
    )
    wait_for(lambda: troubles)
    assert troubles[0] == "agent worker house fails again and again (no such agent)"
    assert worker.status()["ok"] is False
    wait_for(lambda: int(str(worker.status()["restarts"])) >= 4)
    assert len(troubles) == 1


def starts_of_what_always_fails(seconds: float) -> list[float]:
    """Times in seconds at which a program that dies at once is started, on a clock with steps of 0.1 s."""
    limit, starts_s = RestartLimit(), []
    for now_s in (tenth / 10 for tenth in range(round(10 * seconds))):
        if limit.wait_s(now_s) <= 0:
            limit.started(now_s)
            starts_s.append(now_s)
    return starts_s


def test_a_worker_that_was_called_wrongly_is_not_started_again_and_its_reason_is_told(start: Start) -> None:
    told = list[str]()
    worker = start("import sys; print('kibitzer worker: a: no such agent'); sys.exit(2)", on_trouble=told.append)
    worker._thread.join(20)
    assert not worker._thread.is_alive() and worker.status()["restarts"] == 0 and not worker.status()["ok"]
    assert told == ["agent worker house will not run: kibitzer worker: a: no such agent"]


def test_what_dies_once_is_started_again_at_once_and_what_always_dies_later_and_later() -> None:
    assert starts_of_what_always_fails(59.0) == pytest.approx([0.0, 0.1, 1.1, 4.1, 12.1], abs=0.11)


def test_nothing_is_started_more_than_five_times_in_any_minute() -> None:
    starts_s = starts_of_what_always_fails(600.0)
    assert len(starts_s) >= 45
    assert all(sum(first <= start < first + 60 for start in starts_s) <= 5 for first in starts_s)


def test_a_worker_that_falls_silent_is_killed_and_started_again(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SILENT_S", 0.3)
    seen: list[float] = []
    worker = start(SLEEPER, last_seen_s=lambda _: seen[-1] if seen else None)
    first = pid_of(worker)
    time.sleep(0.5)
    assert worker.status()["pid"] == first  # it may still be starting
    seen.append(time.monotonic())
    wait_for(lambda: worker.status()["pid"] not in (None, first))
    assert is_gone(first)


def test_a_worker_that_never_speaks_is_killed_after_its_time_to_start(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "START_S", 0.3)
    worker = start(SLEEPER, last_seen_s=lambda _: None)
    first = pid_of(worker)
    wait_for(lambda: worker.status()["pid"] not in (None, first))


def test_a_worker_that_ignores_the_request_to_end_is_killed_on_close(
    start: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(workers, "END_S", 0.3)
    with caplog.at_level("INFO"):
        worker = start(STUBBORN)
        wait_for(lambda: "deaf" in caplog.text)
    pid = pid_of(worker)
    worker.close()
    worker.close()
    assert is_gone(pid)


def test_output_goes_to_the_log_and_too_much_of_it_does_not(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        worker = start(CHATTERER)
        wait_for(lambda: int(str(worker.status()["restarts"])) >= 1)
        worker.close()
    lines = [record.getMessage() for record in caplog.records if record.getMessage().startswith("worker house: x")]
    assert 0 < len(lines) < 1000
    assert max(map(len, lines)) < 600


def test_a_command_that_does_not_exist_is_trouble_and_not_an_end(start: Start) -> None:
    troubles: list[str] = []
    worker = WorkerProcess(["a"], "s", "r", command=("/nonexistent/worker",), on_trouble=troubles.append)
    start.started.append(worker)
    wait_for(lambda: troubles)
    assert "cannot be started" in troubles[0]


def test_the_real_worker_joins_the_bus_and_again_after_it_was_killed() -> None:
    bus = Bus("tcp://127.0.0.1:*", "tcp://127.0.0.1:*")
    worker = WorkerProcess(["random"], bus.state_endpoint, bus.reply_endpoint, last_seen_s=bus.last_seen_s)
    try:
        wait_for(bus.workers)
        assert bus.workers()[0].agents == ("random",)
        first_s, first = bus.last_seen_s("house"), pid_of(worker)
        assert first_s is not None
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: worker.status()["pid"] not in (None, first))
        started_s = time.monotonic()
        wait_for(lambda: (bus.last_seen_s("house") or 0) > started_s)
        wait_for(lambda: worker.status()["ok"])
    finally:
        worker.close()
        bus.close()


def test_strangers_can_neither_keep_the_own_worker_out_nor_hide_that_it_lives() -> None:
    registry = WorkerRegistry("own.secret")

    def greet(identity: bytes, name: str, now_s: float) -> MessageError | None:
        ready = ReadyMessage(worker=name, agents=["a"], games=["g"])
        return registry.take(identity, encode(ready), now_s)

    for number in range(MAX_WORKERS):
        assert greet(b"stranger %d" % number, f"stranger-{number}", 0.0) is None
    refused = greet(b"one more", "own", 0.0)
    assert refused is not None and refused.code == "too_many_workers"
    assert greet(b"own", "own.secret", 0.0) is None
    for number in range(1000):
        greet(b"stranger 1", f"name-{number}", 1.0 + number)
    assert registry.last_seen_s("own.secret") == 0.0
