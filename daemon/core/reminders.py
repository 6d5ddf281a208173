"""When players are reminded of what they have not done: seldom, and less and less often."""

from __future__ import annotations

FIRST_S = 20.0
"""After so long without anything new the request is repeated."""
MAX_DOUBLINGS = 5
"""Each time the wait doubles, so often at most: nobody nags for hours."""


class Reminders:
    """Counts the time since something was said last. Pure: the time is handed in."""

    def __init__(self) -> None:
        self._since_s: float | None = None
        self._given = 0

    def said(self) -> None:
        """Something new was said: the wait begins anew."""
        self._since_s, self._given = None, 0

    def is_due(self, now_s: float) -> bool:
        """Whether to remind now; each call that says so counts as a reminder given."""
        if self._since_s is None:
            self._since_s = now_s
        wait_s: float = FIRST_S * 2.0 ** min(self._given, MAX_DOUBLINGS)
        if now_s - self._since_s < wait_s:
            return False
        self._since_s, self._given = now_s, self._given + 1
        return True
