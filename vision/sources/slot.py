"""The newest frame of a source, read by a thread so that a slow reader never falls behind."""

from __future__ import annotations

import threading
import time

from vision.frame import Frame, FrameSource

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
        """Stops the thread and closes the source."""
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
