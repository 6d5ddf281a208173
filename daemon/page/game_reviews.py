"""Reviews of recorded games on the page: made one at a time in the background, and shown as far as they are made."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from typing import Any

from aiohttp import web

from agents.messages import StateMessage
from agents.values import SCORE
from daemon.bus.analysing import COMMAND, AnalysisError, analysis
from daemon.page.answering import Problem
from daemon.page.record_access import RecordAccess
from daemon.record.formats.played import ExportError
from daemon.record.reviews import JudgedPly, Review, Reviews, curve, fingerprint, has_better, loss, question, worth
from daemon.record.stored_game import StoredGame
from daemon.words.translation import in_words, worded
from rules import GameError

LOGGER = logging.getLogger(__name__)

MARKS = ("slip", "mistake", "blunder")
MAX_LINE = 12
TIME_S = 0.8
"""Seconds to think about a position, as `kibitzer games analyse` does."""
BUDGET_S = 240.0
"""Seconds for all positions of a game: in longer games each gets less."""
CLOSE_S = 5.0


class GameReviews:
    """Makes the reviews that pages ask for, and answers about them. No method waits for the analysis."""

    def __init__(self, record: RecordAccess, reviews: Reviews, playing: Callable[[], StateMessage | None]) -> None:
        """`playing` returns the state of the current game, None before the first."""
        self._record, self._reviews, self._playing = record, reviews, playing
        self._command, self._time_s = tuple(COMMAND), TIME_S
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._review: Review | None = None
        self._trouble = ""
        self._wanted = True

    def add_routes(self, router: web.UrlDispatcher, game: str) -> None:
        router.add_get(game + "/review", self.review)
        router.add_post(game + "/review", self.begin_review)

    async def review(self, request: web.Request) -> web.Response:
        game_id = request.match_info["game"]

        def work() -> dict[str, object]:
            stored = self._record.recorded(game_id).stored
            review, runs, trouble = self.of(stored)
            return {"state": "none"} if review is None else review_object(stored, review, runs=runs, trouble=trouble)

        return web.json_response(await self._record.result(work))

    async def begin_review(self, request: web.Request) -> web.Response:
        """Begins a review, `{"action": "begin"}`, or ends it, `{"action": "stop"}`; what is done is kept."""
        game_id = request.match_info["game"]
        words = await self._record.words(request)
        if words not in ({"action": "begin"}, {"action": "stop"}):
            raise Problem(400, "invalid", 'what is to be done is {"action": "begin"} or {"action": "stop"}')
        state = self._playing()

        def work() -> dict[str, object]:
            stored = self._record.recorded(game_id).stored
            if words == {"action": "stop"}:
                self.stop(game_id)
            elif state is not None and state.game_id == game_id and stored.finished is None:
                raise ExportError(worded("This game is being played: it can be reviewed once it is over."))
            elif not self.begin(stored):
                raise ExportError(worded("Another game is being reviewed. Stop that, or wait for its end."))
            return {"code": "done", "text": ""}

        return web.json_response(await self._record.result(work))

    def forget(self, game_id: str) -> None:
        self.stop(game_id, keep=False)
        self._reviews.forget(game_id)

    def begin(self, stored: StoredGame) -> bool:
        """Begins to review a game; False if another game is under review. Does nothing if this one is."""
        with self._lock:
            if self._runs:
                return self._review is not None and self._review.game_id == stored.game_id
            time_s = min(self._time_s, BUDGET_S / (len(stored.plies) + 1))
            self._review = Review(stored.game_id, fingerprint(stored), time_s, plies=len(stored.plies))
            self._stop, self._trouble, self._wanted = threading.Event(), "", True
            arguments = stored, self._review, self._stop
            self._thread = threading.Thread(target=self._make, args=arguments, name="review", daemon=True)
            self._thread.start()
            return True

    def stop(self, game_id: str, *, keep: bool = True) -> None:
        """Ends the review of a game; what is done is kept, if it is to be."""
        with self._lock:
            if self._review is not None and self._review.game_id == game_id:
                self._stop.set()
                self._wanted = self._wanted and keep

    def of(self, stored: StoredGame) -> tuple[Review | None, bool, str]:
        """The review being made of the game, else the one that is kept; whether it is being made; what went wrong."""
        played = fingerprint(stored)
        with self._lock:
            made, is_told = self._review, self._runs or self._trouble
            if made is not None and (made.game_id, made.played) == (stored.game_id, played) and is_told:
                return made.copy(), self._runs, self._trouble
        return self._reviews.read(stored), False, ""

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(CLOSE_S)

    @property
    def _runs(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _make(self, stored: StoredGame, review: Review, stop: threading.Event) -> None:
        try:
            asked, command = question(stored), self._command
            with analysis(
                stored.game, stored.rules, asked, review.time_s, background=True, command=command, stop=stop
            ) as told:
                for one in told:
                    with self._lock:
                        review.add(one)
        except (AnalysisError, GameError) as error:
            self._trouble = str(error)
            LOGGER.warning("%s is not reviewed to its end: %s", stored.game_id, error)
        except Exception:  # the top of the thread
            self._trouble = "?"
            LOGGER.exception("%s cannot be reviewed", stored.game_id)
        with self._lock, contextlib.suppress(OSError):  # the page shows it all the same
            if review.judged and self._wanted:
                self._reviews.keep(review)


def review_object(stored: StoredGame, review: Review, *, runs: bool, trouble: str) -> dict[str, Any]:
    moves = review.moves()
    return {
        "state": "running" if runs else "whole" if review.is_whole else "part",
        "done": len(review.judged),
        "total": review.plies + 1,
        "trouble": trouble,
        "fault": review.fault,
        "leads": review.unit == "point",
        "shares": review.unit not in ("point", SCORE),
        "accuracy": [review.accuracy(side) for side in (0, 1)],
        "marks": [
            {mark: sum(one.mark == mark for one in moves if one.side == side) for mark in MARKS} for side in (0, 1)
        ],
        "curve": [list(point) for point in curve(stored, review)],
        "plies": [_ply(one, review.unit) for one in moves],
    }


def _ply(one: JudgedPly, unit: str) -> dict[str, Any]:
    told: dict[str, Any] = {
        "ply": one.ply,
        "value": in_words(worth(one.value, unit)),
        "exact": one.value.exact,
        "mark": one.mark,
        "fair": one.fair,
    }
    if has_better(one):
        assert one.best is not None
        told["loss"] = in_words(loss(one.lost, one.lost_amount, unit))
        told["better"] = {"value": in_words(worth(one.best.value, unit)), "line": list(one.best.line[:MAX_LINE])}
    return told
