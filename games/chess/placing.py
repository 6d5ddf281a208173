"""Pieces set up by hand: a board shows whose they are; which they are is told by the position before, or by a FEN."""

from __future__ import annotations

import itertools
from collections import Counter

from games.chess.board import CELLS, HOME, OWN
from games.chess.moves import State
from games.chess.position import Position, amiss
from rules import EMPTY, PositionError, Side
from wording import sentence

LETTERS = "WB"


def placed(board: str, seen: str, side: Side, before: Position, start: Position) -> Position:
    """The position with that board and mover; `seen` is the board of `before`, `start` that of a new game.

    Pieces that stand as before keep their kind, all others are those that are missing, if it is clear which. Raises
    PositionError.
    """
    rows = start.board
    if board == "".join(EMPTY if one == EMPTY else LETTERS[one in OWN[1]] for one in rows):
        pieces = rows
    else:
        pieces = _named(board, seen, before.board)
    state = State(pieces, side, _rooks(pieces, before), -1)
    if pieces == rows:
        state = state._replace(rooks=start.state.rooks)
    if (wrong := amiss(state)) is not None:
        raise PositionError(wrong)
    return Position(state)


def _named(board: str, seen: str, before: str) -> str:
    """A letter per cell: what stood there, or what is missing of its side."""
    pieces = [before[cell] if letter == seen[cell] else EMPTY for cell, letter in enumerate(board)]
    for side, letter in enumerate(LETTERS):
        fresh = [cell for cell, now in enumerate(board) if now == letter and seen[cell] != letter]
        if not fresh:
            continue
        gone = Counter(one for one in before if one in OWN[side])
        gone -= Counter(one for one in pieces if one in OWN[side])
        if len(gone) != 1 or gone.total() < len(fresh):
            names = tuple(CELLS[cell] for cell in fresh)
            said = sentence("I cannot tell which pieces stand on {cells}: give me the position as a FEN", cells=names)
            raise PositionError(said)
        for cell, one in zip(fresh, itertools.repeat(next(iter(gone))), strict=False):
            pieces[cell] = one
    return "".join(pieces)


def _rooks(pieces: str, before: Position) -> int:
    """Rooks that may still castle: those that could before and stand as they stood, with their king."""
    bits = 0
    for cell in range(64):
        if before.state.rooks >> cell & 1:
            side = int(cell // 8 == HOME[1])
            king = before.board.find(OWN[side][0])
            if pieces[cell] == OWN[side][2] and pieces[king] == OWN[side][0]:
                bits |= 1 << cell
    return bits
