"""The worth of a position of chess: pieces in hundredths of a pawn, and how well they stand."""

from __future__ import annotations

import functools
from typing import Any

from games.chess.board import OWN, attackers
from rules import EMPTY

WORTH = {"P": 100, "N": 320, "B": 330, "R": 500, "Q": 900, "K": 0}
"""Hundredths of a pawn, by the piece's letter: Shannon's values, with the minor pieces apart."""
MIDDLE = tuple(min(column, 7 - column) + min(row, 7 - row) for row in range(8) for column in range(8))
"""How near a cell is to the middle, 0 in the corners and 6 on the four cells there."""
MATED = 10_000
"""Worth of a king in an exchange: he takes last, and never into another attack."""
ENDGAME = 1300
"""Worth of a side's pieces without pawns up to which its enemy's king is better in the middle than at the edge."""

KING_STEPS = (-8, 6)
"""Worth of a step of the king towards the middle, before the endgame and in it."""


@functools.cache
def place(letter: str, cell: int) -> int:
    """What a white piece's place is worth; a8 is cell 0."""
    advance = 6 - cell // 8
    match letter:
        case "P":
            return 4 * advance + (advance * MIDDLE[cell] if cell % 8 in (2, 3, 4, 5) else 0)
        case "N":
            return 8 * MIDDLE[cell] - 20
        case "B":
            return 4 * MIDDLE[cell]
        case "R":
            return 20 if advance == 5 else 2 * min(cell % 8, 7 - cell % 8)
        case "Q":
            return 2 * MIDDLE[cell]
    return 0


def material(game: Any, position: Any, last: Any) -> int:
    """Pieces alone."""
    return _mine(position, sum(_signed(letter, WORTH[letter.upper()]) for letter in position.board if letter != EMPTY))


def exchanges(game: Any, position: Any, last: Any) -> int:
    """Pieces and places, and what the mover wins where the last piece has gone, if all take there that gain by it."""
    worth = places(game, position, last)
    return worth if last is None or last.to < 0 else worth + _exchange(position.board, last.to, position.side)


def _exchange(board: str, cell: int, side: int) -> int:
    """What a side wins by taking on a cell, least pieces and first cells first; 0 if it had better not."""
    takers = attackers(board, cell, side)
    if not takers or board[cell] == EMPTY or board[cell] in OWN[side]:
        return 0
    least = min(takers, key=lambda at: (WORTH[board[at].upper()] or MATED, at))
    cells = list(board)
    cells[least], cells[cell] = EMPTY, board[least]
    return max(0, (WORTH[board[cell].upper()] or MATED) - _exchange("".join(cells), cell, 1 - side))


def places(game: Any, position: Any, last: Any) -> int:
    """Pieces and their places; kings keep to the edge until few pieces are left."""
    worth, pieces, kings = 0, [0, 0], [0, 0]
    for cell, letter in enumerate(position.board):
        if letter == EMPTY:
            continue
        kind, black = letter.upper(), letter.islower()
        if kind == "K":
            kings[black] = MIDDLE[cell]
            continue
        if kind != "P":
            pieces[black] += WORTH[kind]
        worth += _signed(letter, WORTH[kind] + place(kind, cell ^ 56 if black else cell))
    for side, sign in ((0, 1), (1, -1)):
        late = pieces[1 - side] <= ENDGAME
        worth += sign * kings[side] * KING_STEPS[late]
    return _mine(position, worth)


def _signed(letter: str, worth: int) -> int:
    return worth if letter.isupper() else -worth


def _mine(position: Any, worth: int) -> int:
    """White's worth as the mover's."""
    return worth if position.side == 0 else -worth


HEURISTICS = {"exchanges": exchanges, "places": places, "material": material}
