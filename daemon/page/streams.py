"""Continuous streams for viewers: the picture as MJPEG, and state and announcements over a WebSocket."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import json
from collections.abc import AsyncIterator, Iterator

from aiohttp import WSMsgType, web

from daemon.commands.command import Command
from daemon.page.answering import Problem, serve_socket
from daemon.page.command_queue import CommandQueue
from daemon.page.guard import SVG, is_here
from daemon.page.page_state import PageState
from daemon.page.permission import PHONE
from daemon.page.phones.filming import MAX_PICTURE_BYTES, Filming
from daemon.page.phones.pairing import MAX_PHONES

MAX_VIEWERS = 8
"""Most picture streams at a time, and most live connections; as many to this computer as to all others."""
PICTURE_HZ = 15.0
SLOW_S = 10.0
"""Seconds without accepting a byte before a viewer is disconnected."""
REPEAT_S = 0.25
"""Seconds without a new picture before resending the last: Chrome shows a picture only when the next begins."""
CLOCK_S = 2.0
"""Seconds between clock updates when nothing else changes; pages run the clocks themselves in between."""
PHONE_HEARTBEAT_S = 6.0
"""Seconds between signs of life asked of a phone; after half as many more without one it counts as gone."""
IDLE_S = 5.0
"""Seconds between further repeats of an unchanged picture, which also detect viewers that have left."""
_BOUNDARY = "kibitzer-picture"


class Streams:
    """All viewers. Used by the page's thread; any thread may read `videos` and `lives`."""

    def __init__(self, page_state: PageState, mailbox: CommandQueue[Command], *, commands_from_elsewhere: bool) -> None:
        self._page_state, self._queue = page_state, mailbox
        self._commands_from_elsewhere = commands_from_elsewhere
        self.filming: Filming | None = None
        """Takes what paired phones send; None where none can be paired."""
        self._changed = asyncio.Event()
        self.ended = asyncio.Event()
        """Set when the page closes; `turn` must be called then."""
        self._open: collections.Counter[tuple[str, bool]] = collections.Counter()
        """Streams open now, by kind and by whether they go to this computer."""

    @property
    def videos(self) -> int:
        return self._open["video", True] + self._open["video", False]

    @property
    def lives(self) -> int:
        """Live connections open now, those of phones too."""
        return self._open.total() - self.videos

    @contextlib.contextmanager
    def _place(self, kind: str, request: web.Request) -> Iterator[None]:
        """Takes a place while a stream is open. Raises Problem if none is free."""
        place = kind, is_here(request)
        if self._open[place] >= (MAX_PHONES if kind == "phone" else MAX_VIEWERS):
            why = f"{MAX_VIEWERS} viewers are here already; close one and try again"
            raise Problem(503, "too_many_viewers", why)
        self._open[place] += 1
        try:
            yield
        finally:
            self._open[place] -= 1

    def turn(self) -> None:
        before, self._changed = self._changed, asyncio.Event()
        before.set()

    async def snapshot(self, _: web.Request) -> web.Response:
        number, data = await asyncio.to_thread(self._page_state.jpeg)
        if not number:
            raise Problem(503, "no_picture", "no picture has come yet")
        return web.Response(body=data, content_type="image/jpeg")

    async def board(self, _: web.Request) -> web.Response:
        svg = (await asyncio.to_thread(self._page_state.board))[1]
        if not svg:
            raise Problem(503, "no_board", "no game has begun yet")
        return web.Response(text=svg, content_type=SVG)

    async def video(self, request: web.Request) -> web.StreamResponse:
        """Streams the newest picture; a slow viewer skips pictures, and none is queued."""
        kind = f"multipart/x-mixed-replace; boundary={_BOUNDARY}"
        response = web.StreamResponse(headers={"Content-Type": kind, "Cache-Control": "no-store"})
        with self._place("video", request), contextlib.suppress(ConnectionError, TimeoutError):
            await response.prepare(request)
            await response.write(f"--{_BOUNDARY}\r\n".encode())
            async for data in self._pictures():
                head = f"Content-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n".encode()
                async with asyncio.timeout(SLOW_S):  # include the boundary: browsers show a picture once one ends it
                    await response.write(head + data + f"\r\n--{_BOUNDARY}\r\n".encode())
        return response

    async def _pictures(self) -> AsyncIterator[bytes]:
        """Yields new pictures, at most PICTURE_HZ, until the page closes; repeats the last one if none is new."""
        shown, sent_s, repeat_s = 0, float("-inf"), REPEAT_S
        while not self.ended.is_set():
            changed, now_s = self._changed, asyncio.get_running_loop().time()
            is_new = self._page_state.now.picture_number != shown
            if not is_new and (not shown or now_s - sent_s < repeat_s):
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), repeat_s)
                continue
            repeat_s = REPEAT_S if is_new else IDLE_S
            shown, data = await asyncio.to_thread(self._page_state.jpeg)
            yield data
            sent_s = asyncio.get_running_loop().time()
            await asyncio.sleep(max(0.0, now_s + 1 / PICTURE_HZ - sent_s))

    async def live(self, request: web.Request) -> web.StreamResponse:
        """WebSocket that sends state, board and health whenever they change, and every announcement once."""
        filming, phone = self.filming, request.get(PHONE)
        films = filming is not None and phone is not None
        # A phone's pictures are compressed already.
        socket = (
            web.WebSocketResponse(heartbeat=PHONE_HEARTBEAT_S, max_msg_size=MAX_PICTURE_BYTES, compress=False)
            if films
            else web.WebSocketResponse(heartbeat=20.0, max_msg_size=1024)
        )

        async def serve() -> None:
            reading = _drain(socket) if filming is None or phone is None else filming.serve(socket, phone)
            reader = asyncio.create_task(reading)
            try:
                await self._tell(socket, reader, trusted=films or is_here(request))
            finally:
                reader.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await reader

        with self._place("live" if phone is None else "phone", request):
            return await serve_socket(socket, request, serve)

    async def _tell(self, socket: web.WebSocketResponse, reader: asyncio.Task[None], *, trusted: bool) -> None:
        last, number, drawn, shown, told_s = ("", ""), 0, 0, "", float("-inf")
        now = asyncio.get_running_loop().time
        while not (self.ended.is_set() or reader.done()):
            changed, board = self._changed, shown
            announcements, summary = self._page_state.announcements(number), self._page_state.summary()
            if self._page_state.now.board_number != drawn:
                drawn, board = await asyncio.to_thread(self._page_state.board)
            ticked = summary[0] != last[0] and now() - told_s >= CLOCK_S
            if announcements or summary[1] != last[1] or board != shown or ticked:
                may_command = self._queue.is_open and (trusted or self._commands_from_elsewhere)
                own: dict[str, object] = {"announcements": announcements, "commands": may_command}
                own["token"] = may_command and not trusted
                if board != shown:
                    own["board"] = board
                async with asyncio.timeout(SLOW_S):
                    await socket.send_str(f"{json.dumps(own)[:-1]}, {summary[0][1:]}")
                last, shown, told_s = summary, board, now()
                number = announcements[-1]["number"] if announcements else number
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), 1.0)


async def _drain(socket: web.WebSocketResponse) -> None:
    """Reads and ignores what a page sends, so that a disconnect is noticed."""
    async for message in socket:
        if message.type in (WSMsgType.ERROR, WSMsgType.CLOSE):
            return
