"""Several tables under one parent: a process for each, signals passed on to all, the state of all in one file."""

from __future__ import annotations

import collections
import contextlib
import json
import logging
import os
import select
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from calibration.atomic_file import write_atomically
from daemon.config.settings import ConfigError, load_config
from daemon.supervision.notify import Notifier
from daemon.supervision.table_process import COMMAND, REFUSED, State, Table, TableProcess
from system import paths
from system.numbers import whole
from vision.sources.phone import PHONE
from wording.outside import shown_address

LOGGER = logging.getLogger(__name__)
MAX_TABLES = 16
LOOK_S = 0.5
STOP_S = 15.0
"""Seconds, longest wait for all tables to shut down before they are killed."""
SUMMARY = paths.state_folder() / "tables.json"
"""State of all tables, for programs; exists while the parent runs.

A parent that was killed leaves the file behind, with the id of a dead process: the next start removes it.
"""
STARTED_APART_S = 0.3
"""Seconds between the starts of two tables, so that they do not all warm up at once."""


def run_from_words(paths: Sequence[Path], source: str, profile: Path | None, *, new_game: bool) -> int:
    """`kibitzer run` with several `--config`: returns the exit status and prints errors to standard error."""
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname).1s %(name)s: %(message)s"
    )
    try:
        for name, value in (("--source", source), ("--profile", profile)):
            if value:
                given = shown_address(str(value))
                raise ConfigError(f"{name} {given} goes with one --config; put it into the settings of its table")
        return run_tables(paths, ["--new-game"] if new_game else [])
    except ConfigError as error:
        sys.stderr.write(f"kibitzer run: {error}\n")
        return REFUSED


def run_tables(
    paths: Sequence[Path], arguments: Sequence[str] = (), command: Sequence[str] = COMMAND, summary: Path = SUMMARY
) -> int:
    """Runs a table for each settings file until stopped or until all have ended; returns the exit status.

    0: all ended normally; 1: some had to be killed; 2: the settings were refused, at once or by a table that then was
    the last. `arguments` are passed to each table; `summary` is rewritten whenever it changes. Raises ConfigError
    before anything is started.
    """
    forget_dead(summary)
    tables = load_tables(paths)
    with contextlib.ExitStack() as stack:
        try:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kibitzer-tables-")))
            made = (TableProcess(one, folder / f"{n}.sock", arguments, command) for n, one in enumerate(tables))
            processes = [stack.enter_context(contextlib.closing(one)) for one in made]
        except OSError as error:
            raise ConfigError(f"tables cannot be watched: {error.strerror or error}") from error
        return Parent(processes, summary).run()


class Parent:
    def __init__(self, processes: Sequence[TableProcess], summary: Path) -> None:
        self._processes, self._path, self._notifier = processes, summary, Notifier()
        self._written_states: list[State] = ["waiting"] * len(processes)
        self._written: object = None
        self._ready = self._stopping = False
        self._alive_s = float("-inf")

    def run(self) -> int:
        """Loops until a signal comes or all tables have ended; returns the exit status."""
        for ending in (signal.SIGTERM, signal.SIGINT):
            signal.signal(ending, self._stop)
        signal.signal(signal.SIGHUP, lambda _number, _frame: self._pass_on(signal.SIGHUP))
        begun_s = time.monotonic()
        try:
            while not self._stopping:
                now_s = time.monotonic()
                for number, process in enumerate(self._processes):
                    process.hear(now_s)
                    if now_s - begun_s >= number * STARTED_APART_S:
                        process.look(now_s)
                self._tell(now_s)
                if all(process.over for process in self._processes):
                    break
                select.select([process.socket for process in self._processes], [], [], LOOK_S)
            return self._end()
        finally:
            if _owner(self._path) == (os.getpid(), started(os.getpid())):
                self._path.unlink(missing_ok=True)  # keep the file of another parent started since

    def _stop(self, _number: int, _frame: object) -> None:
        """The first signal ends all tables normally; a second one kills them at once."""
        if self._stopping:
            for process in self._processes:
                process.kill()
            os._exit(130)
        self._stopping = True

    def _pass_on(self, number: signal.Signals) -> None:
        for process in self._processes:
            process.send(number)

    def _end(self) -> int:
        self._notifier.stopping()
        self._pass_on(signal.SIGTERM)
        deadline_s = time.monotonic() + STOP_S
        late = [one for one in self._processes if not one.ends_within(max(0.0, deadline_s - time.monotonic()))]
        for process in late:
            LOGGER.error("table %s did not end within %.0f s; it is killed", process.table.name, STOP_S)
            process.kill()
        if late:
            return 1
        return REFUSED if not self._stopping and any(one.state == "refused" for one in self._processes) else 0

    def _tell(self, now_s: float) -> None:
        """Writes every change to the log and to the summary, and reports to systemd."""
        states = [process.state for process in self._processes]
        for process, before in zip(self._processes, self._written_states, strict=True):
            if before != process.state == "running":
                LOGGER.info("table %s: runs", process.table.name)
            elif before != process.state != "starting":
                LOGGER.warning("table %s: %s", process.table.name, process.text)
        ill = [f"{one.table.name}: {one.text}" for one in self._processes if one.state != "running"]
        status = "; ".join([f"{states.count('running')} of {len(states)} tables run", *ill])
        if states.count("running") != self._written_states.count("running"):
            LOGGER.info("%s", status)
        self._written_states = states
        if not self._ready and all(one.over or one.state == "running" for one in self._processes):
            self._ready = True
            self._notifier.ready(status)
        self._notifier.status(status)
        wanted_s = self._notifier.watchdog_s
        if wanted_s is not None and now_s - self._alive_s >= wanted_s / 3:
            self._alive_s = now_s
            self._notifier.alive()
        self._write()

    def _write(self) -> None:
        tables = [
            {
                "table": process.table.name,
                "config": str(process.table.path),
                "state": process.state,
                "well": process.state == "running",
                "text": process.text,
                "pid": process.pid,
                "restarts": process.restarts,
            }
            for process in self._processes
        ]
        if tables == self._written:
            return
        self._written = tables
        own, well = os.getpid(), all(one["well"] for one in tables)
        content = {"pid": own, "started": started(own), "well": well, "tables": tables}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, (json.dumps(content, indent=1) + "\n").encode())
        except OSError as error:
            LOGGER.debug("%s: cannot be written: %s", self._path, error)


