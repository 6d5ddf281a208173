"""The board of chess: cells, ways of the pieces, attacks. A board is a string of 64 letters as in a FEN, a8 first."""

from __future__ import annotations

from collections.abc import Iterable

from rules import EMPTY

CELLS = tuple(f"{column}{row}" for row in range(8, 0, -1) for column in "abcdefgh")
INDEX = {name: cell for cell, name in enumerate(CELLS)}
OWN = ("KQRBNP", "kqrbnp")
"""Letters of the pieces of White and of Black."""
LINES = ("QR", "qr")
DIAGONALS = ("QB", "qb")
"""Letters of the pieces of a side that attack along rows and columns, and along diagonals."""
FORWARD = (-8, 8)
"""Step of a side's pawns."""
START_ROW, LAST_ROW = (6, 1), (0, 7)
"""Rows, from the top, on which a side's pawns begin, and on which they turn into pieces."""
HOME = (7, 0)
"""Row of a side's king at the start."""
_STRAIGHT = ((0, -1), (0, 1), (-1, 0), (1, 0))
_SLANTED = ((-1, -1), (-1, 1), (1, -1), (1, 1))
_LEAPS = tuple((x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y))


def _cells(cell: int, steps: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """The cells on the board at these distances, as columns and rows."""
    column, row = cell % 8, cell // 8
    places = ((column + x, row + y) for x, y in steps)
    return tuple(sorted(8 * y + x for x, y in places if 0 <= x < 8 and 0 <= y < 8))


def _rays(cell: int, ways: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """The cells in each direction, near ones first, empty directions left out."""
    column, row = cell % 8, cell // 8
    rays = []
    for x, y in ways:
        ray = []
        for far in range(1, 8):
            if 0 <= column + far * x < 8 and 0 <= row + far * y < 8:
                ray.append(8 * (row + far * y) + column + far * x)
        rays.append(tuple(ray))
    return tuple(ray for ray in rays if ray)


KNIGHT = tuple(_cells(cell, _LEAPS) for cell in range(64))
KING = tuple(_cells(cell, (*_STRAIGHT, *_SLANTED)) for cell in range(64))
PAWN_TAKES = tuple(tuple(_cells(cell, ((-1, way // 8), (1, way // 8))) for cell in range(64)) for way in FORWARD)
"""By side and cell: where its pawn there takes."""
STRAIGHT = tuple(_rays(cell, _STRAIGHT) for cell in range(64))
SLANTED = tuple(_rays(cell, _SLANTED) for cell in range(64))
RAYS = tuple(
    tuple((ray, LINES) for ray in STRAIGHT[cell]) + tuple((ray, DIAGONALS) for ray in SLANTED[cell])
    for cell in range(64)
)
"""By cell: every direction, with the letters by side of the pieces that attack along it."""
ROOK, BISHOP = STRAIGHT, SLANTED
QUEEN = tuple(STRAIGHT[cell] + SLANTED[cell] for cell in range(64))
BETWEEN: dict[tuple[int, int], tuple[int, ...]] = {
    (cell, ray[far]): ray[:far] for cell in range(64) for ray in QUEEN[cell] for far in range(len(ray))
}
"""Cells between two on a line, for all pairs of cells on one."""


def attackers(board: str, cell: int, by: int) -> list[int]:
    king, knight, pawn = OWN[by][0], OWN[by][4], OWN[by][5]
    found = [at for at in KNIGHT[cell] if board[at] == knight]
    found += [at for at in KING[cell] if board[at] == king]
    found += [at for at in PAWN_TAKES[1 - by][cell] if board[at] == pawn]
    for ray, letters in RAYS[cell]:
        for at in ray:
            if board[at] != EMPTY:
                if board[at] in letters[by]:
                    found.append(at)
                break
    return found


def is_attacked(board: str, cell: int, by: int) -> bool:
    for ray, letters in RAYS[cell]:
        for at in ray:
            here = board[at]
            if here != EMPTY:
                if here in letters[by]:
                    return True
                break
    king, knight, pawn = OWN[by][0], OWN[by][4], OWN[by][5]
    for at in KNIGHT[cell]:
        if board[at] == knight:
            return True
    for at in PAWN_TAKES[1 - by][cell]:
        if board[at] == pawn:
            return True
    return any(board[at] == king for at in KING[cell])


def is_light(cell: int) -> bool:
    return (cell % 8 + cell // 8) % 2 == 0
