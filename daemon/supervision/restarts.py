"""Restarts what has died: at once the first time, then with growing pauses, at most five times a minute."""

from __future__ import annotations

import collections
import logging
import time
from collections.abc import Callable, Sequence

LOGGER = logging.getLogger(__name__)
MAX_RESTARTS = 5
"""Most starts within any `WINDOW_S`, including the first."""
WINDOW_S = 60.0
PAUSES_S = (0.0, 0.0, 1.0, 3.0, 8.0)
"""Seconds, least time between starts, by the number of starts within the window; the last one repeats."""


class RestartLimit:
    def __init__(self, most: int = MAX_RESTARTS, window_s: float = WINDOW_S) -> None:
        self._most, self._window_s = most, window_s
        self._starts: collections.deque[float] = collections.deque(maxlen=most)

    def wait_s(self, now_s: float) -> float:
        recent = [start_s for start_s in self._starts if now_s - start_s < self._window_s]
        if not recent:
            return 0.0
        pause_s = PAUSES_S[min(len(recent), len(PAUSES_S) - 1)]
        free_s = recent[0] + self._window_s if len(recent) == self._most else now_s
        return max(0.0, free_s - now_s, recent[-1] + pause_s - now_s)

    def started(self, now_s: float) -> None:
        self._starts.append(now_s)


class Pauses:
    """Growing pauses in seconds between attempts; the last one repeats."""

    def __init__(self, pauses_s: Sequence[float]) -> None:
        self._pauses_s = pauses_s
        self.reset()

    def reset(self) -> None:
        self._count, self.due_s = 0, float("-inf")

    def begin(self, now_s: float) -> None:
        self.due_s = now_s + self._pauses_s[min(self._count, len(self._pauses_s) - 1)]
        self._count += 1


class Reopener:
    def __init__(
        self,
        name: str,
        fault: Callable[[], str],
        renew: Callable[[], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`fault` returns why the service must be reopened, empty if it need not be; `renew` reopens it or raises."""
        self.restarts = 0
        self.trouble = ""
        """Why it could not be reopened; empty if it was, or need not be."""
        self._name, self._fault, self._renew = name, fault, renew
        self._limit, self._clock = RestartLimit(), clock

    def look(self) -> None:
        why = self._fault()
        if not why:
            self.trouble = ""
            return
        now_s = self._clock()
        if self._limit.wait_s(now_s) > 0:
            self.trouble = self.trouble or why
            return
        self._limit.started(now_s)
        self.restarts += 1
        LOGGER.warning("%s: %s; it is opened again", self._name, why)
        try:
            self._renew()
        except (RuntimeError, OSError, ValueError) as error:
            self.trouble = str(error)
            LOGGER.warning("%s: it cannot be opened again: %s", self._name, error)
        else:
            self.trouble = ""
