"""A scripted player at the simulated table: plays its own sides and carries out the agent's moves as announced."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lab.simulated.table import SimulatedTable
from rules import EMPTY, AnyGame, Counts, MoveError, Outcome, Step, worth_trying
from rules.turns import changed_cells

log = logging.getLogger(__name__)
KEENNESS = 0.75
"""Share of moves for which those that take pieces, or bring the most points, are preferred, so that games end."""


PASSING = 0.06
"""Share of moves at which a player who could move passes, in games with passes."""


@dataclasses.dataclass(frozen=True)
class Ply:
    """The simulator's ground truth about one ply."""

    ply: int
    """Counted from 1."""
    move: str
    board: str
    """The board after it."""
    side: int
    begun_s: float
    """Simulated time, in seconds, at which the hand sets out."""
    done_s: float
    """Simulated time, in seconds, at which the hand is gone."""
    seen: bool = True
    """Whether it changed the board: false for a pass."""
    scores: tuple[int, int] | None = None
    """Points of both sides after it, in games that count points."""


class ScriptedPlayer:
    """Sits at the table and knows the true position; it never asks the daemon. `update` is called every frame."""

    def __init__(
        self,
        game: AnyGame,
        table: SimulatedTable,
        human_sides: frozenset[int],
        seed: int,
        think_s: float = 1.5,
        pace: float = 1.0,
        start: Any = None,
        say_pass: Callable[[int], bool] | None = None,
        moves: Sequence[str] | None = None,
    ) -> None:
        """`say_pass` says a person's pass after so many plies, and tells whether it was understood; else said again.

        `moves` are the texts of all moves that the people make, in order; None lets them choose.
        """
        self._moves = moves
        self._say_pass = say_pass
        self.game, self.table, self.human_sides = game, table, human_sides
        self.position: Any = game.initial(seed) if start is None else start
        """The true position; ahead of the board while a hand is moving."""
        self.record: list[Ply] = []
        """Completed plies, with the hand withdrawn."""
        self._rng = np.random.default_rng([seed, 3])
        self._think_s, self._pace = think_s, pace
        self._thinking_until_s: float | None = None
        self._moving: tuple[str, int, float, bool, tuple[int, int] | None] | None = None
        self._told: tuple[int, str] | None = None
        self.positions: list[Any] = [self.position]
        """The true positions from the start: one more than there are plies in `record`."""
        self.held = False
        """Whether the players keep their hands off for now; a move already begun is completed."""
        self.hurried = 0
        """Number of plies still to be made without thinking, each hand following the last at once."""
        self.pause_s: float | None = None
        """Seconds without a hand on the board between two moves; None means thinking time."""

    @property
    def moving(self) -> bool:
        return self._moving is not None

    @property
    def ply(self) -> int:
        return len(self.record) + 1

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the true game once the last hand is gone; None before."""
        return None if self._moving else self.game.outcome(self.position)

    @property
    def agreed(self) -> Any:
        """The position at which the game stands for all who have heard the agent: its pass is true when it is said."""
        if self._told is not None:
            with contextlib.suppress(MoveError):  # it follows a pass that is still to be made
                move = self.game.parse_move(self.position, self._told[1])
                if not self.game.steps(self.position, move):
                    return self.game.apply(self.position, move)
        return self.position

    @property
    def finished(self) -> bool:
        made = self._moves is not None and len(self.record) >= len(self._moves) and not self._moving
        return made or self.outcome is not None

    def hear(self, ply: int, move_text: str) -> bool:
        """Hears the agent's move for that ply, counted from 1; returns whether it is news and will be carried out.

        Old, repeated and unplayable moves are ignored.
        """
        # A quick daemon announces its move while the hand of the previous ply is still leaving, and makes forced passes
        # before anybody at the table does.
        due, position = self.ply + (self._moving is not None), self.position
        while self._must_pass(position):
            due, position = due + 1, self.game.apply(position, self.game.legal_moves(position)[0])
        if ply != due or self._told or self.game.outcome(position) is not None:
            return False
        if self.game.to_move(position) in self.human_sides:
            return False
        try:
            self.game.parse_move(position, move_text)
        except MoveError as error:
            log.warning("heard %r for ply %d, which cannot be played: %s", move_text, ply, error)
            return False
        self._told = ply, move_text
        return True

    def update(self) -> None:
        if self._moving:
            self._finish_move()
        if self._moving or self.table.busy or self.finished or self.held:
            return
        if self._thinking_until_s is None:
            think_s = 0.0 if self.hurried else self._think_s * float(self._rng.uniform(0.6, 1.4))
            self._thinking_until_s = self.table.time_s + (think_s if self.pause_s is None else self.pause_s)
            self.hurried = max(0, self.hurried - 1)
        if self.table.time_s < self._thinking_until_s:
            return
        if self.game.to_move(self.position) in self.human_sides or self._must_pass(self.position):
            move = self._choose()
            if self._is_to_be_said(move):
                self._pass(move)
            else:
                self._begin(move)
        elif self._told is not None:
            told, self._told = self._told[1], None
            self._begin(self.game.parse_move(self.position, told))

    def take_back(self, count: int) -> None:
        """The hand of the last ply takes back the last `count` plies that changed the board, and passes among them.

        Call it only while no move is being carried out. Raises ValueError where fewer plies were made.
        """
        seen = [number for number, ply in enumerate(self.record) if ply.seen]
        if self._moving or not 1 <= count <= len(seen):
            raise ValueError(f"{count} plies cannot be taken back: {len(seen)} are made")
        keep, side = seen[-count], self.record[seen[-1]].side
        while keep and not self.record[keep - 1].seen:
            keep -= 1  # whoever passed before may decide again
        self.position = self.positions[keep]
        del self.record[keep:], self.positions[keep + 1 :]
        self._told, self._thinking_until_s = None, None
        steps = steps_between(self.table.board, self.game.board(self.position))
        self.table.perform(steps, side, self._pace, Counts.of(self.game).scores(self.position))

    @property
    def seen(self) -> list[Ply]:
        return [ply for ply in self.record if ply.seen]

    def _must_pass(self, position: Any) -> bool:
        """Whether a pass is the only legal move; an agent's needs no announcement."""
        moves = self.game.legal_moves(position)
        return len(moves) == 1 and not self.game.steps(position, moves[0])

    def _is_to_be_said(self, move: Any) -> bool:
        told = self._say_pass is not None and self.game.about.passes_told and not self._must_pass(self.position)
        return told and not self.game.steps(self.position, move)

    def _pass(self, move: Any) -> None:
        """Passes, which is true before it is said; takes it back where it was not understood."""
        assert self._say_pass is not None
        before, now_s, side = self.position, self.table.time_s, self.game.to_move(self.position)
        text, self.position = self.game.format_move(before, move), self.game.apply(before, move)
        scores = Counts.of(self.game).scores(self.position)
        self.record.append(Ply(self.ply, text, self.table.board, side, now_s, now_s, False, scores))
        self.positions.append(self.position)
        if self._say_pass(len(self.record) - 1):
            self._thinking_until_s = None
        else:
            self.position = before
            self.record.pop()
            self.positions.pop()

    def _choose(self) -> Any:
        """A random sensible move, mostly one that takes pieces or brings points; seldom a pass unless forced."""
        if self._moves is not None:
            return self.game.parse_move(self.position, self._moves[len(self.record)])
        moves = list(worth_trying(self.game, self.position))
        seen = [move for move in moves if self.game.steps(self.position, move)]
        if len(seen) < len(moves):
            passes = not seen or self._rng.random() < PASSING
            moves = [move for move in moves if (move not in seen) == passes]
        taking = [
            move
            for move in moves
            if any(step.kind in ("remove", "flip") for step in self.game.steps(self.position, move))
        ] or self._gainful(moves)
        if taking and self._rng.random() < KEENNESS:
            moves = taking
        return moves[int(self._rng.integers(0, len(moves)))]

    def _gainful(self, moves: Sequence[Any]) -> list[Any]:
        """The moves that bring their side the most points; empty in games without points."""
        if Counts.of(self.game).scores(self.position) is None:
            return []
        side = self.game.to_move(self.position)
        gains = [Counts.of(self.game).gains(self.position, move) for move in moves]
        points = [gain[side].total if gain else 0 for gain in gains]
        return [move for move, gained in zip(moves, points, strict=True) if gained == max(points)]

    def _begin(self, move: Any) -> None:
        side = self.game.to_move(self.position)
        text = self.game.format_move(self.position, move)
        steps = self.game.steps(self.position, move)
        self.position = self.game.apply(self.position, move)
        scores = Counts.of(self.game).scores(self.position)
        self.table.perform(steps, side, self._pace, scores)
        self._moving = (text, side, self.table.time_s, bool(steps), scores)

    def _finish_move(self) -> None:
        if self.table.busy or self._moving is None:
            return
        text, side, begun_s, seen, scores = self._moving
        self.record.append(Ply(self.ply, text, self.table.board, side, begun_s, self.table.time_s, seen, scores))
        self.positions.append(self.position)
        self._moving, self._thinking_until_s = None, None


def steps_between(before: str, after: str) -> tuple[Step, ...]:
    """The steps by which a hand turns one board into another: pieces flipped, moved, removed and placed.

    Tiles are removed and laid again: half a tile is never moved by itself.
    """
    changed = changed_cells(before, after)
    if any(letter.isdigit() for letter in before + after):
        taken = [Step("remove", cell) for cell in changed if before[cell] != EMPTY]
        return (*taken, *(Step("place", cell, piece=after[cell]) for cell in changed if after[cell] != EMPTY))
    turned = [cell for cell in changed if EMPTY not in (before[cell], after[cell])]
    gone = [cell for cell in changed if after[cell] == EMPTY]
    steps = [Step("flip", cell, piece=after[cell]) for cell in turned]
    for cell in changed:
        if before[cell] != EMPTY:
            continue
        origin = next((one for one in gone if before[one] == after[cell]), None)
        if origin is None:
            steps.append(Step("place", cell, piece=after[cell]))
        else:
            gone.remove(origin)
            steps.append(Step("move", cell, origin, after[cell]))
    return (*(Step("remove", cell) for cell in gone), *steps)
