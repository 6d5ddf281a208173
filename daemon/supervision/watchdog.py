"""The thread that watches the daemon's loop, tells systemd, and ends a loop that does not come back.

A loop that hangs cannot report itself. After `stuck_s` within one step this thread says so, by voice, page and log with
where every thread stands; after `end_s` it ends the process with `STUCK_STATUS`, so that whoever started it starts it
again: all that was announced is on the disk. Code that hangs holding Python's lock stops this thread too; then no more
signs of life reach systemd, whose watchdog ends the process, and a timer in C does so where there is no systemd.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Protocol

from daemon.i18n.translation import worded
from daemon.supervision.heartbeat import Heartbeat
from daemon.supervision.notify import Notifier

LOGGER = logging.getLogger(__name__)
STUCK_STATUS = 70
"""Exit status of a daemon that ended itself because its loop hung (sysexits.h: an internal error)."""
LOOK_S = 0.5
STOPPED_S = 10 * LOOK_S
"""A look that comes so late was kept from coming by what kept the loop from going round, too."""
LAST_WORDS_S = 3.0
"""Time for the voice to say that the daemon ends."""
LOCKED_S = 30.0
"""Beyond `end_s` the timer in C ends a process whose Python does not run any more at all."""
REARM_S = 5.0


class Watched(Protocol):
    """What the watchdog sees of the daemon, from its own thread."""

    def say(self, text: str, *, urgent: bool = False, code: str = "trouble") -> None:
        """Speaks and shows a sentence."""

    def report_stuck(self, text: str) -> None:
        """Shows on the health page that the loop hangs: the loop cannot."""

    def has_spoken(self, timeout_s: float) -> bool:
        """Waits until all was said."""


@dataclasses.dataclass(frozen=True)
class Signs:
    """How the parts are, as the loop saw them last."""

    capture: bool
    """Whether capture answers: with pictures, or by knowing that the camera is away and trying again."""
    bus: bool
    settled: bool
    """Whether the start is over: a frame went through, or it is clear that no camera is there."""
    text: str
    """How the daemon is, in a line."""


class Watchdog:
    """Watches a `Heartbeat`. `look` is one look, for tests too; `start` looks from a thread until `close`."""

    def __init__(
        self,
        heartbeat: Heartbeat,
        watched: Watched,
        signs: Callable[[], Signs],
        notifier: Notifier,
        *,
        stuck_s: float,
        end_s: float,
        end: Callable[[int], None] = os._exit,
    ) -> None:
        """`end_s` 0 never ends the process. `signs` is called from the watchdog's thread and must not wait."""
        self._heartbeat, self._watched, self._signs, self._notifier = heartbeat, watched, signs, notifier
        self.stuck_s, self.end_s = stuck_s, end_s
        self._end = end
        self._told = self._ready = self._armed = False
        self._alive_s = self._armed_s = float("-inf")
        self._looked_s = heartbeat.clock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begins to look."""
        self._armed = True
        self._thread = threading.Thread(target=self._serve, name="watchdog", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Tells systemd that the daemon ends, and looks no more; may be called twice."""
        if not self._stop.is_set():
            self._notifier.stopping()
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2 * LOOK_S + LAST_WORDS_S)
        if self._armed:
            faulthandler.cancel_dump_traceback_later()
            self._armed = False

    def look(self) -> None:
        """Judges the loop once, and tells systemd how it is."""
        now_s = self._heartbeat.clock()
        if now_s - self._looked_s > STOPPED_S:
            # This thread did not run either: the whole process was stopped, or the computer overwhelmed.
            self._heartbeat.forgive(now_s - self._looked_s)
        self._looked_s = now_s
        stuck = self._heartbeat.is_over(self.stuck_s)
        if stuck:
            self._hangs(self._heartbeat.busy_s)
        elif self._told:
            self._told = False
            LOGGER.warning("the loop goes round again")
            self._watched.say(worded("I am back."))
        self._tell_systemd(fresh=not stuck)

    def _hangs(self, busy_s: float) -> None:
        text = f"stuck for {busy_s:.0f} s ({self._heartbeat.step})"
        self._watched.report_stuck(text)
        if not self._told:
            self._told = True
            LOGGER.error("the loop is %s; all threads stand here:\n%s", text, _stacks())
            self._watched.say(worded("I am stuck. Please wait; nothing recorded is lost."), urgent=True)
        if self.end_s and self._heartbeat.is_over(self.end_s):
            LOGGER.critical("the loop is %s; ending with status %d", text, STUCK_STATUS)
            self._watched.say(worded("I must start again. Nothing recorded is lost."), urgent=True)
            self._watched.has_spoken(LAST_WORDS_S)
            self._end(STUCK_STATUS)

    def _tell_systemd(self, *, fresh: bool) -> None:
        signs = self._signs()
        now_s = self._heartbeat.clock()
        if not self._ready and signs.settled:
            self._ready = True
            self._notifier.ready(signs.text)
        self._notifier.status(signs.text if fresh else f"stuck: {self._heartbeat.step}")
        wanted_s = self._notifier.watchdog_s
        # A third of the interval: one sign that is late does no harm.
        if wanted_s is not None and now_s - self._alive_s >= wanted_s / 3 and fresh and signs.capture and signs.bus:
            self._alive_s = now_s
            self._notifier.alive()

    def _rearm(self) -> None:
        """Winds up the timer in C again, as long as this thread runs."""
        now_s = self._heartbeat.clock()
        if self.end_s and now_s - self._armed_s >= REARM_S:
            self._armed_s = now_s
            faulthandler.dump_traceback_later(self.end_s + LOCKED_S, exit=True)

    def _serve(self) -> None:
        """The thread."""
        try:
            while not self._stop.wait(LOOK_S):
                self._rearm()
                self.look()
        except Exception:
            LOGGER.exception("nobody watches over the loop any more")


def _stacks() -> str:
    """Where every thread stands, innermost call last."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        f"{names.get(number, number)}:\n{''.join(traceback.format_stack(frame)[-8:])}"
        for number, frame in sys._current_frames().items()
    )
