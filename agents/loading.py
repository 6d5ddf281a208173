"""Loads search kernels in background threads: compiling one takes seconds, and callers need not wait for it.

Where they do not, another process compiles it first: the compiler holds the interpreter's lock, and would take half of
the time in which plain Python looks for a move.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time

import games
from agents import compile_ahead, kernels
from agents.kernels import kept_code
from system import processes

PATIENCE_S = 5.0
"""Seconds that a worker's agent waits for its kernel before it answers without it, while the code is on the disk."""
LOOK_S = 0.01
COMPILED_S = 600.0
"""Seconds after which a compilation in another process hangs: the longest kernel takes half a minute of processor."""

_lock = threading.Lock()
_threads: dict[str, threading.Thread] = {}
_compiled: set[str] = set()
"""Games whose kernel was not whole on the disk: it has to be compiled, which takes long."""
_patience_s: float | None = None


def answer_within(patience_s: float | None) -> None:
    """Sets, for the whole process, how many seconds agents wait for a kernel; None, the initial value, is no limit.

    Whoever waits with a limit does not wait for a kernel that has to be compiled.
    """
    global _patience_s
    _patience_s = patience_s


def is_ready(name: str) -> bool:
    """Whether the game's kernel can be used at once. Unlike `import`, never waits for another thread's import."""
    module = sys.modules.get(games.module_name(name, "kernel"))
    importing = getattr(getattr(module, "__spec__", None), "_initializing", False)
    return hasattr(module, "SEARCH") and not importing


def begin(name: str) -> threading.Thread:
    """The thread that loads or has loaded the game's kernel; each game's thread is started once."""
    with _lock:
        if name not in _threads:
            _threads[name] = threading.Thread(target=_load, args=(name,), name=f"load {name}", daemon=True)
            _threads[name].start()
        return _threads[name]


def _load(name: str) -> None:
    """Loads the kernel. Errors are ignored here because using the kernel raises them again."""
    own = threading.current_thread()

    def tell(from_disk: bool) -> None:
        if not from_disk and threading.current_thread() is own:
            _compiled.add(name)

    try:
        if _patience_s is not None and not kernels.is_on_disk(name):
            _compiled.add(name)
            _compile_elsewhere(name)
        with kernels.told(tell):
            kernels.load(name)
    except Exception:  # noqa: BLE001 - the top of the thread
        return


def _compile_elsewhere(name: str) -> None:
    """Has another process compile the kernel; what it could not, loading compiles."""
    command = [sys.executable, "-m", "agents.compile_ahead", compile_ahead.ALONE, name]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(kept_code.cache_folder())}
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        processes.run(command, COMPILED_S, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def wait(name: str, stop: threading.Event) -> None:
    """Waits until the game's kernel, if any, is loaded, or the patience has ended, or `stop` is set."""
    if name not in kernels.names() or is_ready(name):
        return
    end_s = None if _patience_s is None else time.monotonic() + _patience_s
    thread = begin(name)
    while thread.is_alive() and not stop.is_set():
        if end_s is not None and (name in _compiled or time.monotonic() >= end_s):
            break
        thread.join(LOOK_S)


def is_pending(name: str) -> bool:
    """Whether the game's kernel is being loaded, and nobody else has loaded it meanwhile."""
    with _lock:
        return name in _threads and _threads[name].is_alive() and not is_ready(name)


def is_busy() -> bool:
    with _lock:
        return any(thread.is_alive() for thread in _threads.values())
