"""One of several tables as a process of its own: started, monitored, restarted with pauses, ended.

The parent takes the place of systemd: the process reports its state by the messages of sd_notify(3).
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, TimeoutExpired
from typing import IO, Literal

from daemon.config.settings import Config
from daemon.supervision.restarts import RestartLimit
from system.processes import Process
from wording.outside import clean

COMMAND = (sys.executable, "-m", "daemon.cli")
REFUSED = 2
"""Exit status for invalid settings, which no restart fixes."""
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
"""Seconds between SIGABRT, which makes it report its stacks, and SIGKILL."""
MAX_LINE_LENGTH = 8192
MAX_BYTES = 4096
MAX_AT_A_TIME = 64
"""Most messages of one table that are read before the next table's."""
MAX_TEXT_LENGTH = 200

State = Literal["starting", "running", "waiting", "ended", "refused"]


@dataclasses.dataclass(frozen=True)
class Table:
    path: Path
    config: Config

    @property
    def name(self) -> str:
        return self.config.bus.table


@dataclasses.dataclass
class ReportedState:
    ready: bool = False
    alive_s: float | None = None
    """Monotonic seconds of its last sign of life; None before the first."""
    text: str = ""

    def take(self, data: bytes, now_s: float) -> None:
        for line in data.decode(errors="replace").splitlines():
            match line.partition("="):
                case "READY", _, "1":
                    self.ready, self.alive_s = True, now_s
                case "WATCHDOG", _, "1":
                    self.alive_s = now_s
                case "STATUS", _, text:
                    self.text = clean(text, MAX_TEXT_LENGTH)


class TableProcess:
    """Used by the parent's thread; times are monotonic seconds."""

    def __init__(self, table: Table, address: Path, arguments: Sequence[str], command: Sequence[str] = COMMAND) -> None:
        """`address` is the socket for its messages; `arguments` follow `run --config FILE`.

        Raises OSError if the socket cannot be created.
        """
        self.table = table
        self.reported = ReportedState()
        self.state: State = "waiting"
        self.restarts = 0
        self.last_end = ""
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
        self.socket.bind(str(address))
        self._arguments = [*command, "run", "--config", str(table.path), *arguments]
        kept = {name: value for name, value in os.environ.items() if name != "WATCHDOG_PID"}
        watchdog = {"NOTIFY_SOCKET": str(address), "WATCHDOG_USEC": str(int(WATCHDOG_S * 1e6))}
        self._environment = kept | watchdog | {"PYTHONUNBUFFERED": "1"}
        self._limit = RestartLimit()
        self._process: Process | None = None
        self._starts = self._failures = 0
        self._started_s = self._due_s = float("-inf")
        self._aborted_s: float | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def over(self) -> bool:
        return self.state in ("ended", "refused")

    @property
    def text(self) -> str:
        if self.state == "waiting":
            return f"{self.last_end or 'not started'}; starts again soon"
        return self.last_end if self.over else self.reported.text or self.state

    def hear(self, now_s: float) -> None:
        with contextlib.suppress(OSError):  # there are no more
            for _ in range(MAX_AT_A_TIME):
                self.reported.take(self.socket.recv(MAX_BYTES), now_s)

    def look(self, now_s: float) -> None:
        if self._process is None:
            if self.state == "waiting" and now_s >= self._due_s and self._limit.wait_s(now_s) <= 0:
                self._start(now_s)
        elif (status := self._process.poll()) is not None:
            self._has_ended(status, now_s)
        else:
            if self.reported.ready:
                self.state = "running"
            self._watch(now_s)

    def send(self, number: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def ends_within(self, timeout_s: float) -> bool:
        """Waits for its end; True also if it does not run."""
        try:
            return self._process is None or self._process.wait(timeout_s) is not None
        except TimeoutExpired:
            return False

    def kill(self) -> None:
        if self._process is not None:
            self._process.end()

    def close(self) -> None:
        self.kill()
        self.socket.close()

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
        threading.Thread(target=_copy, args=(self._process.stderr, self.table.name), daemon=True).start()

    def _has_ended(self, status: int, now_s: float, why: str = "") -> None:
        self.kill()  # what a table that was killed leaves behind
        self._process = None
        self.last_end = why or f"it ended with {_words(status)}"
        self._failures = 0 if now_s - self._started_s > PROVED_S else self._failures + 1
        self._due_s = now_s + PAUSES_S[min(max(self._failures - 1, 0), len(PAUSES_S) - 1)]
        self.state = "ended" if status == 0 else "refused" if status == REFUSED else "waiting"

    def _watch(self, now_s: float) -> None:
        """Aborts and then kills a process that hangs as a whole and so cannot end itself."""
        heard_s = self._started_s if self.reported.alive_s is None else self.reported.alive_s
        if self._aborted_s is not None:
            if now_s - self._aborted_s > ABORT_S:
                self.kill()
        elif now_s - heard_s > (SILENT_S if self.reported.ready else START_S):
            self._aborted_s = now_s
            self.send(signal.SIGABRT)


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
