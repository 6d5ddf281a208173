"""Limits on the page's connections: how many may be open, and how long one may take to send its request.

A connection that sends its request byte by byte, or none at all, is closed; so is one that does not read its response.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import functools
import logging
import ssl
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from daemon.page.clients import Address, name_of, parsed

MAX_HERE = 64
"""Most connections from this computer at a time."""
MAX_ELSEWHERE = 64
MAX_EACH = 24
"""Most connections from one other computer at a time: a browser opens six, and two that stay."""
SAY_S = 10.0
"""Seconds to send the whole head of the first request, and to read a response and send the next request."""
HANDSHAKE_S, SHUTDOWN_S = 5.0, 1.0
"""Seconds in which a connection must be encrypted, and in which an encrypted one must end."""
LOOK_S = 1.0


class Refusals:
    """Counts of requests the page refused, by kind. Used by the page's thread; any thread may read the counts."""

    KINDS = ("host", "origin", "token", "rate", "connections", "slow", "command", "rubbish")

    def __init__(self) -> None:
        self._counts = collections.Counter(dict.fromkeys(self.KINDS, 0))

    def count(self, kind: str) -> None:
        self._counts[kind] += 1

    def figures(self) -> dict[str, float]:
        return {f"page_refused_{kind}_total": float(count) for kind, count in self._counts.items()}


class RubbishFilter(logging.Filter):
    """Counts input that is not HTTP, instead of logging a traceback for it."""

    def __init__(self, refusals: Refusals) -> None:
        super().__init__()
        self._refusals = refusals

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, HttpProcessingError):
            self._refusals.count("rubbish")
            return False
        return record.levelno >= logging.WARNING


class _Holder(NamedTuple):
    client: str
    here: bool
    """Whether it is this computer, all of which is one."""


class ConnectionLimits:
    """All connections of the page. Used by the page's thread."""

    def __init__(self, refusals: Refusals) -> None:
        self._refusals = refusals
        self._inside: dict[asyncio.BaseTransport, _Holder] = {}
        self._deadline_s: dict[asyncio.BaseTransport, float] = {}

    def factory(self, server: web.Server) -> Callable[[], asyncio.Protocol]:
        return functools.partial(_Guarded, self, server)

    def encrypted(self, server: web.Server, context: ssl.SSLContext) -> Callable[[], asyncio.Protocol]:
        """The same for encrypted connections, which count from the first byte on, before anything is agreed."""
        return lambda: _Handshake(self, context, functools.partial(_Guarded, self, server))

    def enter(self, transport: asyncio.BaseTransport) -> bool:
        """Registers a new connection; False if there is no room for it."""
        address = _address(transport)
        holder = _Holder("", True) if address is None or address.is_loopback else _Holder(name_of(address), False)
        if self._is_full(holder):
            return False
        self._inside[transport] = holder
        self._deadline_s[transport] = time.monotonic() + SAY_S
        return True

    def count_for(self, transport: asyncio.BaseTransport | None, client: str) -> bool:
        """Counts a connection for a client on another computer, behind a proxy; False if there is no room for it."""
        holder = _Holder(client, False)
        if transport is None or self._inside.get(transport, holder) == holder:
            return True
        del self._inside[transport]
        full = self._is_full(holder)
        self._inside[transport] = holder
        return not full

    def _is_full(self, holder: _Holder) -> bool:
        """Whether there is no room for another connection of this client; counts the refusal."""
        held = list(self._inside.values())
        if holder.here:
            full = held.count(holder) >= MAX_HERE
        else:
            full = sum(not one.here for one in held) >= MAX_ELSEWHERE or held.count(holder) >= MAX_EACH
        if full:
            self._refusals.count("connections")
        return full

    def leave(self, transport: asyncio.BaseTransport) -> None:
        self._inside.pop(transport, None)
        self._deadline_s.pop(transport, None)

    @contextlib.contextmanager
    def served(self, transport: asyncio.BaseTransport | None) -> Iterator[None]:
        """Suspends a connection's deadline while its request is being handled."""
        if transport is None or transport not in self._inside:
            yield
            return
        self._deadline_s.pop(transport, None)
        try:
            yield
        finally:
            if transport in self._inside:
                self._deadline_s[transport] = time.monotonic() + SAY_S

    async def watch(self) -> None:
        """Closes connections past their deadline, until it is cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            now_s = time.monotonic()
            for transport in [one for one, deadline_s in self._deadline_s.items() if now_s > deadline_s]:
                self._refusals.count("slow")
                self.leave(transport)
                if isinstance(transport, asyncio.Transport):
                    transport.abort()

    async def close(self) -> None:
        """Ends the connections that are still open, whatever they still have to send."""
        for transport in list(self._inside):
            if isinstance(transport, asyncio.Transport):
                transport.abort()
        await asyncio.sleep(0)  # their sockets are closed in the loop's next turn


class _Guarded(asyncio.Protocol):
    """aiohttp's protocol, behind the connection limits; one that is refused hears nothing."""

    def __init__(self, limits: ConnectionLimits, server: web.Server) -> None:
        self._limits, self._server = limits, server
        self._inner: asyncio.Protocol | None = None
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not self._limits.enter(transport):
            transport.close()
            return
        self._transport, self._inner = transport, self._server()
        for name in ("data_received", "eof_received", "pause_writing", "resume_writing"):
            setattr(self, name, getattr(self._inner, name))
        self._inner.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._inner is not None and self._transport is not None:
            self._limits.leave(self._transport)
            self._inner.connection_lost(exc)


class _Handshake(asyncio.Protocol):
    """A connection until it is encrypted; one that says nothing ends soon, and holds a place only until then."""

    def __init__(self, limits: ConnectionLimits, context: ssl.SSLContext, then: Callable[[], asyncio.Protocol]) -> None:
        self._limits, self._context, self._then = limits, context, then
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if not self._limits.enter(transport):
            transport.abort()
            return
        transport.pause_reading()
        self._task = asyncio.get_running_loop().create_task(self._agree(transport))

    async def _agree(self, transport: asyncio.Transport) -> None:
        early, loop = _Early(), asyncio.get_running_loop()
        try:
            secure = await loop.start_tls(
                transport,
                early,
                self._context,
                server_side=True,
                ssl_handshake_timeout=HANDSHAKE_S,
                ssl_shutdown_timeout=SHUTDOWN_S,
            )
        except OSError:  # it speaks no TLS, is silent, or has gone
            self._limits.leave(transport)
            transport.abort()
            return
        self._limits.leave(transport)
        if secure is not None:
            early.hand_on(secure, self._then())


class _Early(asyncio.Protocol):
    """Keeps what comes between the end of a handshake and the protocol that is to hear it."""

    def __init__(self) -> None:
        self._data, self._ended = bytearray(), False

    def data_received(self, data: bytes) -> None:
        self._data += data

    def eof_received(self) -> bool:
        self._ended = True
        return True  # the connection stays open until it is handed on

    def hand_on(self, transport: asyncio.Transport, protocol: asyncio.Protocol) -> None:
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        if self._data:
            protocol.data_received(bytes(self._data))
        if self._ended and not protocol.eof_received():
            transport.close()


def _address(transport: asyncio.BaseTransport) -> Address | None:
    peer = transport.get_extra_info("peername")
    return parsed(str(peer[0])) if isinstance(peer, tuple) and peer else None
