"""The tree for UCT (upper confidence bounds applied to trees).

A child is worth `w/(n+e) + C sqrt(ln(N+e)/(n+e))` to the side that moves into it, with its wins `w` (a draw is half of
one), its playouts `n` and its parent's playouts `N`; children without playouts go first. Kocsis and Szepesvári, 2006;
the final choice rules, and the bias by knowledge, are from Chaslot et al., "Progressive strategies for Monte-Carlo tree
search", 2008.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rules import AnyGame, Side

CHILDREN = ("max", "robust", "max_robust", "secure")
"""Final choice rules: the highest mean, the most playouts, both, the highest lower bound."""
EPSILON = 1e-6
CAUTION = 1.0
"""How far below its mean the lower bound of a child lies after one playout, for `secure`."""


class Node:
    """A position in the tree, or in games with hidden hands all positions that the same moves lead to."""

    __slots__ = ("bias", "children", "mover", "playouts", "position", "untried", "wins")

    def __init__(self, position: Any, mover: Side) -> None:
        self.position = position
        self.mover = mover
        """Side that moved here; `wins` counts for it."""
        self.children: dict[Any, Node] = {}
        self.untried: list[Any] | None = None
        """Moves without a playout, the next one last; None before the first visit."""
        self.playouts = 0
        self.wins = 0.0
        self.bias = 0.0
        """The heuristic's value relative to the siblings, 0 to 1."""

    @property
    def mean(self) -> float:
        """Wins per playout, for the side that moved here; needs at least one playout."""
        return self.wins / self.playouts


def most_promising(node: Node, children: Sequence[Node], c: float, bias: float) -> Node:
    """The child with the highest bound, the first of equals; all have playouts. `bias` is the weight of knowledge."""
    log = math.log(node.playouts + EPSILON)
    best, most = children[0], -math.inf
    for child in children:
        n = child.playouts + EPSILON
        bound = child.wins / n + c * math.sqrt(log / n)
        if bias:
            bound += bias * child.bias / (n + 1)
        if bound > most:
            best, most = child, bound
    return best


def add_playout(path: Sequence[Node], first: float) -> None:
    """Counts a playout at every node of the path; `first` is its value for the first side, 0 to 1."""
    for node in path:
        node.playouts += 1
        node.wins += first if node.mover == 0 else 1 - first


def choice(root: Node, kind: str, game: AnyGame) -> Any:
    """The move to play by one of CHILDREN. At least one child must have playouts."""
    tried = _tried(root)
    if kind == "robust":
        return max(tried, key=lambda move: (tried[move].playouts, tried[move].mean))
    if kind == "secure":
        return max(tried, key=lambda move: tried[move].mean - CAUTION / math.sqrt(tried[move].playouts))
    if kind == "max_robust" and (both := max_robust(root)) is not None:
        return both

    def replies(move: Any) -> int:
        """Children tried so far if the node has no position, otherwise legal moves."""
        node = tried[move]
        return len(node.children if node.position is None else game.legal_moves(node.position))

    most = max(child.mean for child in tried.values())
    equal = [move for move, child in tried.items() if child.mean == most]
    return equal[0] if len(equal) == 1 else min(equal, key=replies)


def max_robust(root: Node) -> Any:
    """The move with the most playouts if its mean is also the highest; otherwise None."""
    tried = _tried(root)
    if not tried:
        return None
    robust = max(tried, key=lambda move: (tried[move].playouts, tried[move].mean))
    return robust if tried[robust].mean == max(child.mean for child in tried.values()) else None


def _tried(root: Node) -> dict[Any, Node]:
    return {move: child for move, child in root.children.items() if child.playouts}
