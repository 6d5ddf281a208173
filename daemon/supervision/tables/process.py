"""One table's process: started, monitored, restarted with pauses, ended."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Sequence
from subprocess import DEVNULL, PIPE, TimeoutExpired
from typing import IO, Literal

from daemon.supervision.restarts import RestartLimit
from daemon.supervision.tables.reported_state import ReportedState
from daemon.supervision.tables.settings import Table
from processes import Process

COMMAND = (sys.executable, "-m", "daemon.cli")
REFUSED = 2
PAUSES_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds from an end to the next start; longer each time, the last one repeats."""
PROVED_S = 60.0
"""Seconds of running after which the pauses start over from the first."""
WATCHDOG_S = 20.0
"""Seconds within which a process must send a sign of life."""
SILENT_S = 60.0
"""Seconds without a sign of life before a started process is ended, to be restarted."""
START_S = 180.0
"""Seconds without a sign of life before a process still starting up is ended."""
ABORT_S = 10.0
MAX_LINE_LENGTH = 8192

State = Literal["starting", "running", "waiting", "ended", "refused"]


class TableProcess:
    """The process of one table. Used by the parent's thread; times are monotonic seconds."""

    def __init__(self, table: Table, address: str, arguments: Sequence[str], command: Sequence[str] = COMMAND) -> None:
        """`address` is the socket for its signs of life; `arguments` follow `run --config FILE`."""
        self.table = table
        self.reported = ReportedState()
        self.state: State = "waiting"
        self.restarts = 0
        self.last_end = ""
        self._arguments = [*command, "run", "--config", str(table.path), *arguments]
        self._environment = _environment(address)
        self._limit = RestartLimit()
        self._process: Process | None = None
        self._starts = self._failures = 0
        self._started_s = self._due_s = float("-inf")
        self._aborted_s: float | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def well(self) -> bool:
        return self.state == "running"

    @property
    def over(self) -> bool:
        return self.state in ("ended", "refused")

    @property
    def text(self) -> str:
        if self.state == "waiting":
            return f"{self.last_end or 'not started'}; starts again soon"
        return self.last_end if self.over else self.reported.text or self.state

    def look(self, now_s: float) -> None:
        if self._process is None:
            if self.state == "waiting" and now_s >= self._due_s and self._limit.wait_s(now_s) <= 0:
                self._start(now_s)
            return
        status = self._process.poll()
        if status is not None:
            self._has_ended(status, now_s)
            return
        if self.reported.ready:
            self.state = "running"
        self._watch(now_s)

    def send(self, number: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def wait(self, timeout_s: float) -> int | None:
        """Its exit status; None if it does not end in time or was not running."""
        if self._process is None:
            return None
        try:
            return self._process.wait(timeout_s)
        except TimeoutExpired:
            return None

    def kill(self) -> None:
        if self._process is not None:
            self._process.end()

    def _start(self, now_s: float) -> None:
        self._limit.started(now_s)
        self.reported = ReportedState()
        self.restarts = self._starts
        self._starts += 1
        self._started_s, self._aborted_s, self.state = now_s, None, "starting"
        try:
            self._process = Process(self._arguments, env=self._environment, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE)
        except OSError as error:
            self._has_ended(-1, now_s, f"it cannot be started: {error.strerror}")
            return
        assert self._process.stderr is not None
        follow = threading.Thread(target=_copy, args=(self._process.stderr, self.table.name), daemon=True)
        follow.start()

    def _has_ended(self, status: int, now_s: float, why: str = "") -> None:
        self.kill()  # what a table that was killed leaves behind
        self._process = None
        self.last_end = why or f"it ended with {_words(status)}"
        self._failures = 0 if now_s - self._started_s > PROVED_S else self._failures + 1
        self._due_s = now_s + PAUSES_S[min(max(self._failures - 1, 0), len(PAUSES_S) - 1)]
        self.state = "ended" if status == 0 else "refused" if status == REFUSED else "waiting"

    def _watch(self, now_s: float) -> None:
        """Aborts and then kills a process that hangs as a whole and so cannot end itself."""
        if self._aborted_s is not None:
            if now_s - self._aborted_s > ABORT_S:
                self.kill()
            return
        heard_s = self.reported.alive_s if self.reported.alive_s is not None else self._started_s
        if now_s - heard_s > (SILENT_S if self.reported.ready else START_S):
            self._aborted_s = now_s
            self.send(signal.SIGABRT)


def _environment(address: str) -> dict[str, str]:
    """The environment of the process, in which the parent takes the place of systemd."""
    kept = {name: value for name, value in os.environ.items() if name != "WATCHDOG_PID"}
    return kept | {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": str(int(WATCHDOG_S * 1e6)), "PYTHONUNBUFFERED": "1"}


def _copy(source: IO[bytes], name: str) -> None:
    """Forwards a table's log line by line, prefixed with its name; ends with the process."""
    with source, contextlib.suppress(OSError, ValueError):
        while line := source.readline(MAX_LINE_LENGTH):
            sys.stderr.write(f"{name}: {line.decode(errors='replace').rstrip()}\n")


def _words(status: int) -> str:
    if status >= 0:
        return f"status {status}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-status).name
    return f"signal {-status}"
