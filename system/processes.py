"""Child processes that leave nothing behind: a process ends together with everything it has started.

Each gets a mark in its environment, which its own children inherit, and a session of its own, so that Ctrl-C in the
terminal reaches only the program that started it. `Process.end` ends all that carry the mark. If the program itself is
gone, however it ended, its guard does the same: a shell that waits for the end of a pipe.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import select
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from system import family

AGAIN_S = 0.1
"""Seconds until a guard that was killed is started again."""
MAX_LINE = 65536
"""Bytes of the longest line that is taken from a process; the rest of it counts as another line."""
GUARD = ("sh", "-c", 'read -r _; exec "$0" -I -S "$@"', sys.executable, str(Path(family.__file__)))


class _Starter:
    def __init__(self) -> None:
        self.pid = os.getpid()
        above = os.environ.get(family.VARIABLE)
        self.mark = f"{above}/{secrets.token_hex(6)}" if above else secrets.token_hex(6)
        self._numbers = itertools.count(1)
        self._guarded = False
        self._lock = threading.Lock()

    def next_mark(self) -> str:
        """The mark of the next process, once the guard watches. Raises OSError."""
        with self._lock:
            if not self._guarded:
                guard = _start_guard(self.mark)
                threading.Thread(target=self._keep, args=(*guard,), name="guard", daemon=True).start()
                self._guarded = True
            return f"{self.mark}.{next(self._numbers)}"

    def _keep(self, guard: int, held: int) -> None:
        """Body of the thread: starts the guard again if somebody kills it; if that fails, the next process tries."""
        try:
            while True:
                os.waitpid(guard, 0)
                os.close(held)
                time.sleep(AGAIN_S)
                guard, held = _start_guard(self.mark)
        except OSError:
            self._guarded = False


def _start_guard(mark: str) -> tuple[int, int]:
    """Its process id, and the end of its pipe that this program keeps open as long as it lives. Raises OSError."""
    waits, held = os.pipe()
    silent = ((os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2))
    actions = [(os.POSIX_SPAWN_DUP2, waits, 0), *silent]
    no_mark: dict[str, str] = {}  # so that nobody ends the guard
    try:
        words = [*GUARD, mark, str(family.GRACE_S)]
        return os.posix_spawnp(GUARD[0], words, no_mark, file_actions=actions, setsid=True), held
    except OSError:
        os.close(held)
        raise
    finally:
        os.close(waits)


_starter = _Starter()


class Process(subprocess.Popen[Any]):
    """A process started in a session of its own; takes the options of `subprocess.Popen`."""

    def __init__(self, command: Sequence[str], *, env: dict[str, str] | None = None, **options: Any) -> None:
        global _starter
        if _starter.pid != os.getpid():  # a fork of the program is another one
            _starter = _Starter()
        self.mark = _starter.next_mark()
        marked = {**(os.environ if env is None else env), family.VARIABLE: self.mark}
        super().__init__(command, env=marked, start_new_session=True, **options)

    def end(self, wait_s: float = 0.0) -> None:
        """Ends it with all it has started: it gets `wait_s` seconds to do so itself; may be called twice.

        A process stuck in the kernel is waited for `family.KILL_S` at most, and later reaped by a thread.
        """
        try:
            if wait_s > 0 and self.poll() is None:
                self.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.wait(wait_s)
        finally:  # also after Ctrl-C
            family.kill(self.mark, 0 if self._has_lost_its_number else self.pid)
            try:
                self.wait(family.KILL_S)
            except subprocess.TimeoutExpired:
                threading.Thread(target=self.wait, name="reaper", daemon=True).start()

    @property
    def processor_s(self) -> float:
        """Processor time that it and all it has started have used, while they run."""
        return family.processor_s(self.mark)

    def close(self) -> None:
        """Ends it, and closes its pipes: what it has not read, and what of it was not read, is lost."""
        self.end()
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):  # input that it never read
                    pipe.close()

    @property
    def _has_lost_its_number(self) -> bool:
        return self.returncode is not None and Path(f"/proc/{self.pid}").exists()


class LineProcess(Process):
    """A process that is told lines and answers in lines; whoever listens says how long to wait."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        super().__init__(command, **pipes | options)
        self._unread = b""

    def say(self, line: str, *, last: bool = False) -> None:
        """Writes a line, and closes its input after the last; does nothing if the process has ended."""
        assert self.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self.stdin.write(line.encode() + b"\n")
            self.stdin.flush()
            if last:
                self.stdin.close()

    def hear(self, wait_s: float = 0.0) -> str | None:
        """The next line; None if it is not complete within that time. Raises EOFError after the last line."""
        assert self.stdout is not None
        while b"\n" not in self._unread and len(self._unread) < MAX_LINE:
            if not select.select([self.stdout], [], [], wait_s)[0]:
                return None
            data = os.read(self.stdout.fileno(), MAX_LINE)
            if not data:
                raise EOFError
            self._unread += data
        line, _, rest = self._unread.partition(b"\n")
        line, self._unread = line[:MAX_LINE], line[MAX_LINE:] + rest
        return line.decode(errors="replace").strip()


def run(command: Sequence[str], timeout_s: float | None = None, **options: Any) -> subprocess.CompletedProcess[Any]:
    """Runs a command to its end, and ends what it leaves behind; takes the options of `subprocess.run`.

    Raises OSError if it cannot be started, subprocess.TimeoutExpired.
    """
    given = options.pop("input", None)
    if options.pop("capture_output", False):
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if given is not None:
        options["stdin"] = subprocess.PIPE
    with Process(command, **options) as process:
        try:
            out, errors = process.communicate(given, timeout=timeout_s)
        finally:
            process.end()
    return subprocess.CompletedProcess(command, process.returncode, out, errors)
