"""Waits for what other threads and processes do."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE_S = 60.0
"""Seconds after which it is taken for a failure: generous, because a busy computer may be slow."""


def wait_for(condition: Callable[[], T]) -> T:
    """Waits until the condition gives something true, and returns it."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < deadline_s, "it never happened"
        time.sleep(0.01)
    return found
