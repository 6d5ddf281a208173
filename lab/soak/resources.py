"""Resources this process holds: memory, descriptors, threads, temporary files."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path

from lab.soak.tally import Sample


def sample(time_s: float, plies: int) -> Sample:
    """Measures the process now; Linux only: elsewhere unknown values are 0."""
    return Sample(
        time_s=round(time_s, 1),
        plies=plies,
        memory_mb=round(_memory_mb(), 2),
        descriptors=_count(Path("/proc/self/fd")),
        threads=threading.active_count(),
        temporary_files=_count(Path(tempfile.gettempdir())),
    )


def _memory_mb() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _count(folder: Path) -> int:
    try:
        return sum(1 for _ in folder.iterdir())
    except OSError:
        return 0
