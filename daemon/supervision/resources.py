"""What the process uses of the computer: memory, descriptors, CPU time and disk; to watch growth over weeks.

Pictures are freed in another order than they are made, often by another thread, and leave holes that glibc keeps: a
third of the daemon's memory half a minute after its start. Here it is told to give them back.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

from daemon.words.translation import worded
from system import paths
from wording import Decimal

LOOK_S = 10.0
"""Seconds between two looks at the disk."""
M_ARENA_MAX = -8
"""`mallopt(3)`: the greatest number of heaps."""
RETURN_S = 10.0
"""Seconds between two returns of free memory: each takes 1 to 5 ms, and the next pictures take some of it again."""
PROC = Path("/proc/self")


def share_one_heap() -> None:
    """Lets all threads take memory from one heap; call it before the first of them begins.

    By default each has a heap of its own, and cannot use what the others have freed in theirs.
    """
    with contextlib.suppress(OSError, AttributeError):  # other C libraries than glibc have neither heaps nor holes
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def return_free_memory() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def process_figures(proc: Path = PROC) -> dict[str, float]:
    """Metrics by their Prometheus name without `kibitzer_`; those this system does not provide are left out."""
    figures: dict[str, float] = {"threads": float(threading.active_count())}
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = int((proc / "statm").read_text(encoding="ascii").split()[1])
        figures["memory_bytes"] = float(pages * resource.getpagesize())
    with contextlib.suppress(OSError):
        figures["open_descriptors"] = float(len(os.listdir(proc / "fd")) - 1)  # noqa: PTH208 - no paths are needed
    spent = resource.getrusage(resource.RUSAGE_SELF)
    figures["cpu_seconds_total"] = spent.ru_utime + spent.ru_stime
    return figures


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
        is_doubted: Callable[[], bool] = lambda: False,
    ) -> None:
        """Only while `is_doubted` it is tried whether the disk can be written: that wears it out."""
        self.least_mb = free_mb
        self._folder, self._clock, self._measure, self._is_doubted = folder, clock, free_bytes, is_doubted
        self._looked_s = float("-inf")
        self._free: int | None = None
        self._is_read_only = False

    @property
    def free_bytes(self) -> int | None:
        if self._clock() - self._looked_s >= LOOK_S:
            self._looked_s = self._clock()
            try:
                self._free = self._measure(self._folder)
                self._is_read_only = self._is_doubted() and paths.is_read_only(self._folder)
            except OSError:
                self._free = None
        return self._free

    def status(self) -> dict[str, object]:
        free = self.free_bytes
        if free is None:
            text = worded("The folder {name} is gone. Put it back.", name=str(self._folder))
            return {"ok": False, "text": text, "free_mb": None}
        free_mb, number = free // 1_000_000, Decimal(gigabytes(free))
        if self._is_read_only:
            text = worded("The disk with {name} takes no more writing. Please check it.", name=str(self._folder))
            return {"ok": False, "text": text, "free_mb": free_mb}
        if free_mb < self.least_mb:
            text = worded("The disk is almost full: {number} GB left. Please make room.", number=number)
            return {"ok": False, "text": text, "free_mb": free_mb}
        return {"ok": True, "text": worded("{number} GB free", number=number), "free_mb": free_mb}
