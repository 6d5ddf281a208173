"""Searches a tree of positions by PUCT: likely moves are tried first, good ones more often.

A move is worth `Q + c P sqrt(N) / (1 + n)` to the side making it, with its mean value Q, prior probability P, visits n
and its position's visits N; Rosin, "Multi-armed bandits with episode context", 2011, as used by Silver et al., 2017.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rules import AnyGame

Priors = Callable[[Any, Sequence[Any]], NDArray[np.float64]]
"""Prior probabilities of a position's legal moves; they sum to 1."""
Value = Callable[[Any], float]
"""Value of a position for the side to move, -1 lost to 1 won."""


class Node:
    """A position in the tree with its legal moves."""

    __slots__ = ("children", "moves", "position", "priors", "values", "visits")

    def __init__(self, position: Any, moves: Sequence[Any], priors: NDArray[np.float64]) -> None:
        self.position, self.moves, self.priors = position, moves, priors
        self.children: list[Node | None] = [None] * len(moves)
        self.visits = np.zeros(len(moves))
        self.values = np.zeros(len(moves))
        """Sum of the values of each move, for the side that makes it."""

    def promising(self, c: float) -> int:
        """Index of the move to try next; an untried move is assumed to have its position's mean value."""
        visits = self.visits.sum()
        mean = self.values.sum() / visits if visits else 0.0
        means = np.where(self.visits > 0, self.values / np.maximum(self.visits, 1), mean)
        return int((means + c * self.priors * math.sqrt(visits + 1) / (1 + self.visits)).argmax())

    def best(self) -> int:
        """Index of the move tried most; ties go to the higher sum of values, then to the higher prior."""
        return max(range(len(self.moves)), key=lambda row: (self.visits[row], self.values[row], self.priors[row]))


class Puct:
    def __init__(self, game: AnyGame, root: Node, priors: Priors, value: Value, c: float) -> None:
        self.game, self.root = game, root
        self._priors, self._value, self._c = priors, value, c

    def visit(self) -> None:
        """Walks down the tree once, to a new position or to one that ends the game, and updates the path."""
        node, path = self.root, []
        while True:
            row = node.promising(self._c)
            path.append((node, row))
            child = node.children[row]
            if child is None:
                worth = self._grow(node, row)
                break
            if not child.moves:
                worth = self._final(child.position)
                break
            node = child
        for passed, row in reversed(path):
            worth = -worth
            passed.visits[row] += 1
            passed.values[row] += worth

    def _grow(self, node: Node, row: int) -> float:
        """Adds the position after a move; returns its value for the side to move there."""
        position = self.game.apply(node.position, node.moves[row])
        moves = self.game.legal_moves(position)
        priors = self._priors(position, moves) if moves else np.empty(0)
        node.children[row] = Node(position, moves, priors)
        return self._value(position) if moves else self._final(position)

    def _final(self, position: Any) -> float:
        outcome = self.game.outcome(position)
        if outcome is None or outcome.winner is None:
            return 0.0
        return 1.0 if outcome.winner == self.game.to_move(position) else -1.0
