"""The simulated table as a frame source."""

from __future__ import annotations

import time
from collections.abc import Callable

from lab.simulated.phone import Phone
from lab.simulated.table import SimulatedTable
from vision.frame import Frame, SourceEnded


class SimulatedSource:
    """Frames of a simulated table: each read advances its time by one frame.

    With `real_time` the reads are paced by the clock, and frames carry its time; a late reader skips frames, as with a
    camera.
    """

    def __init__(
        self,
        table: SimulatedTable,
        rate_hz: float = 15.0,
        real_time: bool = False,
        on_frame: Callable[[Frame], None] | None = None,
        phone: Phone | None = None,
    ) -> None:
        """`phone` films the table, if the camera does more than stay still."""
        if not rate_hz > 0:
            raise ValueError(f"rate_hz is greater than 0, not {rate_hz}")
        self.live = real_time
        self.table = table
        self._step_s = 1 / rate_hz
        self._on_frame = on_frame
        self._phone = phone
        self._index = 0
        self._due_s: float | None = None
        self._closed = False
        if real_time:
            table.prepare()

    def read(self, timeout_s: float) -> Frame | None:
        """The next frame; None if it is not due in time. Raises SourceEnded after `close`."""
        if self._closed:
            raise SourceEnded
        passed_s = self._step_s
        if self.live:
            waited_s = self._wait(timeout_s)
            if waited_s is None:
                return None
            passed_s = waited_s
        self.table.advance(passed_s)
        time_s = time.monotonic() if self.live else self.table.time_s
        image = self.table.render()
        if self._phone is not None:
            image = self._phone.send(self._phone.look(image, self.table.time_s))
        frame = Frame(image, time_s, self._index)
        self._index += 1
        if self._on_frame is not None:
            self._on_frame(frame)
        return frame

    def close(self) -> None:
        self._closed = True

    def _wait(self, timeout_s: float) -> float | None:
        """Simulated seconds that have become due; None if the next frame is due after the timeout."""
        now_s = time.monotonic()
        if self._due_s is None:
            self._due_s = now_s
        if self._due_s - now_s > timeout_s:
            time.sleep(max(timeout_s, 0.0))
            return None
        time.sleep(max(self._due_s - now_s, 0.0))
        behind = int(max(time.monotonic() - self._due_s, 0.0) / self._step_s)
        # After a long pause the table does not jump ahead: its time has stopped meanwhile.
        frames = 1 + min(behind, 15)
        self._due_s = self._due_s + frames * self._step_s if behind <= 15 else time.monotonic() + self._step_s
        return frames * self._step_s
