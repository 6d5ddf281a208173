"""The parent of several tables: starts a process for each, forwards signals, and reports the state of all."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import places
from calibration.atomic_file import write_atomically
from daemon.config.settings import ConfigError
from daemon.supervision.notify import Notifier
from daemon.supervision.tables.process import COMMAND, REFUSED, State, TableProcess
from daemon.supervision.tables.reported_state import NotifySockets
from daemon.supervision.tables.settings import Table, load_tables
from wording.outside import shown_address

LOGGER = logging.getLogger(__name__)
LOOK_S = 0.5
STOP_S = 15.0
SUMMARY = places.state_folder() / "tables.json"
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
    try:
        sockets = NotifySockets(len(tables))
    except OSError as error:
        raise ConfigError(f"tables cannot be watched: {error.strerror or error}") from error
    processes = [TableProcess(one, sockets.address(n), arguments, command) for n, one in enumerate(tables)]
    try:
        return Parent(tables, processes, sockets, summary=summary).run()
    finally:
        for process in processes:
            process.kill()
        sockets.close()


class Parent:
    def __init__(
        self,
        tables: Sequence[Table],
        processes: Sequence[TableProcess],
        sockets: NotifySockets,
        notifier: Notifier | None = None,
        summary: Path = SUMMARY,
    ) -> None:
        self._tables, self._processes, self._sockets = tables, processes, sockets
        self._notifier = notifier or Notifier()
        self._path = summary
        self._written_states: list[State] = ["waiting"] * len(processes)
        self._written: object = None
        self._ready = self._stopping = False
        self._alive_s = float("-inf")

    def run(self) -> int:
        for ending in (signal.SIGTERM, signal.SIGINT):
            signal.signal(ending, self._stop)
        signal.signal(signal.SIGHUP, lambda number, _frame: self._pass_on(signal.Signals(number)))
        begun_s = time.monotonic()
        try:
            while not self._stopping:
                now_s = time.monotonic()
                for number, process in enumerate(self._processes):
                    self._sockets.read(number, process.reported, now_s)
                    if now_s - begun_s >= number * STARTED_APART_S:
                        process.look(now_s)
                self._tell(now_s)
                if all(process.over for process in self._processes):
                    break
                select.select(self._sockets.sockets, [], [], LOOK_S)
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
        late = []
        for process in self._processes:
            if process.pid is not None and process.wait(max(0.0, deadline_s - time.monotonic())) is None:
                LOGGER.error("table %s did not end within %.0f s; it is killed", process.table.name, STOP_S)
                late.append(process)
                process.kill()
        if late:
            return 1
        return REFUSED if not self._stopping and any(one.state == "refused" for one in self._processes) else 0

    def _tell(self, now_s: float) -> None:
        """Writes every change to the log and to the summary, and reports to systemd."""
        for process, before in zip(self._processes, self._written_states, strict=True):
            if before != process.state and process.state != "starting":
                level = logging.INFO if process.well else logging.WARNING
                LOGGER.log(level, "table %s: %s", process.table.name, "runs" if process.well else process.text)
        status, states = summary_of(self._processes), [process.state for process in self._processes]
        if states.count("running") != self._written_states.count("running"):
            LOGGER.info("%s", status)
        self._written_states = states
        if not self._ready and all(process.well or process.over for process in self._processes):
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
                "well": process.well,
                "text": process.text,
                "pid": process.pid,
                "restarts": process.restarts,
            }
            for process in self._processes
        ]
        if tables == self._written:
            return
        self._written = tables
        own = os.getpid()
        well = all(process.well for process in self._processes)
        content = {"pid": own, "started": started(own), "well": well, "tables": tables}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, (json.dumps(content, indent=1) + "\n").encode())
        except OSError as error:
            LOGGER.debug("%s: cannot be written: %s", self._path, error)


def forget_dead(summary: Path) -> None:
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
        return int(content["pid"]), int(content["started"])
    except (OSError, ValueError, KeyError, TypeError):
        return None, None


def summary_of(processes: Sequence[TableProcess]) -> str:
    well = sum(process.well for process in processes)
    ill = [f"{process.table.name}: {process.text}" for process in processes if not process.well]
    return "; ".join([f"{well} of {len(processes)} tables run", *ill])
