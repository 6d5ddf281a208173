"""A position of gomoku and its text."""

from __future__ import annotations

import dataclasses
import re

from games import PositionError, Side
from games.gomoku.board import Board

COLOURS = ("black", "white")
MARKS = "XO."
"""Letters of a position's text: black, white, empty."""
POSITION = re.compile(r"([XO./]+):(black|white)")


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """The whole state of a game. Two are equal exactly when the rules treat them alike from here on."""

    stones: tuple[int, int]
    """Black's and white's stones, a bit per cell: `row * size + column`, row 0 on top."""
    side: Side
    """Who moves next."""


def format_position(board: Board, position: Position) -> str:
    """The rows from the top, joined by `/`, then a colon and the mover: `X` black, `O` white, `.` empty."""
    letters, size = board.letters(position.stones, MARKS), board.size
    rows = "/".join(letters[start : start + size] for start in range(0, size * size, size))
    return f"{rows}:{COLOURS[position.side]}"


def parse_position(board: Board, text: str, first: Side) -> Position:
    """The position of that text, where `first` began. Raises PositionError."""
    match = POSITION.fullmatch(text.strip())
    if match is None:
        raise PositionError(f"{text[:60]!r} is not rows of X, O and . joined by /, a colon, and black or white")
    rows, size = match[1].split("/"), board.size
    if len(rows) != size:
        raise PositionError(f"{len(rows)} rows; the board has {size}")
    for number, row in zip(range(size, 0, -1), rows, strict=True):
        if len(row) != size:
            raise PositionError(f"row {number}, {row[:40]!r}, has {len(row)} points; the board has {size}")
    letters = "".join(rows)
    black, white = (sum(1 << cell for cell, letter in enumerate(letters) if letter == mark) for mark in MARKS[:2])
    position = Position((black, white), COLOURS.index(match[2]))
    _check(board, position, first)
    return position


def _check(board: Board, position: Position, first: Side) -> None:
    """Raises PositionError where the stones cannot have been laid in turn."""
    counts = [stones.bit_count() for stones in position.stones]
    if counts[first] - counts[1 - first] != (position.side != first):
        black, white = counts
        raise PositionError(
            f"{black} black and {white} white stones and {COLOURS[position.side]} to move: "
            f"{COLOURS[first]} begins and the colours take turns"
        )
    if board.has_five(position.stones[position.side]):
        mover = COLOURS[position.side]
        raise PositionError(f"{mover} has five in a row and is to move: the game was over before")
