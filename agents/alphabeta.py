"""The default engine: alpha-beta, iteratively deepened until a limit or a forced end; reversi by named heuristics."""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from typing import Any

from agents import heuristics, kernels, loading
from agents.agent import AgentError, Answer, GameAgent, Limits
from agents.books import BookError, opening
from agents.move_request import Luck, MoveRequest, as_seen, imagined, texts_of
from agents.plain_search import LOOK_S, Watch, plain_search_of, search_of
from agents.search import FORCED, MAX_DEPTH, WIN, Iteration, Search
from rules import AnyGame
from rules.options import rule

_log = logging.getLogger(__name__)

DEFAULT_TIME_S = 1.0
STOPGAP_S = 3.0
"""Seconds of thinking at most in plain Python while the kernel compiles; kernel depths are out of reach."""
SHORT_S = 0.0003
"""Seconds; a search without a time limit that has lasted no longer goes one ply deeper without a watch thread."""


@dataclasses.dataclass(frozen=True)
class AlphaBetaOptions:
    heuristic: str = rule("", "name of the heuristic that judges positions; empty is the engine's own evaluation")
    depth: int = rule(0, "plies to search where the limits name no depth; 0 is no limit", minimum=0, maximum=MAX_DEPTH)
    opening_depth: int = rule(0, "plies to search in the opening instead; 0 is depth", minimum=0, maximum=MAX_DEPTH)
    error_percent: int = rule(0, "how often, of a hundred times, a random move is played", minimum=0, maximum=100)
    table_mb: int = rule(32, "mebibytes for the table of known positions, kept between moves", minimum=1, maximum=1024)
    seed: int = rule(0, "chooses among moves that look equally good; 0 takes the first", minimum=0, maximum=2**31)
    book: bool = rule(True, "answers from the opening book where it knows the position and nothing limits the depth")
    plain: bool = rule(False, "searches in plain Python, also where there is a compiled search")


