"""Reviews of recorded games on the page: shown as far as they are made, begun and stopped with permission."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from agents.messages import StateMessage
from daemon.i18n.translation import worded
from daemon.outputs.command_queue import problem
from daemon.outputs.record_access import RecordAccess
from daemon.outputs.review_page import review_object
from daemon.outputs.reviewing import Reviewing
from daemon.storage.formats.played import ExportError
from daemon.storage.reviews import Review, Reviews, fingerprint
from daemon.storage.stored_game import StoredGame


class GameReviews:
    """Answers about reviews. Used by the page's thread."""

    def __init__(self, record: RecordAccess, reviews: Reviews, playing: Callable[[], StateMessage | None]) -> None:
        """`playing` returns the state of the current game, None before the first."""
        self._record, self._reviews, self._playing = record, reviews, playing
        self._reviewing = Reviewing(reviews)

    def add_routes(self, router: web.UrlDispatcher, game: str) -> None:
        """Adds the routes below a `game`'s own."""
        router.add_get(game + "/review", self.review)
        router.add_post(game + "/review", self.begin_review)

    def close(self) -> None:
        """Ends the review that is being made."""
        self._reviewing.close()

    def forget(self, game_id: str) -> None:
        """Ends and deletes the review of a game that is deleted."""
        self._reviewing.stop(game_id, keep=False)
        self._reviews.forget(game_id)

    async def review(self, request: web.Request) -> web.Response:
        """The review of a game, as far as it is made."""
        game_id = request.match_info["game"]

        def work() -> dict[str, object]:
            stored = self._record.recorded(game_id).stored
            review, runs, trouble = self.of(stored)
            return {"state": "none"} if review is None else review_object(stored, review, runs=runs, trouble=trouble)

        return await self._record.answer(work, web.json_response)

    async def begin_review(self, request: web.Request) -> web.Response:
        """Begins a review, `{"action": "begin"}`, or ends it, `{"action": "stop"}`; what is done is kept."""
        game_id = request.match_info["game"]
        words = await self._record.words(request)
        if isinstance(words, web.Response):
            return words
        if words not in ({"action": "begin"}, {"action": "stop"}):
            return problem(400, "invalid", 'what is to be done is {"action": "begin"} or {"action": "stop"}')
        state = self._playing()

        def work() -> dict[str, object]:
            stored = self._record.recorded(game_id).stored
            if words == {"action": "stop"}:
                self._reviewing.stop(game_id)
            elif state is not None and state.game_id == game_id and stored.finished is None:
                raise ExportError(worded("This game is being played: it can be reviewed once it is over."))
            elif not self._reviewing.begin(stored):
                raise ExportError(worded("Another game is being reviewed. Stop that, or wait for its end."))
            return {"code": "done", "text": ""}

        return await self._record.answer(work, web.json_response)

    def of(self, stored: StoredGame) -> tuple[Review | None, bool, str]:
        """The review being made of the game, else the one that is kept; whether it is being made; what went wrong."""
        made = self._reviewing.progress(stored.game_id)
        if made is not None and made[0].played == fingerprint(stored) and (made[1] or made[2]):
            return made
        return self._reviews.read(stored), False, ""
