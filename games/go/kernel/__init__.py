"""The compiled search for go, with all its rule options: Monte Carlo tree search, for the agent `mcts`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from games.go import PASS, Go, Move, Position
from games.go.kernel import board, tree
from games.go.kernel import memory as layout
from games.go.kernel.memory import BOARD, BOARD_WORDS, HISTORY, NODE_WORDS, SAVED, TREE, UNIT
from rules.turns import cells_of

ROOT = TREE + NODE_WORDS
"""The root's place: the node 0 stands for none."""
LEFT_TO_GAIN = 0.75
"""Points: where the best move promises less than that more than the pass, nothing is left to gain."""
ENOUGH = 16
"""Playouts of the pass without which it is not compared with other moves."""
LOST = 0.1
"""Share of the playouts won with the best move, below which a game is lost."""


class Tried(NamedTuple):
    """A move of the root, with the number of its playouts, the share of them won, and the points ahead in them."""

    move: Move
    playouts: int
    mean: float
    lead: float


class GoSearch:
    """The search by playouts: `begin` sets the root, `run` plays, `best` tells what was found."""

    def __init__(self, game: Go, table_mb: int, seed: int) -> None:
        self.game = game
        self.memory = layout.allocate(game.size, table_mb, seed)
        rules = game.rules
        self.memory[layout.KOMI] = round(2 * game.komi)
        self.memory[layout.COUNT_TERRITORY] = rules.scoring == "territory"
        self.memory[layout.FORBID_REPEATS], self.memory[layout.ALLOW_SUICIDE] = rules.superko, rules.suicide
        self._position, self._cells = game.initial(), np.arange(game.size**2)
        self._points = (self._cells // game.size + 1) * (game.size + 1) + self._cells % game.size + 1

    def point(self, cell: int) -> int:
        return int(self._points[cell])

    def move(self, point: int) -> Move:
        row, column = divmod(point, self.game.size + 1)
        return PASS if point == layout.PASS else Move((row - 1) * self.game.size + column - 1)

    def place(self, position: Position) -> None:
        """Sets the board."""
        memory, points = self.memory, self._points
        memory[BOARD : layout.COLOUR], memory[layout.EMPTIES] = 0, len(points)
        memory[layout.COLOUR : layout.HEAD], memory[layout.COLOUR + points] = layout.BORDER, layout.EMPTY
        memory[layout.FREE + self._cells], memory[layout.PLACE + points] = points, self._cells
        for side, own in enumerate(position.stones):
            for cell in cells_of(own):
                board.lay(memory, self.point(cell), side + 1)
        memory[layout.SIDE], memory[layout.PASSES] = position.side + 1, position.passes
        memory[layout.KO] = 0 if position.ko is None else self.point(position.ko)
        memory[layout.BALANCE] += position.prisoners[1] - position.prisoners[0]

    def hash_of(self, stones: tuple[int, int]) -> int:
        """The hash of a board, as the search keeps it while stones are laid and taken."""
        found = 0
        for side, own in enumerate(stones):
            for cell in cells_of(own):
                found ^= int(self.memory[layout.HASHES + (side + 1) * layout.POINTS + self.point(cell)])
        return found

    def begin(self, position: Position) -> None:
        """Sets the root. The last move is known if the root before was a ply or two earlier."""
        memory = self.memory
        self.place(position)
        enemy = 1 - position.side
        new = position.stones[enemy] & ~self._position.stones[enemy]
        if new.bit_count() == 1:
            memory[layout.LAST] = self.point(new.bit_length() - 1)
        self._position = position
        memory[SAVED : SAVED + BOARD_WORDS] = memory[BOARD : BOARD + BOARD_WORDS]
        seen = [self.hash_of(stones) for stones in position.seen][: layout.MOST_BOARDS - tree.LONGEST - 1]
        memory[HISTORY : HISTORY + len(seen)], memory[layout.HISTORY_LENGTH] = seen, len(seen)
        memory[layout.ROOT], memory[layout.USED], memory[layout.PLAYED] = ROOT, 2, 0
        tree.add(memory, ROOT, layout.PASS, 0)
        tree.expand(memory, ROOT)

    def run(self, count: int) -> int:
        """Plays playouts from the root; how many were counted, which is fewer only by those that superko stopped."""
        return int(tree.simulate(self.memory, count))

    @property
    def standing(self) -> tuple[float, int]:
        """The mean of the root, from -1, a sure loss of the side to move, to 1; and its number of playouts."""
        played = int(self.memory[layout.PLAYED])
        lost = int(self.memory[ROOT + layout.WINS]) / UNIT - tree.EVEN / 2
        return (1 - 2 * lost / played, played) if played else (0.0, 1)

    def tried(self) -> list[Tried]:
        """The root's moves that have playouts; the pass is the last."""
        first, number = (int(self.memory[ROOT + word]) for word in (layout.CHILDREN, layout.NUMBER))
        nodes = self.memory[TREE + first * NODE_WORDS : TREE + (first + number) * NODE_WORDS].reshape(-1, NODE_WORDS)
        found = []
        for node in nodes.tolist():
            good = node[layout.GOOD]
            playouts = node[layout.VISITS] - tree.EVEN - abs(good)
            if playouts and node[layout.MOVE] != layout.ILLEGAL:
                wins = node[layout.WINS] / UNIT - tree.EVEN / 2 - max(0, good)
                mean, lead = wins / playouts, node[layout.LEADS] / (2 * playouts)
                found.append(Tried(self.move(node[layout.MOVE]), playouts, mean, lead))
        return found

    def best(self) -> tuple[Move, float]:
        """The move with the most playouts and its mean, from -1 to 1; the pass where nothing is left to gain.

        Some playout must have been counted.
        """
        tried = self.tried()
        chosen, last = max(tried, key=lambda one: (one.playouts, one.mean)), tried[-1]
        if last.move == PASS and self._should_pass(chosen, last):
            chosen = last
        return chosen.move, 2 * chosen.mean - 1

    def _should_pass(self, chosen: Tried, passing: Tried) -> bool:
        game, position = self.game, self._position
        if not tree.is_late(self.memory):
            return False
        gains = passing.playouts < ENOUGH or chosen.lead - passing.lead >= LEFT_TO_GAIN
        if gains and not position.passes:
            return False
        after = game.apply(position, PASS)
        outcome = game.outcome(after if position.passes else game.apply(after, PASS))
        won = outcome is not None and outcome.winner == position.side
        return won or (not gains and chosen.mean < LOST)


SEARCH = GoSearch
