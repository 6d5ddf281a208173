"""How a book grows: always by the position that good play is most likely to reach and the book does not know yet.

The order is that of drop-out expansion (T. R. Lincke, Strategies for the automatic construction of opening books, in
Computers and Games, 2000). A position is the further away, the more plies and the more value lost by moves lie between
it and the start. Its moves are searched with few positions each, then the good ones with more, the best with all.
Values are passed back to the start by the minimax rule.
"""

from __future__ import annotations

import dataclasses
import heapq
import random
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from agents import levels, registry
from agents.agent import Answer, GameAgent, Limits
from agents.books import BookError
from agents.books.book import Book, BookMove, Entry
from agents.books.opening import OpeningBook, rules_of
from agents.plain_search import final_score
from agents.search import FORCED, WIN
from rules import AnyGame, HiddenHands
from rules.turns import line_of_play

PLIES_PER_POINT = 50
"""Plies further that are as far away as a whole point lost: 0.02 of the point are a ply."""
SIEVE = ((1 / 200, 12, 0.15), (1 / 20, 4, 0.08), (1.0, 4, 0.08))
"""Searches of a position's moves: share of the positions to visit, moves kept at most, and the share of the point by
which a move that is kept may be worse than the best."""
LEAST_NODES = 200
TIMES = 30
"""A search visits that many times the positions that the strongest level does."""
USUAL_NODES = 100_000
DEEPER = 4
"""What checks a book visits that many times as many positions as what made it."""
TABLE_MB = 128


@dataclasses.dataclass
class _Move:
    text: str
    after: Any
    key: str
    """Of that position."""
    goes_on: bool
    """Whether the mover moves again."""
    searched: int
    depth: int
    is_end: bool


@dataclasses.dataclass
class _Node:
    line: tuple[str, ...]
    position: Any
    moves: list[_Move]


def usual_nodes(game: AnyGame) -> int:
    return TIMES * (levels.player(game, levels.NUMBERS[-1]).limits.nodes or USUAL_NODES)


