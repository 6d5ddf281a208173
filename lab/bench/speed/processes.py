"""Processor time and memory of running processes, from Linux' /proc."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from pydantic import BaseModel

PROC = Path("/proc")
TICKS_HZ = os.sysconf("SC_CLK_TCK")


class Memory(BaseModel):
    """Memory of one process, in MB (10^6 bytes)."""

    command: str
    """The beginning of its command line."""
    rss_mb: float
    """Resident memory, including memory shared with other processes."""
    pss_mb: float
    """Resident memory, with shared memory divided among the processes that share it."""
    anonymous_mb: float
    """Resident memory that no file backs, shared with nobody: unlike PSS the same whatever other programs run."""
    peak_rss_mb: float


def cpu_s(process: int) -> float:
    """Seconds of processor time that a process and all its threads have used. Raises OSError."""
    fields = (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_HZ


def memory(process: int) -> Memory:
    """The memory that a process has now. Raises OSError."""
    folder = PROC / str(process)
    status, pages = _kilobytes(folder / "status"), _kilobytes(folder / "smaps_rollup")
    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    return Memory(
        command=command[-80:],
        rss_mb=_megabytes(status["VmRSS"]),
        pss_mb=_megabytes(pages["Pss"]),
        anonymous_mb=_megabytes(pages["Anonymous"]),
        peak_rss_mb=_megabytes(status["VmHWM"]),
    )


def descendants(process: int) -> list[int]:
    parents: dict[int, int] = {}
    for folder in PROC.iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError, IndexError):
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found = [process]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def _kilobytes(path: Path) -> dict[str, int]:
    pairs = (line.partition(":") for line in path.read_text().splitlines())
    return {name: int(rest.split()[0]) for name, _, rest in pairs if rest.strip().endswith("kB")}


def _megabytes(kilobytes: int) -> float:
    return round(kilobytes * 1024 / 1e6, 1)
