"""Whatever a program starts ends with it: what its children have started as well, and however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.bench.processes import family as family_of
from system import family, processes
from system.processes import MAX_LINE, LineProcess, Process
from tests.waiting import wait_for

ROOT = Path(__file__).parents[1]
DEADLINE_S = 180.0
"""Generous: a busy computer takes long to start a daemon."""
BRANCHES = {
    "in the background": "sleep 777 & exec sleep 778",
    "in a session of its own": "setsid sleep 777 & exec sleep 778",
    "with an empty environment": "env -i sleep 777 & exec sleep 778",
    "that ignores the request to end": "trap '' TERM; sleep 777 & exec sleep 778",
}
STARTER = """
import sys, time
from system import family
from system.processes import Process
family.GRACE_S = 0.3
Process(sys.argv[1:])
time.sleep(777)
"""


def running(words: str) -> list[int]:
    """The processes with this command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                line = (entry / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ").strip()
            except OSError:
                continue
            found += [int(entry.name)] * (line == words)
    return found


@pytest.fixture
def seconds() -> Iterator[str]:
    """An argument of `sleep` that no other process has."""
    number = f"{100_000 + os.getpid()}.{time.monotonic_ns()}"
    yield number
    for pid in running(f"sleep {number}"):
        os.kill(pid, signal.SIGKILL)


def started(branch: str, seconds: str) -> tuple[str, ...]:
    return "sh", "-c", BRANCHES[branch].replace("777", seconds)


@pytest.mark.parametrize("branch", BRANCHES)
def test_what_a_process_has_started_ends_with_it(branch: str, seconds: str) -> None:
    process = Process(started(branch, seconds))
    wait_for(lambda: running(f"sleep {seconds}"))
    process.end()
    assert not running(f"sleep {seconds}") and process.poll() is not None


def test_what_is_left_by_a_process_that_has_ended_itself_ends_too(seconds: str) -> None:
    process = Process(("sh", "-c", f"sleep {seconds} & exit 3"))
    assert process.wait(DEADLINE_S) == 3
    process.end(wait_s=DEADLINE_S)
    assert not running(f"sleep {seconds}")


def test_a_process_that_ends_late_is_reaped_all_the_same(seconds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    process = Process(("sleep", seconds))
    with monkeypatch.context() as stuck:
        stuck.setattr(family, "KILL_S", 0.01)
        stuck.setattr(family, "send", lambda pids, number: None)
        process.end()
    assert process.returncode is None
    process.kill()
    wait_for(lambda: process.returncode is not None)


def test_one_ends_and_the_others_do_not(seconds: str) -> None:
    """The tenth process has the mark of the first at the beginning of its own."""
    first, *others = (Process(("sleep", seconds)) for _ in range(11))
    first.end()
    assert all(other.poll() is None for other in others) and len(running(f"sleep {seconds}")) == 10
    for other in others:
        other.end()


def test_a_process_with_time_to_end_is_asked_first(tmp_path: Path) -> None:
    code = f"trap 'echo ended > {tmp_path}/said; exit' TERM; echo; while :; do sleep 0.01; done"
    with Process(("sh", "-c", code), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.end(wait_s=DEADLINE_S)
    assert (tmp_path / "said").read_text() == "ended\n"


@pytest.mark.parametrize("branch", ["in the background", "in a session of its own", "that ignores the request to end"])
def test_nothing_is_left_of_a_program_that_is_killed(
    branch: str, seconds: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program is started by a child of the test: each starter has its own mark and guard."""
    command = [sys.executable, "-c", STARTER, *started(branch, seconds)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as program:
        try:
            wait_for(lambda: running(f"sleep {seconds}"))
        finally:
            program.kill()
    wait_for(lambda: not running(f"sleep {seconds}"))


def test_a_guard_that_is_killed_is_started_again(seconds: str) -> None:
    def guards() -> list[int]:
        return [one.pid for one in family_of(program.pid) if one.role == "guard"]

    command = [sys.executable, "-c", STARTER, "sleep", seconds]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as program:
        try:
            wait_for(lambda: running(f"sleep {seconds}") and guards())
            (first,) = guards()
            os.kill(first, signal.SIGKILL)
            wait_for(lambda: guards() not in ([], [first]))
        finally:
            program.kill()
    wait_for(lambda: not running(f"sleep {seconds}"))


def test_what_a_child_has_started_ends_with_the_child_though_it_is_killed(seconds: str) -> None:
    child = Process([sys.executable, "-c", STARTER, "sleep", seconds], cwd=ROOT)
    try:
        wait_for(lambda: running(f"sleep {seconds}"))
    finally:
        child.end()
    assert not running(f"sleep {seconds}")


def test_a_command_that_takes_too_long_is_ended_with_what_holds_its_output_open(seconds: str) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        processes.run(("sh", "-c", f"sleep {seconds} & wait"), 0.5, capture_output=True)
    assert not running(f"sleep {seconds}")


def test_a_command_gets_its_input_and_gives_its_output_and_status() -> None:
    command = ("sh", "-c", "cat; echo trouble >&2; exit 4")
    done = processes.run(command, DEADLINE_S, input="said", text=True, capture_output=True)
    assert (done.stdout, done.stderr, done.returncode) == ("said", "trouble\n", 4)


def test_lines_are_heard_one_by_one_and_half_a_line_at_the_end_is_none() -> None:
    code = 'read -r said; echo "$said, $said"; head -c 70000 /dev/zero | tr "\\0" x; echo; printf half'
    process = LineProcess(("sh", "-c", code))
    assert process.hear() is None
    process.say("hear")
    assert process.hear(DEADLINE_S) == "hear, hear"
    assert [process.hear(DEADLINE_S) for _ in range(2)] == ["x" * MAX_LINE, "x" * (70_000 - MAX_LINE)]
    with pytest.raises(EOFError):
        process.hear(DEADLINE_S)
    process.close()
    process.say("nobody is there")


def test_a_mark_says_who_started_whom() -> None:
    code = f"import os; print(os.environ[{family.VARIABLE!r}])"
    first, second = (
        processes.run((sys.executable, "-c", code), DEADLINE_S, capture_output=True, text=True).stdout.strip()
        for _ in range(2)
    )
    assert first != second and first.rpartition(".")[0] == second.rpartition(".")[0]


SETTINGS = """
[players.first]
agent = "external"
[players.second]
agent = ""
[engines.fake]
protocol = "uci"
command = ["sh", "-c", "sleep {seconds} & exec {python} {engine} uci good"]
[camera]
source = "none"
[bus]
state = "tcp://127.0.0.1:*"
reply = "tcp://127.0.0.1:*"
[speech]
command = ["sh", "-c", "sleep {seconds} & exec sleep {seconds}"]
command_s = 120.0
[page]
enabled = false
[journal]
path = "{folder}/journal.sqlite"
"""
ENGINE = ROOT / "tests" / "agents" / "fake_engines" / "engine.py"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_engine_and_no_voice_outlives_the_daemon(number: signal.Signals, tmp_path: Path, seconds: str) -> None:
    settings = tmp_path / "table.toml"
    settings.write_text(SETTINGS.format(seconds=seconds, python=sys.executable, engine=ENGINE, folder=tmp_path))
    command = [sys.executable, "-m", "daemon.cli", "run", "--config", str(settings)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    daemon = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: running(f"{sys.executable} {ENGINE} uci good") and len(running(f"sleep {seconds}")) == 3)
        daemon.send_signal(number)
        assert daemon.wait(DEADLINE_S) == (0 if number == signal.SIGTERM else -number)
    finally:
        daemon.kill()
        daemon.wait()
    if number == signal.SIGKILL:
        wait_for(lambda: not running(f"sleep {seconds}"))
    assert not running(f"sleep {seconds}") and not running(f"{sys.executable} {ENGINE} uci good")


def test_every_program_is_started_by_what_also_ends_it() -> None:
    """`subprocess` and `os` start programs whose children nobody ends."""
    packages = ("agents", "calibration", "daemon", "games", "lab/simulated", "lab/train", "vision")
    wrong = [
        f"{path.relative_to(ROOT)}: {word}"
        for package in packages
        for path in (ROOT / package).rglob("*.py")
        for word in ("subprocess.Popen(", "subprocess.run(", "os.fork(", "os.system(", "create_subprocess")
        if word in path.read_text(encoding="utf-8")
    ]
    assert not wrong
