"""Gomoku: lay stones in turn on the crossings of the lines; five in an unbroken row win.

More than five win too, a full board is a draw.
"""

from __future__ import annotations

import dataclasses
import re
from typing import NamedTuple

from games import EMPTY, Fault, MoveError, Outcome, Side, Step, changed_cells, rule
from games.gomoku import position as texts
from games.gomoku.board import board, cells_of
from games.gomoku.position import COLOURS, Position

__all__ = ["GAME", "PIECES", "Gomoku", "GomokuRules", "Move", "Position"]

PIECES = ("B", "W")
MOVE = re.compile(r"[a-z]\d{1,2}")


class Move(NamedTuple):
    """A stone of the mover's colour on an empty point."""

    cell: int
    """Index into `Gomoku.cells`."""


@dataclasses.dataclass(frozen=True)
class GomokuRules:
    """The rule options; the defaults are free gomoku."""

    size: str = rule("15", "lines of the board each way", choices=("15", "19"))
    first: str = rule("black", "who begins", choices=COLOURS)


class Gomoku:
    """The rules; `games.Game` says what each method promises."""

    name = "gomoku"
    short_name = "gomoku"
    title = "gomoku"
    sides = COLOURS
    pieces = PIECES
    classes = EMPTY + "".join(PIECES)
    Rules = GomokuRules

    def __init__(self, rules: GomokuRules | None = None) -> None:
        self.rules = rules or GomokuRules()
        self.size = int(self.rules.size)
        """Lines of the board each way."""
        self.geometry = board(self.size)
        self.cells = self.geometry.cells
        self._first = COLOURS.index(self.rules.first)
        self.starts = (Position((0, 0), self._first),)

    def initial(self, seed: int | None = None) -> Position:
        """The empty board; nothing is dealt."""
        return self.starts[0]

    def to_move(self, position: Position) -> Side:
        """The side that lays next."""
        return position.side

    def colour(self, position: Position) -> int:
        """The colour of the stone that is laid next: 0 black, 1 white."""
        return position.side

    def legal_moves(self, position: Position) -> list[Move]:
        """A stone on each empty point, in the order of the cells."""
        if self.outcome(position) is not None:
            return []
        return [Move(cell) for cell in cells_of(self.empty(position))]

    def empty(self, position: Position) -> int:
        """The empty points, as a bit set."""
        return self.geometry.full & ~(position.stones[0] | position.stones[1])

    def apply(self, position: Position, move: Move) -> Position:
        """The position with the stone. Raises MoveError."""
        self._check(position, move)
        black, white = position.stones
        stone = 1 << move.cell
        stones = (black | stone, white) if position.side == 0 else (black, white | stone)
        return Position(stones, 1 - position.side)

    def outcome(self, position: Position) -> Outcome | None:
        """Five in a row of who laid last win; a full board is a draw."""
        last = 1 - position.side
        if self.geometry.has_five(position.stones[last]):
            return Outcome(last, "five_in_a_row")
        return None if self.empty(position) else Outcome(None, "board_full")

    def scores(self, position: Position) -> None:
        """No points are counted."""
        return

    def gains(self, position: Position, move: Move) -> None:
        """None: no points are counted."""

    def board(self, position: Position) -> str:
        """The stones, `B` black and `W` white."""
        return self.geometry.letters(position.stones, "".join(PIECES) + EMPTY)

    def steps(self, position: Position, move: Move) -> tuple[Step, ...]:
        """The stone laid."""
        return (Step("place", move.cell, None, PIECES[position.side]),)

    def view(self, position: Position, side: Side) -> Position:
        """The position itself: nothing is hidden."""
        return position

    def fault(self, position: Position, board: str) -> Fault:
        """The broken rule, judged by which stones came and went."""
        return Fault("unexplained", changed_cells(self.board(position), board), "Put the stones back.")

    def _check(self, position: Position, move: Move) -> None:
        """Raises MoveError with the rule that the move breaks."""
        if (outcome := self.outcome(position)) is not None:
            raise MoveError("game_over", f"the game is over: {outcome.reason}")
        if not 0 <= move.cell < len(self.cells):
            raise MoveError("no_such_cell", f"there is no cell {move.cell} on the board")
        if not self.empty(position) >> move.cell & 1:
            raise MoveError("occupied", f"{self.cells[move.cell]} is occupied")

    def format_move(self, position: Position, move: Move) -> str:
        """The point, such as `h8`."""
        return self.cells[move.cell]

    def parse_move(self, position: Position, text: str) -> Move:
        """The move of that text, capitals allowed. Raises MoveError."""
        name = text.strip().lower()
        if MOVE.fullmatch(name) is None:
            raise MoveError("not_a_move", f"{text[:40]!r} is no move; moves look like h8")
        if name not in self.geometry.index:
            raise MoveError(
                "no_such_cell",
                f"there is no point {name!r} on the board: {self.cells[-self.size]} to {self.cells[self.size - 1]}",
            )
        move = Move(self.geometry.index[name])
        self._check(position, move)
        return move

    def format_position(self, position: Position) -> str:
        """The rows from the top, joined by `/`, then a colon and the mover: `X` black, `O` white, `.` empty."""
        return texts.format_position(self.geometry, position)

    def parse_position(self, text: str) -> Position:
        """The position of `format_position`'s text. Raises PositionError."""
        return texts.parse_position(self.geometry, text, self._first)


GAME = Gomoku
