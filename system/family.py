"""Everything that a process has started, found by a mark in the environment that its children inherit.

The guard runs this file as a program: `family.py MARK SECONDS` ends all that the process with that mark has started.
It uses the standard library only, and little of it, to start fast.
"""

import contextlib
import os
import signal
import sys
import time

VARIABLE = "KIBITZER_FAMILY"
"""The mark of a process: the starters' names from the first on, separated by slashes, each with the number it gave."""
GRACE_S = 10.0
"""Seconds that orphans have to end by themselves: a table's daemon closes its services meanwhile."""
KILL_S = 2.0
"""Seconds, longest wait for killed processes to vanish: one that is stuck in a driver may never do so."""
LOOK_S = 0.01


def mark_of(pid: int) -> str:
    """A running process's mark; empty if it has none, is gone, or belongs to somebody else."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as environment:  # noqa: PTH123 - no pathlib here
        for entry in environment.read().split(b"\0"):
            if entry.startswith(VARIABLE.encode() + b"="):
                return entry.partition(b"=")[2].decode(errors="replace")
    return ""


def _session_of(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def is_gone(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:  # noqa: PTH123 - no pathlib here
            return stat.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return True


def members(prefixes: tuple[str, ...], session: int = 0) -> list[int]:
    """Running processes whose mark is one of the prefixes or begins with one and a slash, or that are in the session.

    A prefix that ends with a dot stands for every number.
    """
    begins = tuple(prefix if prefix.endswith(".") else f"{prefix}/" for prefix in prefixes)
    return [
        pid
        for pid in (int(name) for name in os.listdir("/proc") if name.isdecimal())  # noqa: PTH208 - no pathlib here
        if pid != os.getpid()
        and ((mark := mark_of(pid)) in prefixes or mark.startswith(begins) or (session and _session_of(pid) == session))
        and not is_gone(pid)
    ]


def processor_s(prefix: str) -> float:
    """Seconds of processor time that those with the mark have used, with their children that have ended."""
    ticks = 0
    for pid in members((prefix,)):
        with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/stat", "rb") as stat:  # noqa: PTH123 - as above
            ticks += sum(map(int, stat.read().rpartition(b")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def kill(prefix: str, session: int = 0) -> None:
    """Kills them all, also those that they start meanwhile; waits until they are gone, KILL_S at most."""
    deadline_s = time.monotonic() + KILL_S
    while (found := members((prefix,), session)) and time.monotonic() < deadline_s:
        send(found, signal.SIGKILL)
        time.sleep(LOOK_S)


def end_orphans(mark: str, grace_s: float) -> None:
    """Ends everything that the process with the mark, now gone, has started: politely, after `grace_s` by force."""
    deadline_s = time.monotonic() + grace_s
    children = [pid for pid in members((f"{mark}.",)) if "/" not in mark_of(pid).removeprefix(mark)]
    send(children, signal.SIGTERM)
    while members((f"{mark}.",)) and time.monotonic() < deadline_s:
        time.sleep(5 * LOOK_S)
    kill(f"{mark}.")


if __name__ == "__main__":
    end_orphans(sys.argv[1], float(sys.argv[2]))
