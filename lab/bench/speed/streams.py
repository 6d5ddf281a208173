"""Serves recordings as a phone does, by the clock: each picture when it is due, with the time at which it was taken.

The time is in a JPEG comment, which decoders ignore, so that the age of a judged
picture is known, including all waiting on its way. A slow reader misses pictures, as with a camera.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lab.bench.speed.recording import Recording

BOUNDARY = "kibitzer-bench"
SEND_S = 5.0
MARK = b"kibitzer "
_COMMENT = b"\xff\xfe"
START_S = 0.2
"""Seconds from the first viewer to the first picture."""


@dataclasses.dataclass(frozen=True)
class Gone:
    """A hand that has gone; monotonic seconds."""

    off_s: float
    """When it left the board and its margin."""
    gone_s: float
    """When it left the camera's view."""
    board: str
    """The board after the hand."""


class StreamServer:
    """Loops one recording as an MJPEG stream on a free port, starting with the first viewer."""

    def __init__(self, recording: Recording) -> None:
        """Raises OSError."""
        self.recording = recording
        self.skipped = 0
        """Pictures that were not sent because the reader had not taken the ones before."""
        self._begun_s: float | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.2,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/video"

    @property
    def begun_s(self) -> float | None:
        """When the first picture was due, on this computer's monotonic clock; None before the first viewer."""
        return self._begun_s

    def gone(self, since_s: float, until_s: float) -> list[Gone]:
        begun_s, length_s = self._begun_s, self.recording.seconds
        if begun_s is None:
            return []
        rounds = range(int(max(until_s - begun_s, 0) / length_s) + 1)
        all_of = [
            Gone(begun_s + number * length_s + visit.off_s, begun_s + number * length_s + visit.gone_s, visit.board)
            for number in rounds
            for visit in self.recording.visits
        ]
        return [one for one in all_of if since_s <= one.off_s < until_s]

    def pictures(self) -> Any:
        with self._lock:
            if self._begun_s is None:
                self._begun_s = time.monotonic() + START_S
        begun_s, rate_hz = self._begun_s, self.recording.rate_hz
        number = max(0, int((time.monotonic() - begun_s) * rate_hz))
        while not self._stopping.is_set():
            due_s = begun_s + number / rate_hz
            if self._stopping.wait(max(0.0, due_s - time.monotonic())):
                return
            yield stamped(self.recording.jpegs[number % len(self.recording.jpegs)], number, due_s)
            newest = int((time.monotonic() - begun_s) * rate_hz)
            self.skipped += max(0, newest - number - 1)
            number = max(number + 1, newest)

    def stop(self) -> None:
        """Ends the streams; may be called twice."""
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()


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


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], stream: StreamServer) -> None:
        self.stream = stream
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores the error: a viewer may leave."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.0"
    timeout = SEND_S
    wbufsize = 0

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={BOUNDARY}")
        self.end_headers()
        with contextlib.suppress(OSError):
            for data in self.server.stream.pictures():
                head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                self.wfile.write(head.encode() + data + b"\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing."""
