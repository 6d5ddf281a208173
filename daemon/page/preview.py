"""Preview of a camera before it is chosen: opens it, takes one picture, and closes it again."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping

import cv2
from aiohttp import web

from daemon.commands.command import CommandError
from daemon.commands.sources import MAX_ADDRESS, check_source
from daemon.page.answering import Busy, Problem, WorkThread, words_of
from daemon.page.page_state import JPEG_QUALITY
from daemon.page.permission import Permission
from daemon.words.translation import worded
from vision.frame import Frame, FrameSource, Image, SourceEnded, SourceError
from vision.sources.cameras import cameras
from vision.sources.live import LiveSource
from vision.sources.opening import open_source
from vision.sources.slot import Attempt

MAX_BYTES = 1024
OPEN_S, LOOK_S = 4.0, 5.0
"""Seconds, longest wait for a camera to open, and then for its first picture."""
EXPOSE_S = 0.8
"""Seconds within which a camera settles its exposure."""
SIZE_PX = (1280, 720)
MAX_PX = 960
"""Pixels, greatest width of the picture that is sent."""


class Preview:
    """Previews one camera at a time. Used by the page's thread; a separate thread waits for the camera."""

    def __init__(self, permission: Permission, opener: Callable[[str], FrameSource] | None = None) -> None:
        self.is_open = False
        """Whether cameras may be chosen here at all."""
        self._permission = permission
        self._opener = opener or (lambda source: open_source(source, rate_hz=15.0, size_px=SIZE_PX))
        self._closing = threading.Event()
        self._hanging: Attempt | None = None
        """An abandoned opening that has not ended yet: no second one starts beside it."""
        self._thread = WorkThread("preview", 1, None)

    def close(self) -> None:
        self._closing.set()
        self._thread.close()

    async def receive(self, request: web.Request) -> str:
        """The camera named by a POST of `{"source": "..."}`. Raises Problem, CommandError."""
        self._permission.check(request)
        if not self.is_open:
            raise Problem(409, "no_commands", "No camera can be chosen here.")
        return parse_preview(await words_of(request, MAX_BYTES))

    async def look(self, source: str) -> web.Response:
        """The camera's picture. Raises Problem."""
        try:
            data = await self._thread.result(lambda: self._picture(source))
        except Busy:
            why = worded("I am looking through a camera already: one moment.")
            raise Problem(503, "busy", "the page is being closed" if self._closing.is_set() else why) from None
        except (SourceError, SourceEnded, ValueError, OSError, cv2.error) as error:
            why = str(error)[:512] or worded("No picture came from this camera.")
            raise Problem(409, "no_picture", why) from None
        return web.Response(body=data, content_type="image/jpeg")

    def _picture(self, source: str) -> bytes:
        """Opens the camera and returns a JPEG; runs in the preview thread."""
        try:
            check_source(source, cameras())
        except ValueError as error:
            raise ValueError(f"source = {error}") from None
        if self._hanging is not None and not self._hanging.wait(0):
            raise SourceError(worded("The camera does not answer. Unplug it and plug it in again."))
        self._hanging = None
        attempt = Attempt(lambda: self._opener(source))
        if not attempt.wait(OPEN_S):
            attempt.abandon()
            self._hanging = attempt
            raise SourceError(worded("The camera does not answer. Unplug it and plug it in again."))
        with contextlib.closing(attempt.result()) as frames:
            return _jpeg(self._looked(frames).image)

    def _looked(self, frames: FrameSource) -> Frame:
        """The newest picture once the exposure has settled. Raises SourceError if none arrives in time."""
        began_s, first_s, newest = time.monotonic(), 0.0, None
        while newest is None or time.monotonic() - first_s < EXPOSE_S:
            if self._closing.is_set() or (newest is None and time.monotonic() - began_s > LOOK_S):
                why = frames.trouble if isinstance(frames, LiveSource) else ""
                raise SourceError(why or worded("No picture came from this camera."))
            frame = frames.read(0.2)
            first_s = time.monotonic() if newest is None else first_s
            newest = frame or newest
        return newest


def parse_preview(words: object) -> str:
    """The camera in an object such as {"source": "0"}. Raises CommandError."""
    source = words.get("source") if isinstance(words, Mapping) and len(words) == 1 else None
    if not isinstance(source, str) or not source or len(source) > MAX_ADDRESS:
        raise CommandError(f"a look is an object with the source, a text of at most {MAX_ADDRESS} characters")
    return source


def _jpeg(image: Image) -> bytes:
    height, width = image.shape[:2]
    scale = min(1.0, MAX_PX / width)
    small = cv2.resize(image, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1])
