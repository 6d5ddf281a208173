"""The score pad on the page: what it shows, and what is written on it with permission."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiohttp import web

from daemon.commands.command import CommandError
from daemon.game.score_pad import ScorePad, ScorePadError
from daemon.page.answering import Problem, refusing, words_of
from daemon.page.permission import Permission
from daemon.record.score_pads import ScorePads

MAX_BYTES = 2048
FIELDS = {"begin": {"players", "target", "lowest"}, "add": {"points"}, "undo": set[str]()}


class ScorePadPage:
    """Answers for the newest pad of a record."""

    def __init__(self, journal: Path, permission: Permission) -> None:
        self._pads, self._permission = ScorePads(journal), permission

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_get("/score", self.shown)
        router.add_post("/score", self.written)

    async def shown(self, _: web.Request) -> web.Response:
        """The newest pad; an empty object before the first."""
        return await self._answer(lambda: self._pads.read())

    async def written(self, request: web.Request) -> web.Response:
        """`{"action": "begin", "players": [...], "target": 100}`, `{"action": "add", "points": [...]}`, or `undo`."""
        self._permission.check(request)
        words = await words_of(request, MAX_BYTES)
        with refusing(ScorePadError, 409, "refused"):
            change = _change(words)
        if isinstance(change, ScorePad):
            return await self._answer(functools.partial(self._pads.begin, change))
        return await self._answer(functools.partial(self._pads.change, change))

    async def _answer(self, work: Callable[[], ScorePad | None]) -> web.Response:
        try:
            with refusing(ScorePadError, 409, "refused"):
                pad = await asyncio.to_thread(work)
        except OSError as error:
            why = f"the score pad cannot be written: {error.strerror or error}"
            raise Problem(503, "unwritten", why) from None
        return web.json_response({} if pad is None else pad.as_object())


def _change(words: object) -> ScorePad | Callable[[ScorePad], ScorePad]:
    """The new pad, or what happens to the newest. Raises CommandError, ScorePadError."""
    action: Any = words.get("action") if isinstance(words, dict) else None
    if not isinstance(words, dict) or action not in FIELDS:
        raise CommandError(f"a score pad takes an action, one of {', '.join(FIELDS)}")
    if strange := set(words) - FIELDS[action] - {"action"}:
        raise CommandError(f"{action} has no {min(strange)[:32]}")
    match action:
        case "begin":
            players, lowest = words.get("players"), words.get("lowest", False)
            if not isinstance(players, list) or not all(isinstance(name, str) for name in players):
                raise CommandError("players is a list of names")
            if not isinstance(lowest, bool):
                raise CommandError("lowest is true or false")
            return ScorePad(tuple(players), words.get("target", 0), lowest)
        case "add":
            points = words.get("points")
            if not isinstance(points, list):
                raise CommandError("points is a list of numbers, one for each player")
            return lambda pad: pad.add(points)
    return ScorePad.undo
