"""The thread that watches the daemon's loop, reports to systemd, and ends a process whose loop hangs.

A loop that hangs cannot report itself. After `stuck_s` within one step this thread reports it, by voice, page and log
with the stacks of all threads; after `end_s` it ends the process with `STUCK_STATUS`, so that whoever started it
restarts it: everything announced is on the disk. Code that hangs while holding Python's global interpreter lock stops
this thread too; then systemd receives no more signs of life and its watchdog ends the process. A timer in C does so
without systemd.
"""

from __future__ import annotations

import collections
import dataclasses
import faulthandler
import logging
import os
import statistics
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Protocol

from daemon.supervision.notify import Notifier
from daemon.words.translation import worded
from wording import Decimal

LOGGER = logging.getLogger(__name__)
STUCK_STATUS = 70
"""Exit status of a daemon that ended itself because its loop hung (sysexits.h: an internal error)."""
LOOK_S = 0.5
STOPPED_S = 10 * LOOK_S
"""Seconds between looks that show that this thread was stopped too, by the same cause as the loop."""
LAST_WORDS_S = 3.0
LOCKED_S = 30.0
"""Seconds beyond `end_s` after which the timer in C ends a process whose Python no longer runs at all."""
REARM_S = 5.0
REMEMBERED = 60
"""Frames over which rate and cost are measured, if so many came within RECENT_S."""
RECENT_S = 3.0
"""Seconds after which players notice that nothing happens: what is too slow is told within them."""
LEAST = 3
"""Frames measured at least, however old: a median of three leaves out one in which the board was searched for."""
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
        return None if self._frame_s is None else self.clock() - self._frame_s

    @property
    def rate_hz(self) -> float:
        """Frames per second, over the last minute at most; 0 if fewer than two came."""
        ends_s = [end_s for end_s in tuple(self._ends_s) if self.clock() - end_s <= 60]
        return (len(ends_s) - 1) / (ends_s[-1] - ends_s[0]) if len(ends_s) > 1 and ends_s[-1] > ends_s[0] else 0.0

    @property
    def cost_s(self) -> float:
        """Median seconds of work per recent frame; 0 before the first."""
        return statistics.median(self._recent(self._costs_s) or (0.0,))

    @property
    def late_s(self) -> float:
        """Median age of a recent picture when its verdict is ready, in seconds: when work began, plus the work."""
        return statistics.median(self._recent(self._ages_s) or (0.0,)) + self.cost_s

    @property
    def is_late(self) -> bool:
        """Whether pictures are judged so late that the game is not followed; not before some came."""
        return self.frames > LEAST and self.late_s > SLOW_S

    def _recent(self, figures: collections.deque[float]) -> list[float]:
        ends_s, kept = list(self._ends_s), list(figures)
        count = sum(end_s > self.clock() - RECENT_S for end_s in ends_s)
        return kept[-max(LEAST, count) :]

    def status(self, stuck_s: float) -> dict[str, object]:
        figures = {"frames": self.frames, "rate_hz": round(self.rate_hz, 2), "frame_s": round(self.cost_s, 4)}
        if self.is_over(stuck_s):
            return {
                "ok": False,
                "text": worded("stuck for {seconds} s ({step})", seconds=round(self.busy_s), step=self.step),
                **figures,
            }
        if self.is_late:
            text = worded(
                "too slow: a picture is judged {late} s after it was taken; end other programs",
                late=Decimal(f"{self.late_s:.1f}"),
            )
            return {"ok": False, "text": text, **figures}
        return {"ok": True, "text": worded("{rate} frames a second", rate=Decimal(f"{self.rate_hz:.1f}")), **figures}


class Watched(Protocol):
    def say(self, text: str, *, urgent: bool = False, code: str = "trouble") -> None: ...

    def report_stuck(self, text: str) -> None:
        """Shows on the health page that the loop hangs, as the loop itself cannot."""

    def has_spoken(self, timeout_s: float) -> bool:
        """Waits until everything has been said; returns whether that happened in time."""


