"""Reads a camera or stream in its own thread and reopens it with back-off whenever it breaks or hangs.

A driver that hangs within a read cannot be stopped from outside. Its thread is abandoned, anything it delivers later is
dropped, and another thread opens the camera again. At most `MAX_ABANDONED` threads hang at a time: beyond that the
source reports that it hangs, and only ending the process helps.
"""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from collections.abc import Callable, Generator

from vision.frame import Frame, Image, SourceEnded
from vision.sources.delivery import Delivery
from vision.sources.encoded import EncodedFrame, Picture
from wording.outside import clean, without_secrets

log = logging.getLogger(__name__)

FIRST_WAIT_S = 0.25
MAX_WAIT_S = 2.0
HANG_S = 15.0
"""Seconds within which each step of a connection ends unless the driver hangs: V4L2 gives up a read after 10 s."""
NETWORK_HANG_S = 90.0
"""Seconds, the same for an address: looking up a name may take half a minute before its own deadlines start."""
STALL_S = 5.0
"""Seconds of silence after which a connection to an address counts as dead."""
MAX_ABANDONED = 3
FLAPPING = 5
"""Connections that deliver and break within `FLAPPING_S`, after which the next attempt waits `FLAPPED_WAIT_S`."""
FLAPPING_S = 60.0
FLAPPED_WAIT_S = 10.0

Connection = Generator[Image | Picture, None, None]
"""Opens a camera, yields its pictures, decoded or not, and closes it.

Any exception, or its end, means that the camera is gone. No step of it may take longer than a few seconds.
"""


@dataclasses.dataclass(eq=False)
class Life:
    beat_s: float
    """Time of its last progress."""
    waiting: bool = False
    """Whether it is waiting before the next attempt, and so cannot hang."""
    thread: threading.Thread | None = None


class LiveSource:
    """The newest picture of a camera or stream; survives unplugged cables, restarted servers and hanging drivers."""

    live = True

    def __init__(
        self,
        name: str,
        connect: Callable[[], Connection],
        give_up_s: float | None = None,
        delivery: Delivery | None = None,
        clock: Callable[[], float] = time.monotonic,
        hang_s: float = HANG_S,
    ) -> None:
        """A step of a connection that takes longer than `hang_s`, by `clock`, counts as hanging.

        Frames carry the monotonic time, whatever `clock` returns.
        """
        self.dropped = 0
        """Number of pictures replaced by a newer one before anybody read them."""
        self.reconnects = 0
        """Number of times the camera was opened again."""
        self.trouble = ""
        """Why the camera last failed; empty while it delivers."""
        self.delivery = delivery or Delivery(name)
        """Measurements of the pictures since the source was last opened."""
        self._name = name
        self._connect = connect
        self._give_up_s = give_up_s
        self._clock = clock
        self._hang_s = hang_s
        self._news = threading.Condition()
        self._frame: Frame | None = None
        self._index = 0
        self._closing = threading.Event()
        self._last_s = time.monotonic()
        self._breaks_s: list[float] = []
        self._abandoned: list[Life] = []
        self._life = self._begin_life()

    def read(self, timeout_s: float) -> Frame | None:
        """The newest unread frame; None where none came in time.

        Raises SourceEnded after `give_up_s` without a frame, and once closed.
        """
        with self._news:
            self._news.wait_for(lambda: self._frame is not None or self._closing.is_set(), timeout_s)
            frame, self._frame = self._frame, None
        if frame is None and (self._closing.is_set() or self._given_up()):
            raise SourceEnded
        if frame is None:
            self._watch_for_hang()
        return frame

    @property
    def abandoned(self) -> int:
        """Number of threads that hang in the driver and were abandoned."""
        self._abandoned = [life for life in self._abandoned if life.thread is not None and life.thread.is_alive()]
        return len(self._abandoned)

    @property
    def hangs(self) -> bool:
        """Whether the driver hangs and no further thread may be abandoned: only a new process can help."""
        return self._silent() and self.abandoned >= MAX_ABANDONED

    def close(self) -> None:
        """Stops the thread, which ends with its current step, a few seconds later at most."""
        self._closing.set()
        with self._news:
            self._news.notify_all()
        if self._life.thread is not None:
            self._life.thread.join(timeout=1.0)

    def _begin_life(self) -> Life:
        life = Life(self._clock())
        life.thread = threading.Thread(target=self._run, args=(life,), name=f"camera {self._name}", daemon=True)
        self._life = life
        life.thread.start()
        return life

    def _silent(self) -> bool:
        life = self._life
        return not life.waiting and self._clock() - life.beat_s > self._hang_s

    def _watch_for_hang(self) -> None:
        """Abandons a thread that hangs in the driver and starts another, up to the limit."""
        if not self._silent() or self._closing.is_set() or self.abandoned >= MAX_ABANDONED:
            return
        with self._news:
            self._abandoned.append(self._life)
            self.trouble = "its driver hangs"
            self.reconnects += 1
            self._begin_life()
        log.error("%s: its driver has hung for %.0f s; it is opened again by another thread", self._name, self._hang_s)

    def _given_up(self) -> bool:
        return self._give_up_s is not None and time.monotonic() - self._last_s > self._give_up_s

    def _unwanted(self, life: Life) -> bool:
        return self._closing.is_set() or life is not self._life

    def _run(self, life: Life) -> None:
        wait_s = FIRST_WAIT_S
        while not self._unwanted(life) and not self._given_up():
            before = self._index
            try:
                self._pump(life)
                reason = "it ended"
            except Exception as error:  # noqa: BLE001 - whatever a camera does, the next attempt may work
                reason = clean(without_secrets(str(error))) or type(error).__name__
            if self._unwanted(life):
                return
            delivered = self._index > before
            wait_s = self._wait_after_break_s() if delivered else min(2 * wait_s, MAX_WAIT_S)
            self.trouble = reason
            log.warning("%s: no picture (%s); trying again in %.1f s", self._name, reason, wait_s)
            life.waiting = True
            closing = self._closing.wait(wait_s)
            life.beat_s, life.waiting = self._clock(), False
            if not closing:
                self.reconnects += 1

    def _wait_after_break_s(self) -> float:
        """Seconds to wait after a connection that had delivered; longer where it breaks repeatedly."""
        now_s = time.monotonic()
        self._breaks_s = [*(one_s for one_s in self._breaks_s if now_s - one_s < FLAPPING_S), now_s]
        if len(self._breaks_s) < FLAPPING:
            return FIRST_WAIT_S
        self._breaks_s.clear()
        return FLAPPED_WAIT_S

    def _pump(self, life: Life) -> None:
        self.delivery.opened()
        connection = self._connect()
        try:
            for picture in connection:
                if self._unwanted(life):
                    return
                life.beat_s = self._clock()
                self._offer(picture, life)
        finally:
            connection.close()

    def _offer(self, picture: Image | Picture, life: Life) -> None:
        now_s = time.monotonic()
        frame: Frame
        if isinstance(picture, Picture):
            frame, size_px = EncodedFrame(picture, now_s, self._index), picture.size_px
        else:
            frame, size_px = Frame(picture, now_s, self._index), (picture.shape[1], picture.shape[0])
        self.delivery.count(now_s, size_px)
        with self._news:
            if life is not self._life:
                return
            self.dropped += self._frame is not None
            self._last_s, self._frame = now_s, frame
            self._index += 1
            self.trouble = ""
            self._news.notify()
