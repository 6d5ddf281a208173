"""The game that is played, at an address of its own, as relays of tournaments read it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Any

from aiohttp import web

from agents.messages import StateMessage
from daemon.page.answering import Problem, refusing
from daemon.page.record_access import RecordAccess
from daemon.record.formats.formats import Download, live
from daemon.record.formats.played import ExportError
from daemon.words.translation import worded

CHARSETS = {"text/plain": "utf-8", "application/x-go-sgf": "utf-8"}
"""Character sets that are told, by media type; the others have theirs by definition."""


class LiveGame:
    """Answers what was played so far. Used by the page's thread."""

    def __init__(self, record: RecordAccess, playing: Callable[[], StateMessage | None]) -> None:
        """`playing` returns the state of the current game, None before the first."""
        self._record, self._playing = record, playing
        self._lives: dict[str, tuple[str, int]] = {}
        """By suffix, the tag of the played game's text as it was last asked for, and the second since which it is
        known; later texts have later seconds, however fast they follow."""

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_get(r"/live/game{suffix:(\.[a-z]{1,8})?}", self.live)

    async def live(self, request: web.Request) -> web.Response:
        """The current game so far; 304 for a client that has it already."""
        suffix, state = request.match_info["suffix"], self._playing()
        if state is None:
            raise Problem(404, "unknown_game", worded("No game has begun yet."))

        def work() -> Download:
            with self._record.opened() as journal:
                stored = journal.game(state.game_id)
            with refusing(ExportError, 404, "not_told"):
                return live(stored, suffix)

        file = await self._record.result(work)
        tag = hashlib.sha256(file.content).hexdigest()[:32]
        known, since_s = self._lives.get(suffix, ("", 0))
        if tag != known:
            since_s = max(int(time.time()), since_s + 1)
            self._lives[suffix] = tag, since_s
        tags, since = request.if_none_match, request.if_modified_since
        has = any(one.value in (tag, "*") for one in tags) if tags else since and since.timestamp() >= since_s
        text: dict[str, Any] = (
            {} if has else {"body": file.content, "content_type": file.kind, "charset": CHARSETS.get(file.kind)}
        )
        response = web.Response(status=304 if has else 200, headers={"Cache-Control": "no-cache"}, **text)
        response.etag, response.last_modified = tag, since_s
        return response
