"""Legal moves of chess, by pins and checks instead of trying every move."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

from games.chess.board import (
    BISHOP,
    FORWARD,
    HOME,
    KING,
    KNIGHT,
    LAST_ROW,
    OWN,
    PAWN_TAKES,
    QUEEN,
    RAYS,
    ROOK,
    START_ROW,
    is_attacked,
)
from rules import EMPTY

PROMOTIONS = "qrbn"
"""Letters of the pieces that a pawn may become; the queen is first."""
SLIDERS = {"Q": QUEEN, "R": ROOK, "B": BISHOP}


class Move(NamedTuple):
    """One turn: cells as indices into `board.CELLS`. The king castles by going to the cell of his own rook."""

    origin: int
    to: int
    promotion: str = ""
    """One of PROMOTIONS; empty for other moves."""


CLAIM = Move(-1, -1)
"""The mover claims a draw: by three repetitions, or fifty moves without a capture or a pawn's move."""


class State(NamedTuple):
    """All that determines the legal moves."""

    board: str
    side: int
    rooks: int
    """The rooks with which castling is not yet lost, a bit per cell."""
    entry: int
    """The cell where a pawn may be taken in passing; -1 if there is none."""


def king_of(board: str, side: int) -> int:
    """The cell of a side's king; -1 if it has none."""
    return board.find(OWN[side][0])


def in_check(board: str, side: int) -> bool:
    return is_attacked(board, king_of(board, side), 1 - side)


@functools.lru_cache(maxsize=1 << 13)
def legal(state: State) -> tuple[Move, ...]:
    """All legal moves, by origin and arrival, ascending."""
    board, side, _, entry = state
    own, enemy = OWN[side], 1 - side
    king = king_of(board, side)
    checks, shield, pins = _threats(board, side, king)
    bare = board[:king] + EMPTY + board[king + 1 :]
    found = [Move(king, to) for to in KING[king] if board[to] not in own and not is_attacked(bare, to, enemy)]
    if checks < 2:
        queen, knight, pawn = own[1], own[4], own[5]
        for cell, letter in enumerate(board):
            if letter == EMPTY or letter not in own or cell == king:
                continue
            allowed = pins.get(cell)
            if shield is not None:
                allowed = shield if allowed is None else allowed & shield
            if letter == pawn:
                found += _pawn(board, side, cell, allowed)
                if entry >= 0 and entry in PAWN_TAKES[side][cell] and _may_pass(board, side, cell, entry):
                    found.append(Move(cell, entry))
            elif letter == knight:
                if cell not in pins:
                    found += [
                        Move(cell, to)
                        for to in KNIGHT[cell]
                        if board[to] not in own and (allowed is None or to in allowed)
                    ]
            else:
                rays = QUEEN[cell] if letter == queen else SLIDERS[letter.upper()][cell]
                for ray in rays:
                    for to in ray:
                        here = board[to]
                        if here == EMPTY:
                            if allowed is None or to in allowed:
                                found.append(Move(cell, to))
                            continue
                        if here not in own and (allowed is None or to in allowed):
                            found.append(Move(cell, to))
                        break
    if not checks:
        found += castlings(state)
    return tuple(sorted(found, key=_order))


def _order(move: Move) -> tuple[int, int, int]:
    return move.origin, move.to, PROMOTIONS.find(move.promotion) if move.promotion else 0


def _threats(board: str, side: int, king: int) -> tuple[int, frozenset[int] | None, dict[int, frozenset[int]]]:
    """How many pieces give check, the cells on which it can be met (None without), the ways left to pinned pieces."""
    own, enemy = OWN[side], 1 - side
    checks, shield, pins = 0, None, dict[int, frozenset[int]]()
    for ray, letters in RAYS[king]:
        blocker = -1
        for far, cell in enumerate(ray):
            here = board[cell]
            if here == EMPTY:
                continue
            if here in own:
                if blocker >= 0:
                    break
                blocker = cell
                continue
            if here in letters[enemy]:
                if blocker < 0:
                    checks, shield = checks + 1, frozenset(ray[: far + 1])
                else:
                    pins[blocker] = frozenset(ray[: far + 1])
            break
    theirs = OWN[enemy]
    for cell in (*KNIGHT[king], *PAWN_TAKES[side][king]):
        if board[cell] == (theirs[4] if cell in KNIGHT[king] else theirs[5]):
            checks, shield = checks + 1, frozenset((cell,))
    return checks, shield, pins


