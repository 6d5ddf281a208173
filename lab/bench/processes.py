"""Running processes, from Linux' /proc: their costs, and those of a daemon by role, which a bench may kill."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
from pathlib import Path

from pydantic import BaseModel

PROC = Path("/proc")
ROLES = (
    ("--config", "table"),
    ("agents.worker", "worker"),
    ("speech_process.py", "voice"),
    ("aplay", "player"),
    ("daemon.page.window_process", "window"),
    ("daemon.cli", "coach"),
    ("agents.tables_cli", "builder"),
    ("family.py", "guard"),
)
"""A word of the command line, and the role of a process with it; the first match counts."""


@dataclasses.dataclass(frozen=True)
class Process:
    pid: int
    role: str
    """`daemon` is the process that was started; one that matches no role is `other`."""
    words: tuple[str, ...]
    """Its command line."""


def family(pid: int) -> list[Process]:
    """A daemon and all its descendants, the daemon first; empty once it is gone."""
    parents = _parents()
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop(0)
        waiting += sorted(child for child, parent in parents.items() if parent == one)
        if words := _words(one):
            found.append(Process(one, "daemon" if one == pid else role_of(words), words))
    return found


def role_of(words: tuple[str, ...]) -> str:
    return next((role for name, role in ROLES if any(name in word for word in words)), "other")


def kill(process: Process) -> bool:
    """Kills it with SIGKILL; False if it has already ended by itself."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
        return True
    return False


def is_alive(process: Process) -> bool:
    """Whether it still runs, and its number was not given to another process."""
    return _words(process.pid) == process.words


def _parents() -> dict[int, int]:
    parents = {}
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    return parents


def _words(pid: int) -> tuple[str, ...]:
    """A process's command line; empty for one that is gone or a zombie."""
    with contextlib.suppress(OSError):
        words = (PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
        return tuple(filter(None, words))
    return ()


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
    return [one.pid for one in family(process)[1:]]


def _kilobytes(path: Path) -> dict[str, int]:
    pairs = (line.partition(":") for line in path.read_text().splitlines())
    return {name: int(rest.split()[0]) for name, _, rest in pairs if rest.strip().endswith("kB")}


def _megabytes(kilobytes: int) -> float:
    return round(kilobytes * 1024 / 1e6, 1)
