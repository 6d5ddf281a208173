"""How often a process of ours may be started again before we back off."""

from __future__ import annotations

import collections

MOST = 5
"""Starts allowed within `WINDOW_S`."""
WINDOW_S = 60.0
BACK_OFF_S = 30.0


class RestartLimit:
    """Allows five starts a minute; after that none for half a minute. Times are monotonic seconds."""

    def __init__(self, most: int = MOST, window_s: float = WINDOW_S, back_off_s: float = BACK_OFF_S) -> None:
        self._most, self._window_s, self._back_off_s = most, window_s, back_off_s
        self._starts: collections.deque[float] = collections.deque()
        self._until_s = float("-inf")

    def wait_s(self, now_s: float) -> float:
        """Seconds until the next start is allowed; 0 where it is allowed now."""
        while self._starts and now_s - self._starts[0] >= self._window_s:
            self._starts.popleft()
        if len(self._starts) >= self._most:
            self._starts.clear()
            self._until_s = now_s + self._back_off_s
        return max(0.0, self._until_s - now_s)

    def started(self, now_s: float) -> None:
        """Notes a start."""
        self._starts.append(now_s)
