"""What follows from one belief after another, as values: codes, rules, cells and plies, to be worded elsewhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from daemon.belief.belief import Belief
from daemon.belief.figures import misplaced
from daemon.belief.line import Line, begun_as, common, owed
from daemon.belief.missed import MAX_BY_HAND, ways
from daemon.game.line_of_play import Ply, shares_pieces
from rules import EMPTY, AnyGame, Step, figures_of
from rules.turns import changed_cells
from vision.reading.board_reading import SURE

ANOTHER_CELLS = 5
"""Pieces that came or went from which a board is another position, not an illegal move, unless no more than MAX_BY_HAND
of them came or went besides those of a legal move, which may capture many."""


@dataclasses.dataclass(frozen=True)
class Moved:
    """Other plies are certain than before."""

    same: int
    """Plies that stay."""
    undone: tuple[Ply, ...]
    made: tuple[Ply, ...]
    start: Any


@dataclasses.dataclass(frozen=True)
class Unfinished:
    position: Any
    """In which it was begun; after the last certain ply where a counted one is finished late."""
    moves: tuple[Any, ...]
    """What it may become; empty where only counted plies are to be finished."""
    missing: tuple[Step, ...]
    """Steps that the first of these moves still needs."""
    board: str


@dataclasses.dataclass(frozen=True)
class Wrong:
    """No line allows the board, or people have still to put it right."""

    kind: Literal["illegal", "unclear", "desync", "put_back"]
    position: Any
    """The likeliest position before it."""
    rule: str
    """Code of the broken rule; empty unless `illegal`."""
    cells: tuple[int, ...]
    """What to put right, or what cannot be seen."""
    board: str
    maybe_missed: bool = False
    """Whether more plies than were seen would lead there."""
    against: Line | None = None
    """What it would be if no agent played: plies, or half of one, that none asked for."""
    figures: str = ""
    """What is seen instead, where only other pieces stand on these cells."""
    positions: tuple[Any, ...] = ()
    """The board as positions from which people may play on, one for each side that may be to move."""


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


@dataclasses.dataclass(frozen=True)
class Over:
    """Something stands there that no line allows, after the end of the game."""


Decision = Moved | Unfinished | Wrong | Torn | Right | Over


def decide(before: Belief, after: Belief) -> tuple[Decision, ...]:
    """What is to be told and recorded after a look or a word; nothing where all stands as it did."""
    decisions, old, new = list[Decision](), before.told, after.told
    same = max(0, common(old, new))
    undone, made = old.plies[same:], new.plies[same:]
    if undone or made or old.start != new.start:
        decisions.append(Moved(same, undone, made, new.start))
    if after.trouble is None:
        begins = not before.seen and after.standing.state == "right"
        if not decisions and (begins or before.trouble is not None):
            decisions.append(Right())
    elif not after.trouble.is_alike(before.trouble):
        decisions += _trouble(before, after)
    return tuple(decisions)


def _trouble(before: Belief, belief: Belief) -> Iterator[Decision]:
    lacks_pieces = all(letter == EMPTY for _, letter in belief.standing.amiss)
    match belief.standing.state:
        case "unfinished" if belief.seen or belief.to_put_back or not lacks_pieces:
            yield _unfinished(belief)
        case "misplaced":
            yield _misplaced(belief)
        case "torn":
            yield _torn(belief)
        case "wrong" | "unfinished" if belief.game.outcome(belief.position) is None:
            yield _wrong(belief, belief.lines)  # before the start, missing pieces are not lifted ones
        case "wrong" if before.trouble is None:
            yield Over()


def _unfinished(belief: Belief) -> Unfinished:
    game, board = belief.game, belief.standing.board
    line = next(line for line in belief.lines if line.shown == board)
    if line.begun is None:
        return Unfinished(line.position, (), owed(game, line), board)
    turns = begun_as(game, line) or [(line.begun.move, line.begun.missing)]
    return Unfinished(line.position, tuple(move for move, _ in turns), turns[0][1], board)


def _misplaced(belief: Belief) -> Wrong:
    game, position, evidence = belief.game, belief.position, belief.evidence
    assert evidence is not None
    seen = misplaced(game, evidence, position, again=True)
    return Wrong(
        "desync", position, "", changed_cells(figures_of(game, position), seen), belief.standing.board, figures=seen
    )


def _torn(belief: Belief) -> Torn | Wrong:
    """The two likeliest lines that are not the same so far; a doubtful board where none is likely enough."""
    near = belief.near or [belief.lines[0]]
    first = near[0]
    other = next((line for line in near[1:] if common(first, line) < max(len(first.plies), len(line.plies))), None)
    if other is None:
        return _wrong(belief, ())
    return Torn((first, other), changed_cells(first.shown, other.shown))


def _wrong(belief: Belief, lines: Sequence[Line]) -> Wrong:
    game, board = belief.game, belief.standing.board
    assert belief.look is not None
    evidence = belief.evidence
    ways_here = [line for line in belief.lines if line.unproved and line.shown == board == game.board(line.position)]
    missed = any(evidence is None or not misplaced(game, evidence, line.position) for line in ways_here)
    ends = [belief.position, *(line.position for line in lines if not line.unproved)]
    meant = min(ends, key=lambda one: len(changed_cells(game.board(one), board)))
    differing = changed_cells(game.board(meant), board)
    unsure = belief.look.reading.confidence < SURE
    doubtful = tuple(cell for cell in differing if unsure[cell] and cell not in belief.standing.unknown)
    if (against := _against_an_agent(belief)) is not None:
        cells = tuple(cell for cell, _ in belief.standing.amiss)
        return Wrong("illegal", belief.position, "", cells, board, against=against)
    if doubtful or not differing:
        return Wrong("unclear", meant, "", doubtful, board)
    if is_another(game, meant, board):
        return Wrong("desync", meant, "", differing, board, missed)
    fault = game.fault(meant, board)
    return Wrong("illegal", meant, fault.rule, fault.cells, board, missed)


def _against_an_agent(belief: Belief) -> Line | None:
    """The plies, or half of one, that would explain the board if no agent played; None if there are none."""
    if not belief.manner.agents or belief.evidence is None:
        return None
    found = ways(belief.game, belief.told, belief.evidence)
    first = found[0] if found else belief.told
    return first if len(first.plies) > len(belief.told.plies) or first.begun is not None else None


def is_another(game: AnyGame, position: Any, board: str) -> bool:
    """Whether a board is another position, rather than this one or one a legal move away with some pieces misplaced."""
    following = (game.apply(position, move) for move in game.legal_moves(position))
    return _strays(game, game.board(position), board) >= ANOTHER_CELLS and all(
        _strays(game, game.board(after), board) > MAX_BY_HAND for after in following
    )


def _strays(game: AnyGame, before: str, board: str) -> int:
    """Pieces that came or went, or changed cells where pieces belong to nobody; one ply may flip any number."""
    shared = shares_pieces(game)
    return sum(shared or EMPTY in (before[cell], board[cell]) for cell in changed_cells(before, board))
