"""A line's next plies, as cost orders them: several between two looks, after passes, some of them finished late."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from daemon.belief.costs import HOPELESS_NATS, MAX_PASSES, ODD_NATS, RARE_NATS, ROUNDING_NATS, TENFOLD_NATS
from daemon.belief.line import Line, half_done, may_be_answered, with_forced_passes
from daemon.belief.look import Change, Evidence
from daemon.game.effects import Known
from daemon.game.line_of_play import MAX_FORCED, Ply, played, shares_pieces
from rules import AnyGame, Side, Step
from rules.turns import alike, carry_out, changed_cells, letters_after, seen_moves

MAX_PLIES = 3
MAX_SHARED_PLIES = 7
"""Plies between two looks where pieces belong to nobody: no later ply could explain them."""
MAX_MOVES = 10_000
"""Moves examined from the likeliest line; every single ply is examined in any case."""
BEAM = 256
"""Lines of one length that are followed further."""
MIN_LINES = 4
"""Lines of each length that are followed whatever has been examined."""
MAX_MOVES_BESIDES = MAX_MOVES // MIN_LINES
"""Moves examined from each other line."""


@dataclasses.dataclass(frozen=True)
class Manner:
    """Who moves, as far as it is known."""

    movers: tuple[Side, ...] = ()
    """The sides that made the plies seen now: the last of them made the last ply."""
    agents: frozenset[Side] = frozenset()
    """The sides whose moves are asked for, never chosen by a hand."""
    asked: tuple[Any, Any] | None = None
    """The position and the move that an agent asked for there."""
    in_photos: bool = False
    """Whether only single pictures are seen: plies between any two that none shows are no surprise."""
    free_s: float = 0.0
    """When a look last was free, before the present one."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Node:
    line: Line
    sides: tuple[Side, ...] = ()
    """Movers of its visible plies."""
    extra: float = 0.0
    """Nats that one more ply costs."""
    chosen: int = 0
    passes: int = 0


_Begun = tuple[float, int, _Node, Any, tuple[Step, ...], Change]
"""Cost after the ply, a number, the line before it, the move, its steps, and what they change."""


