"""Sources in threads of their own: one to open, as a driver may hang, and one to read, so that none falls behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from vision.frame import Frame, FrameSource, SourceError
from wording.outside import clean, without_secrets

POLL_S = 0.5


class NewestFrame:
    """Holds a live source's newest frame and drops older ones; each frame of a file or folder waits to be read."""

    def __init__(self, source: FrameSource, frozen_after_s: float = 10.0, stillness: Stillness | None = None) -> None:
        """`stillness` continues a watch from before the source was reopened: the same picture still counts as same."""
        self.dropped = 0
        """Frames of a live source that were never read."""
        self.source = source
        self._stillness = (stillness or Stillness(frozen_after_s)) if source.live else None
        self._change = threading.Condition()
        self._frame: Frame | None = None
        self._fault: BaseException | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="newest frame", daemon=True)
        self._thread.start()

    @property
    def frozen(self) -> bool:
        """True while a live source keeps delivering an identical picture, which real cameras never do."""
        return self._stillness is not None and self._stillness.frozen

    def read(self, timeout_s: float) -> Frame | None:
        """The newest unread frame; None where none came in time. Raises what the source raised."""
        with self._change:
            self._change.wait_for(lambda: self._frame is not None or self._fault is not None, timeout_s)
            frame, self._frame = self._frame, None
            self._change.notify_all()
            if frame is None and self._fault is not None:
                raise self._fault
        return frame

    def close(self) -> None:
        with self._change:
            self._closed = True
            self._change.notify_all()
        self.source.close()
        self._thread.join(timeout=3.0)

    def _run(self) -> None:
        try:
            while not self._closed:
                frame = self.source.read(POLL_S)
                if frame is not None:
                    self._offer(frame)
        except Exception as error:  # noqa: BLE001 - it belongs to the reader
            with self._change:
                self._fault = error
                self._change.notify_all()

    def _offer(self, frame: Frame) -> None:
        if self._stillness is not None:
            self._stillness.watch(frame, time.monotonic())
        with self._change:
            while not self.source.live and self._frame is not None and not self._closed:
                self._change.wait(POLL_S)
            self.dropped += self._frame is not None
            self._frame = frame
            self._change.notify_all()


class Stillness:
    """Detects by content that a camera has frozen: some keep sending their last picture."""

    def __init__(self, frozen_after_s: float) -> None:
        self.frozen = False
        self._after_s = frozen_after_s
        self._checksum: int | None = None
        self._since_s = 0.0

    def watch(self, frame: Frame, now_s: float) -> None:
        checksum = frame.checksum
        if checksum != self._checksum:
            self._checksum, self._since_s = checksum, now_s
        self.frozen = now_s - self._since_s > self._after_s


class Attempt:
    """One attempt at opening a source. A source that opens after `abandon` is closed again."""

    def __init__(self, opener: Callable[[], FrameSource]) -> None:
        self._opener = opener
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._source: FrameSource | None = None
        self._fault: Exception | None = None
        self._abandoned = False
        threading.Thread(target=self._run, name="opening a camera", daemon=True).start()

    def wait(self, timeout_s: float) -> bool:
        """Waits up to `timeout_s` for the attempt to end; returns whether it has."""
        return self._over.wait(timeout_s)

    def result(self) -> FrameSource:
        """The source, once the attempt is over. Raises SourceError where there is none, or it is not over."""
        with self._lock:
            source, self._source = self._source, None
        if source is not None:
            return source
        if isinstance(self._fault, SourceError) or self._fault is None:
            raise self._fault or SourceError("it is not open yet")
        why = clean(without_secrets(f"{type(self._fault).__name__}: {self._fault}"))
        raise SourceError(why) from self._fault

    def abandon(self) -> None:
        """Gives up the attempt and closes its source, now or as soon as it opens."""
        with self._lock:
            self._abandoned = True
            source, self._source = self._source, None
        if source is not None:
            source.close()

    def _run(self) -> None:
        source = None
        try:
            source = self._opener()
        except Exception as error:  # noqa: BLE001 - it belongs to whoever asked
            self._fault = error
        with self._lock:
            unwanted = self._abandoned
            if not unwanted:
                self._source = source
        if unwanted and source is not None:
            source.close()
        self._over.set()
