"""Whole games as one string of cells, as reversi players write them: `f5d6c3d3`. Forced passes are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable

from games.reversi import PASS, Move, Position, Reversi
from games.reversi.bitboard import CELLS
from rules import MoveError

PAIR = re.compile(r"[a-h][1-8]")


def write(moves: Iterable[Move]) -> str:
    return "".join(CELLS[move.cell] for move in moves if move.cell is not None)


def read(game: Reversi, text: str, start: Position | None = None) -> list[Move]:
    """The moves of a transcript, with passes inserted; spaces, capitals and written passes are allowed.

    Raises MoveError naming the ply.
    """
    position = game.initial() if start is None else start
    moves: list[Move] = []
    rest = re.sub(r"\s|pass|pa|--", "", text.lower())
    for at in range(0, len(rest), 2):
        pair = rest[at : at + 2]
        if not PAIR.fullmatch(pair):
            raise MoveError("not_a_move", f"disc {at // 2 + 1}, {pair!r}: a transcript is cells such as f5d6c3")
        if game.legal_moves(position) == [PASS]:
            moves.append(PASS)
            position = game.apply(position, PASS)
        try:
            moves.append(game.parse_move(position, pair))
        except MoveError as error:
            raise MoveError(error.rule, f"ply {len(moves) + 1}, {pair!r}: {error}") from None
        position = game.apply(position, moves[-1])
    return moves
