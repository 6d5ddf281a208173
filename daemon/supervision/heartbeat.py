"""Signs of life of the daemon's loop: written by the loop, read by the thread that watches it."""

from __future__ import annotations

import collections
import statistics
import time
from collections.abc import Callable

from daemon.i18n.translation import worded

REMEMBERED = 60
"""Frames over which rate and cost are told."""
BEGINNING = 6.0
"""Patience with a first frame: on a small computer the network is loaded and the board searched for in it."""
SLOW_S = 0.5
"""A frame that is worked on for longer, usually, is judged too late."""


class Heartbeat:
    """When the loop last went round, and what its frames cost. Times are those of `clock`, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.frames = 0
        """Frames that went all the way through."""
        self.step = "starting"
        """What the loop does now, in words."""
        self._turn_s, self._patience = clock(), BEGINNING
        self._frame_s: float | None = None
        self._ends_s: collections.deque[float] = collections.deque(maxlen=REMEMBERED)
        self._costs_s: collections.deque[float] = collections.deque(maxlen=REMEMBERED)
        self._ages_s: collections.deque[float] = collections.deque(maxlen=REMEMBERED)

    def begin(self, step: str, patience: float = 1.0) -> None:
        """The loop begins its next step; each must be over within the deadline, or `patience` times that."""
        self.step, self._turn_s, self._patience = step, self.clock(), patience

    def forgive(self, seconds: float) -> None:
        """So long nothing of this process ran at all: that is not charged to the present step."""
        self._turn_s = min(self.clock(), self._turn_s + seconds)

    def is_over(self, limit_s: float) -> bool:
        """Whether the present step takes longer than a limit for ordinary steps, or as many times that as it may."""
        return self.busy_s > limit_s * self._patience

    def frame_done(self, age_s: float) -> None:
        """The step was a frame, and it is through; `age_s` is how old the picture was when the step began."""
        now_s = self.clock()
        self._costs_s.append(now_s - self._turn_s)
        self._ends_s.append(now_s)
        self._ages_s.append(max(0.0, age_s))
        self._frame_s = now_s
        self.frames += 1

    @property
    def busy_s(self) -> float:
        """Seconds since the present step began."""
        return self.clock() - self._turn_s

    @property
    def frame_age_s(self) -> float | None:
        """Seconds since a frame went through; None before the first."""
        return None if self._frame_s is None else self.clock() - self._frame_s

    @property
    def rate_hz(self) -> float:
        """Frames a second, over the last minute at most; 0 where fewer than two came."""
        ends_s = [end_s for end_s in tuple(self._ends_s) if self.clock() - end_s <= 60]
        return (len(ends_s) - 1) / (ends_s[-1] - ends_s[0]) if len(ends_s) > 1 and ends_s[-1] > ends_s[0] else 0.0

    @property
    def cost_s(self) -> float:
        """Median seconds of work a frame; 0 before the first."""
        return statistics.median(tuple(self._costs_s) or (0.0,))

    @property
    def late_s(self) -> float:
        """Median age of a picture when its verdict is there: how old it was taken up, and the work on it."""
        return statistics.median(tuple(self._ages_s) or (0.0,)) + self.cost_s

    def status(self, stuck_s: float) -> dict[str, object]:
        """`ok`, `text` and figures for the health page; a step of more than `stuck_s` is no sign of life."""
        figures = {"frames": self.frames, "rate_hz": round(self.rate_hz, 2), "frame_s": round(self.cost_s, 4)}
        if self.is_over(stuck_s):
            return {
                "ok": False,
                "text": worded("stuck for {seconds} s ({step})", seconds=round(self.busy_s), step=self.step),
                **figures,
            }
        if self.frames >= REMEMBERED and self.late_s > SLOW_S:
            text = worded(
                "too slow: a picture is judged {late} s after it was taken; end other programs",
                late=f"{self.late_s:.1f}",
            )
            return {"ok": False, "text": text, **figures}
        return {"ok": True, "text": worded("{rate} frames a second", rate=f"{self.rate_hz:.1f}"), **figures}
