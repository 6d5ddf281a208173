"""Takes the pictures that paired phones send over their `/live` connection: one phone films, the others are told.

A phone sends `{"film": true}` to begin, `{"film": false}` to end, and each picture as one binary message. It sends
the next picture once the last was acknowledged, so nothing is queued, and rate and size follow what the network bears.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
from collections.abc import Sequence

from aiohttp import WSMsgType, web

from daemon.words.translation import worded
from vision.frame import SourceError
from vision.sources.encoded import peek
from vision.sources.phone import PhoneFeed

_log = logging.getLogger(__name__)

MAX_PICTURE_BYTES = 8 * 2**20
"""Bytes of a message from a phone at most: a JPEG of 12 megapixels has about 5 million."""
MAX_WORDS = 512
MAX_HZ = 30.0
FACING = ("environment", "user")


@dataclasses.dataclass(frozen=True)
class Aim:
    """How the camera is aimed, as the filming phone shows it."""

    corners: Sequence[tuple[float, float]] = ()
    """The board's corners as shares of the picture's width and height; empty while no board is found."""
    text: str = ""


@dataclasses.dataclass(eq=False)
class _Phone:
    name: str
    socket: web.WebSocketResponse


class Filming:
    """The phones that are connected, and the one that films. Used by the page's thread; any thread may set `aim`."""

    def __init__(self, feed: PhoneFeed) -> None:
        self.aim = Aim()
        self._feed = feed
        self._holder: _Phone | None = None
        self._phones: set[_Phone] = set()

    @property
    def films(self) -> bool:
        return self._holder is not None

    async def close(self) -> None:
        await asyncio.gather(*(phone.socket.close() for phone in list(self._phones)), return_exceptions=True)

    async def stop(self) -> None:
        """Tells the phone that films that its pictures are not wanted any more."""
        if (phone := self._holder) is not None:
            self._end(phone)
            await self._tell(phone, "other", worded("The table has another camera now."))

    async def serve(self, socket: web.WebSocketResponse, name: str) -> None:
        """Takes what a paired phone sends, until its connection ends."""
        phone = _Phone(name, socket)
        self._phones.add(phone)
        try:
            async for message in socket:
                if message.type is WSMsgType.BINARY:
                    began_s = asyncio.get_running_loop().time()
                    await socket.send_str(json.dumps({"ack": await self._take(phone, message.data)}))
                    await asyncio.sleep(began_s + 1 / MAX_HZ - asyncio.get_running_loop().time())
                elif message.type is WSMsgType.TEXT:
                    await self._hear(phone, message.data)
                else:
                    return
        except ConnectionError:
            pass
        finally:
            self._phones.discard(phone)
            self._end(phone)

    async def _hear(self, phone: _Phone, text: str) -> None:
        """Begins or ends filming. Anything else is ignored."""
        try:
            words = json.loads(text) if len(text) <= MAX_WORDS else None
        except (ValueError, RecursionError):
            return
        if not isinstance(words, dict) or not isinstance(words.get("film"), bool):
            return
        if not words["film"]:
            self._end(phone)
            return
        before, facing = self._holder, words.get("facing")
        if before is not None and before.name != phone.name and words.get("take") is not True:
            await self._tell(phone, "other", worded("Another phone films. Press the button to film with this one."))
            return
        self._holder = phone
        self._feed.facing = facing if facing in FACING else ""
        if before is not phone:
            _log.info("a phone films (%s)", phone.name)
            self._feed.begin()
            if before is not None:
                await self._tell(before, "other", worded("Another phone films now."))
        await self._tell(phone, "yours", "")

    async def _tell(self, phone: _Phone, state: str, text: str) -> None:
        asked = self._feed.asked
        told: dict[str, object] = {"state": state, "text": text}
        told |= {"width_px": asked.width_px, "height_px": asked.height_px, "rate_hz": asked.rate_hz}
        try:
            async with asyncio.timeout(5.0):
                await phone.socket.send_str(json.dumps({"film": told}))
        except (ConnectionError, TimeoutError, RuntimeError):  # it is gone, which its own reader notices
            return

    async def _take(self, phone: _Phone, data: bytes) -> dict[str, object]:
        if phone is not self._holder:
            return {"taken": False, "text": worded("Another phone films now.")}
        try:
            picture = await asyncio.to_thread(peek, data, self._feed.asked.max_megapixels)
        except SourceError as error:
            return {"taken": False, "text": str(error)}
        if picture is None:
            return {"taken": False, "text": worded("What came is no whole picture.")}
        if phone is self._holder:
            self._feed.offer(picture)
        return {"taken": True, "corners": list(self.aim.corners), "aim": self.aim.text}

    def _end(self, phone: _Phone) -> None:
        if phone is self._holder:
            self._holder = None
            self._feed.end()
