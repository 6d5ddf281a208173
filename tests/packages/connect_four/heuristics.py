"""What looks good in connect four: lines of four that one side alone has men in."""

from __future__ import annotations

from connect_four import FOURS, PIECES, ConnectFour, Position
from rules import EMPTY


def lines(game: ConnectFour, position: Position, last: object) -> int:
    """Lines that only the mover has men in, each counted as often as it has men, less those of the other side."""
    value = 0
    for four in FOURS:
        letters = {position.board[cell] for cell in four} - {EMPTY}
        if len(letters) == 1:
            men = sum(position.board[cell] != EMPTY for cell in four)
            value += men if letters == {PIECES[position.side]} else -men
    return value


def is_quiet(game: ConnectFour, position: Position) -> bool:
    """Not where the mover can win at once: that is looked at to its end."""
    moves = game.legal_moves(position)
    return not any(game.won_by(game.apply(position, move)) for move in moves)


HEURISTICS = {"lines": lines}
