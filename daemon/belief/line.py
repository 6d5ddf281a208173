"""One way in which the game may have gone, with what hands have only begun, or still owe the board."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from daemon.belief.costs import RARE_NATS
from daemon.belief.look import Evidence
from daemon.game.line_of_play import Plies, Ply, forced_passes
from rules import EMPTY, AnyGame, Step
from rules.turns import carry_out, changed_cells, in_any_order, parts_of_turn

Part = tuple[tuple[Step, ...], tuple[Step, ...]]
"""Steps done and steps missing of a turn that is only begun."""


@dataclasses.dataclass(frozen=True, slots=True)
class Begun:
    """A turn that is not counted yet."""

    move: Any
    """None where no turn is begun, but the board is being cleared after the end."""
    missing: tuple[Step, ...]
    board: str
    nats: float


@dataclasses.dataclass(frozen=True, slots=True)
class Line(Plies):
    """A line of play; what differs between its board and that of its position is still to be done by hand."""

    start: Any
    plies: tuple[Ply, ...] = ()
    board: str = ""
    """What hands have made of the counted plies, a class letter per cell."""
    prior: float = 0.0
    """Nats that the way here costs by itself."""
    undone: tuple[Ply, ...] = ()
    """Plies that were taken back and may be made again."""
    unproved: bool = False
    """Whether its last plies are only a way to a strange board, from which nobody has gone on."""
    by_figures: float = 0.0
    """Nats of `prior` by which the pieces seen speak against it, beside others that show the same board."""
    over: Line | None = None
    """The same plies with the movers by which the game had ended, until a second one is made after that end."""
    begun: Begun | None = None
    loss: float = 0.0
    """Nats by which the newest look contradicts it."""

    @property
    def shown(self) -> str:
        return self.board if self.begun is None else self.begun.board

    @property
    def cost(self) -> float:
        """Nats in all, with the newest look."""
        return self.prior + self.loss + (0.0 if self.begun is None else self.begun.nats)

    def showing(self, board: str, loss: float, nats: float = 0.0, **rest: Any) -> Line:
        """The line as hands have left it on a board, no turn begun, at so many nats more."""
        return dataclasses.replace(self, board=board, loss=loss, prior=self.prior + nats, begun=None, **rest)

    def together(self, most: int) -> Iterator[tuple[int, int]]:
        """Where of the last `most` plies some came in one look: those before and the visible ones, the last first."""
        last = len(self.plies)
        while last > max(0, len(self.plies) - most):
            first = last
            while first and self.plies[first - 1].time_s == self.plies[last - 1].time_s:
                first -= 1
            seen = sum(ply.seen for ply in self.plies[first:last])
            if seen > 1 and not self.plies[last - 1].known:
                yield first, seen
            last = first


def owed(game: AnyGame, line: Line) -> tuple[Step, ...]:
    """What hands still have to do for plies that are counted."""
    return steps_between(line.board, game.board(line.position))


def steps_between(shown: str, wanted: str) -> tuple[Step, ...]:
    """The fewest actions of a hand that make one board of the other; a piece that is missing elsewhere is moved."""
    cells = changed_cells(shown, wanted)
    gone = [cell for cell in cells if shown[cell] != EMPTY and wanted[cell] == EMPTY]
    steps = []
    for cell in cells:
        letter = wanted[cell]
        if letter == EMPTY:
            continue
        origin = next((one for one in gone if shown[one] == letter), None) if shown[cell] == EMPTY else None
        if origin is not None:
            gone.remove(origin)
            steps.append(Step("move", cell, origin, letter))
        else:
            steps.append(Step("place" if shown[cell] == EMPTY else "flip", cell, piece=letter))
    return (*steps, *(Step("remove", cell) for cell in gone))


def common(one: Line, other: Line) -> int:
    """Number of plies that both lines begin with; -1 if they start elsewhere."""
    if one.start is not other.start and one.start != other.start:
        return -1
    count = 0
    for mine, others in zip(one.plies, other.plies, strict=False):
        if mine is not others and (mine.move != others.move or mine.position != others.position):
            break
        count += 1
    return count


def boards_before(game: AnyGame, history: Sequence[Any], most: int) -> list[tuple[int, str]]:
    """Boards to which play may be taken back, the last first, with the plies made then; a pass goes with the next."""
    later, boards = game.board(history[-1]), list[tuple[int, str]]()
    for count in range(len(history) - 2, -1, -1):
        board = game.board(history[count])
        if board == later and boards:
            boards[-1] = count, board
        elif board != later:
            if len(boards) == most:
                break
            boards.append((count, board))
        later = board
    return boards


def with_forced_passes(game: AnyGame, line: Line) -> Line:
    passes = forced_passes(game, line.position, line.plies[-1].time_s if line.plies else 0.0)
    return dataclasses.replace(line, plies=(*line.plies, *passes)) if passes else line


def half_done(
    game: AnyGame, evidence: Evidence, line: Line, move: Any, steps: tuple[Step, ...]
) -> Iterator[tuple[Line, Part]]:
    """The line with the turn half done, in every way that the look shows something of."""
    for part in _parts(game, evidence, line.board, steps):
        change = evidence.change(line.board, part[0])
        if change.helped and not change.wrong:
            begun = Begun(move, part[1], carry_out(line.board, part[0]), RARE_NATS)
            yield dataclasses.replace(line, begun=begun, loss=max(0.0, line.loss + change.nats)), part


def begun_as(game: AnyGame, line: Line) -> list[tuple[Any, tuple[Step, ...]]]:
    """The moves that the turn which a line shows begun may become, each with its missing steps."""
    found = []
    for move in game.legal_moves(line.position):
        steps = game.steps(line.position, move)
        parts = parts_of_turn(game, steps) if steps else ()
        missing = next((missing for done, missing in parts if carry_out(line.board, done) == line.shown), None)
        if missing is not None:
            found.append((move, missing))
    return found


def may_be_answered(part: Part) -> bool:
    """Whether the other side may take half a turn for a whole one: no piece of it is in the fingers."""
    done, missing = part
    lifted = {step.cell for step in done if step.kind == "remove"}
    return done[0].kind != "remove" and not lifted & {step.origin for step in missing}


def _parts(game: AnyGame, evidence: Evidence, board: str, steps: tuple[Step, ...]) -> Iterator[Part]:
    """The ways to be half done; of steps in any order only those that the look shows."""
    yield from parts_of_turn(game, steps)
    if in_any_order(steps):
        done = [steps[0], *(step for step in steps[1:] if evidence.change(board, (step,)).helped)]
        missing = tuple(step for step in steps if step not in done)
        if missing and tuple(done) != steps[: len(done)]:
            yield tuple(done), missing