def forget_dead(summary: Path) -> None:
    """Removes a summary whose parent is no longer running, so that nobody mistakes it for current."""
    pid, then = _owner(summary)
    if pid is None or started(pid) != then:
        with contextlib.suppress(OSError):
            summary.unlink(missing_ok=True)


def started(pid: int) -> int | None:
    """Start time of a process in kernel ticks since boot; None if there is no process with that id."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None


def _owner(summary: Path) -> tuple[int | None, int | None]:
    try:
        content = json.loads(summary.read_text(encoding="utf-8"))
        return whole(content["pid"]), whole(content["started"])
    except (OSError, ValueError, KeyError, TypeError):
        return None, None


def load_tables(paths: Sequence[Path]) -> list[Table]:
    """The tables of these files. Raises ConfigError listing everything that two of them share and must not."""
    if len(paths) > MAX_TABLES:
        raise ConfigError(f"{len(paths)} tables are more than one parent takes ({MAX_TABLES})")
    for number, path in enumerate(paths):
        if path.resolve() in [one.resolve() for one in paths[:number]]:
            raise ConfigError(f"{path} is given twice: each table has a file of its own")
    tables = [Table(path, load_config(path)) for path in paths]
    owners: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    for table in tables:
        for thing in dict.fromkeys(_own(table)):
            owners[thing].append(str(table.path))
    shared = [
        f"{' and '.join(several)} share {what} {value!r}: each table needs its own"
        for (what, value), several in owners.items()
        if len(several) > 1
    ]
    if shared:
        raise ConfigError("\n".join(shared))
    return tables


def _own(table: Table) -> Iterator[tuple[str, str]]:
    """The resources that a table cannot share, by what they are."""
    config, source = table.config, table.config.camera.source

    def resolved(path: str) -> str:
        return str(paths.resolved(path).resolve())

    yield "the table's name, bus.table =", config.bus.table
    yield "the record, journal.path =", resolved(config.journal.path)
    for address in (config.bus.state, config.bus.reply):
        kind, _, rest = address.partition("://")
        port = rest.rpartition(":")[2]
        if port != "*":
            yield ("the port", port) if kind == "tcp" and port.isdecimal() else ("the bus address", address)
    if config.page.enabled and config.page.port:
        yield "the port", str(config.page.port)
    if source == PHONE:
        yield "the port", str(config.phone.port)
        yield "the folder, phone.folder =", resolved(config.phone.folder)
    if config.log.path:
        yield "the log file, log.path =", resolved(config.log.path)
    if source.isdecimal() or source.startswith("/dev/"):
        device = Path(f"/dev/video{source}" if source.isdecimal() else source)
        yield "the camera, camera.source =", str(device.resolve())
