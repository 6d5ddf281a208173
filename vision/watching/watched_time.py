"""The time for which pictures prove anything: not while nobody watched, nor while a frozen camera repeats itself."""

from __future__ import annotations

from typing import Final

MAX_STEP_S: Final = 2.0
"""Seconds of stillness that one picture proves at most: while the computer slept, its clock leapt or the camera froze,
nobody watched."""


class WatchedTime:
    def __init__(self) -> None:
        self.now_s = 0.0
        """Seconds watched, up to the last picture."""
        self.lives = False
        """Whether two pictures of a still board have ever differed, as a camera's do because of noise. Photographs sent
        as a stream never do; a camera whose pictures stop differing has frozen."""
        self._last_s: float | None = None
        self._new_s = 0.0
        """When a picture last differed from the one before."""

    def after(self, time_s: float) -> float:
        """The seconds watched when the camera's clock shows `time_s`."""
        return self.now_s + (0.0 if self._last_s is None else min(time_s - self._last_s, MAX_STEP_S))

    def step(self, time_s: float, *, repeated: bool) -> None:
        """The next picture was taken at `time_s`; `repeated`: it is the last one again."""
        self.now_s, self._last_s = self.after(time_s), time_s
        if not repeated:
            self._new_s = self.now_s

    @property
    def proven_s(self) -> float:
        """Until when the pictures prove stillness."""
        return min(self.now_s, self._new_s + MAX_STEP_S) if self.lives else self.now_s

    @property
    def is_frozen(self) -> bool:
        """Whether a live camera has sent one identical picture for longer than MAX_STEP_S."""
        return self.lives and self.now_s - self._new_s > MAX_STEP_S
