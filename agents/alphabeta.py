"""The default engine: alpha-beta with iterative deepening until a limit or a forced end is reached."""

from __future__ import annotations

import dataclasses
import logging
import random
import threading
import time
from collections.abc import Iterator
from typing import Any

from agents import determinization, heuristics, kernels, loading
from agents.agent import AgentError, Answer, Limits
from agents.books import BookError, opening
from agents.move_request import MoveRequest
from agents.plain_search import PlainSearch
from agents.search import FORCED, MAX_DEPTH, WIN, Iteration, Search
from rules import AnyGame
from rules.options import rule

_log = logging.getLogger(__name__)

DEFAULT_TIME_S = 1.0
"""Seconds of thinking when no limit is given."""
LOOK_S = 0.005
"""Seconds between checks of the clock and the stop event."""
STOPGAP_S = 3.0
"""Seconds of thinking at most in plain Python while the kernel compiles; kernel depths are out of reach."""
SHORT_S = 0.0003
"""Seconds; a search without a time limit that has lasted no longer goes one ply deeper without a watch thread."""


@dataclasses.dataclass(frozen=True)
class AlphaBetaOptions:
    """The agent's options."""

    heuristic: str = rule("", "name of the heuristic that judges positions; empty is the engine's own evaluation")
    depth: int = rule(0, "plies to search where the limits name no depth; 0 is no limit", minimum=0, maximum=MAX_DEPTH)
    opening_depth: int = rule(0, "plies to search in the opening instead; 0 is depth", minimum=0, maximum=MAX_DEPTH)
    error_percent: int = rule(0, "how often, of a hundred times, a random move is played", minimum=0, maximum=100)
    table_mb: int = rule(32, "mebibytes for the table of known positions, kept between moves", minimum=1, maximum=1024)
    seed: int = rule(0, "chooses among moves that look equally good; 0 takes the first", minimum=0, maximum=2**31)
    book: bool = rule(True, "answers from the opening book where it knows the position and nothing limits the depth")


