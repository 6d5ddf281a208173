"""Servers that take games as the public descriptions of their APIs say, and refuse every request that does not fit.

https://github.com/lichess-org/api (broadcastPush, apiStudyImportPGN, apiStudyChapterMoves, apiStudyChapterTags) and
https://github.com/online-go/goban (ClientToServer, ReviewMessage, GobanSocket).
"""

from __future__ import annotations

import asyncio
import io
import json
import threading
from collections.abc import Callable
from typing import Any

import chess.pgn
from aiohttp import WSMsgType, web

from tests.waiting import PATIENCE_S

TOKEN = "lip_4Xs.secret-token"
TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
USER = 17


class FakePlaces:
    """A Lichess server, one of online-go.com, and an address that takes any text: all on one port of this computer."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        """What was asked against the descriptions."""
        self.requests: list[str] = []
        """Method and path of each request, in order."""
        self.answering: Callable[[], web.Response | None] = lambda: None
        """What is answered instead, if anything."""
        self.broadcast: dict[tuple[str, ...], chess.pgn.Game] = {}
        """Games of round AbCdEfGh by what tells them apart."""
        self.chapters: dict[str, chess.pgn.Game] = {}
        """Games of study StUdYiDs by chapter."""
        self.posted: list[tuple[str, str, str]] = []
        """Game id, media type and text of what came to /hook."""
        self.lines: list[dict[str, Any]] = []
        """What was appended to demo board 4321."""
        self.board_size, self.controller = 9, USER
        self._loop = asyncio.new_event_loop()
        self._ready, self._stop = threading.Event(), asyncio.Event()
        self.address = ""
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE_S)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(PATIENCE_S)
        self._loop.close()

    async def _serve(self) -> None:
        application = web.Application(middlewares=[self._checked])
        application.router.add_post("/api/broadcast/round/AbCdEfGh/push", self._push)
        application.router.add_post("/api/study/StUdYiDs/import-pgn", self._import)
        application.router.add_post("/api/study/StUdYiDs/{chapter}/{part:moves|tags}", self._update)
        application.router.add_get("/api/v1/ui/config", self._config)
        application.router.add_get("/", self._socket)
        application.router.add_post("/hook", self._hook)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        assert site._server is not None and isinstance(site._server, asyncio.Server)
        self.address = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    @web.middleware
    async def _checked(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests.append(f"{request.method} {request.path}")
        if (answer := self.answering()) is not None:
            return answer
        if request.path != "/" and request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return web.json_response({"error": "No such token"}, status=401)
        try:
            answered: web.StreamResponse = await handler(request)
        except AssertionError as error:
            self.faults.append(f"{request.method} {request.path}: {error}")
            return web.json_response({"error": str(error)}, status=400)
        return answered

    async def _push(self, request: web.Request) -> web.Response:
        assert request.content_type == "text/plain", request.content_type
        told = []
        for game in _games(await request.text()):
            headers = dict(game.headers)
            self.broadcast[tuple(headers[name] for name in ("Site", "Round", "White", "Black"))] = game
            told.append({"tags": headers, "moves": game.end().ply()})
        return web.json_response({"games": told})

    async def _import(self, request: web.Request) -> web.Response:
        (game,) = _games(await _form(request))
        assert len(self.chapters) < 64, "a study has 64 chapters"
        chapter = f"chapter{len(self.chapters)}"
        self.chapters[chapter] = game
        players = [{"name": game.headers["White"]}, {"name": game.headers["Black"]}]
        return web.json_response({"chapters": [{"id": chapter, "name": "Chapter", "players": players}]})

    async def _update(self, request: web.Request) -> web.Response:
        (game,) = _games(await _form(request))
        chapter, part = request.match_info["chapter"], request.match_info["part"]
        if chapter not in self.chapters:
            return web.json_response({"error": "Not found"}, status=404)
        before = self.chapters[chapter]
        moves, tags = (game, before) if part == "moves" else (before, game)
        self.chapters[chapter] = kept = chess.pgn.read_game(io.StringIO(str(moves))) or moves
        kept.headers = tags.headers
        return web.Response(status=204)

    async def _config(self, _: web.Request) -> web.Response:
        return web.json_response({"user": {"id": USER, "username": "club", "anonymous": False}, "user_jwt": "a.jwt"})

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        user = 0
        connected = False
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            name, data, number = (*json.loads(message.data), None)[:3]
            if name == "authenticate":
                user = USER if data["jwt"] == "a.jwt" else 0
                await socket.send_json([number, {"id": user, "username": "club"} if user else None])
            elif name == "review/connect":
                connected = data == {"review_id": 4321}
                board = {"width": self.board_size, "height": self.board_size, "komi": 6.5}
                state = [{"gamedata": board, "owner": {"id": USER}}, {"controller": self.controller}]
                await socket.send_json(["active-bots", {}])
                await socket.send_json(["review/4321/full_state", state])
            elif name == "review/append":
                if not (user and connected and data.pop("review_id") == 4321 and user == self.controller):
                    self.faults.append(f"appended by {user}: {data}")
                self.lines.append(data)
            elif name == "net/ping":
                await socket.send_json(["net/pong", {"client": data["client"], "server": 1}])
            else:
                self.faults.append(f"{name} is no message of a client")
        return socket

    async def _hook(self, request: web.Request) -> web.Response:
        assert request.charset == "utf-8", request.charset
        self.posted.append((request.headers["Kibitzer-Game"], request.content_type, await request.text()))
        return web.Response(status=202)


async def _form(request: web.Request) -> str:
    assert request.content_type == "application/x-www-form-urlencoded", request.content_type
    fields = dict(await request.post())
    assert set(fields) == {"pgn"} and isinstance(fields["pgn"], str), fields
    return fields["pgn"]


def _games(text: str) -> list[chess.pgn.Game]:
    """The games of a text, each of which must be a whole and legal one."""
    stream, found = io.StringIO(text), list[chess.pgn.Game]()
    while (game := chess.pgn.read_game(stream)) is not None:
        assert not game.errors, game.errors
        assert all(game.headers.get(tag, "") for tag in TAGS), dict(game.headers)
        found.append(game)
    assert found, "no game in the text"
    return found