class AlphaBeta(GameAgent):
    """Plays every game: with compiled code where there is a kernel, else in plain Python over the rules.

    Limited by depth alone, it returns plain minimax's score. Scores are in the units of the heuristic; near
    `agents.search.WIN` they count the plies to a forced end.
    """

    name = "alphabeta"
    options: AlphaBetaOptions
    Options: type[Any] = AlphaBetaOptions

    def __init__(self, game: AnyGame, options: AlphaBetaOptions | None = None) -> None:
        """Raises AgentError if the game has no such heuristic."""
        super().__init__(game, options)
        known = heuristics.of(game)
        if self.options.heuristic and self.options.heuristic not in known:
            raise AgentError(
                f"{game.name} has no heuristic {self.options.heuristic!r}; it has {', '.join(known)}, "
                "or none for the engine's own evaluation"
            )
        self._search: Search | None = None
        self._has_waited = False
        own = self.options
        self._luck = Luck(own.seed, own.error_percent)
        judges_alike = not (own.heuristic or own.error_percent or own.depth or own.opening_depth)
        self._book = opening.of(game) if own.book and judges_alike else None

    @classmethod
    def warm_up(cls, game: AnyGame) -> None:
        if game.name in kernels.names():
            loading.begin(game.name).join()

    def prepare(self, stop: threading.Event) -> None:
        """Waits for the kernel, as `agents.loading` allows. `choose` does so too, but an agent waits only once."""
        if not self._has_waited:
            self._has_waited = True
            if not self.options.plain:
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
        request = MoveRequest(self.game, position, limits, stop)
        if self._luck.errs():
            return request.answer(self._luck.error_of(request))
        depth = limits.depth or heuristics.depth_at(self.game, position, self.options)
        if limits == Limits() and not depth:
            limits = Limits(time_s=DEFAULT_TIME_S)
        world = imagined(self.game, position, self.options.seed)
        request.limits = dataclasses.replace(limits, depth=depth or None)
        best, reached, own = self._deepen(world, request)
        move = as_seen(self.game, position, world, best.move)
        # Tiles dealt after the move are imagined, so no line of play can be predicted.
        line = best.pv[1:] if world is position else ()
        pv = tuple(texts_of(self.game, position, (move, *line)))
        exact = best.exact or abs(best.score) >= FORCED
        stopgap = not (own or exact or self.options.heuristic)  # a named heuristic is the same in both searches
        return Answer(move, float(best.score), best.nodes, reached, request.seconds, pv, exact=exact, stopgap=stopgap)

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
        chosen = self._luck.any_of(good)
        pv = (self.game.format_move(position, chosen.move),)
        seconds = time.monotonic() - began_s
        return Answer(chosen.move, float(chosen.score), 0, chosen.depth, seconds, pv, from_book=True)

    def _deepen(self, position: Any, request: MoveRequest) -> tuple[Iteration, int, bool]:
        """The best move found, the depth of the last complete iteration, and whether its own search found it."""
        search = self._ready_search()
        own = search is self._search
        if not own:
            time_s = min(request.limits.time_s or STOPGAP_S, STOPGAP_S)
            request.limits = dataclasses.replace(request.limits, time_s=time_s)
        limits = request.limits
        moves = request.moves if position is request.position else self.game.legal_moves(position)
        best, depth = Iteration(False, moves[0], 0, (moves[0],), 0), 0
        most = min(limits.depth or MAX_DEPTH, MAX_DEPTH)
        exact = limits.time_s is None and limits.nodes is None
        search.begin(position, limits.nodes, exact=exact)
        watch = Watch(search, lambda: request.is_over(ahead_s=LOOK_S))
        begun_s = time.monotonic()
        try:
            while depth < most:
                if depth and (limits.time_s is not None or time.monotonic() - begun_s > SHORT_S):
                    watch.start()
                elif depth and request.is_over():
                    break
                latest = search.deepen(depth + 1)
                best = latest if latest.move is not None else dataclasses.replace(best, nodes=latest.nodes)
                if not latest.whole:
                    break
                depth += 1
                decided = abs(latest.score) >= WIN - depth  # a forced end so near: nothing deeper is faster
                if latest.final or decided or (len(moves) == 1 and limits.time_s is not None):
                    break
        finally:
            watch.end()
        return best, depth, own

    def _ready_search(self) -> Search:
        """The kernel's search, kept with its table; the plain Python search without a kernel or while it compiles."""
        if self._search is None:
            own = self.options
            plain = plain_search_of(self.game, own.seed, own.heuristic)
            if not own.plain and loading.is_pending(self.game.name):
                return plain
            self._search = plain if own.plain else search_of(self.game, own.table_mb, own.seed, own.heuristic)
        return self._search


@dataclasses.dataclass(frozen=True)
class StrategyOptions:
    depth: int = rule(4, "plies to search where the limits name no depth; 0 is no limit", minimum=0, maximum=MAX_DEPTH)
    error_percent: int = rule(0, "how often, of a hundred times, a random move is played", minimum=0, maximum=100)
    table_mb: int = rule(32, "mebibytes for the table of known positions, kept between moves", minimum=1, maximum=1024)
    seed: int = rule(0, "chooses among moves that look equally good; 0 takes the first", minimum=0, maximum=2**31)


class _Strategy(AlphaBeta):
    """A reversi player whose heuristic has the agent's name."""

    Options = StrategyOptions

    def __init__(self, game: AnyGame, options: StrategyOptions | None = None) -> None:
        super().__init__(game, AlphaBetaOptions(heuristic=self.name, **vars(options or StrategyOptions())))

    @classmethod
    def plays(cls, game: AnyGame) -> bool:
        return game.name == "reversi"


AGENTS = (AlphaBeta, *(type(one.title(), (_Strategy,), {"name": one}) for one in ("static", "stable", "adaptive")))
