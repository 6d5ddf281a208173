"""Decides when players are reminded of what they have not done: seldom, and less and less often."""

from __future__ import annotations

FIRST_S = 20.0
"""Seconds without anything new after which the request is repeated."""
MAX_DOUBLINGS = 5
"""Greatest number of times that the wait doubles between reminders, so that nobody is nagged for hours."""


class Reminders:
    """Measures the time since the last announcement. Pure: the time is passed in."""

    def __init__(self) -> None:
        self._since_s: float | None = None
        self._given = 0

    def said(self) -> None:
        """Restarts the wait because something new was said."""
        self._since_s, self._given = None, 0

    def is_due(self, now_s: float) -> bool:
        """Whether to remind now; each call that returns True counts as a reminder given."""
        if self._since_s is None:
            self._since_s = now_s
        wait_s: float = FIRST_S * 2.0 ** min(self._given, MAX_DOUBLINGS)
        if now_s - self._since_s < wait_s:
            return False
        self._since_s, self._given = now_s, self._given + 1
        return True
