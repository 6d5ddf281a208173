"""Metrics of this process, mainly from /proc: memory, descriptors, threads, CPU time; to watch growth over weeks."""

from __future__ import annotations

import contextlib
import os
import resource
import threading
from pathlib import Path

PROC = Path("/proc/self")


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
