"""Restart limit for what has died: at once the first time, then with growing pauses, at most five times a minute."""

from __future__ import annotations

import collections

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
        """Seconds until the next start is allowed; 0 if it is allowed now."""
        recent = [start_s for start_s in self._starts if now_s - start_s < self._window_s]
        if not recent:
            return 0.0
        pause_s = PAUSES_S[min(len(recent), len(PAUSES_S) - 1)]
        free_s = recent[0] + self._window_s if len(recent) == self._most else now_s
        return max(0.0, free_s - now_s, recent[-1] + pause_s - now_s)

    def started(self, now_s: float) -> None:
        self._starts.append(now_s)
