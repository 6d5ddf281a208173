"""What was announced last, as sound for pages whose browser has no voice for the players' language.

Each of the last announcements is rendered at most once, and only if a page asks for it, in a thread of its own.
"""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import threading
from collections.abc import Callable

from aiohttp import web

from daemon.page.answering import Problem
from daemon.page.page_state import PageState
from daemon.voice import VoiceError
from daemon.voice.voice import Renders

MAX_SOUNDS = 8
"""Most announcements that can be heard, the newest: as many as wait for a loudspeaker."""


class Sounds:
    """The sounds of one page. `offer` may be called by any thread, the rest is used by the page's."""

    def __init__(self, page_state: PageState) -> None:
        self._page_state = page_state
        self._offered: Callable[[], Renders] | None = None
        self._make: Callable[[], Renders] | None = None
        self._voice: Renders | None = None
        self._stop = threading.Event()
        self._renderer = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="page voice")
        self._sounds: collections.OrderedDict[int, asyncio.Future[bytes]] = collections.OrderedDict()

    def offer(self, make: Callable[[], Renders]) -> None:
        """Sets what makes the voice for pages whose browser has none; called when one first asks for a sound."""
        self._offered = make

    async def sound(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        text = self._page_state.spoken(MAX_SOUNDS).get(number)
        if text is None or self._offered is None:
            raise Problem(404, "not_said", "nothing was said with this number lately")
        if number not in self._sounds:
            self._sounds[number] = asyncio.get_running_loop().run_in_executor(self._renderer, self._render, text)
            if len(self._sounds) > MAX_SOUNDS:
                self._sounds.popitem(last=False)[1].cancel()
        try:
            sound = await asyncio.shield(self._sounds[number])
        except (VoiceError, asyncio.CancelledError) as error:
            self._sounds.pop(number, None)
            if not isinstance(error, VoiceError):
                raise
            raise Problem(503, "no_voice", str(error)) from error
        return web.Response(body=sound, content_type="audio/wav")

    def close(self) -> None:
        self._stop.set()
        self._renderer.shutdown(cancel_futures=True)
        if self._voice is not None:
            self._voice.close()
            self._voice = None

    def _render(self, text: str) -> bytes:
        """In the renderer's thread. Raises VoiceError."""
        if self._make is not self._offered or self._voice is None:
            if self._voice is not None:
                self._voice.close()
            self._make = self._offered
            assert self._make is not None
            self._voice = self._make()
        return self._voice.render(text, self._stop)
