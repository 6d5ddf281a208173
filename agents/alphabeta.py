"""The engine: alpha-beta, one ply deeper after the other, until a limit or a forced end is reached."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agents import kernels
from agents.agent import Answer, Limits
from agents.plain_search import PlainSearch
from agents.search import MAX_DEPTH, WIN, Iteration, Search
from games import AnyGame, rule

DEFAULT_TIME_S = 1.0
"""Thinking time where no limit is given."""
LOOK_S = 0.005
"""How often the clock and the stop event are looked at."""


@dataclasses.dataclass(frozen=True)
class AlphaBetaOptions:
    """The agent's options."""

    table_mb: int = rule(32, "mebibytes for the table of known positions, kept between moves", minimum=1, maximum=1024)
    seed: int = rule(0, "chooses among moves that look equally good; 0 takes the first", minimum=0, maximum=2**31)
    depth: int = rule(0, "plies to search where the limits name no depth; 0 is no limit", minimum=0, maximum=MAX_DEPTH)


class AlphaBeta:
    """Plays every game: by machine code where there is a kernel, else by plain Python over the rules.

    Limited by depth alone, its score is plain minimax's. Scores are in the kernel's units; near
    `agents.search.WIN` they count the plies to a forced end.
    """

    name = "alphabeta"
    Options = AlphaBetaOptions

    def __init__(self, game: AnyGame, options: AlphaBetaOptions | None = None) -> None:
        self.game = game
        self.options = options or AlphaBetaOptions()
        self.search: Search = kernels.search(game, self.options.table_mb, self.options.seed) or PlainSearch(game)

    @staticmethod
    def plays(game: AnyGame) -> bool:
        """Every game."""
        return True

    @staticmethod
    def warm_up(game: AnyGame) -> None:
        """Compiles the game's kernel, or fetches it from the disk."""
        if game.name in kernels.names():
            kernels.load(game.name)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """The best move of the deepest search that the limits allowed. Raises ValueError where the game is over."""
        began_s = time.monotonic()
        moves = self.game.legal_moves(position)
        if not moves:
            raise ValueError("the game is over: there is nothing to choose")
        if limits == Limits() and not self.options.depth:
            limits = Limits(time_s=DEFAULT_TIME_S)
        best, depth = Iteration(False, moves[0], 0, (moves[0],), 0), 0
        most = min(limits.depth or self.options.depth or MAX_DEPTH, MAX_DEPTH)
        self.search.begin(position, limits.nodes, exact=limits.time_s is None and limits.nodes is None)
        with _interrupter(self.search, stop, limits.time_s, began_s):
            while depth < most:
                latest = self.search.deepen(depth + 1)
                best = latest if latest.move is not None else dataclasses.replace(best, nodes=latest.nodes)
                if not latest.whole:
                    break
                depth += 1
                if _is_decided(latest, depth) or (len(moves) == 1 and limits.time_s is not None):
                    break
        pv = tuple(_texts(self.game, position, best.pv))
        return Answer(best.move, float(best.score), best.nodes, depth, time.monotonic() - began_s, pv)


def _is_decided(found: Iteration, depth: int) -> bool:
    """Whether the end of the game was seen within the depth: more depth finds nothing faster."""
    return abs(found.score) >= WIN - depth


def _texts(game: AnyGame, position: Any, moves: tuple[Any, ...]) -> Iterator[str]:
    for move in moves:
        yield game.format_move(position, move)
        position = game.apply(position, move)


@contextmanager
def _interrupter(search: Search, stop: threading.Event, time_s: float | None, began_s: float) -> Iterator[None]:
    """Interrupts the search from a thread of its own when time is up or somebody says stop."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(LOOK_S):
            if stop.is_set() or (time_s is not None and time.monotonic() - began_s >= time_s - LOOK_S):
                search.interrupt()
                return

    thread = threading.Thread(target=watch, name="interrupter", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


AGENT = AlphaBeta
