"""The networks over plain TCP: one line with a state in, three lines TO, FROM, REMOVE out.

TO, FROM and REMOVE are 1 to 24 in the order of `games.nine_mens_morris.CELLS`, 0 for none. A line that is
no state, or a state without a legal move, gets one line that begins with `error:`. Line ends may be LF or CRLF; a
connection may send any number of states. One thread answers all: an answer takes about a millisecond.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence

from agents.morris_networks import NONE
from agents.morris_networks.good_moves import as_rows, read_states
from agents.morris_networks.networks import Networks
from games.nine_mens_morris import NineMensMorris
from rules import PositionError

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
MAX_CLIENTS = 64
"""Connections at a time; a further one gets an error line and is closed."""
MAX_LINE_BYTES = 256
"""Bytes of a line; the service closes a connection that sends a longer one."""
IDLE_S = 600.0
"""Seconds until a silent connection is closed."""
SEND_S = 10.0
"""Seconds until a connection that does not accept an answer is closed."""


class Service:
    def __init__(self, game: NineMensMorris, networks: Networks) -> None:
        self.game, self._networks = game, networks
        self._clients = 0
        self.ports: list[int] = []
        """Ports that it listens on: the actual ones, also where 0 (any free port) was requested."""

    def answer(self, line: bytes) -> str:
        try:
            text = line.decode("ascii").strip()
        except UnicodeDecodeError:
            return "error: a state is 28 characters of ASCII\n"
        try:
            states = read_states([text])
            position = self.game.parse_position(text)
        except (ValueError, PositionError) as error:
            return f"error: {' '.join(str(error).encode('ascii', 'replace').decode('ascii').split())}\n"
        moves = self.game.legal_moves(position)
        if not moves:
            return "error: the game is over: there is no legal move\n"
        move = as_rows(moves)[self._networks.choose(states, as_rows(moves)).row]
        return "".join(f"{0 if choice == NONE else choice + 1}\n" for choice in move.tolist())

    async def listen(self, ports: Sequence[int], ready: asyncio.Event | None = None) -> None:
        """Serves on all ports until cancelled. Raises OSError if one is taken."""
        async with contextlib.AsyncExitStack() as stack:
            for port in ports:
                server = await asyncio.start_server(self._serve, HOST, port, limit=MAX_LINE_BYTES)
                await stack.enter_async_context(server)
                self.ports.append(int(server.sockets[0].getsockname()[1]))
            if ready is not None:
                ready.set()
            await asyncio.Event().wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients += 1
        try:
            if self._clients > MAX_CLIENTS:
                await _send(writer, f"error: {MAX_CLIENTS} clients are connected already\n")
            else:
                await self._converse(reader, writer)
        except (OSError, TimeoutError):
            log.info("a connection was given up")
        finally:
            self._clients -= 1
            writer.close()
            with contextlib.suppress(OSError, TimeoutError):
                await asyncio.wait_for(writer.wait_closed(), SEND_S)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                line = await asyncio.wait_for(reader.readline(), IDLE_S)
            except ValueError:
                await _send(writer, f"error: a line has at most {MAX_LINE_BYTES} bytes\n")
                return
            if not line:
                return
            await _send(writer, self.answer(line))


async def _send(writer: asyncio.StreamWriter, text: str) -> None:
    writer.write(text.encode("ascii"))
    await asyncio.wait_for(writer.drain(), SEND_S)
