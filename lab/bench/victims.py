"""The processes of a running daemon by role: those that a bench may kill."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
from pathlib import Path

PROC = Path("/proc")
ROLES = (
    ("--config", "table"),
    ("agents.worker", "worker"),
    ("speech_process.py", "voice"),
    ("aplay", "player"),
    ("daemon.outputs.window_process", "window"),
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
