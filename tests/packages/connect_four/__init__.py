"""Connect four on a flat board: the sides lay men in turn, each on the lowest free cell of a column.

Four in an unbroken row, column or diagonal win; a full board is a draw. The bottom row is row 1.
"""

from __future__ import annotations

import dataclasses
import re
from typing import NamedTuple

from rules import EMPTY, About, Fault, Game, MarkedCells, MoveError, Outcome, PositionError, Side, Step
from rules.options import rule
from rules.turns import changed_cells
from wording import Term, listing, noun, sentence

COLUMNS, ROWS = "abcdefg", 6
CELLS = tuple(f"{column}{row}" for row in range(ROWS, 0, -1) for column in COLUMNS)
SIDES = (noun("side", "light"), noun("side", "dark"))
PIECES = ("W", "B")
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Column and row steps from one cell of a line to the next."""
TEXT = re.compile(r"([.WB]{42}) ([WB])")


def _line(cell: int, step: tuple[int, int]) -> tuple[int, ...]:
    """Four cells in a line from this cell on; fewer where the board ends."""
    width = len(COLUMNS)
    there = [(cell % width + far * step[0], cell // width + far * step[1]) for far in range(4)]
    return tuple(row * width + column for column, row in there if 0 <= column < width and 0 <= row < ROWS)


FOURS = tuple(line for cell in range(len(CELLS)) for step in STEPS if len(line := _line(cell, step)) == 4)
"""The cells of every possible four in a row."""


@dataclasses.dataclass(frozen=True)
class ConnectFourRules:
    """The rule options."""

    first: str = rule("light", "who begins", choices=SIDES)


class Position(NamedTuple):
    """The whole state of a game."""

    board: str
    side: Side


class Move(NamedTuple):
    """One man laid."""

    cell: int
    """Index into `CELLS`."""


class ConnectFour(Game[Position, Move], MarkedCells):
    """The rules; see `rules.Game` for what each method promises."""

    name = "connect_four"
    title = noun("game", "connect four")
    sides = SIDES
    pieces = PIECES
    cells = CELLS
    classes = EMPTY + "".join(PIECES)
    Rules = ConnectFourRules
    about = About(
        "four",
        endings={"four_in_a_row": sentence("four in a row"), "board_full": sentence("the board is full")},
    )

    def __init__(self, rules: ConnectFourRules | None = None) -> None:
        self.rules = rules or ConnectFourRules()
        self.starts = (Position(EMPTY * len(CELLS), SIDES.index(self.rules.first)),)

    def legal_moves(self, position: Position) -> list[Move]:
        """The lowest free cell of each column, from the left."""
        if self.outcome(position) is not None:
            return []
        lowest = (_lowest(position.board, column) for column in range(len(COLUMNS)))
        return [Move(cell) for cell in lowest if cell is not None]

    def apply(self, position: Position, move: Move) -> Position:
        """The position after a move. Raises MoveError."""
        self._check(position, move)
        board, cell = position.board, move.cell
        return Position(f"{board[:cell]}{PIECES[position.side]}{board[cell + 1 :]}", 1 - position.side)

    def outcome(self, position: Position) -> Outcome | None:
        """Four in a row win; a full board is a draw."""
        if four := self.won_by(position):
            return Outcome(PIECES.index(position.board[four[0]]), "four_in_a_row")
        return None if EMPTY in position.board else Outcome(None, "board_full")

    def won_by(self, position: Position) -> tuple[int, ...]:
        """The first four in a row found."""
        fours = (line for line in FOURS if len({position.board[cell] for cell in line} - {EMPTY}) == 1)
        return next((line for line in fours if EMPTY not in {position.board[cell] for cell in line}), ())

    def board(self, position: Position) -> str:
        """The men, `W` light and `B` dark."""
        return position.board

    def steps(self, position: Position, move: Move) -> tuple[Step, ...]:
        """The one step of a move: a man is laid."""
        return (Step("place", move.cell, None, PIECES[position.side]),)

    def fault(self, position: Position, board: str) -> Fault:
        """The broken rule, judged by the cells that changed."""
        changed = changed_cells(position.board, board)
        new = [cell for cell in changed if position.board[cell] == EMPTY]
        names = listing(CELLS[cell] for cell in changed)
        if len(new) < len(changed):
            said = sentence("Men that lie stay where they are: put {cells} back.", cells=names)
            return Fault("man_changed", changed, (said,))
        if self.outcome(position) is not None:
            return Fault("game_over", changed, (sentence("The game is over."),))
        if len(new) > 1:
            return Fault("two_men_laid", changed, (sentence("Lay one man: take {cells} back.", cells=names),))
        if board[new[0]] != PIECES[position.side]:
            side = Term("side", SIDES[position.side])
            return Fault("not_your_turn", changed, (sentence("It is {side:gen}'s turn.", side=side),))
        return Fault("not_lowest", changed, (sentence("{cells} is not the lowest free cell.", cells=names),))

    def format_move(self, position: Position, move: Move) -> str:
        """The cell's name, such as `d1`."""
        return CELLS[move.cell]

    def parse_move(self, position: Position, text: str) -> Move:
        """The man laid on that cell. Raises MoveError."""
        name = text.strip().lower()
        if name not in CELLS:
            raise MoveError("not_a_move", sentence("{text} is no move; moves look like d1", text=repr(text[:40])))
        move = Move(CELLS.index(name))
        self._check(position, move)
        return move

    def _check(self, position: Position, move: Move) -> None:
        if self.outcome(position) is not None:
            raise MoveError("game_over", sentence("the game is over"))
        if position.board[move.cell] != EMPTY:
            raise MoveError("occupied", sentence("{cell} is occupied", cell=CELLS[move.cell]))
        if _lowest(position.board, move.cell % len(COLUMNS)) != move.cell:
            said = sentence("{cell} is not the lowest free cell of its column", cell=CELLS[move.cell])
            raise MoveError("not_lowest", said)

    def format_position(self, position: Position) -> str:
        """The board from the top row down, a blank, and the mover's letter."""
        return f"{position.board} {PIECES[position.side]}"

    def parse_position(self, text: str) -> Position:
        """The position given by a text. Raises PositionError."""
        match = TEXT.fullmatch(text.strip())
        if match is None:
            raise PositionError(f"{text[:80]!r} is not 42 characters ., W and B, then a blank and W or B for the mover")
        return self.set_up(match[1], PIECES.index(match[2]), self.starts[0])

    def set_up(self, board: str, side: Side, before: Position) -> Position:
        """The position; no man may be above a free cell, nor one side two men ahead. Raises PositionError."""
        hollow = [cell for cell in range(len(CELLS) - len(COLUMNS)) if board[cell] != EMPTY == board[cell + 7]]
        if hollow:
            raise PositionError(sentence("nothing lies below {cell}", cell=CELLS[hollow[0]]))
        if abs(board.count(PIECES[0]) - board.count(PIECES[1])) > 1:
            raise PositionError(sentence("one side has too many men"))
        return Position(board, side)


def _lowest(board: str, column: int) -> int | None:
    """The lowest free cell of a column; None if the column is full."""
    cells = range(len(CELLS) - len(COLUMNS) + column, -1, -len(COLUMNS))
    return next((cell for cell in cells if board[cell] == EMPTY), None)


GAME = ConnectFour
