"""The search of a game, compiled or in plain Python, and what interrupts it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from agents import heuristics, kernels
from agents.plain_search import PlainSearch
from agents.search import Search
from rules import AnyGame

LOOK_S = 0.002
"""Seconds between checks of the clock and the stop event."""


def search_of(game: AnyGame, table_mb: int, seed: int = 0, heuristic: str = "") -> Search:
    """The kernel's search; the one in plain Python where no kernel knows the game, its rules or the heuristic."""
    return kernels.search(game, table_mb, seed, heuristic) or plain_search_of(game, seed, heuristic)


def plain_search_of(game: AnyGame, seed: int = 0, heuristic: str = "") -> PlainSearch:
    return PlainSearch(game, heuristics.of(game).get(heuristic), seed)


class Watch:
    """Interrupts a search from its own thread once it is over."""

    def __init__(self, search: Search, is_over: Callable[[], bool]) -> None:
        self._search, self._is_over = search, is_over
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Later calls do nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._look, name="interrupter", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """The search is not interrupted after this."""
        if self._thread is not None:
            self._done.set()
            self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(LOOK_S):
            if self._is_over():
                self._search.interrupt()
