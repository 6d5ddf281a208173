"""Pieces set up by hand: a board shows whose they are; which they are is told by the position before, or by people."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping

from games.chess.board import CELLS, HOME, OWN, is_light
from games.chess.moves import State, king_of, may_enter
from games.chess.position import SIDES, Position, amiss
from rules import EMPTY, PositionError, Right, Side
from rules.turns import cells_of
from wording import Term, sentence

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
            said = sentence(
                "I cannot tell which pieces stand on {cells}: set the position up on the page, under New game",
                cells=names,
            )
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


def arranged(pieces: str, side: Side, told: Mapping[str, bool], start: Position) -> Position:
    """The position with these pieces, letters as in a FEN; castling is allowed where it may be, unless told otherwise.

    Raises PositionError.
    """
    state = State(pieces, side, 0, -1)
    if (wrong := amiss(state)) is not None:
        raise PositionError(wrong)
    rooks = sum(1 << rook for rook in _may_castle(state, start.state) if told.get(CELLS[rook], True))
    passed = {pawn: entry for pawn, entry in _just_moved(state).items() if told.get(CELLS[pawn])}
    if len(passed) > 1:
        names = tuple(CELLS[pawn] for pawn in passed)
        raise PositionError(sentence("only one pawn can have moved last, not those on {cells}", cells=names))
    return Position(State(pieces, side, rooks, next(iter(passed.values()), -1)))


def rights(state: State, start: State) -> tuple[Right, ...]:
    """Castling with every rook that may have it, and every pawn that may have come two squares just now."""
    found = []
    for rook in _may_castle(state, start):
        side = int(rook // 8 == HOME[1])
        who = Term("side", SIDES[side])
        said = sentence("{side:Nom} may castle long", side=who)
        if rook > king_of(state.board, side):
            said = sentence("{side:Nom} may castle short", side=who)
        found.append(Right(CELLS[rook], said, bool(state.rooks >> rook & 1)))
    for pawn, entry in _just_moved(state).items():
        told = sentence("the pawn has just come to {cell} by two squares", cell=CELLS[pawn])
        found.append(Right(CELLS[pawn], told, state.entry == entry))
    return tuple(found)


def full_set() -> Iterator[tuple[Side, Mapping[str, tuple[int, ...]], bool]]:
    """Each piece of a full set: its side, where it may stand by what it then is, and whether it is never taken."""
    everywhere = tuple(range(64))
    light = tuple(cell for cell in everywhere if is_light(cell))
    dark = tuple(cell for cell in everywhere if not is_light(cell))
    for side, own in enumerate(OWN):
        king, queen, rook, bishop, knight, pawn = list(own)
        pieces = [(king, everywhere), (queen, everywhere), *2 * [(rook, everywhere), (knight, everywhere)]]
        for letter, cells in (*pieces, (bishop, light), (bishop, dark)):
            yield side, {letter: cells}, letter == king
        becomes = dict.fromkeys((queen, rook, bishop, knight), everywhere)
        yield from itertools.repeat((side, {pawn: everywhere[8:56], **becomes}, False), 8)


def _may_castle(state: State, start: State) -> list[int]:
    """The rooks with which castling may be allowed: as at the start, or as it is, White's and the short side first."""
    cells = []
    for rook in cells_of(start.rooks | state.rooks):
        side = int(rook // 8 == HOME[1])
        king = king_of(start.board, side)
        stand = state.board[rook] == OWN[side][2] and state.board[king] == OWN[side][0]
        if stand or state.rooks >> rook & 1:
            cells.append(rook)
    return sorted(cells, reverse=True)


def _just_moved(state: State) -> dict[int, int]:
    """The pawns that may have come two squares just now and can be taken in passing, each with the cell passed over."""
    side, found = state.side, {}
    enemy, back = OWN[1 - side][5], (8 if side else -8)
    for pawn in range(32, 40) if side else range(24, 32):
        entry, before = pawn + back, pawn + 2 * back
        is_free = state.board[entry] == state.board[before] == EMPTY
        if state.board[pawn] == enemy and is_free and may_enter(state.board, side, entry):
            found[pawn] = entry
    return found
