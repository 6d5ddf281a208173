"""Alpha-beta in plain Python over any game's rules: slow, but it plays a new game at once.

Also which search a game has, this one or a compiled one, and what interrupts it.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

from agents import heuristics, kernels
from agents.search import MAX_DEPTH, WIN, Iteration, Search
from rules import AnyGame, Outcome, Side
from rules.heuristics import Heuristic

LIMIT = 2 * WIN
NOTHING: tuple[Any, int] = (None, 0)
MAX_KEPT = 200_000
"""Positions whose best move is remembered; beyond that, all are forgotten."""


class _Interrupted(Exception):
    pass


class PlainSearch:
    """`agents.search.Search` for any game, with any of its heuristics."""

    def __init__(self, game: AnyGame, heuristic: Heuristic | None = None, seed: int = 0) -> None:
        """Without a heuristic, uses the game's usual one; a seed other than 0 chooses among equally good moves."""
        self.game = game
        self._heuristic = heuristic or next(iter(heuristics.of(game).values()))
        self._random = random.Random(seed) if seed else None
        self._stop = False
        self._nodes = 0
        self._limit: int | None = None
        self._roots: list[Any] = []
        """Moves of the root position, best known first."""
        self._found = NOTHING
        self._best: dict[Any, Any] = {}
        self._cutoffs: dict[Any, int] = {}
        """How often a move cut others off, wherever it was made: deeper searches count more."""

    def begin(self, position: Any, nodes: int | None, exact: bool) -> None:
        """Sets the root position. Only moves are remembered, never scores, so every search is exact."""
        self._position, self._limit = position, nodes
        self._stop, self._nodes = False, 0
        self._cutoffs.clear()
        self._roots = list(self.game.legal_moves(position))
        if self._random:
            self._random.shuffle(self._roots)
        elif position in self._best:
            self._put_first(self._best[position])

    def deepen(self, depth: int) -> Iteration:
        self._found, whole = NOTHING, True
        if len(self._best) > MAX_KEPT:
            self._best.clear()
        try:
            self._search(self._position, None, min(depth, MAX_DEPTH), 0, -LIMIT, LIMIT)
        except _Interrupted:
            whole = False
        move, score = self._found
        if move is not None:
            self._put_first(move)
        return Iteration(whole, move, score, () if move is None else self._line(move, depth), self._nodes)

    def interrupt(self) -> None:
        """Ends a running search; the flag is checked in every position."""
        self._stop = True

    def _put_first(self, move: Any) -> None:
        self._roots.remove(move)
        self._roots.insert(0, move)

    def _search(self, position: Any, last: Any, depth: int, ply: int, alpha: int, beta: int) -> int:
        self._nodes += 1
        if self._stop or (self._limit is not None and self._nodes > self._limit):
            raise _Interrupted
        side = self.game.to_move(position)
        if (outcome := self.game.outcome(position)) is not None:
            return final_score(outcome, side, ply)
        if depth <= 0 and heuristics.is_quiet(self.game, position):
            return self._heuristic(self.game, position, last)
        best = -LIMIT
        for move in self._ordered(position) if ply else tuple(self._roots):
            child = self.game.apply(position, move)
            if self.game.to_move(child) == side:
                score = self._search(child, move, depth - 1, ply + 1, alpha, beta)
            else:
                score = -self._search(child, move, depth - 1, ply + 1, -beta, -alpha)
            if score > best:
                best = score
                self._best[position] = move
                if ply == 0:
                    self._found = (move, score)
            alpha = max(alpha, score)
            if alpha >= beta:
                self._cutoffs[move] = self._cutoffs.get(move, 0) + max(1, depth) ** 2
                break
        return best

    def _ordered(self, position: Any) -> list[Any]:
        """All moves, with the best of an earlier search first, then those that cut others off elsewhere."""
        first, cutoffs = self._best.get(position), self._cutoffs
        return sorted(self.game.legal_moves(position), key=lambda move: (move != first, -cutoffs.get(move, 0)))

    def _line(self, move: Any, depth: int) -> tuple[Any, ...]:
        line, position = [move], self.game.apply(self._position, move)
        while len(line) < depth and self.game.outcome(position) is None and position in self._best:
            line.append(self._best[position])
            position = self.game.apply(position, line[-1])
        return tuple(line)


def final_score(outcome: Outcome, side: Side, ply: int) -> int:
    """The score for `side` of a game that ended `ply` plies on: 0 drawn, close to `WIN` won; sooner wins more."""
    if outcome.winner is None:
        return 0
    return WIN - ply if outcome.winner == side else ply - WIN


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
