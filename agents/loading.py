"""Brings search kernels into the process: compiling one takes seconds, so that others need not wait for it to end."""

from __future__ import annotations

import sys
import threading
import time

from agents import kernels

PATIENCE_S = 5.0
"""How long a worker's agent waits for its kernel before it answers without."""
LOOK_S = 0.01
"""How often a waiting agent looks whether it is told to stop."""

_lock = threading.Lock()
_threads: dict[str, threading.Thread] = {}
_patience_s: float | None = None


def answer_within(patience_s: float | None) -> None:
    """Sets for the whole process how long agents wait for a kernel; None, as it begins, is until it is there."""
    global _patience_s
    _patience_s = patience_s


def is_ready(name: str) -> bool:
    """Whether the game's kernel can be used at once. Never waits for another thread's import, as `import` would."""
    module = sys.modules.get(f"agents.kernels.{name}")
    return module is not None and hasattr(module, "SEARCH") and not _is_importing(module)


def _is_importing(module: object) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def begin(name: str) -> threading.Thread:
    """The thread that loads the game's kernel, or did; started once."""
    with _lock:
        if name not in _threads:
            _threads[name] = threading.Thread(target=_load, args=(name,), name=f"load {name}", daemon=True)
            _threads[name].start()
        return _threads[name]


def _load(name: str) -> None:
    """What fails here fails again, with its reason, where the kernel is used."""
    try:
        kernels.load(name)
    except Exception:  # noqa: BLE001 - the top of the thread
        return


def wait(name: str, stop: threading.Event) -> None:
    """Returns when the game's kernel is there, if it has one, when patience has ended, or when somebody says stop."""
    if name not in kernels.names() or is_ready(name):
        return
    end_s = None if _patience_s is None else time.monotonic() + _patience_s
    thread = begin(name)
    while thread.is_alive() and not stop.is_set() and (end_s is None or time.monotonic() < end_s):
        thread.join(LOOK_S)


def is_pending(name: str) -> bool:
    """Whether the game's kernel is still being loaded."""
    with _lock:
        return name in _threads and _threads[name].is_alive()


def is_busy() -> bool:
    """Whether any kernel is still being loaded."""
    with _lock:
        return any(thread.is_alive() for thread in _threads.values())
