"""A phone's connection ends before its loop does."""

from __future__ import annotations

import asyncio
import gc
import ssl
import threading
import time
from pathlib import Path

import pytest
from aiohttp import web

from daemon.page.phones.certificate import DoorCertificates
from lab.bench.phone_client import paired
from tests.waiting import PATIENCE_S


class SlowSocket(web.WebSocketResponse):
    """Ends its connection some time after it said that it would; nothing else is served meanwhile."""

    def _close_transport(self) -> None:
        time.sleep(0.5)
        super()._close_transport()


class SlowDoor(threading.Thread):
    """A page and a phones' door that end connections slowly."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self._folder = folder
        self._up, self._ended = threading.Event(), asyncio.Event()
        self.page = ""

    def __enter__(self) -> SlowDoor:
        self.start()
        assert self._up.wait(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self.join(PATIENCE_S)

    def run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        app = web.Application()
        app.add_routes([web.post("/phone", self._phone), web.post("/pair", self._pair), web.get("/live", self._live)])
        runner = web.AppRunner(app, shutdown_timeout=0)
        await runner.setup()
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        DoorCertificates(self._folder).load_into(context, ["127.0.0.1"])
        page, door = (web.TCPSite(runner, "127.0.0.1", 0, ssl_context=one) for one in (None, context))
        await page.start()
        await door.start()
        (_, page_port), (_, self._port) = runner.addresses
        self.page = f"http://127.0.0.1:{page_port}"
        self._up.set()
        await self._ended.wait()
        await runner.cleanup()

    async def _phone(self, _request: web.Request) -> web.Response:
        return web.json_response({"address": f"https://127.0.0.1:{self._port}/phone#code"})

    async def _pair(self, _request: web.Request) -> web.Response:
        return web.Response()

    async def _live(self, request: web.Request) -> web.WebSocketResponse:
        socket = SlowSocket()
        await socket.prepare(request)
        async for _ in socket:
            pass
        return socket


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_connection_is_closed_before_its_loop_though_the_door_is_slow(tmp_path: Path) -> None:
    async def come_and_go(page: str) -> None:
        async with paired(page, tmp_path):
            pass

    with SlowDoor(tmp_path) as door:
        asyncio.run(come_and_go(door.page))
        gc.collect()
