"""What follows from one belief after another, as values: codes, rules, cells and plies, to be worded elsewhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from daemon.belief.belief import Belief
from daemon.belief.halves import begun_as
from daemon.belief.line import Line, Ply, common, owed
from daemon.game.line_of_play import shares_pieces
from rules import EMPTY, AnyGame, Step
from rules.turns import changed_cells
from vision.reading.board_reading import SURE

ANOTHER_CELLS = 5
"""Pieces that came or went from which a board is another position, not an illegal move..."""
MAX_AMISS = 2
"""...unless no more than this many came or went besides those of a legal move, which may capture many."""


@dataclasses.dataclass(frozen=True)
class Moved:
    """Other plies are certain than before."""

    same: int
    """Plies that stay."""
    undone: tuple[Ply, ...]
    made: tuple[Ply, ...]
    start: Any
    """The position with which the game begins."""

    @property
    def assumed(self) -> bool:
        """Whether some of them were not seen being made."""
        return any(ply.assumed for ply in self.made)


@dataclasses.dataclass(frozen=True)
class Unfinished:
    """A turn waits for more steps."""

    position: Any
    """In which it was begun; after the last certain ply where a counted one is finished late."""
    moves: tuple[Any, ...]
    """What it may become; empty where only counted plies are to be finished."""
    missing: tuple[Step, ...]
    """Steps that are missing in any case."""
    board: str


@dataclasses.dataclass(frozen=True)
class Wrong:
    """No line allows the board."""

    kind: Literal["illegal", "unclear", "desync"]
    position: Any
    """The likeliest position before it."""
    rule: str
    """Code of the broken rule; empty unless `illegal`."""
    cells: tuple[int, ...]
    """What to put right, or what cannot be seen."""
    board: str
    maybe_missed: bool = False
    """Whether more plies than were seen would lead there."""


@dataclasses.dataclass(frozen=True)
class Torn:
    """Several lines lead, and nobody but people can tell which it was."""

    lines: tuple[Line, ...]
    """The two likeliest."""
    cells: tuple[int, ...]
    """Where their boards differ; none where they show the same."""


@dataclasses.dataclass(frozen=True)
class Right:
    """The board shows the certain plies again, for the first time since something else was told."""

    board: str


Decision = Moved | Unfinished | Wrong | Torn | Right


def decide(before: Belief, after: Belief) -> tuple[Decision, ...]:
    """What is to be told and recorded after a look or a word; nothing where all stands as it did."""
    decisions: list[Decision] = [*_moved(before.told, after.told)]
    begins = not before.seen and after.standing.state == "right"
    if after.trouble is None:
        if begins or (before.trouble is not None and not decisions):
            decisions.append(Right(after.standing.board))
    elif not after.trouble.is_alike(before.trouble):
        decisions += _trouble(after)
    return tuple(decisions)


def _moved(old: Line, new: Line) -> Iterator[Moved]:
    same = max(0, common(old, new))
    undone, made = old.plies[same:], new.plies[same:]
    if undone or made or old.start != new.start:
        yield Moved(same, undone, made, new.start)


def _trouble(belief: Belief) -> Iterator[Decision]:
    match belief.standing.state:
        case "unfinished" if belief.seen:
            yield _unfinished(belief)
        case "torn":
            yield _torn(belief)
        case "wrong" | "unfinished" if belief.game.outcome(belief.position) is None:
            yield _wrong(belief)  # before the start, missing pieces are not lifted ones


def _unfinished(belief: Belief) -> Unfinished:
    game, board = belief.game, belief.standing.board
    line = next(line for line in belief.lines if line.shown == board)
    if line.begun is None:
        return Unfinished(line.position, (), owed(game, line), board)
    ways = begun_as(game, line) or [(line.begun.move, line.begun.missing)]
    missing = tuple(step for step in ways[0][1] if all(step in others for _, others in ways))
    return Unfinished(line.position, tuple(move for move, _ in ways), missing, board)


def _torn(belief: Belief) -> Torn | Wrong:
    """The two likeliest lines that are not the same so far; a doubtful board where none is likely enough."""
    near = belief.near or [belief.lines[0]]
    first = near[0]
    other = next((line for line in near[1:] if common(first, line) < max(len(first.plies), len(line.plies))), None)
    if other is None:
        return _unclear(belief, first)
    return Torn((first, other), changed_cells(first.shown, other.shown))


def _unclear(belief: Belief, line: Line) -> Wrong:
    cells = changed_cells(belief.game.board(belief.position), line.shown)
    return Wrong("unclear", belief.position, "", cells, line.shown)


def _wrong(belief: Belief) -> Wrong:
    """What is wrong with the board, compared with the position most like it."""
    game, board = belief.game, belief.standing.board
    assert belief.look is not None
    missed = any(line.unproved and line.shown == board for line in belief.lines)
    ends = [belief.position, *(line.position for line in belief.lines if not (missed and line.unproved))]
    meant = min(ends, key=lambda one: len(changed_cells(game.board(one), board)))
    differing = changed_cells(game.board(meant), board)
    unsure = belief.look.reading.confidence < SURE
    doubtful = tuple(cell for cell in differing if unsure[cell] and cell not in belief.standing.unknown)
    if doubtful or not differing:
        return Wrong("unclear", meant, "", doubtful, board)
    if is_another(game, meant, board):
        return Wrong("desync", meant, "", differing, board, missed)
    if (agents := _against_an_agent(belief, meant, board)) is not None:
        return Wrong("illegal", meant, agents, differing, board)
    fault = game.fault(meant, board)
    return Wrong("illegal", meant, fault.rule, fault.cells, board, missed)


def _against_an_agent(belief: Belief, position: Any, board: str) -> str | None:
    """The rule that is broken where a legal ply shows the board, but an agent did not ask for it."""
    game, manner = belief.game, belief.manner
    if not any(game.board(game.apply(position, move)) == board for move in game.legal_moves(position)):
        return None
    asked = manner.asked is not None and manner.asked[0] == position
    return "not_the_agents_move" if asked else "not_your_turn"


def is_another(game: AnyGame, position: Any, board: str) -> bool:
    """Whether a board is another position, rather than this one or one a legal move away with some pieces misplaced."""
    if _strays(game, game.board(position), board) < ANOTHER_CELLS:
        return False
    following: Sequence[str] = [game.board(game.apply(position, move)) for move in game.legal_moves(position)]
    return all(_strays(game, after, board) > MAX_AMISS for after in following)


def _strays(game: AnyGame, before: str, board: str) -> int:
    """Pieces that came or went, or changed cells where pieces belong to nobody; one ply may flip any number."""
    cells = changed_cells(before, board)
    if shares_pieces(game):
        return len(cells)
    return sum(EMPTY in (before[cell], board[cell]) for cell in cells)
