"""Serves the frames of any source as an MJPEG stream over HTTP, as phones and network cameras do."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import cv2

from vision.frame import Frame, FrameSource, SourceEnded, SourceError

log = logging.getLogger(__name__)

BOUNDARY = "kibitzer-frame"
QUALITY = 85
MAX_VIEWERS = 16
"""Streams served at the same time; further requests are answered 503."""
MAX_BODY = 65536
SEND_S = 5.0
"""Seconds after which a viewer that takes no data is dropped."""
FRAME_S = 10.0
"""Seconds to wait for the next frame before a stream is ended."""

GetRoute = Callable[[], object]
PostRoute = Callable[[Any], object]


class ServerError(OSError):
    """The server cannot be started; the message says what to do."""


class MjpegServer:
    """`/video` is the stream, `/snapshot.jpg` the newest picture; a slow viewer skips to the newest frame.

    A source of files is paced at `rate_hz` and begins, with `wait`, when the first viewer comes; when it ends, so do
    the streams. Further routes answer JSON.
    """

    def __init__(
        self,
        source: FrameSource,
        port: int,
        *,
        rate_hz: float = 15.0,
        wait: bool = False,
        get: Mapping[str, GetRoute] | None = None,
        post: Mapping[str, PostRoute] | None = None,
    ) -> None:
        self.ended = threading.Event()
        self.fault = ""
        """Why the source ended; empty for a normal end."""
        self.get_routes: dict[str, GetRoute] = dict(get or {})
        self.post_routes: dict[str, PostRoute] = dict(post or {})
        self._source, self._rate_hz, self._wait = source, rate_hz, wait
        self._change = threading.Condition()
        self._frame: Frame | None = None
        self._count = 0
        self._encoded: tuple[int, bytes] = (-1, b"")
        self.viewers = 0
        self._stopping = False
        try:
            self._server = _HttpServer(("127.0.0.1", port), self)
        except OSError as error:
            raise ServerError(f"port {port}: {error.strerror}; choose another with --port") from error
        self._threads = (
            threading.Thread(target=self._read, name="mjpeg reader", daemon=True),
            threading.Thread(target=self._server.serve_forever, args=(0.2,), name="mjpeg server", daemon=True),
        )
        for thread in self._threads:
            thread.start()

    @property
    def port(self) -> int:
        """The port it listens on: the requested one, or the one chosen by the system for 0."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/video"

    def stop(self) -> None:
        """Ends all streams and releases the port; may be called twice."""
        with self._change:
            self._stopping = True
            self._change.notify_all()
        self._server.shutdown()
        self._server.server_close()
        for thread in self._threads:
            thread.join(timeout=3.0)
        self._source.close()

    def newest(self, after: int, timeout_s: float) -> tuple[int, bytes] | None:
        """Number and JPEG of the newest frame, once there is one after `after`; None where none came in time."""
        deadline_s = time.monotonic() + timeout_s
        with self._change:
            while self._count <= after or self._frame is None:
                left_s = deadline_s - time.monotonic()
                if left_s <= 0 or self._stopping or self.ended.is_set():
                    return None
                self._change.wait(left_s)
            if self._encoded[0] != self._count:
                _, data = cv2.imencode(".jpg", self._frame.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
                self._encoded = (self._count, data.tobytes())
            return self._encoded

    def enter(self) -> bool:
        """Registers a viewer; False where there are too many."""
        with self._change:
            if self.viewers >= MAX_VIEWERS:
                return False
            self.viewers += 1
            self._change.notify_all()
            return True

    def leave(self) -> None:
        with self._change:
            self.viewers -= 1

    def _read(self) -> None:
        try:
            with self._change:
                self._change.wait_for(lambda: self.viewers or self._stopping or not self._wait)
            due_s = time.monotonic()
            while not self._stopping:
                frame = self._source.read(0.5)
                if frame is None:
                    continue
                if not self._source.live:
                    due_s = max(due_s + 1 / self._rate_hz, time.monotonic() - 1)
                    time.sleep(max(due_s - time.monotonic(), 0))
                with self._change:
                    self._frame, self._count = frame, self._count + 1
                    self._change.notify_all()
        except SourceEnded:
            pass
        except SourceError as error:
            self.fault = str(error)
        except Exception as error:
            log.exception("the frame source failed")
            self.fault = f"{type(error).__name__}: {error}"
        self.ended.set()
        with self._change:
            self._change.notify_all()


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 16

    def __init__(self, address: tuple[str, int], frames: MjpegServer) -> None:
        self.frames = frames
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.debug("a viewer's connection broke", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    server: _HttpServer
    protocol_version = "HTTP/1.0"
    timeout = SEND_S

    def do_GET(self) -> None:
        frames, path = self.server.frames, self.path.partition("?")[0]
        if path in ("/video", "/"):
            self._stream(frames)
        elif path == "/snapshot.jpg":
            newest = frames.newest(-1, FRAME_S)
            if newest is None:
                self._json(HTTPStatus.SERVICE_UNAVAILABLE, {"code": "no_frame", "text": "there is no picture yet"})
            else:
                self._answer(HTTPStatus.OK, "image/jpeg", newest[1])
        elif path in frames.get_routes:
            self._json(HTTPStatus.OK, frames.get_routes[path]())
        else:
            self._unknown(["/video", "/snapshot.jpg", *frames.get_routes])

    def do_POST(self) -> None:
        route = self.server.frames.post_routes.get(self.path.partition("?")[0])
        if route is None:
            self._unknown(list(self.server.frames.post_routes))
            return
        try:
            length = int(self.headers.get("Content-Length") or 0)
            if not 0 <= length <= MAX_BODY:
                raise ValueError(f"a body has at most {MAX_BODY} bytes, not {length}")
            answer = route(json.loads(self.rfile.read(length) or b"{}"))
        except (ValueError, TypeError, KeyError) as error:
            self._json(HTTPStatus.BAD_REQUEST, {"code": "invalid", "text": str(error)})
            return
        self._json(HTTPStatus.OK, answer)

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)

    def _stream(self, frames: MjpegServer) -> None:
        if not frames.enter():
            self._json(HTTPStatus.SERVICE_UNAVAILABLE, {"code": "full", "text": f"{MAX_VIEWERS} viewers are served"})
            return
        try:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={BOUNDARY}")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            count = -1
            while (newest := frames.newest(count, FRAME_S)) is not None:
                count, data = newest
                head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                self.wfile.write(head.encode() + data + b"\r\n")
        finally:
            frames.leave()

    def _unknown(self, paths: list[str]) -> None:
        self._json(HTTPStatus.NOT_FOUND, {"code": "not_found", "text": f"there are {', '.join(paths) or 'no routes'}"})

    def _json(self, status: HTTPStatus, content: object) -> None:
        self._answer(status, "application/json", json.dumps(content, ensure_ascii=False).encode())

    def _answer(self, status: HTTPStatus, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
