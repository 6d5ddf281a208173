"""Recorded games on the page: list, replay, pictures, exports and ranking; deleting and renaming with permission.

A dedicated thread reads the journal's file and opens a new connection for each answer: the daemon's writing never
waits for a page, and a replaced file is noticed. One answer is computed at a time, besides one slow file in a second
thread; a few requests may wait, the rest are turned away.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import dataclasses
import hashlib
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import web

from agents.messages import StateMessage
from daemon.i18n.translation import in_words, worded
from daemon.outputs.command_queue import problem, words_or_problem
from daemon.outputs.guard import SVG, is_here
from daemon.outputs.permission import Permission
from daemon.outputs.recorded_game import RecordedGame, key_of, title_of
from daemon.outputs.review_page import review_object
from daemon.outputs.reviewing import Reviewing
from daemon.storage.browsing import games_page, games_seen, names_seen
from daemon.storage.exporting.document import summary_object
from daemon.storage.exporting.download import Download, download
from daemon.storage.exporting.formats import check_review
from daemon.storage.exporting.live import live, refuse_hidden
from daemon.storage.exporting.played import ExportError
from daemon.storage.finding import find
from daemon.storage.importing.imported import ImportFault
from daemon.storage.journal import Journal, JournalError
from daemon.storage.pictures import Pictures
from daemon.storage.ranking import ranking_object
from daemon.storage.reviews import Review, Reviews, fingerprint
from daemon.storage.stored_game import StoredGame
from rules import GameError
from wording import Sentence, sentence
from wording.outside import clean

_log = logging.getLogger(__name__)
T = TypeVar("T")

MAX_WAITING = 12
"""Most answers being computed or waiting."""
ANSWER_S = 20.0
"""Seconds, longest wait for an answer."""
MAX_DRAWING = 3
"""Most slow files, such as the picture of a whole game, being created or waiting."""
DRAWN_S = 60.0
"""Seconds, longest wait for a slow file."""
CHARSETS = {"text/plain": "utf-8", "application/x-go-sgf": "utf-8"}
"""Character sets that are told, by media type; the others have theirs by definition."""
SLOW = ("png",)
"""Formats of the slow files."""
MAX_LISTED = 100
"""Most games in one answer."""
MAX_RANKED = 200
"""Most players in one answer."""
MAX_BYTES = 2048
"""Bytes, longest text of a command here: two names."""
MAX_IMPORT_BYTES = 1 << 18
"""Bytes, longest game to import."""
MAX_NAME_LENGTH = 64
"""Characters in a player's name, as in the settings."""
MAX_REMEMBERED = 4
"""Most replayed games kept in memory, for viewers who step through their plies."""
_WRONG: dict[str, tuple[int, Sentence]] = {
    "unknown_game": (404, sentence("This game is no longer in the record.")),
    "absent": (404, sentence("There is no record yet.")),
    "busy": (503, sentence("The record is busy. Try again in a moment.")),
    "full": (507, sentence("The disk is full: make room, then try again.")),
    "read_only": (500, sentence("The file of the record may not be written.")),
    "corrupt": (500, sentence("The record is damaged. A new one begins when the daemon is started again.")),
    "newer": (500, sentence("A newer Kibitzer made this record.")),
    "unreadable": (500, sentence("This game cannot be read: its record is damaged.")),
}
"""HTTP status and sentence by code of a JournalError; the error's own text names files, which are not shown."""


class _Busy(Exception):
    """Too many requests are waiting, or the page is closing."""


