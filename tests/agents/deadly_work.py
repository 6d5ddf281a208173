"""Work for `tests.agents.test_jobs`, in a module of its own, which workers import."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Collection
from pathlib import Path

from agents.arena.play import Played, Use


def play_or_die(number: int, _stop: threading.Event | None, deadly: Collection[int], graves: Path) -> Played:
    """The result of a game, without playing it; the first try of a deadly one kills its process."""
    grave = graves / str(number)
    if number in deadly and not grave.exists():
        grave.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Played(str(number), number % 2, "two_men_left", number, None, None, (Use(), Use(number)), None, "d2 f4")


def die(number: int, _stop: threading.Event | None, graves: Path) -> None:
    (graves / f"{number}-{os.getpid()}").touch()
    os.kill(os.getpid(), signal.SIGKILL)


KEPT: list[bytes] = []
GROWTH = 320 << 20
"""Bytes by which a process may not grow after its first call: 300 MB for loky, which looks once a second."""


def grow(_number: int, _stop: threading.Event | None) -> int:
    """The number of the process, which keeps what it needed for its first job, as it would libraries and tables."""
    if not KEPT:
        KEPT.append(b"1" * GROWTH)
        time.sleep(1.2)
    return os.getpid()
