"""Free disk space for the record."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from daemon.i18n.translation import worded

LOOK_S = 10.0


def gigabytes(size: int) -> str:
    """A size in bytes as people write it, in gigabytes with two or three digits."""
    return f"{size / 1e9:.2g}" if size < 10e9 else f"{size / 1e9:.0f}"


class DiskWatch:
    def __init__(
        self,
        folder: Path,
        free_mb: int,
        clock: Callable[[], float] = time.monotonic,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self.least_mb = free_mb
        self._folder, self._clock, self._measure = folder, clock, free_bytes
        self._looked_s = float("-inf")
        self._free: int | None = None

    @property
    def free_bytes(self) -> int | None:
        """Free bytes; None if the folder does not exist."""
        if self._clock() - self._looked_s >= LOOK_S:
            self._looked_s = self._clock()
            try:
                self._free = self._measure(self._folder)
            except OSError:
                self._free = None
        return self._free

    def status(self) -> dict[str, object]:
        free = self.free_bytes
        if free is None:
            text = worded("The folder {name} is gone. Put it back.", name=str(self._folder))
            return {"ok": False, "text": text, "free_mb": None}
        free_mb = free // 1_000_000
        if free_mb < self.least_mb:
            text = worded("The disk is almost full: {number} GB left. Please make room.", number=gigabytes(free))
            return {"ok": False, "text": text, "free_mb": free_mb}
        return {"ok": True, "text": worded("{number} GB free", number=gigabytes(free)), "free_mb": free_mb}
