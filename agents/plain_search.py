"""Alpha-beta in plain Python over any game's rules: slow, but it plays a new game at once."""

from __future__ import annotations

from typing import Any

from agents.search import MAX_DEPTH, WIN, Iteration
from games import AnyGame, Outcome, Side

LIMIT = 2 * WIN
MAX_KEPT = 200_000
"""Positions remembered; when there are more, all are forgotten."""


class _Interrupted(Exception):
    """Ordinary: time or nodes are up."""


class PlainSearch:
    """`agents.search.Search` for any game. The points so far are its only idea of a good position."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self._stop = False
        self._nodes = 0
        self._limit: int | None = None
        self._hint: Any = None
        self._found: tuple[Any, int] = (None, 0)
        self._best: dict[Any, Any] = {}
        """The best move found in a position by an earlier iteration."""

    def begin(self, position: Any, nodes: int | None, exact: bool) -> None:
        """Turns to a position. Only moves are remembered, never scores, so that every search is exact."""
        self._position, self._limit = position, nodes
        self._stop, self._nodes, self._hint = False, 0, None

    def deepen(self, depth: int) -> Iteration:
        """Searches to the depth; what was found at the root survives an interruption."""
        self._found, whole = (None, 0), True
        if len(self._best) > MAX_KEPT:
            self._best.clear()
        try:
            self._search(self._position, min(depth, MAX_DEPTH), 0, -LIMIT, LIMIT)
        except _Interrupted:
            whole = False
        move, score = self._found
        self._hint = self._hint if move is None else move
        return Iteration(whole, move, score, () if move is None else self._line(move, depth), self._nodes)

    def interrupt(self) -> None:
        """Looked at in every position."""
        self._stop = True

    def _search(self, position: Any, depth: int, ply: int, alpha: int, beta: int) -> int:
        """The score for the side to move, fail-soft. Raises _Interrupted."""
        self._nodes += 1
        if self._stop or (self._limit is not None and self._nodes > self._limit):
            raise _Interrupted
        side = self.game.to_move(position)
        if (outcome := self.game.outcome(position)) is not None:
            return _final(outcome, side, ply)
        if depth == 0:
            return self._points(position, side)
        best = -LIMIT
        for move in self._ordered(position, ply):
            child = self.game.apply(position, move)
            if self.game.to_move(child) == side:
                score = self._search(child, depth - 1, ply + 1, alpha, beta)
            else:
                score = -self._search(child, depth - 1, ply + 1, -beta, -alpha)
            if score > best:
                best = score
                self._best[position] = move
                if ply == 0:
                    self._found = (move, score)
            alpha = max(alpha, score)
            if alpha >= beta:
                break
        return best

    def _ordered(self, position: Any, ply: int) -> list[Any]:
        """All moves, the best of an earlier search first."""
        moves = list(self.game.legal_moves(position))
        first = self._hint if ply == 0 and self._hint is not None else self._best.get(position)
        if first in moves:
            moves.remove(first)
            moves.insert(0, first)
        return moves

    def _points(self, position: Any, side: Side) -> int:
        scores = self.game.scores(position)
        return 0 if scores is None else scores[side] - scores[1 - side]

    def _line(self, move: Any, depth: int) -> tuple[Any, ...]:
        line, position = [move], self.game.apply(self._position, move)
        while len(line) < depth and self.game.outcome(position) is None and position in self._best:
            line.append(self._best[position])
            position = self.game.apply(position, line[-1])
        return tuple(line)


def _final(outcome: Outcome, side: Side, ply: int) -> int:
    if outcome.winner is None:
        return 0
    return WIN - ply if outcome.winner == side else ply - WIN
