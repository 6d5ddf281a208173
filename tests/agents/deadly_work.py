"""Work for `tests.agents.test_jobs`, in a module of its own, which workers import."""

from __future__ import annotations

import os
import signal
import threading
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
