"""Reviews of recorded games in the background: one at a time, in a process at the lowest priority."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Sequence

from daemon.agents.analysing import COMMAND, AnalysisError, analysis
from daemon.storage.reviews import Review, Reviews, fingerprint, question
from daemon.storage.stored_game import StoredGame
from rules import GameError

LOGGER = logging.getLogger(__name__)

TIME_S = 0.8
"""Seconds to think about a position, as `kibitzer games analyse` does."""
BUDGET_S = 240.0
"""Seconds for all positions of a game: in longer games each gets less."""
CLOSE_S = 5.0
"""Seconds, longest wait for the thread when the page closes."""


class Reviewing:
    """Makes the reviews that pages ask for. Its methods never wait for the analysis; any thread may call them."""

    def __init__(self, kept: Reviews, command: Sequence[str] = COMMAND, time_s: float = TIME_S) -> None:
        self._kept, self._command, self._time_s = kept, tuple(command), time_s
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._review: Review | None = None
        """The review that is being made, or was made last."""
        self._trouble = ""
        self._wanted = True
        """Whether the review is to be kept."""

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

    def close(self) -> None:
        """Ends the review that is being made; may be called twice."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(CLOSE_S)

    def progress(self, game_id: str) -> tuple[Review, bool, str] | None:
        """A game's review so far, whether it is being made, and what went wrong; None if none was begun lately."""
        with self._lock:
            if self._review is None or self._review.game_id != game_id:
                return None
            return self._review.copy(), self._runs, self._trouble

    @property
    def _runs(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _make(self, stored: StoredGame, review: Review, stop: threading.Event) -> None:
        """The thread of one review."""
        try:
            self._analyse(stored, review, stop)
        except (AnalysisError, GameError) as error:
            self._trouble = str(error)
            LOGGER.warning("%s is not reviewed to its end: %s", stored.game_id, error)
        except Exception:  # the top of the thread
            self._trouble = "?"
            LOGGER.exception("%s cannot be reviewed", stored.game_id)
        with self._lock, contextlib.suppress(OSError):  # the page shows it all the same
            if review.judged and self._wanted:
                self._kept.keep(review)

    def _analyse(self, stored: StoredGame, review: Review, stop: threading.Event) -> None:
        """Raises AnalysisError, GameError."""
        asked = question(stored)
        told = analysis(
            stored.game, stored.rules, asked, review.time_s, background=True, command=self._command, stop=stop
        )
        with told as lines:
            for one in lines:
                with self._lock:
                    review.add(one)
