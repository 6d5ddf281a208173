"""Compiles the searches of games before anybody waits for a move: `python -m agents.compile_ahead [GAME ...]`.

Each game has a process of its own, as many at a time as there are cores. Prints `DONE WHOLE` after each part. Games
without a search are left out.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import subprocess
import sys
import threading

import games
from agents import kernels
from system.processes import Process

ALONE = "--alone"
"""Compiles the one game that follows in this very process, and prints a line a part."""
END_S = 10.0
"""Seconds until a process that has said all must have ended."""


def ahead(names: tuple[str, ...]) -> bool:
    """Compiles the searches of those games; whether all could be."""
    whole, done, lock = sum(map(kernels.parts, names)), 0, threading.Lock()

    def one(name: str) -> bool:
        nonlocal done
        command = [sys.executable, "-m", "agents.compile_ahead", ALONE, name]
        compiler = Process(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        with contextlib.closing(compiler):
            for _ in compiler.stdout or ():
                with lock:
                    done = min(done + 1, whole)
                    sys.stdout.write(f"{done} {whole}\n")
                    sys.stdout.flush()
            with contextlib.suppress(subprocess.TimeoutExpired):
                compiler.wait(END_S)
        return compiler.returncode == 0

    cores = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(max_workers=cores) as pool:
        return all(list(pool.map(one, names)))


def _tell(_from_disk: bool) -> None:
    sys.stdout.write("part\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == [ALONE]:
        with kernels.told(_tell):
            kernels.load(sys.argv[2])
    else:
        named = [games.find(one).name for one in sys.argv[1:]] or kernels.names()
        sys.exit(not ahead(tuple(one for one in named if one in kernels.names())))
