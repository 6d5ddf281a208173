"""The worker as a separate process, on the daemon's two sockets."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

import games
from agents.messages import LimitsPart
from agents.worker import app
from rules.turns import line_of_play
from tests.agents.fake_bus import FakeBus, bus, state, worker

LONG = LimitsPart(time_s=60)


@pytest.fixture(scope="module")
def daemon() -> Iterator[FakeBus]:
    """The bus of a worker for many tests, each of which tells states with numbers of its own."""
    with bus() as made:
        made.publish(state(3, "d2 f4"))
        with worker(made, "--agents", "random,alphabeta", "--name", "w1"):
            made.wait_for("reply")
            yield made


def test_it_says_what_it_plays_and_a_late_joiner_answers_the_state_that_was_published_before(daemon: FakeBus) -> None:
    ready, reply = (next(one for _, one in daemon.heard if one["type"] == kind) for kind in ("ready", "reply"))
    assert (ready["worker"], ready["agents"]) == ("w1", ["random", "alphabeta"])
    assert "nine_mens_morris" in ready["games"]
    assert (reply["session"], reply["game_id"], reply["sequence"]) == ("session-1", "game-1", 3)
    assert (reply["worker"], reply["agent"]) == ("w1", "random")
    game = games.load("morris")
    assert game.parse_move(line_of_play(game, ["d2", "f4"])[-1], reply["move"])


def test_it_is_silent_where_it_is_not_asked(daemon: FakeBus) -> None:
    earlier = len(daemon.heard)
    for silent in (state(1, agent=None), state(2, agent="minimax"), state(3, awaiting="move")):
        daemon.publish(silent)
        daemon.pump(0.3)
    daemon.publish(state(4))
    daemon.wait_for("reply")
    assert [message["sequence"] for _, message in daemon.heard[earlier:] if message["type"] == "reply"] == [4]


def test_heartbeats_go_on_while_it_thinks_and_a_newer_state_cancels_the_search(daemon: FakeBus) -> None:
    for number in range(100, 1000):  # until the kernel is loaded: an answer without it comes after seconds
        daemon.publish(state(number, agent="alphabeta", limits=LimitsPart(depth=1)))
        if daemon.wait_for("reply")[1]["score"] is not None:
            break
        daemon.pump(0.1)
    daemon.publish(state(1000, "d2", agent="alphabeta", limits=LONG))
    for _ in range(3):
        heard = daemon.wait(lambda message: message["type"] in ("heartbeat", "reply"))
        assert heard[1]["type"] == "heartbeat"
    daemon.publish(state(1001, "d2 f4", agent="alphabeta", limits=LimitsPart(depth=3)))
    _, reply = daemon.wait_for("reply")
    assert (reply["sequence"], reply["depth"]) == (1001, 3)
    assert reply["pv"][0] == reply["move"]


def test_a_repeated_state_does_not_start_the_search_again_and_the_reply_is_repeated(daemon: FakeBus) -> None:
    daemon.publish(state(5))
    first = daemon.wait_for("reply")[1]
    daemon.publish(state(5))
    assert daemon.wait_for("reply")[1] == first


def test_it_introduces_itself_again_to_a_daemon_that_does_not_know_it_and_repeats_its_reply(
    daemon: FakeBus,
) -> None:
    daemon.publish(state(6))
    identity, first = daemon.wait_for("reply")
    daemon.tell_unknown(identity)
    daemon.wait_for("ready")
    assert daemon.wait_for("reply")[1] == first


def test_it_introduces_itself_again_when_the_session_changes(daemon: FakeBus) -> None:
    daemon.publish(state(7, session="session-1"))
    daemon.wait_for("reply")
    daemon.publish(state(1, session="session-2"))
    daemon.wait_for("ready")
    assert daemon.wait_for("reply")[1]["session"] == "session-2"


def test_it_finds_a_daemon_that_was_killed_and_restarted() -> None:
    first = FakeBus()
    with worker(first, "--agents", "random"):
        first.wait_for("ready")
        endpoints = first.endpoints
        first.close()
        time.sleep(0.3)
        second = FakeBus(endpoints)
        try:
            second.publish(state(1, session="session-2"))
            second.wait_for("ready")
            assert second.wait_for("reply")[1]["session"] == "session-2"
        finally:
            second.close()


def test_it_survives_garbage(daemon: FakeBus) -> None:
    daemon.publish(state(15))
    identity, _ = daemon.wait_for("reply")
    for frames in ([b"state/table"], [b"state/table", b"{"], [b"state/table", b"\xff" * 100], [b"state/x"] * 4):
        daemon.publish_raw(*frames)
    daemon.publish_raw(b"state/table", b'{"type": "state", "schema_version": 1}')
    daemon.publish_raw(b"state/table", b" " * 70_000)
    daemon.tell(identity, b"[]")
    daemon.tell(identity, b"")
    changes: tuple[dict[str, object], ...] = ({"game": "ludo"}, {"position": "nonsense"}, {"rules": {"men": "99"}})
    for number, change in enumerate(changes, 16):
        daemon.publish(state(number).model_copy(update=change))
        daemon.pump(0.2)
    daemon.publish(state(19))
    assert daemon.wait_for("reply")[1]["sequence"] == 19


def test_it_tells_why_it_cannot_answer_a_state(daemon: FakeBus) -> None:
    daemon.publish(state(9).model_copy(update={"game": "ludo"}))
    _, failure = daemon.wait_for("failure")
    assert (failure["worker"], failure["agent"], failure["sequence"]) == ("w1", "random", 9)
    assert failure["text"].startswith("there is no game 'ludo'")


def test_a_position_without_its_moves_is_answered_too(daemon: FakeBus) -> None:
    full = state(10, "d2 f4 a7")
    daemon.publish(full.model_copy(update={"moves": []}))
    assert daemon.wait_for("reply")[1]["move"] in full.legal_moves


def test_dark_may_have_begun_where_who_begins_is_open(daemon: FakeBus) -> None:
    begun = state(11, "d2", first="dark")
    rules = {**begun.rules, "first": "auto"}
    daemon.publish(begun.model_copy(update={"rules": rules}))
    assert daemon.wait_for("reply")[1]["move"] in begun.legal_moves


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly_on_a_signal_also_in_the_middle_of_a_search(number: signal.Signals) -> None:
    with bus() as daemon, worker(daemon, "--agents", "alphabeta") as process:
        daemon.wait_for("ready")
        daemon.publish(state(1, agent="alphabeta", limits=LONG))
        daemon.wait_for("heartbeat")
        process.send_signal(number)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


PARENT = """
import subprocess, sys, time, os
child = subprocess.Popen([sys.executable, "-m", "agents.worker", *sys.argv[1:], "--parent", str(os.getpid())])
print(child.pid, flush=True)
time.sleep(60)
"""


def test_it_ends_within_two_seconds_of_its_parents_death() -> None:
    with bus() as daemon:
        connect, reply = daemon.endpoints
        arguments = ["--connect", connect, "--reply", reply, "--agents", "alphabeta"]
        parent = subprocess.Popen([sys.executable, "-c", PARENT, *arguments], stdout=subprocess.PIPE, text=True)
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        daemon.wait_for("ready")
        daemon.publish(state(1, agent="alphabeta", limits=LONG))
        daemon.pump(0.5)
        parent.kill()
        parent.wait(5)
        parent.stdout.close()
        end_s = time.monotonic() + 2.5
        while time.monotonic() < end_s and _lives(child):
            time.sleep(0.05)
        assert not _lives(child)


def test_a_parent_that_is_gone_already_ends_it_at_once() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with bus() as daemon, worker(daemon, "--agents", "random", "--parent", str(gone.pid)) as process:
        assert process.wait(10) == 0


def _lives(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:  # noqa: PTH123
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agents", "deepblue"], "there is no agent 'deepblue'"),
        (["--name", "two words"], "two words"),
        (["--agents", ","], "agents"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1) and said in done.stderr


def test_an_endpoint_that_is_none_is_named() -> None:
    command = [sys.executable, "-m", "agents.worker", "--connect", "nowhere"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1) and "'nowhere'" in done.stderr
