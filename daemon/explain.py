"""What moves, if any, explain a board reading: the rules correct the eyes.

A reading gives every cell a probability for every class. Each board that the rules allow next is scored against it,
and its *loss* is how much less likely it is than the most likely board, in nats. Nothing here is specific to a game.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from games import EMPTY, AnyGame, Step, carry_out
from vision.reading import BoardReading

FIT_NATS = {"unchanged": 3.0, "plies": 2.3, "unfinished": 1.5, "takeback": 0.7}
"""Greatest loss of an explanation that is believed, by its kind: ten to one against the picture for a single ply."""
FIT_PLIES_NATS = 0.7
"""The same for several plies at once: two to one. With more, an illegal move would be made legal by plies that nobody
made, on cells that were merely seen badly."""
RIVAL_NATS = 1.5
"""Least distance between the best explanation and one that leads elsewhere; closer ones are ambiguous."""
WRONG_CELL_NATS = 2.3
"""A cell read as something else with ten to one counts as contradicting a board."""
MOST_PLIES = 3
"""Fast hands: as many plies may lie between two readings."""
TAKEBACK_PLIES = 8
"""As far back a takeback is recognised."""
PRIOR_NATS = {"unchanged": 0.0, "plies": 0.0, "unfinished": 0.5, "takeback": 4.0}
EXTRA_PLY_NATS = 4.0
"""What each ply beyond the first costs: several at once are rarer than one."""

Kind = Literal["unchanged", "plies", "unfinished", "takeback"]


@dataclasses.dataclass(frozen=True)
class Explanation:
    """One way in which the board could have come to look as it was read."""

    kind: Kind
    board: str
    loss: float
    """Nats below the likelihood of the most likely board."""
    start: Any = None
    """The position from which the plies go on; differs from the present one only before the first ply."""
    moves: tuple[Any, ...] = ()
    """The plies made, in order; for `unfinished` the move that was begun."""
    positions: tuple[Any, ...] = ()
    """The position after each ply."""
    missing: tuple[Step, ...] = ()
    """What the hand still has to do, for `unfinished`."""
    ply: int = 0
    """The ply returned to, for `takeback`."""

    @property
    def cost(self) -> float:
        """Loss plus what the kind of explanation costs before anything is seen."""
        return self.loss + PRIOR_NATS[self.kind] + EXTRA_PLY_NATS * max(0, len(self.positions) - 1)

    @property
    def fits(self) -> bool:
        """Whether the reading allows it."""
        return self.loss <= (FIT_PLIES_NATS if len(self.positions) > 1 else FIT_NATS[self.kind])


@dataclasses.dataclass(frozen=True)
class MoveEvent:
    """A settled reading with its ranked explanations."""

    reading: BoardReading
    explanations: tuple[Explanation, ...]
    """Those that fit, cheapest first; empty where nothing legal fits."""
    doubtful: tuple[int, ...]
    """Cells that could be something else: read with a probability under nine in ten."""

    @property
    def board(self) -> str:
        """The most likely board."""
        return self.reading.board

    @property
    def ambiguous(self) -> bool:
        """Whether a second explanation that leads elsewhere is nearly as good as the best."""
        if len(self.explanations) < 2:
            return False
        best, second = self.explanations[:2]
        return second.cost - best.cost < RIVAL_NATS


def explain(game: AnyGame, history: Sequence[Any], reading: BoardReading) -> MoveEvent:
    """Ranks what may have happened since `history[-1]`, the last position believed; `history` starts at the start."""
    losses = _losses(reading)
    columns = {letter: column for column, letter in enumerate(reading.letters)}

    def loss(board: str) -> float:
        return float(sum(losses[cell, columns[letter]] for cell, letter in enumerate(board)))

    present = game.board(history[-1])
    found = [Explanation("unchanged", present, loss(present), history[-1])]
    for start in game.starts if len(history) == 1 and history[0] in game.starts else history[-1:]:
        for moves, positions, board in _plies(game, start, present, losses, columns, MOST_PLIES):
            found.append(Explanation("plies", board, loss(board), start, moves, positions))
        for move, board, missing in _unfinished(game, start, present):
            found.append(Explanation("unfinished", board, loss(board), start, (move,), (), missing))
    for ply in range(max(0, len(history) - 1 - TAKEBACK_PLIES), len(history) - 1):
        board = game.board(history[ply])
        if board != present:
            found.append(Explanation("takeback", board, loss(board), history[ply], ply=ply))
    fitting = sorted((one for one in found if one.fits), key=lambda one: one.cost)
    doubtful = np.flatnonzero(reading.confidence < 0.9)
    return MoveEvent(reading, _distinct(game, fitting), tuple(int(cell) for cell in doubtful))


def _losses(reading: BoardReading) -> NDArray[np.float64]:
    """(cells, classes) nats by which each class is less likely than the cell's most likely one."""
    logs = reading.log_probabilities
    return np.asarray(logs.max(axis=1, keepdims=True) - logs)


def _distinct(game: AnyGame, ranked: Sequence[Explanation]) -> tuple[Explanation, ...]:
    """The best explanation of each outcome.

    Several plies at once may have come in another order, or by other captures, to the same position: what counts is
    the position reached. A begun turn is the same whatever its end will be.
    """
    kept: dict[object, Explanation] = {}
    for one in ranked:
        end = game.format_position(one.positions[-1]) if one.positions else one.ply
        kept.setdefault((one.kind, one.board, end), one)
    return tuple(kept.values())


def _plies(
    game: AnyGame,
    position: Any,
    board: str,
    losses: NDArray[np.float64],
    columns: dict[str, int],
    plies: int,
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...], str]]:
    """Every line of up to `plies` plies that the reading does not contradict, as moves, positions and last board.

    A ply is followed only if at most as many of the cells it touches look otherwise as there are plies to come:
    a later ply may touch a cell again (it takes the man just laid), but not many.
    """
    for move in game.legal_moves(position):
        steps = game.steps(position, move)
        after = carry_out(board, steps)
        touched = {step.cell for step in steps} | {step.origin for step in steps if step.origin is not None}
        wrong = sum(losses[cell, columns[after[cell]]] > WRONG_CELL_NATS for cell in touched)
        if wrong > plies - 1:
            continue
        successor = game.apply(position, move)
        yield (move,), (successor,), after
        if plies > 1:
            for moves, positions, last in _plies(game, successor, after, losses, columns, plies - 1):
                yield (move, *moves), (successor, *positions), last


def _unfinished(game: AnyGame, position: Any, board: str) -> Iterator[tuple[Any, str, tuple[Step, ...]]]:
    """Every board in the middle of a legal turn: a man lifted, or only some of the steps done."""
    for move in game.legal_moves(position):
        steps = game.steps(position, move)
        if steps and steps[0].origin is not None:
            lifted = carry_out(board, (Step("remove", steps[0].origin, piece=EMPTY),))
            yield move, lifted, steps
        for done in range(1, len(steps)):
            yield move, carry_out(board, steps[:done]), steps[done:]
