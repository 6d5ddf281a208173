"""A tree of positions searched by PUCT: moves that are likely beforehand are tried first, good ones more often.

A move is worth `Q + c P sqrt(N) / (1 + n)` to who makes it, with its mean value Q, its likelihood beforehand P, its
visits n and its position's N; Rosin, "Multi-armed bandits with episode context", 2011, as Silver et al. use it, 2017.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games import AnyGame

Priors = Callable[[Any, Sequence[Any]], NDArray[np.float64]]
"""How likely each of the legal moves of a position is; their sum is 1."""
Value = Callable[[Any], float]
"""What a position is worth to the side to move, -1 lost to 1 won."""


class Node:
    """A position whose moves are known."""

    __slots__ = ("children", "moves", "position", "priors", "values", "visits")

    def __init__(self, position: Any, moves: Sequence[Any], priors: NDArray[np.float64]) -> None:
        self.position, self.moves, self.priors = position, moves, priors
        self.children: list[Node | None] = [None] * len(moves)
        self.visits = np.zeros(len(moves))
        self.values = np.zeros(len(moves))
        """Sums of what each move was worth to the side that makes it."""

    def promising(self, c: float) -> int:
        """The move to try next; one never tried is taken to be worth what its position is on the whole."""
        visits = self.visits.sum()
        mean = self.values.sum() / visits if visits else 0.0
        means = np.where(self.visits > 0, self.values / np.maximum(self.visits, 1), mean)
        return int((means + c * self.priors * math.sqrt(visits + 1) / (1 + self.visits)).argmax())

    def best(self) -> int:
        """The move tried most; of equal ones that with the higher sum of values, then the likelier."""
        return max(range(len(self.moves)), key=lambda row: (self.visits[row], self.values[row], self.priors[row]))


class Puct:
    """The search from one root."""

    def __init__(self, game: AnyGame, root: Node, priors: Priors, value: Value, c: float) -> None:
        self.game, self.root = game, root
        self._priors, self._value, self._c = priors, value, c

    def visit(self) -> None:
        """One way down the tree, to a position that is not in it yet or that ends the game."""
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
        """Adds the position after a move; its worth to the side to move there."""
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
