"""Heartbeat of the daemon's loop: written by the loop, read by the thread that watches it."""

from __future__ import annotations

import collections
import statistics
import time
from collections.abc import Callable

from daemon.i18n.translation import worded

REMEMBERED = 60
"""Frames over which rate and cost are measured."""
BEGINNING = 6.0
"""Deadline multiplier for a first frame: a small computer loads the network and searches for the board in it."""
SLOW_S = 0.5
"""Seconds: if frames are usually judged later than this after capture, the daemon is too slow."""


class Heartbeat:
    """When the loop last iterated, and what its frames cost. Times are those of `clock`, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.frames = 0
        self.step = "starting"
        self._turn_s, self._patience = clock(), BEGINNING
        self._frame_s: float | None = None
        self._ends_s: collections.deque[float] = collections.deque(maxlen=REMEMBERED)
        self._costs_s: collections.deque[float] = collections.deque(maxlen=REMEMBERED)
        self._ages_s: collections.deque[float] = collections.deque(maxlen=REMEMBERED)

    def begin(self, step: str, patience: float = 1.0) -> None:
        """Starts the loop's next step, which must end within the deadline, or `patience` times that."""
        self.step, self._turn_s, self._patience = step, self.clock(), patience

    def forgive(self, seconds: float) -> None:
        """Excludes time in which the whole process did not run from the current step."""
        self._turn_s = min(self.clock(), self._turn_s + seconds)

    def is_over(self, limit_s: float) -> bool:
        """Whether the current step exceeds the limit for ordinary steps, multiplied by the step's patience."""
        return self.busy_s > limit_s * self._patience

    def frame_done(self, age_s: float) -> None:
        """Ends a step that processed a frame; `age_s` is the picture's age when the step began."""
        now_s = self.clock()
        self._costs_s.append(now_s - self._turn_s)
        self._ends_s.append(now_s)
        self._ages_s.append(max(0.0, age_s))
        self._frame_s = now_s
        self.frames += 1

    @property
    def busy_s(self) -> float:
        return self.clock() - self._turn_s

    @property
    def frame_age_s(self) -> float | None:
        """Seconds since a frame was processed; None before the first."""
        return None if self._frame_s is None else self.clock() - self._frame_s

    @property
    def rate_hz(self) -> float:
        """Frames per second, over the last minute at most; 0 if fewer than two came."""
        ends_s = [end_s for end_s in tuple(self._ends_s) if self.clock() - end_s <= 60]
        return (len(ends_s) - 1) / (ends_s[-1] - ends_s[0]) if len(ends_s) > 1 and ends_s[-1] > ends_s[0] else 0.0

    @property
    def cost_s(self) -> float:
        """Median seconds of work per frame; 0 before the first."""
        return statistics.median(tuple(self._costs_s) or (0.0,))

    @property
    def late_s(self) -> float:
        """Median age of a picture when its verdict is ready, in seconds: its age when work began, plus the work."""
        return statistics.median(tuple(self._ages_s) or (0.0,)) + self.cost_s

    def status(self, stuck_s: float) -> dict[str, object]:
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