@dataclasses.dataclass(frozen=True)
class Liveness:
    capture: bool
    """Whether capture works: it delivers pictures, or knows that the camera is away and keeps trying."""
    bus: bool
    settled: bool
    """Whether startup is over: a frame was processed, or there is clearly no camera."""
    text: str


class Watchdog:
    """Watches a `Heartbeat`. `look` makes one check, for tests too; `start` checks from a thread until `close`."""

    def __init__(
        self,
        heartbeat: Heartbeat,
        watched: Watched,
        liveness: Callable[[], Liveness],
        notifier: Notifier,
        *,
        stuck_s: float,
        end_s: float,
        end: Callable[[int], None] = os._exit,
    ) -> None:
        """If `end_s` is 0, the process is never ended. `liveness` runs in the watchdog's thread and must not block."""
        self._heartbeat, self._watched, self._liveness, self._notifier = heartbeat, watched, liveness, notifier
        self.stuck_s, self.end_s = stuck_s, end_s
        self._end = end
        self._announced = self._ready = self._armed = False
        self._alive_s = self._armed_s = float("-inf")
        self._looked_s = heartbeat.clock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._armed = True
        self._thread = threading.Thread(target=self._serve, name="watchdog", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Tells systemd that the daemon is stopping, and ends the thread; may be called twice."""
        if not self._stop.is_set():
            self._notifier.stopping()
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2 * LOOK_S + LAST_WORDS_S)
        if self._armed:
            faulthandler.cancel_dump_traceback_later()
            self._armed = False

    def look(self) -> None:
        now_s = self._heartbeat.clock()
        if now_s - self._looked_s > STOPPED_S:
            # This thread did not run either: the whole process was stopped, or the computer was overloaded.
            self._heartbeat.forgive(now_s - self._looked_s)
        self._looked_s = now_s
        stuck = self._heartbeat.is_over(self.stuck_s)
        if stuck:
            self._hangs(self._heartbeat.busy_s)
        elif self._announced:
            self._announced = False
            LOGGER.warning("the loop goes round again")
            self._watched.say(worded("I am back."))
        self._tell_systemd(fresh=not stuck)

    def _hangs(self, busy_s: float) -> None:
        text = f"stuck for {busy_s:.0f} s ({self._heartbeat.step})"
        self._watched.report_stuck(text)
        if not self._announced:
            self._announced = True
            LOGGER.error("the loop is %s; all threads stand here:\n%s", text, _stacks())
            self._watched.say(worded("I am stuck. Please wait; nothing recorded is lost."), urgent=True)
        if self.end_s and self._heartbeat.is_over(self.end_s):
            LOGGER.critical("the loop is %s; ending with status %d", text, STUCK_STATUS)
            self._watched.say(worded("I must start again. Nothing recorded is lost."), urgent=True)
            self._watched.has_spoken(LAST_WORDS_S)
            self._end(STUCK_STATUS)

    def _tell_systemd(self, *, fresh: bool) -> None:
        liveness = self._liveness()
        now_s = self._heartbeat.clock()
        if not self._ready and liveness.settled:
            self._ready = True
            self._notifier.ready(liveness.text)
        self._notifier.status(liveness.text if fresh else f"stuck: {self._heartbeat.step}")
        wanted_s = self._notifier.watchdog_s
        # Every third of the interval: one late sign does no harm.
        if (
            wanted_s is not None
            and now_s - self._alive_s >= wanted_s / 3
            and fresh
            and liveness.capture
            and liveness.bus
        ):
            self._alive_s = now_s
            self._notifier.alive()

    def _rearm(self) -> None:
        now_s = self._heartbeat.clock()
        if self.end_s and now_s - self._armed_s >= REARM_S:
            self._armed_s = now_s
            faulthandler.dump_traceback_later(self.end_s + LOCKED_S, exit=True)

    def _serve(self) -> None:
        try:
            while not self._stop.wait(LOOK_S):
                self._rearm()
                self.look()
        except Exception:
            LOGGER.exception("nobody watches over the loop any more")


def _stacks() -> str:
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        f"{names.get(number, number)}:\n{''.join(traceback.format_stack(frame)[-8:])}"
        for number, frame in sys._current_frames().items()
    )
