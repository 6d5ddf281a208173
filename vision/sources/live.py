"""A camera or stream read by its own thread, reopened with back-off whenever it breaks."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator

from vision.frame import Frame, Image, SourceEnded
from vision.sources.delivery import Delivery
from vision.sources.encoded import EncodedFrame, Picture

log = logging.getLogger(__name__)

FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 2.0

Connection = Generator[Image | Picture, None, None]
"""Opens a camera, yields its pictures, decoded or not, and closes it.

Whatever it raises, or its end, means that the camera is gone. No step of it may take longer than a few seconds.
"""


class LiveSource:
    """The newest picture of a camera or stream; it outlives unplugged cables and restarted servers."""

    live = True

    def __init__(
        self,
        name: str,
        connect: Callable[[], Connection],
        give_up_s: float | None = None,
        delivery: Delivery | None = None,
    ) -> None:
        self.dropped = 0
        """Pictures that nobody read before the next one came."""
        self.reconnects = 0
        """How often the camera was opened again."""
        self.delivery = delivery or Delivery(name)
        """What comes, as measured since it was last opened."""
        self._name = name
        self._connect = connect
        self._give_up_s = give_up_s
        self._news = threading.Condition()
        self._frame: Frame | None = None
        self._index = 0
        self._closing = threading.Event()
        self._last_s = time.monotonic()
        self._thread = threading.Thread(target=self._run, name=f"camera {name}", daemon=True)
        self._thread.start()

    def read(self, timeout_s: float) -> Frame | None:
        """The newest frame that was not read yet; None where none came in time.

        Raises SourceEnded after `give_up_s` without a frame, and once closed.
        """
        with self._news:
            self._news.wait_for(lambda: self._frame is not None or self._closing.is_set(), timeout_s)
            frame, self._frame = self._frame, None
        if frame is None and (self._closing.is_set() or self._given_up()):
            raise SourceEnded
        return frame

    def close(self) -> None:
        """Stops the thread; it ends by itself with the step it is in, a few seconds later at most."""
        self._closing.set()
        with self._news:
            self._news.notify_all()
        self._thread.join(timeout=1.0)

    def _given_up(self) -> bool:
        return self._give_up_s is not None and time.monotonic() - self._last_s > self._give_up_s

    def _run(self) -> None:
        wait_s = FIRST_WAIT_S
        while not self._closing.is_set() and not self._given_up():
            before = self._index
            try:
                self._pump()
                reason = "it ended"
            except Exception as error:  # noqa: BLE001 - whatever a camera does, the next attempt may work
                reason = str(error) or type(error).__name__
            if self._closing.is_set():
                return
            wait_s = FIRST_WAIT_S if self._index > before else min(2 * wait_s, LONGEST_WAIT_S)
            log.warning("%s: no picture (%s); trying again in %.1f s", self._name, reason, wait_s)
            if not self._closing.wait(wait_s):
                self.reconnects += 1

    def _pump(self) -> None:
        self.delivery.opened()
        connection = self._connect()
        try:
            for picture in connection:
                if self._closing.is_set():
                    return
                self._offer(picture)
        finally:
            connection.close()

    def _offer(self, picture: Image | Picture) -> None:
        self.delivery.count(time.monotonic(), _size_px(picture))
        with self._news:
            self.dropped += self._frame is not None
            self._last_s = time.monotonic()
            self._frame = _frame(picture, self._last_s, self._index)
            self._index += 1
            self._news.notify()


def _frame(picture: Image | Picture, time_s: float, index: int) -> Frame:
    return EncodedFrame(picture, time_s, index) if isinstance(picture, Picture) else Frame(picture, time_s, index)


def _size_px(picture: Image | Picture) -> tuple[int, int] | None:
    """Width and height; None where nothing but a preview was decoded."""
    return None if isinstance(picture, Picture) else (picture.shape[1], picture.shape[0])
