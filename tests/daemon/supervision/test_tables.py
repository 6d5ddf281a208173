"""Every table runs in a process of its own: a failing one affects no other, and all end together.

Tables that share a resource are refused before anything starts, and the shared resource is named.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.main import main
from daemon.config.settings import ConfigError, load_config
from daemon.supervision.table_process import (
    ABORT_S,
    PAUSES_S,
    PROVED_S,
    SILENT_S,
    START_S,
    ReportedState,
    Table,
    TableProcess,
)
from daemon.supervision.tables import forget_dead, load_tables
from tests.waiting import wait_for

FAKE = (sys.executable, str(Path(__file__).with_name("fake_table.py")))
PARENT = (
    "import sys, logging; from pathlib import Path; from daemon.supervision.tables import run_tables\n"
    "logging.basicConfig(level=logging.INFO)\n"
    f"sys.exit(run_tables([Path(p) for p in sys.argv[2:]], ['--new-game'], {FAKE!r}, Path(sys.argv[1])))"
)
DEADLINE_S = 30.0


def settings(folder: Path, name: str) -> Path:
    """Writes settings of a table that shares nothing."""
    path = folder / f"{name}.toml"
    path.write_text(
        f'[bus]\ntable = "{name}"\nstate = "tcp://127.0.0.1:*"\nreply = "tcp://127.0.0.1:*"\n[page]\nport = 0\n'
        f'[journal]\npath = "{folder}/{name}.sqlite"\n[camera]\nsource = "http://127.0.0.1:1/{name}"\n',
        encoding="utf-8",
    )
    return path


class Running:
    """A parent with its tables."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.folder, self.summary = folder, folder / "tables.json"
        command = [sys.executable, "-c", PARENT, str(self.summary), *(str(settings(folder, name)) for name in names)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def table(self, name: str) -> dict[str, Any]:
        """The summary's entry for a table; empty while there is none."""
        with contextlib.suppress(OSError, ValueError):
            return next(one for one in json.loads(self.summary.read_text())["tables"] if one["table"] == name)
        return {}

    def runs(self, name: str) -> int:
        """Waits until a table is well; returns the id of its process."""
        return int(wait_for(lambda: self.table(name).get("well") and self.table(name)["pid"]))

    def end(self) -> tuple[int, str]:
        """Waits for the end; returns exit status and log."""
        log = self.process.communicate(timeout=DEADLINE_S)[1]
        return self.process.returncode, log


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Starts parents, and kills them after the test."""
    running: list[Running] = []

    def begin(*names: str) -> Running:
        running.append(Running(tmp_path, *names))
        return running[-1]

    yield begin
    for one in running:
        one.process.kill()
        one.process.communicate()


def test_each_table_is_on_its_own_and_signals_are_handed_on_once_to_all(start: Callable[..., Running]) -> None:
    """One that is killed is started again, one whose settings are refused is not, and the other is left alone."""
    parent = start("well_a", "well_b", "refuses_c")
    first, other = parent.runs("well_a"), parent.runs("well_b")
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: parent.table("well_a").get("restarts") == 1 and parent.table("well_a")["well"])
    again = parent.runs("well_a")
    assert again != first and parent.runs("well_b") == other
    wait_for(lambda: parent.table("refuses_c").get("state") == "refused")
    assert parent.table("refuses_c")["restarts"] == 0
    assert parent.table("refuses_c")["text"] == "it ended with status 2"
    forget_dead(parent.summary)
    assert parent.table("well_a")["well"]  # the summary of a parent that lives is left alone
    notes = [parent.folder / f"{name}.signals" for name in ("well_a", "well_b")]
    parent.process.send_signal(signal.SIGHUP)
    wait_for(lambda: all(note.exists() for note in notes))
    parent.process.send_signal(signal.SIGINT)
    status, log = parent.end()
    assert (status, parent.summary.exists()) == (0, False)
    assert [note.read_text().split() for note in notes] == [["SIGHUP", "SIGTERM"]] * 2
    assert not any(Path(f"/proc/{number}").exists() for number in (again, other))
    assert "table well_a: it ended with SIGKILL" in log
    assert "well_a: I am well" in log


def test_where_every_table_is_refused_the_parent_ends_with_2(start: Callable[..., Running]) -> None:
    status, log = start("refuses_a", "refuses_b").end()
    assert status == 2
    assert "table refuses_b: it ended with status 2" in log


def test_a_second_signal_ends_tables_that_do_not_listen(start: Callable[..., Running]) -> None:
    parent = start("deaf_a", "well_b")
    ids = [parent.runs(name) for name in ("deaf_a", "well_b")]
    parent.process.send_signal(signal.SIGTERM)
    wait_for((parent.folder / "deaf_a.signals").exists)
    parent.process.send_signal(signal.SIGTERM)
    assert parent.end()[0] == 130
    assert not any(Path(f"/proc/{number}").exists() for number in ids)


def test_the_summary_of_a_parent_that_was_killed_is_gone_with_the_next_start(
    start: Callable[..., Running], tmp_path: Path
) -> None:
    killed = start("well_a")
    killed.runs("well_a")
    killed.process.kill()
    killed.process.wait()
    assert killed.table("well_a")["well"]
    forget_dead(killed.summary)
    assert not killed.summary.exists()


@pytest.mark.parametrize("started_then", [0, None])
def test_a_process_that_only_has_the_number_of_a_dead_parent_is_not_taken_for_it(
    tmp_path: Path, started_then: int | None
) -> None:
    summary = tmp_path / "tables.json"
    summary.write_text(json.dumps({"pid": os.getpid(), "started": started_then, "tables": []}), encoding="utf-8")
    forget_dead(summary)
    assert not summary.exists()


@pytest.fixture
def one(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[TableProcess]:
    """A table with the behaviour that the test names, not started yet."""
    path = settings(tmp_path, request.param)
    process = TableProcess(Table(path, load_config(path)), tmp_path / "0.sock", [], FAKE)
    yield process
    process.close()


def ended(process: TableProcess, now_s: float) -> bool:
    """Checks the process once; returns whether it has ended."""
    process.look(now_s)
    return process.pid is None


@pytest.mark.parametrize("one", ["dies"], indirect=True)
def test_the_pauses_between_starts_grow_and_begin_anew_once_it_has_proved_itself(
    one: TableProcess,
) -> None:
    process, now_s = one, 1000.0
    for pause_s in (PAUSES_S[0], PAUSES_S[1], PAUSES_S[2]):
        process.look(now_s)
        assert process.state == "starting"
        wait_for(lambda: ended(process, now_s))  # noqa: B023
        process.look(now_s + pause_s - 0.01)
        assert process.state == "waiting"
        now_s += pause_s
    process.look(now_s)
    now_s += PROVED_S + 1
    wait_for(lambda: ended(process, now_s))
    process.look(now_s + PAUSES_S[0])
    assert process.state == "starting"


@pytest.mark.parametrize("one", ["silent"], indirect=True)
def test_a_process_that_gives_no_sign_of_life_is_ended_and_started_again(
    one: TableProcess,
) -> None:
    process = one
    process.look(0.0)

    def is_ready() -> bool:
        process.hear(0.0)
        process.look(0.0)
        return process.state == "running"

    wait_for(is_ready)
    assert process.text == "playing"
    process.look(SILENT_S - 1)
    assert process.state == "running"
    process.look(SILENT_S + 1)
    wait_for(lambda: ended(process, SILENT_S + 2))
    assert process.last_end == "it ended with SIGABRT"
    assert process.state == "waiting"


@pytest.mark.parametrize("one", ["well"], indirect=True)
def test_a_start_that_takes_too_long_is_ended_in_the_end_by_force(one: TableProcess) -> None:
    process = one
    process.look(0.0)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)  # reacts to nothing, not even SIGABRT
    stat = Path(f"/proc/{process.pid}/stat")
    wait_for(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")  # of two signals, SIGABRT would be first
    process.look(START_S + 1)
    assert process.state == "starting"
    process.look(START_S + ABORT_S + 2)
    assert ended(process, START_S + ABORT_S + 3)
    assert process.last_end == "it ended with SIGKILL"


@pytest.mark.parametrize(
    ("data", "signs"),
    [
        (b"READY=1\nSTATUS=all well", ReportedState(True, 5.0, "all well")),
        (b"WATCHDOG=1", ReportedState(False, 5.0, "")),
        (b"READY=2\nWATCHDOG=\n=\n\xff\xfe\nSTATUS=a\x1b[2Jb", ReportedState(False, None, "a[2Jb")),
        (b"STATUS=" + b"x" * 4000, ReportedState(False, None, "x" * 200)),
    ],
)
def test_signs_are_taken_as_systemd_takes_them_and_never_believed_further(data: bytes, signs: ReportedState) -> None:
    found = ReportedState()
    found.take(data, 5.0)
    assert found == signs


OWN = {
    "bus.table": '"{n}"',
    "bus.state": '"tcp://127.0.0.1:{port}1"',
    "bus.reply": '"tcp://127.0.0.1:{port}2"',
    "journal.path": '"var/{n}.sqlite"',
    "page.port": "{port}3",
    "log.path": '"var/{n}.log"',
    "camera.source": '"/dev/video{port}"',
}


def write(folder: Path, name: str, port: int, **shared: str) -> Path:
    """Writes settings of a table of its own, except for the `shared` ones."""
    sections: dict[str, list[str]] = {}
    for key, value in OWN.items():
        section, _, option = key.partition(".")
        text = shared.get(key.replace(".", "_"), value.format(n=name, port=port))
        sections.setdefault(section, []).append(f"{option} = {text}")
    path = folder / f"{name}.toml"
    path.write_text("\n".join(f"[{name}]\n" + "\n".join(lines) for name, lines in sections.items()), encoding="utf-8")
    return path


def test_tables_that_share_nothing_are_accepted(tmp_path: Path) -> None:
    tables = load_tables([write(tmp_path, "hall", 510), write(tmp_path, "garden", 520)])
    assert [table.name for table in tables] == ["hall", "garden"]


@pytest.mark.parametrize(
    ("shared", "what"),
    [
        ({"bus_table": '"hall"'}, "bus.table = 'hall'"),
        ({"bus_state": '"tcp://127.0.0.1:5101"'}, "the port '5101'"),
        ({"bus_reply": '"tcp://localhost:5101"'}, "the port '5101'"),
        ({"page_port": "5101"}, "the port '5101'"),
        ({"page_port": "5103"}, "the port '5103'"),
        ({"journal_path": '"var/../var/hall.sqlite"'}, "journal.path"),
        ({"log_path": '"var/hall.log"'}, "log.path"),
        ({"camera_source": '"510"'}, "/dev/video510"),
    ],
)
def test_what_two_tables_share_is_named_with_both_files(tmp_path: Path, shared: dict[str, str], what: str) -> None:
    paths = [write(tmp_path, "hall", 510), write(tmp_path, "garden", 520, **shared)]
    with pytest.raises(ConfigError, match=r"hall\.toml and .*garden\.toml share") as refused:
        load_tables(paths)
    assert what in str(refused.value)


def test_free_ports_and_streams_may_be_the_same(tmp_path: Path) -> None:
    free = {"bus_state": '"tcp://127.0.0.1:*"', "page_port": "0", "camera_source": '"http://127.0.0.1:1/video"'}
    load_tables([write(tmp_path, "hall", 510, **free), write(tmp_path, "garden", 520, **free)])


def test_one_file_given_twice_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write(tmp_path, "hall", 510))
    with pytest.raises(SystemExit) as ended:
        main(["run", "--config", path, "--config", path])
    assert ended.value.code == 2
    assert "is given twice" in capsys.readouterr().err


def test_options_of_one_table_are_refused_for_several(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(write(tmp_path, name, port)) for name, port in (("hall", 510), ("garden", 520))]
    with pytest.raises(SystemExit) as ended:
        main(["run", "--config", paths[0], "--config", paths[1], "--source", "0"])
    assert ended.value.code == 2
    assert "--source 0 goes with one --config" in capsys.readouterr().err
