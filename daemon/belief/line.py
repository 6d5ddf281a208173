"""One way in which the game may have gone, with what hands still owe the board."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from daemon.game.effects import Known
from daemon.game.line_of_play import MAX_FORCED
from rules import EMPTY, AnyGame, Side, Step
from rules.turns import changed_cells


@dataclasses.dataclass(frozen=True, slots=True)
class Ply:
    """One move of a line."""

    move: Any
    position: Any
    """The position after it."""
    side: Side
    seen: bool
    """Whether it changed the board."""
    known: Known = ""
    assumed: bool = False
    """Whether it is one way, perhaps of several, to a board that was seen later."""
    time_s: float = 0.0
    """When a look first showed it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Begun:
    """A turn that is not counted yet."""

    move: Any
    """None where no turn is begun, but the board is being cleared after the end."""
    missing: tuple[Step, ...]
    board: str
    """What it shows so far."""
    nats: float


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
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
    over: Line | None = None
    """The same plies with the movers by which the game had ended, until a second one is made after that end."""
    begun: Begun | None = None
    """A turn that the newest look shows begun."""
    loss: float = 0.0
    """Nats by which the newest look contradicts it."""

    @property
    def position(self) -> Any:
        """The last position."""
        return self.plies[-1].position if self.plies else self.start

    @property
    def shown(self) -> str:
        """The board that it shows."""
        return self.board if self.begun is None else self.begun.board

    @property
    def history(self) -> list[Any]:
        """The positions, the start first."""
        return [self.start, *(ply.position for ply in self.plies)]

    @property
    def cost(self) -> float:
        """Nats in all, with the newest look."""
        return self.prior + self.loss + (0.0 if self.begun is None else self.begun.nats)

    def before(self, index: int) -> Any:
        """The position before a ply, counted from 0."""
        return self.plies[index - 1].position if index else self.start

    def together(self, most: int) -> Iterator[tuple[int, int]]:
        """Where the last plies came in one look, the plies before them and the visible ones among them, the last first.

        Their order is assumed. Nothing further back than `most` plies.
        """
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
    """Boards to which play may be taken back, the last first, each with the plies made then.

    A pass, which changes nothing, goes with the next ply.
    """
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
    """The line after the passes that follow because nothing else can be done."""
    plies = line.plies
    for _ in range(MAX_FORCED):
        before = plies[-1].position if plies else line.start
        moves = game.legal_moves(before)
        if len(moves) != 1 or game.steps(before, moves[0]):
            break
        time_s = plies[-1].time_s if plies else 0.0
        passed = Ply(moves[0], game.apply(before, moves[0]), game.to_move(before), False, time_s=time_s)
        plies = (*plies, passed)
    return line if plies is line.plies else dataclasses.replace(line, plies=plies)


def identity(game: AnyGame, line: Line) -> tuple[str, str, str]:
    """What two lines share that differ only in how they came there."""
    return game.format_position(line.position), line.board, line.shown