class AlphaBeta:
    """Plays every game: with compiled code where there is a kernel, else in plain Python over the rules.

    Limited by depth alone, it returns plain minimax's score. Scores are in the units of the heuristic; near
    `agents.search.WIN` they count the plies to a forced end.
    """

    name = "alphabeta"
    Options = AlphaBetaOptions

    def __init__(self, game: AnyGame, options: AlphaBetaOptions | None = None) -> None:
        """Raises AgentError if the game has no such heuristic."""
        self.game = game
        self.options = options or AlphaBetaOptions()
        known = heuristics.of(game)
        if self.options.heuristic and self.options.heuristic not in known:
            raise AgentError(
                f"{game.name} has no heuristic {self.options.heuristic!r}; it has {', '.join(known)}, "
                "or none for the engine's own evaluation"
            )
        self._search: Search | None = None
        self._has_waited = False
        self._chance = random.Random(self.options.seed or None)
        own = self.options
        judges_alike = not (own.heuristic or own.error_percent or own.depth or own.opening_depth)
        self._book = opening.of(game) if own.book and judges_alike else None

    @staticmethod
    def plays(game: AnyGame) -> bool:
        """Every game."""
        return True

    @staticmethod
    def warm_up(game: AnyGame) -> None:
        """Compiles the game's kernel, or loads it from the disk cache."""
        if game.name in kernels.names():
            loading.begin(game.name).join()

    def prepare(self, stop: threading.Event) -> None:
        """Waits for the kernel, as `agents.loading` allows. `choose` does so too, but an agent waits only once."""
        if not self._has_waited:
            self._has_waited = True
            loading.wait(self.game.name, stop)
        self._ready_search()

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """The best move of the deepest search within the limits. Raises ValueError where the game is over.

        The clock starts once the kernel is loaded or the wait for it has ended. The first ply is always searched, so
        that the answer is a sensible move however short the time is.
        """
        if (known := self._from_book(position, limits)) is not None:
            return known
        self.prepare(stop)
        request = MoveRequest(self.game, position)
        moves = request.moves
        if self._chance.random() * 100 < self.options.error_percent:
            return request.answer(self._chance.choice(moves))
        depth = limits.depth or self._depth(position)
        if limits == Limits() and not depth:
            limits = Limits(time_s=DEFAULT_TIME_S)
        world = determinization.imagined(self.game, position, self.options.seed)
        if world is not position:
            moves = self.game.legal_moves(world)
        limits = dataclasses.replace(limits, depth=depth or None)
        best, reached, own = self._deepen(world, moves, limits, stop, request.began_s)
        move = determinization.as_seen(self.game, position, world, best.move)
        # Tiles dealt after the move are imagined, so no line of play can be predicted.
        line = best.pv[1:] if world is position else ()
        pv = tuple(_texts(self.game, position, (move, *line)))
        exact = best.exact or abs(best.score) >= FORCED
        seconds = time.monotonic() - request.began_s
        stopgap = not (own or exact or self.options.heuristic)  # a named heuristic is the same in both searches
        return Answer(move, float(best.score), best.nodes, reached, seconds, pv, exact=exact, stopgap=stopgap)

    def _from_book(self, position: Any, limits: Limits) -> Answer | None:
        """The book's answer; None outside it, where depth is limited, and for players who err or judge otherwise."""
        if self._book is None or limits.depth:
            return None
        began_s = time.monotonic()
        try:
            good = self._book.good(position)
        except BookError as error:
            _log.warning("no opening book is used: %s", error)
            self._book = None
            return None
        if not good:
            return None
        chosen = self._chance.choice(good)
        pv = (self.game.format_move(position, chosen.move),)
        seconds = time.monotonic() - began_s
        return Answer(chosen.move, float(chosen.score), 0, chosen.depth, seconds, pv, from_book=True)

    def _depth(self, position: Any) -> int:
        """The depth set by the options; 0 for none."""
        if self.options.opening_depth and heuristics.is_opening(self.game, position):
            return self.options.opening_depth
        return self.options.depth

    def _deepen(
        self, position: Any, moves: Any, limits: Limits, stop: threading.Event, began_s: float
    ) -> tuple[Iteration, int, bool]:
        """The best move found, the depth of the last complete iteration, and whether its own search found it."""
        search = self._ready_search()
        own = search is self._search
        if not own:
            limits = dataclasses.replace(limits, time_s=min(limits.time_s or STOPGAP_S, STOPGAP_S))
        best, depth = Iteration(False, moves[0], 0, (moves[0],), 0), 0
        most = min(limits.depth or MAX_DEPTH, MAX_DEPTH)
        exact = limits.time_s is None and limits.nodes is None
        search.begin(position, limits.nodes, exact=exact)
        watch = _Watch(search, stop, limits.time_s, began_s)
        begun_s = time.monotonic()
        try:
            while depth < most:
                if depth and (limits.time_s is not None or time.monotonic() - begun_s > SHORT_S):
                    watch.start()
                elif depth and stop.is_set():
                    break
                latest = search.deepen(depth + 1)
                best = latest if latest.move is not None else dataclasses.replace(best, nodes=latest.nodes)
                if not latest.whole:
                    break
                depth += 1
                if latest.final or _is_decided(latest, depth) or (len(moves) == 1 and limits.time_s is not None):
                    break
        finally:
            watch.end()
        return best, depth, own

    def _ready_search(self) -> Search:
        """The kernel's search, kept with its table; the plain Python search without a kernel or while it compiles."""
        if self._search is None:
            name, table_mb, seed = self.options.heuristic, self.options.table_mb, self.options.seed
            plain = PlainSearch(self.game, heuristics.of(self.game).get(name), seed)
            if loading.is_pending(self.game.name):
                return plain
            self._search = kernels.search(self.game, table_mb, seed, name) or plain
        return self._search


def _is_decided(found: Iteration, depth: int) -> bool:
    """Whether a forced end lies within the searched depth, so that searching deeper finds nothing faster."""
    return abs(found.score) >= WIN - depth


def _texts(game: AnyGame, position: Any, moves: tuple[Any, ...]) -> Iterator[str]:
    for move in moves:
        yield game.format_move(position, move)
        position = game.apply(position, move)


class _Watch:
    """Interrupts a search from its own thread when time is up or the stop event is set."""

    def __init__(self, search: Search, stop: threading.Event, time_s: float | None, began_s: float) -> None:
        self._search, self._stop, self._time_s, self._began_s = search, stop, time_s, began_s
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts watching; later calls do nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._look, name="interrupter", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Stops watching; the search is not interrupted after this."""
        if self._thread is not None:
            self._done.set()
            self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(LOOK_S):
            late = self._time_s is not None and time.monotonic() - self._began_s >= self._time_s - LOOK_S
            if late or self._stop.is_set():
                self._search.interrupt()
                return


AGENT = AlphaBeta
