"""Searches the lines of play that lead from a position to a board like the one that was read.

A game may have hundreds of moves, so three plies cannot all be tried: lines are followed in order of loss, deeper ones
only while they could still matter, and no more moves are examined than MAX_MOVES.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from daemon.game.line_of_play import shares_pieces
from daemon.interpret.cell_losses import CellLosses
from daemon.interpret.explanation import (
    EXTRA_PLY_NATS,
    FIT_NATS,
    FIT_PLIES_NATS,
    MAX_PLIES,
    MOVER_NATS,
    RIVAL_NATS,
    UNSEEN_NATS,
    Explanation,
)
from rules import AnyGame, Side, Step
from rules.turns import carry_out, changed_cells, in_any_order, parts_of_turn, seen_moves

MAX_MISSED = 7
"""Greatest number of visible plies searched where pieces belong to nobody: tiles that came while the camera was away or
the computer busy. Without this they would never be explained, and the board would not match for the rest of the
game."""
MIN_LINES = 4
"""Number of lines of each length that are followed in any case."""
MAX_CHOSEN_UNSEEN = 2
"""Greatest number of unforced passes believed before a visible ply: the end of a double's turn, and a passed turn."""
MAX_UNSEEN = 4
"""Greatest number of passes before a visible ply, counting forced ones too."""
BEAM = 256
"""Greatest number of lines of one length that are followed further."""
MAX_MOVES = 10_000
"""Number of moves examined to explain a reading: every line of a small game, the likely ones of a large one. All single
plies are examined in any case; left out are the least likely lines of several plies, which are then not believed."""
MAX_MOVES_BESIDES = 2_500
"""Number of moves examined from each of several other positions that are compared with one reading."""


@dataclasses.dataclass(frozen=True)
class Line:
    """A sequence of plies from a start, as far as followed."""

    start: Any
    position: Any
    board: str
    loss: float
    moves: tuple[Any, ...] = ()
    positions: tuple[Any, ...] = ()
    sides: tuple[Side, ...] = ()
    """Mover of each visible ply."""
    extra_nats: float = 0.0
    """Nats that its unseen plies cost."""


Begun = tuple[float, int, Line, Any, tuple[Step, ...]]
"""A line and its next ply: loss after that ply, sequence number, line, move, steps."""


