"""Recorded games on the page: list, replay, exports, ranking, the game that is played; changes with permission."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiohttp import web

from agents.messages import StateMessage
from daemon.commands.strengths import shown_player
from daemon.page.answering import Problem, refusing
from daemon.page.game_reviews import GameReviews
from daemon.page.guard import SVG, is_here
from daemon.page.permission import Permission
from daemon.page.record_access import RecordAccess
from daemon.page.recorded_game import shown_in, title_of, titles_of
from daemon.record.browsing import find, games_page, games_seen, names_seen
from daemon.record.formats.document import summary_object
from daemon.record.formats.formats import Download, check_review, download, live, refuse_hidden
from daemon.record.formats.imported import ImportFault
from daemon.record.formats.played import ExportError
from daemon.record.journal import Journal
from daemon.record.pictures import Pictures
from daemon.record.ranking import ranking_object
from daemon.record.reviews import Reviews
from daemon.record.stored_game import StoredGame
from daemon.words.translation import worded
from rules import GameError
from wording.outside import clean

SLOW = ("png",)
CHARSETS = {"text/plain": "utf-8", "application/x-go-sgf": "utf-8"}
"""Character sets of a game that is played, by media type; the others have theirs by definition."""
MAX_LISTED = 100
MAX_RANKED = 200
MAX_IMPORT_BYTES = 1 << 18
MAX_IMPORTED = 100
MAX_NAME_LENGTH = 64
MAX_TEXT_LENGTH = 512


class Archive:
    """Answers about recorded games. Used by the page's thread."""

    def __init__(
        self,
        journal: Path,
        permission: Permission,
        playing: Callable[[], StateMessage | None],
        *,
        commands_from_elsewhere: bool,
    ) -> None:
        """`playing` returns the state of the current game, None before the first."""
        self._playing = playing
        self._commands_from_elsewhere = commands_from_elsewhere
        self._pictures, self._reviews = Pictures(journal), Reviews(journal)
        self._record = RecordAccess(journal, permission)
        self._game_reviews = GameReviews(self._record, self._reviews, playing)
        self._lives: dict[str, tuple[str, int]] = {}
        """By suffix, the tag of the played game's text as it was last asked for, and the second since which it is
        known; later texts have later seconds, however fast they follow."""

    def add_routes(self, router: web.UrlDispatcher) -> None:
        game = "/archive/{game:[0-9A-Za-z-]{1,64}}"
        router.add_get("/archive", self.listed)
        router.add_post("/archive", self.imported)
        router.add_get("/ranking", self.ranked)
        router.add_get(game, self.game)
        router.add_get(game + r"/board/{ply:\d{1,6}}.svg", self.board)
        router.add_get(game + r"/picture/{ply:\d{1,6}}.jpg", self.picture)
        router.add_get(game + "/export/{format:[a-z]{1,16}}", self.exported)
        router.add_get(game + r"/find/{ply:\d{1,6}}", self.found)
        router.add_post(game + "/delete", self.delete)
        router.add_post(game + "/players", self.name_players)
        self._game_reviews.add_routes(router, game)
        router.add_get(r"/live/game{suffix:(\.[a-z]{1,8})?}", self.live)

    def close(self) -> None:
        self._game_reviews.close()
        self._record.close()

    async def listed(self, request: web.Request) -> web.Response:
        """The newest games, filtered by `before`, `game`, `player` and `limit` in the query."""
        query = {name: clean(request.query.get(name, ""), MAX_NAME_LENGTH) for name in ("before", "game", "player")}
        asked = request.query.get("limit", "50")
        limit = int(asked) if re.fullmatch(r"\d{1,3}", asked) else 0
        if not 1 <= limit <= MAX_LISTED:
            raise Problem(400, "invalid", f"limit is a whole number from 1 to {MAX_LISTED}")

        def work() -> dict[str, object]:
            with self._record.opened() as journal:
                page = games_page(journal, limit, **query)
                listed = [summary_object(one) | titles_of(one) for one in page.games]
                listing: dict[str, object] = {"games": listed, "older": page.older}
                if not query["before"]:
                    kinds = [{"name": name, "title": title_of(name)} for name in games_seen(journal)]
                    names = list(dict.fromkeys(map(shown_player, names_seen(journal))))
                    listing |= {"names": names, "kinds": kinds}
            return listing

        state, may = self._playing(), is_here(request) or self._commands_from_elsewhere
        own = {"played": "" if state is None else state.game_id, "commands": may}
        return web.json_response(await self._record.result(work) | own)

    async def imported(self, request: web.Request) -> web.Response:
        """Adds somebody's game to the record: `{"text": "...", "name": "game.sgf", "game": ""}`.

        The answer's text names what in the file departs from its format, and how it was taken.
        """
        words = await self._record.words(request, MAX_IMPORT_BYTES)
        if not isinstance(words, dict) or not all(isinstance(words.get(key), str) for key in ("text", "name", "game")):
            raise Problem(400, "invalid", "a game to import has text, name and game, each a text")

        def work() -> tuple[str, str]:
            # They import games that nobody may be playing.
            from daemon.record.formats.reading import read_several
            from daemon.record.stored_game import new_id

            found: list[StoredGame] = []
            try:
                for game in read_several(words["text"], clean(words["name"], MAX_NAME_LENGTH), game=words["game"]):
                    if isinstance(game, ImportFault):
                        raise game
                    if len(found) == MAX_IMPORTED:
                        raise ImportFault(f"it holds more than {MAX_IMPORTED} games; kibitzer games import takes them")
                    found.append(game)
            except (ImportFault, GameError) as fault:
                raise ExportError(worded("The game is not imported: {why}", why=str(fault))) from None
            with self._record.opened(write=True) as journal:
                known = set(journal.ids())
                for place, game in enumerate(found):
                    if game.game_id in known:
                        found[place] = game = dataclasses.replace(game, game_id=new_id(game.started))
                    journal.add(game)
            departures = dict.fromkeys(one for game in found for one in game.departures)
            return found[0].game_id, "; ".join(departures)[:MAX_TEXT_LENGTH]

        game_id, text = await self._record.result(work)
        return web.json_response({"code": "done", "text": text, "id": game_id})

    async def ranked(self, request: web.Request) -> web.Response:
        """The ranking; of one game if the query has `game`."""
        game = clean(request.query.get("game", ""), MAX_NAME_LENGTH)

        def work() -> dict[str, object]:
            with self._record.opened() as journal:
                return shown_ranking(ranking_object(journal, game, MAX_RANKED))

        return web.json_response(await self._record.result(work))

    async def game(self, request: web.Request) -> web.Response:
        game_id = request.match_info["game"]
        return web.json_response(
            await self._record.result(lambda: self._record.recorded(game_id).as_object(self._pictures))
        )

    async def board(self, request: web.Request) -> web.Response:
        """The board after a ply as SVG; 0 is the start."""
        game_id, ply = request.match_info["game"], int(request.match_info["ply"])
        made = request.query.get("better", "")
        if made and not (made.isascii() and made.isdigit() and len(made) < 3):
            raise Problem(400, "invalid", "better is the number of moves made of the better line")

        def work() -> str:
            recorded = self._record.recorded(game_id)
            if ply > len(recorded.stored.plies):
                raise _no_ply(ply)
            if not made:
                return recorded.board(ply)
            review = self._game_reviews.of(recorded.stored)[0]
            one = None if review is None else review.judged.get(ply)
            line = () if one is None or one.best is None else one.best.line
            if int(made) > len(line):
                raise _no_ply(ply)
            return recorded.better_board(ply, line, int(made))

        return web.Response(text=await self._record.result(work), content_type=SVG)

    async def picture(self, request: web.Request) -> web.Response:
        game_id, ply = request.match_info["game"], int(request.match_info["ply"])

        def work() -> bytes | None:
            plies = self._record.recorded(game_id).stored.plies
            return self._pictures.read(game_id, ply, plies[ply - 1].board) if 0 < ply <= len(plies) else None

        jpeg = await self._record.result(work)
        if jpeg is None:
            raise Problem(404, "no_picture", worded("No picture was kept of this move."))
        return web.Response(body=jpeg, content_type="image/jpeg")

    async def exported(self, request: web.Request) -> web.Response:
        game_id, name = request.match_info["game"], request.match_info["format"]
        comments, state = request.query.get("comments") == "1", self._playing()

        def work() -> Download:
            with self._record.opened() as journal:
                stored = journal.game(game_id)
            if name == "json" and state is not None and state.game_id == game_id:
                refuse_hidden(stored)
            return download(stored, name, check_review(name, self._reviews.read(stored)) if comments else None)

        file = await self._record.result(work, slow=name in SLOW)
        headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
        return web.Response(body=file.content, content_type=file.kind, headers=headers)

    async def live(self, request: web.Request) -> web.Response:
        """The current game so far, as relays of tournaments read it; 304 for a client that has it already."""
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

    async def found(self, request: web.Request) -> web.Response:
        """The other games that went through the position after a ply, however the board was turned or mirrored."""
        game_id, ply = request.match_info["game"], int(request.match_info["ply"])

        def work() -> dict[str, object]:
            played = self._record.recorded(game_id).played
            if played is None or not 0 < ply < len(played.positions):
                raise ExportError(worded("The game has no move {ply} any more.", ply=ply))
            with self._record.opened() as journal:
                places = find(journal, played.game, played.positions[ply])
            others = [one for one in places if one.game_id != game_id]
            listed = [
                dataclasses.asdict(one) | {"shown": shown_in(one.players, played.game)} for one in others[:MAX_LISTED]
            ]
            return {"games": listed, "count": len(others)}

        return web.json_response(await self._record.result(work))

    async def delete(self, request: web.Request) -> web.Response:
        """Deletes a game; the request's body repeats its id: `{"confirm": "ID"}`."""
        game_id = request.match_info["game"]
        words = await self._record.words(request)
        if words != {"confirm": game_id}:
            raise Problem(400, "invalid", 'what is to be deleted is confirmed as {"confirm": "its id"}')
        state = self._playing()
        if state is None:
            raise Problem(409, "refused", worded("Nothing is deleted while the daemon is starting."))
        if state.game_id == game_id:
            raise Problem(409, "refused", worded("This game is being played: it cannot be deleted."))

        def work() -> str:
            with self._record.opened(write=True) as journal:
                if _is_newer(journal, game_id, state.game_id):
                    raise ExportError(worded("This game has just begun: it cannot be deleted."))
                journal.delete(game_id)
            self._game_reviews.forget(game_id)
            if self._pictures.forget(game_id):
                return worded("The game is deleted.")
            return worded("The game is deleted; its pictures could not all be removed.")

        return web.json_response({"code": "done", "text": await self._record.result(work)})

    async def name_players(self, request: web.Request) -> web.Response:
        """Renames the players: `{"players": ["Ana", "Bea"]}`."""
        game_id = request.match_info["game"]
        words = await self._record.words(request)
        names = _names(words)
        if names is None:
            raise Problem(400, "invalid", f"players are two names of 1 to {MAX_NAME_LENGTH} characters")

        def work() -> None:
            with self._record.opened(write=True) as journal:
                journal.name_players(game_id, names)

        await self._record.result(work)
        return web.json_response({"code": "done", "text": "", "players": names})


def shown_ranking(told: dict[str, Any]) -> dict[str, object]:
    """A ranking with each player's name for people."""
    return told | {"players": [one | {"shown": shown_player(one["player"])} for one in told["players"]]}


def _is_newer(journal: Journal, game_id: str, played: str) -> bool:
    """Whether a game began after the one that the page believes to be current, and is unfinished."""
    rows = journal.rows(
        "SELECT 1 FROM games WHERE game_id = ? AND finished IS NULL AND source = ''"
        " AND rowid > (SELECT rowid FROM games WHERE game_id = ?)",
        [game_id, played],
    )
    return bool(rows)


def _no_ply(ply: int) -> Problem:
    return Problem(404, "no_ply", worded("The game has no move {ply} any more.", ply=ply))


def _names(words: object) -> list[str] | None:
    """The two names of a command; None if they are invalid."""
    given = words.get("players") if isinstance(words, dict) and set(words) == {"players"} else None
    if not (isinstance(given, list) and len(given) == 2 and all(isinstance(one, str) for one in given)):
        return None
    names = [clean(one, MAX_NAME_LENGTH + 1) for one in given]
    return names if all(0 < len(name) <= MAX_NAME_LENGTH for name in names) else None