def _pawn(board: str, side: int, cell: int, allowed: frozenset[int] | None) -> Iterator[Move]:
    """Moves of a pawn but taking in passing."""
    way, own = FORWARD[side], OWN[side]
    ahead = cell + way
    places = []
    if board[ahead] == EMPTY:
        places.append(ahead)
        if cell // 8 == START_ROW[side] and board[ahead + way] == EMPTY:
            places.append(ahead + way)
    places += [to for to in PAWN_TAKES[side][cell] if board[to] != EMPTY and board[to] not in own]
    for to in places:
        if allowed is None or to in allowed:
            if to // 8 == LAST_ROW[side]:
                yield from (Move(cell, to, letter) for letter in PROMOTIONS)
            else:
                yield Move(cell, to)


def passed(side: int, entry: int) -> int:
    """The cell of the pawn that a side takes in passing when it arrives on `entry`."""
    return entry - FORWARD[side]


def _may_pass(board: str, side: int, cell: int, entry: int) -> bool:
    """Whether taking in passing leaves the king out of check: two pawns leave a row at once."""
    after = list(board)
    after[cell], after[passed(side, entry)], after[entry] = EMPTY, EMPTY, board[cell]
    return not in_check("".join(after), side)


def may_enter(board: str, side: int, entry: int) -> bool:
    """Whether the side to move can take in passing on that cell."""
    return any(
        board[cell] == OWN[side][5] and _may_pass(board, side, cell, entry) for cell in PAWN_TAKES[1 - side][entry]
    )


def castled(side: int, move: Move) -> tuple[int, int]:
    row = 8 * HOME[side]
    return (row + 6, row + 5) if move.to > move.origin else (row + 2, row + 3)


def castlings(state: State) -> Iterator[Move]:
    board, side, rooks, _ = state
    king = king_of(board, side)
    for rook in range(8 * HOME[side], 8 * HOME[side] + 8):
        if rooks >> rook & 1 and not blocked(board, side, king, rook) and not crossed(board, side, king, rook):
            yield Move(king, rook)


def blocked(board: str, side: int, king: int, rook: int) -> list[int]:
    """Cells whose pieces are in the way of castling."""
    to, beside = castled(side, Move(king, rook))
    low, high = min(king, rook, to, beside), max(king, rook, to, beside)
    ways = {*_way(king, to), *_way(rook, beside)}
    return [cell for cell in range(low, high + 1) if cell in ways - {king, rook} and board[cell] != EMPTY]


def crossed(board: str, side: int, king: int, rook: int) -> list[int]:
    """Attacked cells on the king's way, his arrival included."""
    to, beside = castled(side, Move(king, rook))
    bare = list(board)
    bare[king] = bare[rook] = EMPTY
    empty = "".join(bare)
    found = [cell for cell in _way(king, to) if cell != to and is_attacked(empty, cell, 1 - side)]
    bare[beside] = OWN[side][2]
    return found + ([to] if is_attacked("".join(bare), to, 1 - side) else [])


def _way(start: int, end: int) -> range:
    """The cells from one to another on a row, the first left out."""
    return range(start + 1, end + 1) if end > start else range(end, start)


def after(state: State, move: Move) -> State:
    board, side, rooks, entry = state
    cells, way = list(board), FORWARD[side]
    letter, own = board[move.origin], OWN[side]
    cells[move.origin] = EMPTY
    now, taken = -1, board[move.to]
    rooks &= ~(1 << move.origin | 1 << move.to)
    if letter == own[0]:
        rooks &= ~(0xFF << 8 * HOME[side])
        if taken == own[2]:
            cells[move.to] = EMPTY
            king, rook = castled(side, move)
            cells[king], cells[rook] = own[0], own[2]
            return State("".join(cells), 1 - side, rooks, -1)
    elif letter == own[5]:
        if move.to == entry:
            cells[passed(side, entry)] = EMPTY
        elif move.promotion:
            letter = own["KQRBNP".index(move.promotion.upper())]
        elif move.to - move.origin == 2 * way:
            now = move.origin + way
    cells[move.to] = letter
    done = "".join(cells)
    if now >= 0 and not may_enter(done, 1 - side, now):
        now = -1
    return State(done, 1 - side, rooks, now)
