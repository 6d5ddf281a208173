"""How the page's handlers answer: what refuses a request, what a request says, and work in a thread of its own."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TypeVar

from aiohttp import web

from daemon.commands.declaration import CommandError

READ_S = 5.0
"""Seconds, longest wait for the whole body of a request."""
T = TypeVar("T")


class Problem(Exception):
    """Ends the handling of a request; it is answered with a code and a text."""

    def __init__(self, status: int, code: str, text: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.status, self.code, self.text, self._headers = status, code, text, headers

    def response(self) -> web.Response:
        told = {"code": self.code, "text": self.text}
        return web.json_response(told, status=self.status, headers=self._headers)


@contextlib.contextmanager
def refusing(error: type[Exception] | tuple[type[Exception], ...], status: int, code: str) -> Iterator[None]:
    """Answers these errors with their texts."""
    try:
        yield
    except error as raised:
        raise Problem(status, code, str(raised)) from raised


async def words_of(request: web.Request, most_bytes: int, what: str = "a command") -> object:
    """The JSON body of a request that changes something. Raises CommandError, Problem."""
    # A form on another site cannot send this content type without a preflight request.
    if request.content_type != "application/json":
        raise CommandError("a command is sent as application/json")
    body = bytearray()
    try:
        async with asyncio.timeout(READ_S):
            async for chunk in request.content.iter_chunked(most_bytes):
                body += chunk
                if len(body) > most_bytes:
                    raise CommandError(f"a command has at most {most_bytes} bytes")
    except ConnectionError:
        raise Problem(400, "gone", "the connection ended before the command did") from None
    except TimeoutError:
        raise Problem(408, "slow", f"{what} comes within {READ_S:g} seconds") from None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise CommandError("the command is not JSON") from None


async def serve_socket(
    socket: web.WebSocketResponse, request: web.Request, serve: Callable[[], Awaitable[None]]
) -> web.WebSocketResponse:
    """Opens a WebSocket and serves it until that returns, or the other side has gone. Raises Problem if none opens."""
    try:
        try:
            await socket.prepare(request)
        except ValueError:  # aiohttp cannot parse a key that is not ASCII
            raise Problem(400, "no_websocket", "the Sec-WebSocket-Key is none") from None
        await serve()
        await socket.close()
    except (ConnectionError, TimeoutError):
        if not socket.prepared:
            raise Problem(400, "gone", "the connection ended before it began") from None
    return socket


class Busy(Exception):
    """Too many requests are waiting, or the page is closing."""


class WorkThread:
    """A thread that computes one answer at a time, with a limit on waiting requests."""

    def __init__(self, name: str, most: int, answer_s: float | None) -> None:
        self._thread = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix=name)
        self._room = threading.BoundedSemaphore(most)
        self._answer_s = answer_s

    async def result(self, work: Callable[[], T]) -> T:
        """The result of the work. Raises Busy, TimeoutError, and whatever the work raises."""
        if not self._room.acquire(blocking=False):
            raise Busy
        try:
            future = self._thread.submit(work)
        except RuntimeError as error:  # closed in the meantime
            self._room.release()
            raise Busy from error
        future.add_done_callback(lambda _: self._room.release())
        return await asyncio.wait_for(asyncio.wrap_future(future), self._answer_s)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
