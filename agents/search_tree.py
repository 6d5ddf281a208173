"""The tree of a search to a fixed depth, and which of its positions alpha-beta cuts off."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

from agents import heuristics
from agents.plain_search import LIMIT, final_score
from rules import AnyGame, Side
from rules.heuristics import Heuristic


@dataclasses.dataclass
class Node:
    move: str
    """The move that leads here; empty at the root."""
    maximises: bool
    """Whether the side to move is the root's, which looks for the highest value."""
    value: int
    """What minimax finds, for the root's side."""
    children: list[Node] = dataclasses.field(default_factory=list)
    left_out: int = 0
    """Legal moves beyond the width."""
    found: int | None = None
    """What alpha-beta finds, a bound where it cuts; None in a position that it never visits."""

    @property
    def is_cut(self) -> bool:
        return self.found is None

    def all(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.all()

    @property
    def leaves(self) -> int:
        return sum(not node.children for node in self.all())


@dataclasses.dataclass(frozen=True)
class Shape:
    depth: int
    width: int
    """Most moves that are looked at in a position; the others are left out."""
    best_first: bool
    """Whether moves are tried in the order of what the heuristic says after them, else in that of the rules."""


def tree_of(game: AnyGame, position: Any, heuristic: Heuristic, shape: Shape) -> Node:
    """The tree, grown whole as minimax does, and then searched by alpha-beta. Raises ValueError if the game is over."""
    if game.outcome(position) is not None:
        raise ValueError("the game is over in this position")
    root = _Growing(game, heuristic, shape, game.to_move(position)).grown(position, None, "", 0)
    _search(root, -LIMIT, LIMIT)
    return root


@dataclasses.dataclass(frozen=True)
class _Growing:
    game: AnyGame
    heuristic: Heuristic
    shape: Shape
    side: Side
    """The root's side."""

    def grown(self, position: Any, last: Any, text: str, ply: int) -> Node:
        game = self.game
        maximises = game.to_move(position) == self.side
        ended = game.outcome(position)
        if ended is not None:
            return Node(text, maximises, final_score(ended, self.side, ply))
        if ply >= self.shape.depth and heuristics.is_quiet(game, position):
            return Node(text, maximises, self._judged(position, last))
        after = [(move, game.apply(position, move)) for move in game.legal_moves(position)]
        if self.shape.best_first:
            after.sort(key=lambda pair: self._judged(pair[1], pair[0]), reverse=maximises)
        children = [
            self.grown(child, move, game.format_move(position, move), ply + 1)
            for move, child in after[: self.shape.width]
        ]
        values = [child.value for child in children]
        value = max(values) if maximises else min(values)
        return Node(text, maximises, value, children, len(after) - len(children))

    def _judged(self, position: Any, last: Any) -> int:
        value = self.heuristic(self.game, position, last)
        return value if self.game.to_move(position) == self.side else -value


def _search(node: Node, alpha: int, beta: int) -> int:
    """Alpha-beta in the order of the children; what it never comes to keeps no `found`."""
    best: int | None = None
    for child in node.children:
        value = _search(child, alpha, beta)
        if node.maximises:
            best = value if best is None else max(best, value)
            alpha = max(alpha, best)
        else:
            best = value if best is None else min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    node.found = node.value if best is None else best
    return node.found


def lines_of(node: Node, indent: str = "") -> Iterator[str]:
    """The tree as text, a line for a position; what is below a cut is one line."""
    name = f"{node.move}: " if node.move else ""
    if node.is_cut:
        yield f"{indent}{name}cut, {sum(1 for _ in node.all())} positions"
        return
    yield (
        f"{indent}{name}{'highest' if node.maximises else 'lowest'} {node.found}"
        if node.children
        else (f"{indent}{name}{node.found}")
    )
    for child in node.children:
        yield from lines_of(child, indent + "  ")


def places(root: Node) -> dict[int, tuple[float, int]]:
    """Column and ply of each position by its `id`: leaves side by side from 0, others over their children."""
    found: dict[int, tuple[float, int]] = {}
    column = itertools.count()

    def put(node: Node, ply: int) -> float:
        middles = [put(child, ply + 1) for child in node.children]
        across = (middles[0] + middles[-1]) / 2 if middles else float(next(column))
        found[id(node)] = across, ply
        return across

    put(root, 0)
    return found
