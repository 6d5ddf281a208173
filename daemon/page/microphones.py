"""Microphones of pages: each sends its sound over a WebSocket, from people who may give commands.

The first message is text, `{"token": "..."}`, empty on this computer; then binary ones: 16 kHz, 16 bits, one channel.
The answer is text: `{"listens": true}`, or `false` with a `code` and a `text` that says why not, and the end.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from aiohttp import WSMsgType, web

from daemon.page.answering import Problem, serve_socket
from daemon.page.permission import Permission
from daemon.voice.listening.listening import Listening
from daemon.voice.listening.utterances import RATE_HZ, Utterances

MAX_MICROPHONES = 4
MAX_MESSAGE = 8192
"""Bytes in a message: a quarter of a second."""
FASTEST = 2.0
"""A microphone that sends so many times faster than sound passes is closed; a network may hold some back."""
AHEAD_S = 5.0
FIRST_S = 5.0
SILENT_S = 10.0
"""Seconds without a message after which a microphone has gone."""


class Microphones:
    """All microphones. Used by the page's thread, except for `listening` and `is_talking`, which any may set."""

    def __init__(self, permission: Permission) -> None:
        self._permission = permission
        self.listening: Listening | None = None
        """What writes down the utterances; None if nobody is to be listened to."""
        self.is_talking: Callable[[], bool] = lambda: False
        """Whether the computer itself speaks: what is heard meanwhile is not meant for it."""
        self._open = 0

    async def listen(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(heartbeat=20.0, max_msg_size=MAX_MESSAGE)

        async def serve() -> None:
            refused = await self._refusal(socket, request)
            await socket.send_str(json.dumps(refused or {"listens": True}))
            if not refused:
                self._open += 1
                try:
                    await self._take(socket)
                finally:
                    self._open -= 1
                    self._count()

        return await serve_socket(socket, request, serve)

    async def _refusal(self, socket: web.WebSocketResponse, request: web.Request) -> dict[str, object]:
        """The answer that says why this microphone is not heard; empty if it is."""
        try:
            first = await socket.receive_json(timeout=FIRST_S)
            token = first.get("token", "") if isinstance(first, dict) else ""
        except (TypeError, ValueError):
            token = ""
        try:
            self._permission.check(request, token if isinstance(token, str) else "")
        except Problem as problem:
            return {"listens": False, "code": problem.code, "text": problem.text}
        if self.listening is None:
            return {"listens": False, "code": "off", "text": "listening is switched off in the settings"}
        if self._open >= MAX_MICROPHONES:
            return {"listens": False, "code": "too_many", "text": f"{MAX_MICROPHONES} microphones are on already"}
        return {}

    def _count(self) -> None:
        if self.listening is not None:
            self.listening.microphones = self._open

    async def _take(self, socket: web.WebSocketResponse) -> None:
        """Passes on the utterances until the page leaves, or sends what is no sound."""
        utterances, now = Utterances(), asyncio.get_running_loop().time
        begun_s, taken = now(), 0
        self._count()
        while self.listening is not None:
            async with asyncio.timeout(SILENT_S):
                message = await socket.receive()
            if message.type is not WSMsgType.BINARY:
                return
            taken += len(message.data)
            if taken / (2 * RATE_HZ) > FASTEST * (now() - begun_s) + AHEAD_S:
                return
            if self.is_talking():
                utterances.reset()
                continue
            for utterance in utterances.feed(message.data):
                self.listening.hear(utterance)
