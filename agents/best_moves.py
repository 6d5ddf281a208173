"""The best few moves of a position, each with its value and the reasons that the rules show.

Every legal move is searched, not only the best one. In games with hidden hands nothing is searched: the moves that any
hand might allow are given with the points that they bring, so that the answer tells nobody's tiles.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from agents import kernels, levels, loading, merits
from agents.move_request import texts_of
from agents.plain_search import Watch, search_of
from agents.search import FORCED, MAX_DEPTH, Search
from agents.values import value_of, value_of_end
from rules import AnyGame, Counts, HiddenHands, Step

MAX_MOVES = 8
WIDE = 3
"""Moves kept at every depth, as a multiple of those asked for; half of the others are left at each depth."""
TABLE_MB = 32


@dataclasses.dataclass(frozen=True)
class Valued:
    move: Any
    score: int = 0
    """In the unit of the game's search; 0 where only points are known."""
    line: tuple[Any, ...] = ()
    proven: bool = False
    """Whether the score is exact: a forced end, an ending solved, or a table's word."""
    depth: int = 0
    """Plies searched, the move itself included."""


class BestMoves:
    def __init__(self, game: AnyGame) -> None:
        self.game, self.scale = game, levels.scale(game.name)
        self._search: Search | None = None

    def find(self, position: Any, count: int, time_s: float, stop: threading.Event) -> list[dict[str, object]]:
        """The best moves as JSON-ready objects, best first; empty where the game is over or only passes are left.

        `move`, `score`, `proven`, `depth`; `ends` (plies to a forced end, negative for a loss; null if there is none);
        `amount` (the lead in the `unit` that the game counts, as in `agents.values`; null where there is none); `men`
        (men taken less men lost in the expected line); `pv`; `why`, codes of `agents.merits`.
        """
        game = self.game
        if isinstance(game, HiddenHands):
            position = game.view(game.view(position, 0), 1)
            return [self._with_points(position, one) for one in self._by_points(position)[:count]]
        if game.outcome(position) is not None:
            return []
        found = self._searched(position, count, time_s, stop)
        if found and found[0].score >= -FORCED:
            found = [one for one in found if one.score >= -FORCED]  # whoever can hold out needs no lost moves
        return [self._told(position, one) for one in found[:count] if game.steps(position, one.move)]

    def _searched(self, position: Any, count: int, time_s: float, stop: threading.Event) -> list[Valued]:
        """All moves by value, best first: each one's first step only once, with the best of what follows it."""
        search = self._ready()
        end_s = time.monotonic() + time_s

        def over() -> bool:
            return stop.is_set() or time.monotonic() >= end_s

        watch = Watch(search, over)
        watch.start()
        try:
            return self._deepened(search, position, count, over)
        finally:
            watch.end()

    def _deepened(self, search: Search, position: Any, count: int, over: Callable[[], bool]) -> list[Valued]:
        """Looks one ply deeper each time, at fewer moves each time, always with the one that the engine would play."""
        left = list(self.game.legal_moves(position))
        found: list[Valued] = []
        for depth in range(1, MAX_DEPTH):
            own = self._root(search, position, depth + 1)
            if own is not None and own.move in left:
                left = [own.move, *(move for move in left if move != own.move)]
            whole: dict[Any, Valued] = {}
            for move in left:
                valued = own if own is not None and own.proven and own.move == move else None
                valued = valued or self._after(search, position, move, depth)
                if valued is None or (over() and depth > 1):
                    break
                whole[move] = valued
            if len(whole) < len(left) and found:
                break
            if not whole:  # in plain Python the time may end before one move is searched
                return [own] if own is not None else []
            best = sorted(whole.values(), key=lambda one: -one.score)
            beyond = [one for one in found if one.move not in whole]
            found = self._first_steps(position, [*best, *beyond])
            if over() or all(one.proven for one in found[:count]):
                break
            most = max(WIDE * count, len(found) // 2)
            left = [one.move for one in found[:most]]
        return found

    def _root(self, search: Search, position: Any, depth: int) -> Valued | None:
        """The engine's own choice at that depth, or at the first if it was interrupted; None before that."""
        search.begin(position, None, exact=False)
        own = None
        for reached in (1, depth):
            latest = search.deepen(reached)
            if not latest.whole or latest.move is None:
                break
            proven = latest.final or abs(latest.score) > FORCED
            own = Valued(latest.move, latest.score, latest.pv, proven, reached)
            if latest.final:
                break
        return own

    def _after(self, search: Search, position: Any, move: Any, depth: int) -> Valued | None:
        """The value of a move by a search of what follows it; None if that was interrupted."""
        game = self.game
        after = game.apply(position, move)
        side = game.to_move(position)
        if (outcome := game.outcome(after)) is not None:
            value = value_of_end(self.scale, outcome, side, len(game.cells)).later()
            return Valued(move, round(value.score), (move,), True, 1)
        search.begin(after, None, exact=False)
        for shallower in (1, depth) if depth > 1 else (1,):
            latest = search.deepen(shallower)
            if not latest.whole or latest.move is None:
                return None
            if latest.final:
                break
        score = latest.score if game.to_move(after) == side else -latest.score
        proven = latest.final or abs(score) > FORCED
        if abs(score) > FORCED:
            score -= 1 if score > 0 else -1  # this move is a ply, too
        return Valued(move, score, (move, *latest.pv), proven, depth + 1)

    def _first_steps(self, position: Any, ordered: Iterable[Valued]) -> list[Valued]:
        """The moves without those that begin like a better one: of a mill's captures the best is enough."""
        seen: set[object] = set()
        kept = []
        for one in ordered:
            steps = self.game.steps(position, one.move)
            first: Step | Any = steps[0] if steps else one.move
            if first not in seen:
                seen.add(first)
                kept.append(one)
        return kept

    def _ready(self) -> Search:
        if self._search is None:
            if self.game.name in kernels.names():
                loading.begin(self.game.name).join()
            self._search = search_of(self.game, TABLE_MB)
        return self._search

    def _told(self, position: Any, one: Valued) -> dict[str, object]:
        game = self.game
        value = value_of(self.scale, one.score, one.proven)
        ends = None if value.plies is None else value.plies if value.chance else -value.plies
        texts = texts_of(game, position, one.line)
        return {
            "move": texts[0],
            "score": one.score,
            "proven": one.proven,
            "depth": one.depth,
            "ends": ends,
            "amount": value.amount,
            "unit": self.scale.unit,
            "men": self._men_won(position, one.line),
            "pv": texts[:12],
            "why": list(merits.of(game, position, one.move)),
        }

    def _men_won(self, position: Any, line: tuple[Any, ...]) -> int:
        """How many of the other side's men are taken along the line, or change sides, less the mover's own.

        The last ply may take a man that the next one would win back: of the last two balances the smaller counts.
        """
        game = self.game
        side, here, balance = game.to_move(position), position, [0]
        for move in line:
            mover, before = game.to_move(here), game.board(here)
            here = game.apply(here, move)
            other = game.pieces[1 - mover]
            taken = before.count(other) - game.board(here).count(other)
            balance.append(balance[-1] + (taken if mover == side else -taken))
        return min(balance[-2:], key=abs)

    def _by_points(self, position: Any) -> list[tuple[int, Any]]:
        """All lays by the points that they bring more to the mover than to the other side."""
        game, side = self.game, self.game.to_move(position)
        lays = []
        for move in game.legal_moves(position):
            gains = Counts.of(game).gains(position, move)
            if gains is not None and game.steps(position, move):
                lays.append((gains[side].total - gains[1 - side].total, move))
        return sorted((one for one in lays if one[0] > 0), key=lambda one: -one[0])

    def _with_points(self, position: Any, one: tuple[int, Any]) -> dict[str, object]:
        text = self.game.format_move(position, one[1])
        known = {"score": one[0], "proven": True, "depth": 1, "ends": None, "amount": one[0], "unit": self.scale.unit}
        return {"move": text, **known, "men": 0, "pv": [text], "why": ["if_held"]}
