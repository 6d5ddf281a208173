"""Serves recordings as a phone does, by the clock: each picture when it is due, with the time at which it was taken.

The time is in a JPEG comment, which decoders ignore, so that the age of a judged
picture is known, including all waiting on its way. A slow reader misses pictures, as with a camera.
"""

from __future__ import annotations

import dataclasses
import threading
import time

from lab.bench.speed.recording import Recording
from lab.simulated.mjpeg_server import MjpegServer

MARK = b"kibitzer "
_COMMENT = b"\xff\xfe"
START_S = 0.2
"""Seconds from the first viewer to the first picture."""
LOOK_S = 0.25
"""Seconds at most until a stream notices that it is to stop."""


@dataclasses.dataclass(frozen=True)
class Gone:
    """A hand that has gone; monotonic seconds."""

    off_s: float
    """When it left the board and its margin."""
    gone_s: float
    """When it left the camera's view."""
    board: str
    """The board after the hand."""


class StreamServer(MjpegServer):
    """Loops one recording as an MJPEG stream on a free port, starting with the first viewer."""

    def __init__(self, recording: Recording) -> None:
        """Raises OSError."""
        self.recording = recording
        self.begun_s: float | None = None
        """When the first picture was due, on this computer's monotonic clock; None before the first viewer."""
        self._lock = threading.Lock()
        super().__init__(_Clockwork(), 0)

    def gone(self, since_s: float, until_s: float) -> list[Gone]:
        begun_s, length_s = self.begun_s, self.recording.seconds
        if begun_s is None:
            return []
        rounds = range(int(max(until_s - begun_s, 0) / length_s) + 1)
        all_of = [
            Gone(begun_s + number * length_s + visit.off_s, begun_s + number * length_s + visit.gone_s, visit.board)
            for number in rounds
            for visit in self.recording.visits
        ]
        return [one for one in all_of if since_s <= one.off_s < until_s]

    def newest(self, after: int, timeout_s: float) -> tuple[int, bytes] | None:
        """Number and JPEG of the picture that is due, once it is later than `after`."""
        with self._lock:
            if self.begun_s is None:
                self.begun_s = time.monotonic() + START_S
        rate_hz = self.recording.rate_hz
        number = max(after + 1, int((time.monotonic() - self.begun_s) * rate_hz), 0)
        due_s = self.begun_s + number / rate_hz
        while (left_s := due_s - time.monotonic()) > 0:
            if self._stopping:
                return None
            time.sleep(min(left_s, LOOK_S))
        return number, stamped(self.recording.jpegs[number % len(self.recording.jpegs)], number, due_s)


class _Clockwork:
    """The server's source of nothing: its pictures go by the clock."""

    live = True

    def read(self, timeout_s: float) -> None:
        time.sleep(timeout_s)

    def close(self) -> None:
        """There is nothing to close."""


def stamped(jpeg: bytes, number: int, taken_s: float) -> bytes:
    words = MARK + f"{number} {taken_s:.6f}".encode()
    return jpeg[:2] + _COMMENT + (len(words) + 2).to_bytes(2, "big") + words + jpeg[2:]


def stamp_of(jpeg: bytes) -> tuple[int, float] | None:
    """Number and time of a stamped JPEG; None of any other."""
    if jpeg[2:4] != _COMMENT:
        return None
    words = jpeg[6 : 4 + int.from_bytes(jpeg[4:6], "big")]
    if not words.startswith(MARK):
        return None
    number, taken_s = words.removeprefix(MARK).split()
    return int(number), float(taken_s)