class Builder:
    def __init__(
        self,
        game: AnyGame,
        nodes: int,
        earlier: Book | None = None,
        lines: Sequence[Sequence[str]] = (),
        begin: Sequence[str] = (),
    ) -> None:
        """Goes on with an earlier book. `lines` are moves from the start that people make, good or not.

        On the way of `begin`, its moves are the only ones of the book, whatever searches think of others. Raises
        BookError if the earlier book is another's, or scores have no known worth; GameError for a line.
        """
        if isinstance(game, HiddenHands):
            raise BookError(f"{game.title} hides pieces, and no book knows what a player sees")
        if levels.lead(game.name) is None:
            raise BookError(f"nothing says what scores of {game.title} are worth: its levels need a lead")
        if earlier is not None and earlier.nodes != nodes:
            raise BookError(
                f"the book was made with --nodes {earlier.nodes}, not {nodes}: go on with those, or name another --out"
            )
        self.game, self.nodes = game, nodes
        self._opening = OpeningBook(game, earlier or Book(game.name, rules_of(game), nodes, {}))
        self._keys, self._stop = self._opening.keys, threading.Event()
        self._agent: GameAgent = registry.load_agent("alphabeta", game, {"book": "false", "table_mb": str(TABLE_MB)})
        self._roots: list[tuple[tuple[str, ...], Any]] = [((), start) for start in game.starts]
        self._roots += [(tuple(line), line_of_play(game, list(line))[-1]) for line in lines]
        self._nodes: dict[str, _Node] = {}
        for key, entry in self._opening.book.entries.items():
            position = self._opening.position(key, entry)
            moves = [self._remembered(position, one) for one in entry.moves]
            self._nodes[key] = _Node(entry.line, position, moves)
        for ply, (text, position) in enumerate(zip(begin, line_of_play(game, list(begin)), strict=False)):
            move = game.parse_move(position, text)
            after = game.apply(position, move)
            only = self._made(position, move, after, *self._searched(position, after, nodes))
            self._nodes.setdefault(self._keys.key(position), _Node(tuple(begin[:ply]), position, [only]))

    def __len__(self) -> int:
        return len(self._nodes)

    def grow(self) -> Iterator[tuple[str, ...]]:
        while (found := self._next()) is not None:
            line, position = found
            self._nodes[self._keys.key(position)] = _Node(line, position, self._judged(position))
            yield line

    def book(self) -> Book:
        values = self._values()
        entries = {}
        for key, node in self._nodes.items():
            moves = [BookMove(move.text, self._value(move, values), move.searched, move.depth) for move in node.moves]
            entries[key] = Entry(node.line, tuple(sorted(moves, key=lambda one: -one.score)))
        return Book(self.game.name, rules_of(self.game), self.nodes, entries)

    def agreement(self, sample: int, seed: int = 1) -> float:
        """How often a search of `DEEPER` times the positions prefers a move that the book holds for one of the best."""
        book = OpeningBook(self.game, self.book())
        keys = random.Random(seed).sample(sorted(self._nodes), min(sample, len(self._nodes)))
        agent = registry.load_agent("alphabeta", self.game, {"book": "false", "table_mb": str(TABLE_MB)})
        agreed = 0
        for key in keys:
            position = self._nodes[key].position
            answer = agent.choose(position, Limits(nodes=DEEPER * self.nodes), self._stop)
            agreed += answer.move in [one.move for one in book.good(position)]
        return agreed / max(1, len(keys))

    def _remembered(self, position: Any, known: BookMove) -> _Move:
        move = self.game.parse_move(position, known.move)
        after = self.game.apply(position, move)
        return self._made(position, move, after, known.searched, known.depth)

    def _made(self, position: Any, move: Any, after: Any, searched: int, depth: int) -> _Move:
        text, key = self.game.format_move(position, move), self._keys.key(after)
        goes_on = self.game.to_move(after) == self.game.to_move(position)
        return _Move(text, after, key, goes_on, searched, depth, self.game.outcome(after) is not None)

    def _next(self) -> tuple[tuple[str, ...], Any] | None:
        """The nearest position that is not in the book, with the moves that lead there; None if all are decided."""
        values = self._values()
        near: list[tuple[float, int, str, tuple[str, ...], Any]] = [
            (0.0, number, self._keys.key(root), line, root) for number, (line, root) in enumerate(self._roots)
        ]
        number = len(near)
        seen: set[str] = set()
        while near:
            far, _, key, line, position = heapq.heappop(near)
            if key in seen:
                continue
            seen.add(key)
            node = self._nodes.get(key)
            if node is None:
                return line, position
            worth = [self._value(move, values) for move in node.moves]
            best = self._opening.chance(max(worth))
            for move, score in zip(node.moves, worth, strict=True):
                if move.is_end or abs(score) >= FORCED or move.key in seen:
                    continue
                lost = best - self._opening.chance(score)
                number += 1
                further = far + 1 + PLIES_PER_POINT * lost
                heapq.heappush(near, (further, number, move.key, (*node.line, move.text), move.after))
        return None

    def _values(self) -> dict[str, int]:
        """The value of each position of the book for its mover, by all that the book knows to follow.

        Where play comes back to a position on the way, the search's own value counts there.
        """
        values: dict[str, int] = {}
        pending: set[str] = set()

        def value(key: str) -> int:
            if key not in values:
                pending.add(key)
                best = -2 * WIN
                for move in self._nodes[key].moves:
                    if move.key in self._nodes and move.key not in pending:
                        after = value(move.key)
                        best = max(best, after if move.goes_on else -after)
                    else:
                        best = max(best, move.searched)
                values[key] = best
                pending.discard(key)
            return values[key]

        for key in self._nodes:
            value(key)
        return values

    def _value(self, move: _Move, values: dict[str, int]) -> int:
        if move.key not in values:
            return move.searched
        return values[move.key] if move.goes_on else -values[move.key]

    def _judged(self, position: Any) -> list[_Move]:
        after: dict[str, tuple[Any, Any]] = {}
        for move in self.game.legal_moves(position):
            later = self.game.apply(position, move)
            after.setdefault(self._keys.key(later), (move, later))
        left = list(after.values())
        found: list[tuple[int, int, Any, Any]] = []
        for share, most, margin in SIEVE:
            nodes = max(LEAST_NODES, round(share * self.nodes))
            found = [(*self._searched(position, later, nodes), move, later) for move, later in left]
            found.sort(key=lambda one: -one[0])
            best = self._opening.chance(found[0][0])
            found = [one for one in found[:most] if best - self._opening.chance(one[0]) <= margin]
            left = [(move, later) for _, _, move, later in found]
        return [self._made(position, move, later, score, depth) for score, depth, move, later in found]

    def _searched(self, position: Any, after: Any, nodes: int) -> tuple[int, int]:
        """The value of a move that leads to `after`, for its mover, and the plies searched, the move included."""
        game, side = self.game, self.game.to_move(position)
        if (outcome := game.outcome(after)) is not None:
            return final_score(outcome, side, 1), 1
        answer: Answer = self._agent.choose(after, Limits(nodes=nodes), self._stop)
        score = round(answer.score or 0.0)
        score = score if game.to_move(after) == side else -score
        if abs(score) >= FORCED:
            score -= 1 if score > 0 else -1  # a forced end is a ply further away from here
        return score, answer.depth + 1
