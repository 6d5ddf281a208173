"""Unseen moves: legal play from a position to a certain board, however long, the most promising lines first."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from collections.abc import Sequence
from typing import Any

from daemon.belief.costs import MAX_PASSES
from daemon.belief.plies import MAX_MOVES
from daemon.game.line_of_play import Ply
from rules import EMPTY, AnyGame, Side, Step
from rules.turns import carry_out, letters_after, seen_moves

MAX_MOVES_ASKED = 50_000
"""Greatest number of moves examined when a person waits for the answer or for the next photo; else MAX_MOVES, 0.1 s.
docs/referee.md tells how far that reaches."""
MIN_COUNTED = 10
"""Least number of moves that a position counts as: in dominoes it takes long to find that there are few."""
MAX_ENDS = 8
"""Greatest number of end positions that show the same board but differ in who moves or in what is legal next."""
PLY_COST, WRONG_COST = 0.5, 0.8
"""Cost of each ply of a line, and of each cell that still differs; each further ply that it needs at least costs 1.
Found by trying which weights reach furthest: if a ply costs 1.0, half as many gaps of twelve plies are filled."""
TURNED_COST = 0.05
"""Cost of each differing cell in games that flip pieces: one ply may flip many, so only plies measure the distance."""


Lack = tuple[int, int, int, int]
"""Distance of a board from the goal: cells that differ, cells to be filled, pieces that each side has to gain."""


@dataclasses.dataclass(frozen=True)
class _Node:
    position: Any
    board: str
    lack: Lack
    plies: int
    """Number of visible plies and unforced passes."""
    before: _Node | None = None
    move: Any = None
    unseen: int = 0
    """Number of passes since the last visible ply."""
    seen: int = 0
    """Number of visible plies."""


class GapSearch:
    """Searches the ways from a position to a board, examining about `most_moves` moves at most."""

    def __init__(self, game: AnyGame, position: Any, board: str, most_moves: int = MAX_MOVES) -> None:
        self._game, self._goal, self._most_moves = game, board, most_moves
        self._owners: dict[str, Side] = {letter: side for side, letter in enumerate(game.pieces) if letter != EMPTY}
        self._turns, self._fills = False, 1
        """Whether pieces flip, and how many cells a ply fills at most, in the plies examined so far."""
        self.looked_at = 0
        self._number = itertools.count()
        self._waiting: list[tuple[float, int, _Node, Any, tuple[Step, ...], Lack, int, int]] = []
        present = game.board(position)
        lacks = [self._lack_of(cell, shown) for cell, shown in enumerate(present)]
        differing, filled, first, second = map(sum, zip(*lacks, strict=True))
        self._root = _Node(position, present, (differing, filled, first, second), 0)

    def ways(self) -> list[list[Ply]]:
        """One way to each end position that shows the board, fewest plies first."""
        known: set[str] = set()
        ends: dict[object, _Node] = {}
        self._follow(self._root)
        while self._waiting and self.looked_at < self._most_moves and len(ends) < MAX_ENDS:
            _, _, before, move, steps, lack, plies, unseen = heapq.heappop(self._waiting)
            position = self._game.apply(before.position, move)
            text = self._game.format_position(position)
            if text in known:
                continue
            known.add(text)
            seen = before.seen + (not unseen)
            node = _Node(position, carry_out(before.board, steps), lack, plies, before, move, unseen, seen)
            if not lack[0] and not unseen:
                following = frozenset(self._game.format_move(position, one) for one in self._game.legal_moves(position))
                ends.setdefault((self._game.to_move(position), following), node)
            self._follow(node)
        return [self._way(end) for end in sorted(ends.values(), key=lambda end: end.seen)]

    def _follow(self, node: _Node) -> None:
        moves = seen_moves(self._game, node.position)
        self.looked_at += max(len(moves), MIN_COUNTED)
        for _, steps in moves:
            self._turns = self._turns or any(step.kind == "flip" for step in steps)
            self._fills = max(self._fills, fills(steps))
        side = 1 - self._game.to_move(node.position)
        for move, steps in moves:
            unseen = 0 if steps else node.unseen + 1
            if unseen > (0 if self._game.about.passes_told else MAX_PASSES):
                continue
            lack, plies = self._lack_after(node, steps), node.plies + (bool(steps) or len(moves) > 1)
            cost = self._cost(lack, side, plies)
            heapq.heappush(self._waiting, (cost, next(self._number), node, move, steps, lack, plies, unseen))

    def _way(self, node: _Node) -> list[Ply]:
        if node.before is None:
            return []
        side = self._game.to_move(node.before.position)
        return [*self._way(node.before), Ply(node.move, node.position, side, not node.unseen, assumed=True)]

    def _lack_of(self, cell: int, shown: str) -> Lack:
        wanted = self._goal[cell]
        if shown == wanted:
            return 0, 0, 0, 0
        owner = self._owners.get(wanted)
        return 1, shown == EMPTY, owner == 0, owner == 1

    def _lack_after(self, node: _Node, steps: tuple[Step, ...]) -> Lack:
        differing, filled, first, second = node.lack
        for cell, letter in letters_after(steps).items():
            now, then = self._lack_of(cell, node.board[cell]), self._lack_of(cell, letter)
            differing += then[0] - now[0]
            filled += then[1] - now[1]
            first += then[2] - now[2]
            second += then[3] - now[3]
        return differing, filled, first, second

    def _cost(self, lack: Lack, side: Side, plies: int) -> float:
        """Priority of a line, the lowest first; `side` is to move."""
        differing, filled, *gained = lack
        least = -(-filled // self._fills)
        if self._turns:
            return plies + least + TURNED_COST * differing
        if self._owners:  # a side gains one piece per ply, and the sides alternate
            least = max(2 * gained[side] - 1, 2 * gained[1 - side], 0)
        return PLY_COST * plies + least + WRONG_COST * differing


def fills(steps: Sequence[Step]) -> int:
    """Number of cells on which a ply puts a piece."""
    return sum(step.kind in ("place", "move") for step in steps)
