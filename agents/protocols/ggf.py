"""Reversi games in the Generic Game Format, as NBoard sends them."""

from __future__ import annotations

import math
import re

from games.reversi import PASS, Move, Position, Reversi
from rules import MoveError, PositionError

BOARD = re.compile(r"BO\s*\[\s*8\s+([^\]]*)\]")
MOVE = re.compile(r"(?<![A-Z])([BW])\s*\[\s*([^\]/]*)[^\]]*\]")
PASSES = ("pa", "pass", "--", "ps")


def read(game: Reversi, text: str) -> Position:
    """The position at the end of the game. Raises GameError.

    `BO[8 ... *]` is the first board, `*` black, `O` white, `-` empty, and the mover; then moves such as
    `B[F5/1.5/0.3]`, `W[PA]`.
    """
    board = BOARD.search(text)
    if board is None:
        raise PositionError(f"{text[:60]!r} is no game: it has no BO[8 ...]")
    letters = "".join(board[1].split()).upper().replace("*", "X")
    position = game.parse_position(f"{letters[:64]} {letters[64:]}")
    for colour, name in MOVE.findall(text, board.end()):
        side = "BW".index(colour)
        if side != position.side and game.legal_moves(position) == [PASS]:
            position = game.apply(position, PASS)
        if side != position.side:
            raise MoveError("not_your_turn", f"{colour}[{name}]: it is {game.sides[position.side]}'s turn")
        position = game.apply(position, parse_move(game, position, name))
    return position


def parse_move(game: Reversi, position: Position, text: str) -> Move:
    """The move for `F5`, `F5/1.5/0.3` or `PA`. Raises MoveError."""
    word = text.partition("/")[0].strip().lower()
    return game.parse_move(position, "pass" if word in PASSES else word)


def format_move(game: Reversi, position: Position, move: Move) -> str:
    return "PA" if move == PASS else game.format_move(position, move).upper()


def write(game: Reversi, position: Position, move_s: float = 0.0) -> str:
    """A game record that starts at the position and has no moves.

    `move_s` are seconds a move; the clock `TI` then has as many as a side's remaining moves need. 0 is no clock.
    """
    letters, mover = game.format_position(position).replace("X", "*").split()
    left_s = math.ceil(move_s * (letters.count("-") + 1) / 2)
    clock = f"{left_s // 60}:{left_s % 60:02}" if left_s else "0"
    return f"(;GM[Othello]PC[Kibitzer]PB[black]PW[white]RE[?]TI[{clock}]TY[8]BO[8 {letters} {mover}];)"