class _WorkThread:
    """A thread that computes one answer at a time, with a limit on waiting requests."""

    def __init__(self, name: str, most: int, answer_s: float) -> None:
        self._thread = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix=name)
        self._room = threading.BoundedSemaphore(most)
        self._answer_s = answer_s

    async def result(self, work: Callable[[], T]) -> T:
        """The result of the work. Raises _Busy, TimeoutError, and whatever the work raises."""
        if not self._room.acquire(blocking=False):
            raise _Busy
        try:
            future = self._thread.submit(work)
        except RuntimeError as error:  # closed in the meantime
            self._room.release()
            raise _Busy from error
        future.add_done_callback(lambda _: self._room.release())
        return await asyncio.wait_for(asyncio.wrap_future(future), self._answer_s)

    def close(self) -> None:
        """Cancels what is waiting."""
        self._thread.shutdown(wait=False, cancel_futures=True)


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
        self._journal, self._pictures, self._reviews = journal, Pictures(journal), Reviews(journal)
        self._permission, self._playing = permission, playing
        self._commands_from_elsewhere = commands_from_elsewhere
        self._reviewing = Reviewing(self._reviews)
        self._registry = _WorkThread("archive", MAX_WAITING, ANSWER_S)
        self._drawing = _WorkThread("archive-drawing", MAX_DRAWING, DRAWN_S)
        self._lives: dict[str, tuple[str, int]] = {}
        """By suffix, the tag of the played game's text as it was last asked for, and the second since which it is
        known; later texts have later seconds, however fast they follow."""
        self._remembered: dict[tuple[str, int, int, str | None], RecordedGame] = {}
        """Used only by the archive's own thread."""

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Adds the archive's routes."""
        game = "/archive/{game:[0-9A-Za-z-]{1,64}}"
        router.add_get("/archive", self.listed)
        router.add_post("/archive", self.imported)
        router.add_get("/ranking", self.ranked)
        router.add_get(r"/live/game{suffix:(\.[a-z]{1,8})?}", self.live)
        router.add_get(game, self.game)
        router.add_get(game + r"/board/{ply:\d{1,6}}.svg", self.board)
        router.add_get(game + r"/picture/{ply:\d{1,6}}.jpg", self.picture)
        router.add_get(game + "/export/{format:[a-z]{1,16}}", self.exported)
        router.add_get(game + r"/find/{ply:\d{1,6}}", self.found)
        router.add_get(game + "/review", self.review)
        router.add_post(game + "/review", self.begin_review)
        router.add_post(game + "/delete", self.delete)
        router.add_post(game + "/players", self.name_players)

    def close(self) -> None:
        """Cancels what is waiting, and the review that is being made."""
        self._reviewing.close()
        self._registry.close()
        self._drawing.close()

    async def listed(self, request: web.Request) -> web.Response:
        """The newest games, filtered by `before`, `game`, `player` and `limit` in the query."""
        query = {name: clean(request.query.get(name, ""), MAX_NAME_LENGTH) for name in ("before", "game", "player")}
        limit = _limit(request.query.get("limit", "50"))
        if limit is None:
            return problem(400, "invalid", f"limit is a whole number from 1 to {MAX_LISTED}")

        def work() -> dict[str, object]:
            with self._opened() as journal:
                page = games_page(journal, limit, **query)
                listed = [summary_object(one) | {"title": title_of(one.game)} for one in page.games]
                response_of: dict[str, object] = {"games": listed, "older": page.older}
                if not query["before"]:
                    kinds = [{"name": name, "title": title_of(name)} for name in games_seen(journal)]
                    response_of |= {"names": names_seen(journal), "kinds": kinds}
            return response_of

        state, may = self._playing(), is_here(request) or self._commands_from_elsewhere
        own = {"played": "" if state is None else state.game_id, "commands": may}
        return await self._answer(work, lambda response_of: web.json_response(response_of | own))

    async def imported(self, request: web.Request) -> web.Response:
        """Adds somebody's game to the record: `{"text": "...", "name": "game.sgf", "game": ""}`."""
        words = await self._words(request, MAX_IMPORT_BYTES)
        if isinstance(words, web.Response):
            return words
        if not isinstance(words, dict) or not all(isinstance(words.get(key), str) for key in ("text", "name", "game")):
            return problem(400, "invalid", "a game to import has text, name and game, each a text")

        def work() -> str:
            # They import games that nobody may be playing.
            from daemon.storage.importing.judge import new_id
            from daemon.storage.importing.reading import read_text

            try:
                game = read_text(words["text"], clean(words["name"], MAX_NAME_LENGTH), game=words["game"])
            except (ImportFault, GameError) as fault:
                raise ExportError(worded("The game is not imported: {why}", why=str(fault))) from None
            with self._opened(write=True) as journal:
                if game.game_id in journal.ids():
                    game = dataclasses.replace(game, game_id=new_id(game.started))
                journal.add(game)
            return game.game_id

        return await self._answer(work, lambda game_id: web.json_response({"code": "done", "text": "", "id": game_id}))

    async def ranked(self, request: web.Request) -> web.Response:
        """The ranking; of one game if the query has `game`."""
        game = clean(request.query.get("game", ""), MAX_NAME_LENGTH)

        def work() -> dict[str, object]:
            with self._opened() as journal:
                return ranking_object(journal, game, MAX_RANKED)

        return await self._answer(work, web.json_response)

    async def game(self, request: web.Request) -> web.Response:
        """Everything about one game."""
        game_id = request.match_info["game"]
        return await self._answer(lambda: self._recorded(game_id).as_object(self._pictures), web.json_response)

    async def board(self, request: web.Request) -> web.Response:
        """The board after a ply as SVG; 0 is the start."""
        game_id, ply = request.match_info["game"], int(request.match_info["ply"])
        made = request.query.get("better", "")
        if made and not (made.isascii() and made.isdigit() and len(made) < 3):
            return problem(400, "invalid", "better is the number of moves made of the better line")

        def work() -> str | None:
            recorded = self._recorded(game_id)
            if ply > len(recorded.stored.plies):
                return None
            if not made:
                return recorded.board(ply)
            review = self._review_of(recorded.stored)[0]
            one = None if review is None else review.judged.get(ply)
            line = () if one is None or one.best is None else one.best.line
            return recorded.better_board(ply, line, int(made)) if int(made) <= len(line) else None

        def response_of(svg: str | None) -> web.Response:
            if svg is None:
                return problem(404, "no_ply", worded("The game has no move {ply} any more.", ply=ply))
            return web.Response(text=svg, content_type=SVG)

        return await self._answer(work, response_of)

    async def picture(self, request: web.Request) -> web.Response:
        """The picture of the board after a ply."""
        game_id, ply = request.match_info["game"], int(request.match_info["ply"])

        def work() -> bytes | None:
            plies = self._recorded(game_id).stored.plies
            return self._pictures.read(game_id, ply, plies[ply - 1].board) if 0 < ply <= len(plies) else None

        def response_of(jpeg: bytes | None) -> web.Response:
            if jpeg is None:
                return problem(404, "no_picture", worded("No picture was kept of this move."))
            return web.Response(body=jpeg, content_type="image/jpeg")

        return await self._answer(work, response_of)

    async def exported(self, request: web.Request) -> web.Response:
        """The game as a file to download."""
        game_id, name = request.match_info["game"], request.match_info["format"]
        comments, state = request.query.get("comments") == "1", self._playing()

        def work() -> Download:
            with self._opened() as journal:
                stored = journal.game(game_id)
            if name == "json" and state is not None and state.game_id == game_id:
                refuse_hidden(stored)
            return download(stored, name, check_review(name, self._reviews.read(stored)) if comments else None)

        def response_of(file: Download) -> web.Response:
            headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
            return web.Response(body=file.content, content_type=file.kind, headers=headers)

        return await self._answer(work, response_of, self._drawing if name in SLOW else self._registry)

    async def live(self, request: web.Request) -> web.Response:
        """The game that is played, as far as it was played; 304 to who has it already."""
        suffix, state = request.match_info["suffix"], self._playing()
        if state is None:
            return problem(404, "unknown_game", worded("No game has begun yet."))

        def work() -> Download | str:
            with self._opened() as journal:
                stored = journal.game(state.game_id)
            try:
                return live(stored, suffix)
            except ExportError as error:
                return str(error)

        def response_of(file: Download | str) -> web.Response:
            if isinstance(file, str):
                return problem(404, "not_told", file)
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

        return await self._answer(work, response_of)

    async def found(self, request: web.Request) -> web.Response:
        """The other games that went through the position after a ply, however the board was turned or mirrored."""
        game_id, ply = request.match_info["game"], int(request.match_info["ply"])

        def work() -> dict[str, object]:
            played = self._recorded(game_id).played
            if played is None or not 0 < ply < len(played.positions):
                raise ExportError(worded("The game has no move {ply} any more.", ply=ply))
            with self._opened() as journal:
                places = find(journal, played.game, played.positions[ply])
            others = [one for one in places if one.game_id != game_id]
            return {"games": [dataclasses.asdict(one) for one in others[:MAX_LISTED]], "count": len(others)}

        return await self._answer(work, web.json_response)

    async def review(self, request: web.Request) -> web.Response:
        """The review of a game, as far as it is made."""
        game_id = request.match_info["game"]

        def work() -> dict[str, object]:
            stored = self._recorded(game_id).stored
            review, runs, trouble = self._review_of(stored)
            return {"state": "none"} if review is None else review_object(stored, review, runs=runs, trouble=trouble)

        return await self._answer(work, web.json_response)

    async def begin_review(self, request: web.Request) -> web.Response:
        """Begins a review, `{"action": "begin"}`, or ends it, `{"action": "stop"}`; what is done is kept."""
        game_id = request.match_info["game"]
        words = await self._words(request)
        if isinstance(words, web.Response):
            return words
        if words not in ({"action": "begin"}, {"action": "stop"}):
            return problem(400, "invalid", 'what is to be done is {"action": "begin"} or {"action": "stop"}')
        state = self._playing()

        def work() -> dict[str, object]:
            stored = self._recorded(game_id).stored
            if words == {"action": "stop"}:
                self._reviewing.stop(game_id)
            elif state is not None and state.game_id == game_id and stored.finished is None:
                raise ExportError(worded("This game is being played: it can be reviewed once it is over."))
            elif not self._reviewing.begin(stored):
                raise ExportError(worded("Another game is being reviewed. Stop that, or wait for its end."))
            return {"code": "done", "text": ""}

        return await self._answer(work, web.json_response)

    def _review_of(self, stored: StoredGame) -> tuple[Review | None, bool, str]:
        """The review being made of the game, else the one that is kept; whether it is being made; what went wrong."""
        made = self._reviewing.progress(stored.game_id)
        if made is not None and made[0].played == fingerprint(stored) and (made[1] or made[2]):
            return made
        return self._reviews.read(stored), False, ""

    async def delete(self, request: web.Request) -> web.Response:
        """Deletes a game; the request's body repeats its id: `{"confirm": "ID"}`."""
        game_id = request.match_info["game"]
        words = await self._words(request)
        if isinstance(words, web.Response):
            return words
        if words != {"confirm": game_id}:
            return problem(400, "invalid", 'what is to be deleted is confirmed as {"confirm": "its id"}')
        state = self._playing()
        if state is None:
            return problem(409, "refused", worded("Nothing is deleted while the daemon is starting."))
        if state.game_id == game_id:
            return problem(409, "refused", worded("This game is being played: it cannot be deleted."))

        def work() -> str:
            with self._opened(write=True) as journal:
                if _is_newer(journal, game_id, state.game_id):
                    raise ExportError(worded("This game has just begun: it cannot be deleted."))
                journal.delete(game_id)
            self._reviewing.stop(game_id, keep=False)
            self._reviews.forget(game_id)
            if self._pictures.forget(game_id):
                return worded("The game is deleted.")
            return worded("The game is deleted; its pictures could not all be removed.")

        return await self._answer(work, lambda text: web.json_response({"code": "done", "text": text}))

    async def name_players(self, request: web.Request) -> web.Response:
        """Renames the players: `{"players": ["Ana", "Bea"]}`."""
        game_id = request.match_info["game"]
        words = await self._words(request)
        if isinstance(words, web.Response):
            return words
        names = _names(words)
        if names is None:
            return problem(400, "invalid", f"players are two names of 1 to {MAX_NAME_LENGTH} characters")

        def work() -> list[str]:
            with self._opened(write=True) as journal:
                journal.name_players(game_id, names)
            return names

        return await self._answer(work, lambda kept: web.json_response({"code": "done", "text": "", "players": kept}))

    async def _words(self, request: web.Request, most: int = MAX_BYTES) -> object:
        """The body of a command, or the response that refuses it."""
        refusal = self._permission.refusal(request)
        if refusal is not None:
            return refusal
        return await words_or_problem(request, most)

    async def _answer(
        self, work: Callable[[], T], response_of: Callable[[T], web.Response], thread: _WorkThread | None = None
    ) -> web.Response:
        """Runs the work in a thread and builds the response from its result."""
        try:
            return response_of(await (thread or self._registry).result(work))
        except _Busy:
            return problem(503, "busy", worded("Too many ask for recorded games at once. Try again in a moment."))
        except TimeoutError:
            return problem(503, "slow", worded("This takes too long. Try again, or save it in another format."))
        except JournalError as error:
            _log.info("the archive cannot answer: %s", error)
            status, text = _WRONG.get(error.code, (500, sentence("The record cannot be read.")))
            return problem(status, error.code, in_words(text))
        except ExportError as error:
            return problem(409, "refused", str(error))

    def _recorded(self, game_id: str) -> RecordedGame:
        """The game, replayed once for all viewers. Used only by the archive's thread."""
        with self._opened() as journal:
            stored = journal.game(game_id)
        key = key_of(stored)
        recorded = self._remembered.pop(key, None)
        if recorded is None or recorded.stored != stored:
            recorded = RecordedGame.of(stored)
        self._remembered[key] = recorded
        while len(self._remembered) > MAX_REMEMBERED:
            del self._remembered[next(iter(self._remembered))]
        return recorded

    @contextlib.contextmanager
    def _opened(self, *, write: bool = False) -> Iterator[Journal]:
        """The journal, opened on a new connection; a damaged one is never repaired here. Raises JournalError."""
        if not self._journal.is_file():
            raise JournalError("absent", f"{self._journal}: there is no record yet")
        journal = Journal(self._journal, read_only=not write)
        try:
            yield journal
        finally:
            journal.close()


def _is_newer(journal: Journal, game_id: str, played: str) -> bool:
    """Whether a game began after the one that the page believes to be current, and is unfinished."""
    rows = journal.rows(
        "SELECT 1 FROM games WHERE game_id = ? AND finished IS NULL AND source = ''"
        " AND rowid > (SELECT rowid FROM games WHERE game_id = ?)",
        [game_id, played],
    )
    return bool(rows)


def _limit(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\d{1,3}", text) and 1 <= int(text) <= MAX_LISTED else None


def _names(words: object) -> list[str] | None:
    """The two names of a command; None if they are invalid."""
    given = words.get("players") if isinstance(words, dict) and set(words) == {"players"} else None
    if not (isinstance(given, list) and len(given) == 2 and all(isinstance(one, str) for one in given)):
        return None
    names = [clean(one, MAX_NAME_LENGTH + 1) for one in given]
    return names if all(0 < len(name) <= MAX_NAME_LENGTH for name in names) else None
