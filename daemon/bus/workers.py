"""The daemon's own agent workers: starts them as processes and restarts them when they die or fall silent."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from subprocess import DEVNULL, PIPE, STDOUT
from typing import IO

from daemon.supervision.restarts import RestartLimit
from daemon.words.translation import in_words
from system import paths
from system.processes import Process
from wording import Sentence, sentence
from wording.outside import clean

_log = logging.getLogger(__name__)

ROOT = paths.PROGRAM
WORKER = (sys.executable, "-m", "agents.worker")
START_S = 60.0
"""Seconds until a worker's first sign of life: a search may have to be compiled first."""
SILENT_S = 15.0
END_S = 2.0
LOOK_S = 0.2
REFUSED = 2
"""Exit status of a worker that was called wrongly: started again, it would end in the same way."""
MAX_LINE_LENGTH = 500
MAX_LINES = 50
"""Most lines of worker output logged per second."""


class WorkerProcess:
    """Keeps one worker running until closed. Every method is thread-safe, and none waits long."""

    def __init__(
        self,
        agents: Sequence[str],
        state_endpoint: str,
        reply_endpoint: str,
        name: str = "house",
        last_seen_s: Callable[[str], float | None] | None = None,
        on_trouble: Callable[[str], None] | None = None,
        command: Sequence[str] = WORKER,
        limit: RestartLimit | None = None,
        bus_name: str = "",
    ) -> None:
        """Starts the worker and the thread that watches it.

        `name` is for people, `bus_name` for the bus, by default the same. `last_seen_s` is `Bus.last_seen_s`: the
        monotonic time of a worker's last sign of life. `on_trouble` receives a sentence for a person, called from the
        watching thread.
        """
        self.name = name
        self._bus_name = bus_name or name
        self._command = [
            *command,
            *("--connect", state_endpoint, "--reply", reply_endpoint),
            *("--agents", ",".join(agents), "--name", self._bus_name, "--parent", str(os.getpid())),
        ]
        self._last_seen_s = last_seen_s
        self._on_trouble = on_trouble
        self._limit = limit or RestartLimit()
        self._starts = 0
        self._how = sentence("starting")
        self._well = True
        self._told = ""
        self._last_line = ""
        self._pid: int | None = None
        self._status: int | None = None
        """Exit status of the last process that ended by itself."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, name=f"worker {name}", daemon=True)
        self._thread.start()

    def status(self) -> dict[str, object]:
        """`ok`, a `text`, `pid` (None while it is not running) and `restarts`."""
        return {"ok": self._well, "text": in_words(self._how), "pid": self._pid, "restarts": max(0, self._starts - 1)}

    def close(self) -> None:
        self._stop.set()
        self._thread.join(END_S + 3.0)

    def _serve(self) -> None:
        try:
            while not self._stop.is_set():
                wait_s = self._limit.wait_s(time.monotonic())
                if wait_s > 0:
                    why = self._last_line or self._how
                    self._trouble(
                        sentence("agent worker {name} fails again and again ({why})", name=self.name, why=why)
                    )
                    self._stop.wait(wait_s)
                    continue
                self._limit.started(time.monotonic())
                end = self._live()
                if self._status == REFUSED and not self._stop.is_set():
                    why = self._last_line or end
                    self._trouble(sentence("agent worker {name} will not run: {why}", name=self.name, why=why))
                    return
                if not self._stop.is_set():
                    self._well, self._how = False, end
                    _log.warning("agent worker %s %s; it is started again", self.name, end)
        except Exception as error:  # noqa: BLE001 - the top of the thread
            _log.exception("the watch over agent worker %s has stopped", self.name)
            told = sentence("nobody watches over agent worker {name} any more: {why}", name=self.name, why=str(error))
            self._trouble(told)

    def _live(self) -> Sentence:
        self._starts += 1
        try:
            process = Process(self._command, cwd=ROOT, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
        except OSError as error:
            return sentence("cannot be started: {why}", why=str(error))
        assert process.stdout is not None
        listener = threading.Thread(target=self._listen, args=(process.stdout,), daemon=True)
        listener.start()
        started_s, self._pid = time.monotonic(), process.pid
        end: Sentence | None = None
        try:
            while process.poll() is None and not end and not self._stop.wait(LOOK_S):
                end = self._silence(started_s)
        finally:
            self._pid = None
            process.end(END_S if self._stop.is_set() else 0.0)
            listener.join(1.0)
            if not listener.is_alive():
                process.stdout.close()
        self._status = None if end else process.returncode
        return end or sentence("ended with status {number}", number=process.returncode)

    def _silence(self, started_s: float) -> Sentence | None:
        if self._last_seen_s is None:
            self._well, self._how = True, sentence("runs")
            return None
        now_s, seen_s = time.monotonic(), self._last_seen_s(self._bus_name)
        if seen_s is None or seen_s < started_s:
            late = sentence("gave no sign of life for {seconds} s after its start", seconds=round(START_S))
            return late if now_s - started_s > START_S else None
        self._well, self._how, self._told = True, sentence("runs"), ""
        silent = sentence("gave no sign of life for {seconds} s", seconds=round(SILENT_S))
        return silent if now_s - seen_s > SILENT_S else None

    def _trouble(self, said: Sentence) -> None:
        self._well, self._how, text = False, said, in_words(said)
        _log.error("%s", said)
        if self._on_trouble is not None and self._told != text:
            self._told = text
            self._on_trouble(text)

    def _listen(self, output: IO[bytes]) -> None:
        begun_s, lines = time.monotonic(), 0
        with contextlib.suppress(OSError, ValueError):  # the pipe was closed while reading
            while line := output.readline(MAX_LINE_LENGTH):
                if time.monotonic() - begun_s >= 1.0:
                    begun_s, lines = time.monotonic(), 0
                lines += 1
                if lines <= MAX_LINES:
                    self._last_line = clean(line.decode(errors="replace"), MAX_LINE_LENGTH)  # may be spoken later
                    _log.info("worker %s: %s", self.name, self._last_line)
                elif lines == MAX_LINES + 1:
                    _log.warning("worker %s writes too much; the rest of this second is left out", self.name)
