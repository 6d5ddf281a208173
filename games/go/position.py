"""A position of go and its text."""

from __future__ import annotations

import dataclasses
import re

from games.go.board import Board, Stones
from rules import PositionError, Side
from rules.stones import COLOURS, read, written
from wording import Term, sentence

SIDES = "bw"
NONE = "-"
POSITION = re.compile(r"([XO./]+) ([bw]) ([A-Z]\d{1,2}|-) (\d{1,4}),(\d{1,4}) ([012])(?::([A-Z0-9,]+|-))?")


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """The whole state of a game. Equal positions are those that the rules treat alike from here on."""

    stones: Stones
    """Black's and white's stones, a bit per cell: `row * size + column`, row 0 on top."""
    side: Side
    """Who moves next."""
    ko: int | None = None
    """The point on which the ko forbids the next stone; None without, and where the superko rule is played."""
    prisoners: tuple[int, int] = (0, 0)
    """Stones that black and white have captured."""
    passes: int = 0
    """Passes in a row just made; two end the game."""
    seen: frozenset[Stones] = frozenset()
    """All boards of the game so far, where the superko rule is played."""
    dead: int = 0
    """After the end: the stones that count as captured, a bit per cell."""


def format_position(board: Board, position: Position) -> str:
    """Rows from the top, mover, ko, prisoners of black and white, passes: joined by blanks, as a FEN is.

    After the end the passes are followed by the dead stones: `2:C3,C4`, or `2:-`.
    """
    ko = NONE if position.ko is None else board.cells[position.ko]
    dead = f":{','.join(board.names(position.dead)) or NONE}" if position.passes == 2 else ""
    black, white = position.prisoners
    return f"{written(position.stones, board.size)} {SIDES[position.side]} {ko} {black},{white} {position.passes}{dead}"


def parse_position(board: Board, text: str, superko: bool) -> Position:
    match = POSITION.fullmatch(text.strip())
    if match is None:
        said = sentence(
            "{text} is not rows of X, O and . joined by /, then b or w, the point of a ko or -, prisoners such as 0,0 "
            "and the passes just made, 0 to 2",
            text=repr(text[:60]),
        )
        raise PositionError(said)
    stones = read(match[1], board.size)
    check_stones(board, stones)
    ko = None if match[3] == NONE else _point(board, match[3])
    if ko is not None and ((stones[0] | stones[1]) >> ko & 1 or superko):
        raise PositionError(
            sentence("there can be no ko on {cell}: a stone is there, or superko is played", cell=match[3])
        )
    passes, named = int(match[6]), match[7]
    if (named is not None) != (passes == 2):
        raise PositionError(sentence("the dead stones, or -, follow a colon after two passes, and only then"))
    dead = sum(1 << _point(board, name) for name in dict.fromkeys(named.split(","))) if named not in (None, NONE) else 0
    if dead & ~(stones[0] | stones[1]):
        bare = board.names(dead & ~(stones[0] | stones[1]))[0]
        raise PositionError(sentence("there is no stone on {cell} to be dead", cell=bare))
    seen = frozenset([stones]) if superko else frozenset()
    prisoners = int(match[4]), int(match[5])
    return Position(stones, SIDES.index(match[2]), ko, prisoners, passes, seen, dead)


def check_stones(board: Board, stones: Stones) -> None:
    """Raises PositionError if a chain has no liberty."""
    if breathless := board.breathless(stones):
        name = board.names(breathless)[0]
        side = Term("side", COLOURS[not stones[0] & breathless & -breathless])
        raise PositionError(sentence("the stones of {side} on {cell} have no liberty", side=side, cell=name))


def _point(board: Board, name: str) -> int:
    if name not in board.index:
        raise PositionError(sentence("there is no point {cell} on the board", cell=repr(name[:5])))
    return board.index[name]
