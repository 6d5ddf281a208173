"""One table's process: started, watched, started again with pauses, ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO, Literal

from daemon.supervision.restarts import RestartLimit
from daemon.supervision.tables.settings import Table
from daemon.supervision.tables.signs import Signs

COMMAND = (sys.executable, "-m", "daemon.cli.table_process")
REFUSED = 2
"""Exit status of wrong settings, which no restart heals."""
PAUSES_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""From an end to the next start; longer each time, the last one repeats."""
PROVED_S = 60.0
"""After so long it has proved itself: the next pause is the first again."""
WATCHDOG_S = 20.0
"""So often at least a process is to tell that it is alive..."""
SILENT_S = 60.0
"""...and after so long without it is ended, to be started again."""
START_S = 180.0
"""The same until its start is over."""
ABORT_S = 10.0
"""Between being asked to end with a report of where it stands, and being killed."""
LONGEST_LINE = 8192

State = Literal["starting", "running", "waiting", "ended", "refused"]


class TableProcess:
    """Used by the parent's thread; times are monotonic seconds."""

    def __init__(self, table: Table, address: str, arguments: Sequence[str], command: Sequence[str] = COMMAND) -> None:
        """`address` is where its signs go; `arguments` follow `run --config FILE`."""
        self.table = table
        self.signs = Signs()
        self.state: State = "waiting"
        self.restarts = 0
        """Starts but the first."""
        self.last_end = ""
        """How it ended last, in words."""
        self._arguments = [*command, str(os.getpid()), "run", "--config", str(table.path), *arguments]
        self._environment = _environment(address)
        self._limit = RestartLimit()
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = self._failures = 0
        self._started_s = self._due_s = float("-inf")
        self._aborted_s: float | None = None

    @property
    def pid(self) -> int | None:
        """Its number while it runs."""
        return None if self._process is None else self._process.pid

    @property
    def well(self) -> bool:
        """Whether its start is over and it shows signs of life."""
        return self.state == "running"

    @property
    def over(self) -> bool:
        """Whether it will not be started any more."""
        return self.state in ("ended", "refused")

    @property
    def text(self) -> str:
        """How it is, in a line."""
        if self.state == "waiting":
            return f"{self.last_end or 'not started'}; starts again soon"
        return self.last_end if self.over else self.signs.text or self.state

    def look(self, now_s: float) -> None:
        """Starts it where that is due, and notices its end and its silence."""
        if self._process is None:
            if self.state == "waiting" and now_s >= self._due_s and self._limit.wait_s(now_s) <= 0:
                self._start(now_s)
            return
        status = self._process.poll()
        if status is not None:
            self._has_ended(status, now_s)
            return
        if self.signs.ready:
            self.state = "running"
        self._watch(now_s)

    def send(self, number: signal.Signals) -> None:
        """Passes a signal on."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def wait(self, timeout_s: float) -> int | None:
        """Its exit status; None where it does not end in time, and where it did not run."""
        if self._process is None:
            return None
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """Ends it and what it has started, now."""
        if self._process is not None and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _start(self, now_s: float) -> None:
        self._limit.started(now_s)
        self.signs = Signs()
        self.restarts = self._starts
        self._starts += 1
        self._started_s, self._aborted_s, self.state = now_s, None, "starting"
        try:
            # A session of its own: a terminal's Ctrl-C is the parent's to pass on, once.
            self._process = subprocess.Popen(
                self._arguments,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            self._has_ended(-1, now_s, f"it cannot be started: {error.strerror}")
            return
        assert self._process.stderr is not None
        follow = threading.Thread(target=_copy, args=(self._process.stderr, self.table.name), daemon=True)
        follow.start()

    def _has_ended(self, status: int, now_s: float, why: str = "") -> None:
        self._process = None
        self.last_end = why or f"it ended with {_words(status)}"
        self._failures = 0 if now_s - self._started_s > PROVED_S else self._failures + 1
        self._due_s = now_s + PAUSES_S[min(max(self._failures - 1, 0), len(PAUSES_S) - 1)]
        self.state = "ended" if status == 0 else "refused" if status == REFUSED else "waiting"

    def _watch(self, now_s: float) -> None:
        """A process that hangs as a whole cannot end itself."""
        if self._aborted_s is not None:
            if now_s - self._aborted_s > ABORT_S:
                self.kill()
            return
        heard_s = self.signs.alive_s if self.signs.alive_s is not None else self._started_s
        if now_s - heard_s > (SILENT_S if self.signs.ready else START_S):
            self._aborted_s = now_s
            self.send(signal.SIGABRT)


def _environment(address: str) -> dict[str, str]:
    """What the process finds around it: the parent stands where systemd would."""
    kept = {name: value for name, value in os.environ.items() if name != "WATCHDOG_PID"}
    return kept | {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": str(int(WATCHDOG_S * 1e6)), "PYTHONUNBUFFERED": "1"}


def _copy(source: IO[bytes], name: str) -> None:
    """Hands the log of a table on, line by line, with its name; ends with the process."""
    with source, contextlib.suppress(OSError, ValueError):
        while line := source.readline(LONGEST_LINE):
            sys.stderr.write(f"{name}: {line.decode(errors='replace').rstrip()}\n")


def _words(status: int) -> str:
    """An exit status for people."""
    if status >= 0:
        return f"status {status}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-status).name
    return f"signal {-status}"
