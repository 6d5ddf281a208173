"""A phone without a browser: it pairs, films and tells through the phones' door, as the phone's page does."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from asyncio.trsock import TransportSocket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import aiohttp

from daemon.page.phones.certificate import DoorCertificates

ANSWER_S = 20.0
"""Seconds at most for any answer of the daemon."""


class PhoneClient:
    """`sent` pictures in so many `seconds`, and what the daemon told so far."""

    def __init__(self, address: str, session: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._address, self._session, self._socket = address, session, socket
        self._acknowledged = asyncio.Event()
        self.sent, self.seconds = 0, 0.0
        self.corners: Sequence[Sequence[float]] = ()
        """Where the board was in the last picture; empty while it is not found."""
        self.state: Mapping[str, Any] = {}
        self.lines: list[tuple[str, ...]] = []
        """The moves of the game, whenever they changed."""
        self.kinds: list[str] = []
        """Of all announcements."""

    @property
    def plies(self) -> int:
        return len(self.lines[-1]) if self.lines else 0

    async def play(self, pictures: Sequence[bytes], rate_hz: float) -> None:
        """Sends pictures by the clock: those that are due before the last one was acknowledged are skipped."""
        clock = asyncio.get_running_loop().time
        began_s = clock()
        while (number := int((clock() - began_s) * rate_hz)) < len(pictures):
            await self._send(pictures[number])
            await asyncio.sleep(began_s + (number + 1) / rate_hz - clock())
        self.seconds += clock() - began_s

    async def rest(self, still: Sequence[bytes], rate_hz: float, until: Callable[[], bool], longest_s: float) -> bool:
        """Repeats pictures until something holds; False if it does not within that time."""
        clock = asyncio.get_running_loop().time
        ends_s = clock() + longest_s
        while not until():
            if clock() > ends_s:
                return False
            await self.play(still, rate_hz)
        return True

    async def tell(self, command: Mapping[str, Any]) -> str:
        """Sends a command; returns why it is refused, empty if it is not."""
        async with self._session.post(f"{self._address}/tell", json=command) as answer:
            told = await answer.json()
            return "" if answer.ok else str(told["text"])

    async def hear(self) -> None:
        """Takes what the daemon tells until the connection ends."""
        async for message in self._socket:
            told = json.loads(message.data)
            if "ack" in told:
                self.corners = told["ack"].get("corners", self.corners)
                self._acknowledged.set()
            if told.get("state"):
                self.state = told["state"]
                line = tuple(self.state["moves"])
                if line != (self.lines or [()])[-1]:
                    self.lines.append(line)
            self.kinds += [one["kind"] for one in told.get("announcements", ())]

    async def _send(self, picture: bytes) -> None:
        """Raises TimeoutError where nobody acknowledges it."""
        self._acknowledged.clear()
        await self._socket.send_bytes(picture)
        async with asyncio.timeout(ANSWER_S):
            await self._acknowledged.wait()
        self.sent += 1


@contextlib.asynccontextmanager
async def paired(here: str, authority: Path) -> AsyncIterator[PhoneClient]:
    """A phone that films, paired by the code that the page at `here` shows; `authority` is the folder of its keys."""
    timeout = aiohttp.ClientTimeout(total=ANSWER_S)
    async with aiohttp.ClientSession(timeout=timeout) as laptop, laptop.post(f"{here}/phone") as answer:
        address, _, code = (await answer.json())["address"].partition("/phone#")
    context = ssl.create_default_context(cadata=DoorCertificates(authority).authority())
    connector, jar = aiohttp.TCPConnector(ssl=context), aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(connector=connector, cookie_jar=jar, timeout=timeout) as session:
        async with session.post(f"{address}/pair", json={"code": code}, raise_for_status=True):
            pass
        async with session.ws_connect(f"{address}/live", max_msg_size=0) as socket:
            await socket.send_str(json.dumps({"film": True, "take": True, "facing": "environment"}))
            line = socket.get_extra_info("socket")
            phone = PhoneClient(address, session, socket)
            hearing = asyncio.create_task(phone.hear())
            try:
                yield phone
            finally:
                hearing.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await hearing
    await _closed(line)


async def _closed(line: TransportSocket) -> None:
    """Waits until the other end closes too: aiohttp does not, and a loop that ends earlier leaves the socket open."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ANSWER_S):
            while line.fileno() >= 0:
                await asyncio.sleep(0.01)
