"""A running engine process: sends and receives lines, each with a deadline."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from subprocess import PIPE, TimeoutExpired
from typing import IO

from system.processes import Process

MAX_LINE_LENGTH = 65536
MAX_LINES = 1000
"""Lines that may wait to be read; beyond that the oldest are dropped."""
LOOK_S = 0.02
SHOWN, LONG = 60, 160
"""Characters of an engine's line quoted in a message, and of its last words."""
ENDING_S = 1.0
"""Seconds that an engine which says nothing more may take to end."""


class EngineError(Exception):
    """An engine that died, fell silent or sent nonsense; the message says what happened, without the engine's name."""


class EngineSilent(EngineError):
    pass


class EngineStopped(Exception):
    pass


class EngineProcess:
    """One engine process. It ends with this object, or with the process that started it."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = Process(list(command), stdin=PIPE, stdout=PIPE, stderr=PIPE)
        except OSError as error:
            raise EngineError(f"cannot be started: {error}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._lines: queue.Queue[str | None] = queue.Queue(MAX_LINES)
        self._last = ""
        self._complaint: deque[str] = deque(maxlen=1)
        """The last line on its standard error: why it ended, if it says so."""
        threading.Thread(target=_listen, args=(self._process.stdout, self._lines), daemon=True).start()
        self._listener = threading.Thread(
            target=_keep_last, args=(self._process.stderr, self._complaint), name="complaints", daemon=True
        )
        self._listener.start()
        self.close = weakref.finalize(self, _end, self._process)
        """Kills the process and what it has started; may be called twice."""

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    @property
    def processor_s(self) -> float:
        """Processor time that it has used, with all that it has started."""
        return self._process.processor_s

    def say(self, line: str) -> None:
        """Writes one line. Raises EngineError if the engine does not read it."""
        data = f"{line}\n".encode()
        try:
            written = os.write(self._process.stdin.fileno(), data)  # type: ignore[union-attr]
        except BlockingIOError:
            written = 0
        except OSError:
            raise self._ended() from None
        if written != len(data):
            raise EngineError(f"does not read its input: {line[:SHOWN]!r} is left over")

    def hear(self, deadline_s: float, stop: threading.Event | None = None) -> str:
        """Next line. Raises EngineSilent at the monotonic deadline, EngineStopped at `stop`, EngineError if it ends.

        A line that came before the deadline is never lost: the next call gets it.
        """
        while True:
            if stop is not None and stop.is_set():
                raise EngineStopped
            if (left_s := deadline_s - time.monotonic()) <= 0:
                last = f"; its last line was {self._last[:SHOWN]!r}" if self._last else ""
                raise EngineSilent(f"gave no answer in time{last}")
            try:
                line = self._lines.get(timeout=min(LOOK_S, left_s))
            except queue.Empty:
                continue
            if line is None:
                raise self._ended()
            self._last = line
            return line

    def _ended(self) -> EngineError:
        """What is known of an engine that takes or gives no more lines."""
        with contextlib.suppress(TimeoutExpired):
            self._process.wait(ENDING_S)
        self._listener.join(ENDING_S)  # its children may still hold what it wrote to
        said = f": {self._complaint[0][:LONG]!r}" if self._complaint else ""
        return EngineError(f"ended with status {self._process.returncode}{said}")

    def expect(
        self, pattern: str, deadline_s: float, stop: threading.Event | None = None, refusal: str = r"(?!)"
    ) -> re.Match[str]:
        """The first line that the pattern matches from its beginning; other lines are skipped.

        Raises EngineError also for a line that matches `refusal`.
        """
        while True:
            line = self.hear(deadline_s, stop)
            if found := re.match(pattern, line):
                return found
            if re.match(refusal, line):
                raise EngineError(f"answered {line[:SHOWN]!r}")


def _listen(output: IO[bytes], lines: queue.Queue[str | None]) -> None:
    with contextlib.suppress(OSError, ValueError), output:  # closed by another thread
        for text in _texts(output):
            _put(lines, text)
    _put(lines, None)


def _keep_last(errors: IO[bytes], kept: deque[str]) -> None:
    """Reader thread of the standard error: an engine that complains without end never blocks, and fills no memory."""
    with contextlib.suppress(OSError, ValueError), errors:  # closed by another thread
        kept.extend(text for text in _texts(errors) if text)


def _texts(output: IO[bytes]) -> Iterator[str]:
    """Lines as they come; what a line has beyond MAX_LINE_LENGTH is left out, and never taken for another line."""
    begins = True
    while data := output.readline(MAX_LINE_LENGTH):
        if begins:
            yield _text(data)
        begins = data.endswith(b"\n")


def _text(data: bytes) -> str:
    """A line as text. UTF-16, which programs for Windows may write, has a zero beside each ASCII letter."""
    if 3 * data.count(0) >= len(data):
        data = re.sub(rb"\0|\xff\xfe|\xfe\xff", b"", data)
    return data.decode("utf-8", "replace").strip()


def _put(lines: queue.Queue[str | None], line: str | None) -> None:
    while True:
        try:
            lines.put_nowait(line)
            return
        except queue.Full:
            with contextlib.suppress(queue.Empty):
                lines.get_nowait()


def _end(process: Process) -> None:
    process.end()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