class Lookahead:
    """Collects in `found` the explanations that fit one reading."""

    def __init__(
        self,
        game: AnyGame,
        losses: CellLosses,
        movers: Sequence[Side],
        found: Sequence[Explanation],
        most_moves: int = MAX_MOVES,
    ) -> None:
        self._most_moves = most_moves
        self._game, self._losses, self._movers = game, losses, tuple(movers)
        self.found = [one for one in found if one.fits]
        self._best = min((one.cost for one in self.found), default=math.inf)
        self.looked_at = 0
        """Number of moves examined so far."""
        self._number = itertools.count()

    def search(self, starts: Sequence[Any], board: str) -> None:
        """Follows everything that may have been played from any of the starts, all of which show `board`."""
        loss = self._losses.of(board)
        lines: Iterable[Line] = [Line(start, start, board, loss) for start in starts]
        for plies in range(1, (MAX_MISSED if shares_pieces(self._game) else MAX_PLIES) + 1):
            if not self._matters(EXTRA_PLY_NATS * (plies - 1)):
                return
            begun = self._follow(lines, plies)
            width = BEAM if plies < MAX_PLIES else MIN_LINES
            lines = (self._carry_out(one) for one in heapq.nsmallest(width, begun))

    def _matters(self, nats: float) -> bool:
        """Whether a line that costs at least that many nats can be the best or its rival."""
        return nats <= self._best + RIVAL_NATS

    def _follow(self, lines: Iterable[Line], plies: int) -> list[Begun]:
        """All lines longer by one visible ply that the reading does not contradict.

        A ply is followed only if no more of the cells it touches contradict the reading than there are plies to come: a
        later ply may touch a cell again (it captures the piece just placed), but not many.
        """
        begun: list[Begun] = []
        for number, line in enumerate(lines, 1):
            for before, moves in self._turns(line, plies):
                for move, steps in moves:
                    change, wrong = self._losses.change(before.board, steps)
                    if plies == 1:
                        self._find_unfinished(before, move, steps)
                    if wrong > max(0, MAX_PLIES - plies):
                        continue
                    one = (before.loss + change, next(self._number), before, move, steps)
                    begun.append(one)
                    self._find_plies(one, plies)
            if self.looked_at >= self._most_moves and number >= MIN_LINES:
                break
        return begun

    def _turns(self, line: Line, plies: int) -> Iterator[tuple[Line, list[tuple[Any, tuple[Step, ...]]]]]:
        """The line itself and the line extended by unseen moves, each with the visible moves that may come next."""
        waiting = [(line, 0, 0)]
        while waiting:
            before, unseen, chosen = waiting.pop(0)
            if not self._matters(before.extra_nats + EXTRA_PLY_NATS * (plies - 1)):
                continue
            moves = seen_moves(self._game, before.position)
            self.looked_at += len(moves)
            yield before, [one for one in moves if one[1]]
            forced = len(moves) == 1
            if self._game.passes_told:
                continue
            if unseen < MAX_UNSEEN and (forced or chosen < MAX_CHOSEN_UNSEEN):
                for move, steps in moves:
                    if not steps:
                        nats = 0.0 if forced else UNSEEN_NATS
                        waiting.append((self._pass(before, move, nats), unseen + 1, chosen + (not forced)))

    def _pass(self, line: Line, move: Any, nats: float) -> Line:
        after = self._game.apply(line.position, move)
        return dataclasses.replace(
            line,
            position=after,
            moves=(*line.moves, move),
            positions=(*line.positions, after),
            extra_nats=line.extra_nats + nats,
        )

    def _carry_out(self, begun: Begun) -> Line:
        loss, _, line, move, steps = begun
        after = self._game.apply(line.position, move)
        return dataclasses.replace(
            line,
            position=after,
            board=carry_out(line.board, steps),
            loss=loss,
            moves=(*line.moves, move),
            positions=(*line.positions, after),
            sides=(*line.sides, self._game.to_move(line.position)),
        )

    def _find_plies(self, begun: Begun, plies: int) -> None:
        """Adds the line as an explanation if the reading allows it."""
        if begun[0] > (FIT_PLIES_NATS if plies > 1 else FIT_NATS["plies"]) + 1e-6:
            return
        line = self._carry_out(begun)
        if plies >= MAX_PLIES and not shares_pieces(self._game) and not _all_leave_a_trace(self._game, line):
            return
        strangers = sum(
            side != known for side, known in zip(reversed(line.sides), reversed(self._movers), strict=False)
        )
        self._add(
            Explanation(
                "plies",
                line.board,
                # Summed afresh, so that rounding from adding and subtracting does not show on a certain board.
                self._losses.of(line.board),
                line.start,
                line.moves,
                line.positions,
                seen=len(line.sides),
                extra_nats=line.extra_nats + MOVER_NATS * strangers,
            )
        )

    def _find_unfinished(self, line: Line, move: Any, steps: tuple[Step, ...]) -> None:
        """Adds every mid-turn board that the reading allows."""
        for done, missing in (*parts_of_turn(self._game, steps), *self._likeliest_part(line.board, steps)):
            change, _ = self._losses.change(line.board, done)
            if line.loss + change <= FIT_NATS["unfinished"] + 1e-6:
                board = carry_out(line.board, done)
                loss, extra = self._losses.of(board), line.extra_nats
                self._add(
                    Explanation("unfinished", board, loss, line.position, (move,), extra_nats=extra, missing=missing)
                )

    def _likeliest_part(self, board: str, steps: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], ...]]:
        """Splits a turn with steps in any order into those that the reading shows and the missing ones."""
        if not in_any_order(steps):
            return
        seen = [steps[0], *(step for step in steps[1:] if self._losses.change(board, (step,))[0] < 0)]
        missing = tuple(step for step in steps if step not in seen)
        if missing and tuple(seen) != steps[: len(seen)]:
            yield tuple(seen), missing

    def _add(self, explanation: Explanation) -> None:
        if explanation.fits:
            self.found.append(explanation)
            self._best = min(self._best, explanation.cost)


def _all_leave_a_trace(game: AnyGame, line: Line) -> bool:
    """Whether each ply changed a cell that still looks different from before that ply.

    A piece placed and captured again, or moved there and back, leaves no trace. Such plies in between would make a
    single piece on a forbidden cell legal, although an illegal move is more likely there than three unseen plies.
    """
    boards = [game.board(position) for position in (line.start, *line.positions)]
    return all(
        before == after or any(before[cell] != boards[-1][cell] for cell in changed_cells(before, after))
        for before, after in itertools.pairwise(boards)
    )
