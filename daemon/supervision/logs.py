"""Logging to standard error or to rotating files: limited in size and rate, with repeated messages suppressed."""

from __future__ import annotations

import collections
import contextlib
import logging
import logging.handlers
import re
import sys
import threading
import time
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path

from calibration.atomic_file import make_private
from daemon.config.settings import LogSection
from system import paths
from wording.outside import visible_lines

FORMAT = "%(asctime)s %(levelname).1s %(name)s: %(message)s"
WINDOW_S = 60.0
REMEMBERED = 512
"""Most distinct lines whose repetitions are counted."""
MAX_LINES = 3000
"""Most lines per minute, of all kinds together; no daemon has this much to log."""


class FloodGate(logging.Filter):
    """Limits how often per minute the same line passes; the next one that passes says how many were left out."""

    def __init__(self, repeats: int, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.repeats = repeats
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: collections.OrderedDict[tuple[str, str], list[float]] = collections.OrderedDict()
        self._missed: collections.Counter[tuple[str, str]] = collections.Counter()
        self._all: collections.deque[float] = collections.deque()

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            key = record.name, record.getMessage()
        except Exception:  # noqa: BLE001 - a line whose arguments do not fit must not crash its caller
            key = record.name, str(record.msg)
        with self._lock:
            passes, missed = self._count(key, self._clock())
        if missed:
            record.msg, record.args = f"{key[1]} (and {missed} more times before)", ()
        return passes

    def _count(self, key: tuple[str, str], now_s: float) -> tuple[bool, int]:
        while self._all and now_s - self._all[0] >= WINDOW_S:
            self._all.popleft()
        times_s = [time_s for time_s in self._seen.pop(key, []) if now_s - time_s < WINDOW_S]
        passes = len(times_s) < self.repeats and len(self._all) < MAX_LINES
        self._seen[key] = [*times_s, now_s] if passes else times_s
        if len(self._seen) > REMEMBERED:
            gone, _ = self._seen.popitem(last=False)
            del self._missed[gone]
        if not passes:
            self._missed[key] += 1
            return False, 0
        self._all.append(now_s)
        return True, self._missed.pop(key, 0)


class OpenFormatter(logging.Formatter):
    """Formats lines that anybody may read in a terminal, whoever wrote their text: see `wording.outside`.

    A later line that begins as a record does is moved in, so that no text from outside looks like a record of its own.
    """

    def format(self, record: logging.LogRecord) -> str:
        return re.sub(r"\n(?=\d{4}-)", "\n    ", visible_lines(super().format(record)))


class RotatingFile(logging.handlers.RotatingFileHandler):
    """A log file that survives a full disk: lines that cannot be written are counted."""

    def __init__(self, path: Path, size_bytes: int, files: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(path, maxBytes=size_bytes, backupCount=files, encoding="utf-8")
        self.failed = 0

    def _open(self) -> TextIOWrapper:
        """Opens the file, which only its owner may read: names and moves stand in it."""
        make_private(Path(self.baseFilename))
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Counts the failure; logging it would fail, too."""
        self.failed += 1


class Log:
    def __init__(self, settings: LogSection) -> None:
        self._handler: logging.Handler | None = None
        self._level_before = logging.getLogger().level
        self.gate = FloodGate(settings.repeats)
        self.change(settings)

    def change(self, settings: LogSection) -> None:
        """Applies these settings from now on. Raises OSError and keeps the old ones if that fails."""
        handler: logging.Handler = logging.StreamHandler(sys.stderr)
        if settings.path:
            handler = RotatingFile(paths.resolved(settings.path), round(settings.size_mb * 1_000_000), settings.files)
        handler.setFormatter(OpenFormatter(FORMAT))
        self.gate.repeats = settings.repeats
        handler.addFilter(self.gate)
        root = logging.getLogger()
        root.setLevel(settings.level.upper())
        root.addHandler(handler)
        before, self._handler = self._handler, handler
        if before is not None:
            root.removeHandler(before)
            before.close()

    @property
    def failed(self) -> int:
        return self._handler.failed if isinstance(self._handler, RotatingFile) else 0

    def close(self) -> None:
        """Removes the handler, and gives the root logger its level back; may be called twice."""
        if self._handler is not None:
            logging.getLogger().removeHandler(self._handler)
            logging.getLogger().setLevel(self._level_before)
            with contextlib.suppress(OSError):  # a full disk cannot take the last bytes
                self._handler.close()
            self._handler = None