class PlySearch:
    """Finds what may have been played from one line. `within()` is the greatest cost that still matters."""

    def __init__(self, game: AnyGame, evidence: Evidence, manner: Manner) -> None:
        self._game, self._evidence, self._manner, self._time_s = game, evidence, manner, evidence.time_s
        self._extra = (RARE_NATS if manner.in_photos else ODD_NATS) + RARE_NATS * (not evidence.free)
        """Nats of each ply after the first; under one hand both sides rarely move."""
        self.looked_at = 0
        self._number = itertools.count()

    def search(
        self, root: Line, within: Callable[[], float], most_moves: int = MAX_MOVES, most_plies: int = MAX_SHARED_PLIES
    ) -> Iterator[Line]:
        until = self.looked_at + most_moves
        hasty = bool(root.plies) and root.plies[-1].time_s > self._manner.free_s
        nodes: Iterable[_Node] = [_Node(root, extra=RARE_NATS if hasty else 0.0)]
        amiss = self._evidence.amiss(root.board)
        longest = MAX_SHARED_PLIES if shares_pieces(self._game) else MAX_PLIES
        for depth in range(1, min(longest, most_plies) + 1):
            if depth > 1 and root.prior + self._extra * (depth - 1 - bool(self._manner.agents)) > within():
                return
            begun, late = list[_Begun](), list[_Node]()
            for before, move, steps in self._next(nodes, within, until):
                touched = depth > 1 or not amiss.isdisjoint(letters_after(steps))
                if not touched and root.prior + self._extra > within():
                    continue  # it would only prepare for a second ply
                change = self._evidence.change(before.line.board, steps)
                if depth == 1:
                    yield from self._halves(before, move, steps, change, late)
                if self._may_lead(before, steps, change, depth):
                    begun.append(self._begun(before, move, steps, change))
                    if self._fits(begun[-1], within):
                        yield from self._finished(begun[-1])
            likeliest = heapq.nsmallest(BEAM if depth < MAX_PLIES else MIN_LINES, begun)
            late = heapq.nsmallest(BEAM, late, key=_cost)
            nodes = heapq.merge(late, map(self._made, likeliest), key=_cost)

    def _next(
        self, nodes: Iterable[_Node], within: Callable[[], float], until: int
    ) -> Iterator[tuple[_Node, Any, tuple[Step, ...]]]:
        """Every visible ply that may come after the nodes, until so many moves have been examined."""
        for number, node in enumerate(nodes):
            if number >= MIN_LINES and self.looked_at >= until:
                return
            yield from self._turns(node, within)

    def _turns(self, node: _Node, within: Callable[[], float]) -> Iterator[tuple[_Node, Any, tuple[Step, ...]]]:
        """Every visible ply that may come after a node, with passes before it."""
        waiting = [node]
        while waiting:
            before = waiting.pop(0)
            if before.passes and before.line.prior + before.extra > within():
                continue
            position = before.line.position
            moves = self._seen_moves(position)
            self.looked_at += len(moves)
            forced = len(moves) == 1
            few = before.passes < MAX_FORCED and (forced or before.chosen < MAX_PASSES)
            for move, steps in moves:
                if steps:
                    yield before, move, steps
                elif few and not self._game.about.passes_told:
                    waiting.append(self._passed(before, move, chosen=not forced))

    def _seen_moves(self, position: Any) -> Sequence[tuple[Any, tuple[Step, ...]]]:
        """The legal moves that an agent does not forbid; of those that look alike the one that it asked for."""
        if self._game.to_move(position) not in self._manner.agents:
            return seen_moves(self._game, position)
        expected, asked = self._manner.asked or (None, None)
        if asked is None or expected != position:
            return []
        like = [asked, *alike(self._game, position, asked)]
        return [(asked, steps) for move, steps in seen_moves(self._game, position) if move in like]

    def _passed(self, node: _Node, move: Any, *, chosen: bool) -> _Node:
        line, game = node.line, self._game
        passed = played(game, line.position, move, time_s=self._time_s)
        prior = line.prior + RARE_NATS * chosen
        longer = dataclasses.replace(line, plies=(*line.plies, passed), prior=prior)
        return dataclasses.replace(node, line=longer, chosen=node.chosen + chosen, passes=node.passes + 1)

    def _halves(
        self, node: _Node, move: Any, steps: tuple[Step, ...], change: Change, late: list[_Node]
    ) -> Iterator[Line]:
        """Half turns; adds to `late` the lines as if the rest came after the answer."""
        if not change.wrong and not change.hidden and change.nats + node.line.loss <= 0:
            return  # the whole turn is seen
        for half, part in half_done(self._game, self._evidence, node.line, move, steps):
            yield half
            if may_be_answered(part) and not shares_pieces(self._game):  # nobody lays half a tile
                board, side = carry_out(node.line.board, part[0]), self._game.to_move(node.line.position)
                late.append(_Node(self._longer(node.line, move, board, half.loss, RARE_NATS + RARE_NATS), (side,)))

    def _may_lead(self, node: _Node, steps: tuple[Step, ...], change: Change, depth: int) -> bool:
        """Whether a ply is seen, or later ones may hide it: they capture its piece, or move it on."""
        if change.wrong:
            return change.wrong <= MAX_PLIES - depth
        return change.helped and carry_out(node.line.board, steps) != node.line.board

    def _begun(self, node: _Node, move: Any, steps: tuple[Step, ...], change: Change) -> _Begun:
        nats = node.extra + TENFOLD_NATS * change.hidden
        cost = node.line.prior + node.line.loss + change.nats + nats
        return cost, next(self._number), node, move, steps, change

    def _fits(self, begun: _Begun, within: Callable[[], float]) -> bool:
        cost, _, node, _, steps, change = begun
        if change.wrong or cost + self._strangers(node) > within() + ROUNDING_NATS:
            return False
        return not node.sides or not self._evidence.wrong(carry_out(node.line.board, steps))

    def _strangers(self, node: _Node) -> float:
        """Nats that the movers of a node and of the ply after it cost, where other hands were seen."""
        sides = (*node.sides, self._game.to_move(node.line.position))
        pairs = zip(reversed(sides), reversed(self._manner.movers), strict=False)
        return HOPELESS_NATS * sum(side != known for side, known in pairs)

    def _finished(self, begun: _Begun) -> Iterator[Line]:
        """The line as it goes into the belief, and with other moves that look the same."""
        cost, number, node, move, steps, change = begun
        known, position = self._known(node), node.line.position
        others = alike(self._game, position, move) if not node.sides and known != "agent" else []
        for further, one in enumerate((move, *others)):
            made = self._made((cost, number, node, one, steps, change)).line
            if len(node.sides) >= MAX_PLIES - 1 and not shares_pieces(self._game) and not self._leaves_traces(made):
                return
            last = dataclasses.replace(made.plies[-1], known=known)
            prior = made.prior + self._strangers(node) + TENFOLD_NATS * bool(further)
            loss = self._evidence.loss(made.board)  # afresh, so that rounding does not show on a certain board
            plies = (*made.plies[:-1], last)
            over = made.over  # the end that the last ply has passed, until it is the second
            if over is not None and sum(ply.seen for ply in made.plies[:-1]) > sum(ply.seen for ply in over.plies):
                over = None
            longer = dataclasses.replace(made, plies=plies, prior=prior, undone=(), loss=loss, over=over)
            yield with_forced_passes(self._game, longer)

    def _leaves_traces(self, line: Line) -> bool:
        """Whether each new ply changed a cell that still looks different from before it.

        A piece placed and captured again, or moved there and back, leaves no trace. Such plies in between would make a
        single piece on a forbidden cell legal, although an illegal move is likelier there than three plies in one look.
        """
        first = next(index for index, ply in enumerate(line.plies) if ply.time_s == self._time_s)
        boards = [self._game.board(line.before(index)) for index in range(first, len(line.plies) + 1)]
        return all(
            before == after or any(before[cell] != boards[-1][cell] for cell in changed_cells(before, after))
            for before, after in itertools.pairwise(boards)
        )

    def _known(self, node: _Node) -> Known:
        """How the mover of the ply after a node is known; of several pieces at once no seat is."""
        side = self._game.to_move(node.line.position)
        if side in self._manner.agents:
            return "agent"
        together = bool(node.sides) and shares_pieces(self._game)
        return "seat" if self._manner.movers[-1:] == (side,) and not together else ""

    def _made(self, begun: _Begun) -> _Node:
        _, _, node, move, steps, change = begun
        line, side = node.line, self._game.to_move(node.line.position)
        nats = node.extra + TENFOLD_NATS * change.hidden
        longer = self._longer(line, move, carry_out(line.board, steps), line.loss + change.nats, nats)
        asked = side in self._manner.agents
        return _Node(longer, (*node.sides, side), 0.0 if asked else self._extra)

    def _longer(self, line: Line, move: Any, board: str, loss: float, nats: float) -> Line:
        game, before = self._game, line.position
        ply = Ply(move, game.apply(before, move), game.to_move(before), True, time_s=self._time_s)
        return dataclasses.replace(
            line, plies=(*line.plies, ply), board=board, loss=loss, prior=line.prior + nats, begun=None
        )


def _cost(node: _Node) -> float:
    return node.line.prior + node.line.loss + node.extra
