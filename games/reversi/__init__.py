"""Reversi, also called Othello: lay a disc so that it encloses lines of enemy discs, and turn these over.

A player who can turn nothing passes; nobody else may pass. When neither side can lay, the side with more discs wins and
equal numbers are a tie; only discs on the board count, empty cells belong to nobody.
"""

from __future__ import annotations

import dataclasses
import re
from typing import NamedTuple

from games.reversi import openings
from games.reversi.bitboard import CELLS, places, turned
from games.reversi.faults import PIECES, SIDES, Judge, disc
from games.reversi.openings import START
from rules import EMPTY, About, Fault, Game, MoveError, Outcome, PositionError, RuleSet, Side, Step, Words
from rules.options import rule
from rules.turns import bits_of, cells_of, changed_cells, letters_of
from wording import Term, noun, sentence

__all__ = ["CELLS", "GAME", "PASS", "Move", "Position", "Reversi"]

PASS_TEXT = "pass"
LETTERS = "XO"
"""Letters of a position's text: black, white; an empty cell is a hyphen."""
CORNERS = ("a1", "h8", "h1", "a8")
"""Corners that black is given, in this order, in handicap play."""
POSITION = re.compile(r"([XO-]{64})\s*([XO])\s*;?", re.IGNORECASE)


@dataclasses.dataclass(frozen=True)
class ReversiRules:
    first: str = rule("black", "who begins", choices=SIDES)
    handicap: int = rule(0, "corners that black is given at the start", minimum=0, maximum=4)


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    discs: tuple[int, int]
    """Discs of black and of white, a bit per cell."""
    side: Side
    """Who moves next."""


class Move(NamedTuple):
    cell: int | None
    """Index into `CELLS` of the disc laid; None is the pass."""


PASS = Move(None)


RULE_SETS = {
    "usual": RuleSet(noun("rules", "reversi"), sentence("Four discs in the middle; the most discs win."), {}),
    "corner": RuleSet(
        noun("rules", "reversi, a corner ahead"),
        sentence("Black has a corner from the start, as a handicap, and White begins."),
        {"handicap": 1, "first": "white"},
    ),
    "two_corners": RuleSet(
        noun("rules", "reversi, two corners ahead"),
        sentence("Black has two corners from the start, as a handicap, and White begins."),
        {"handicap": 2, "first": "white"},
    ),
    "three_corners": RuleSet(
        noun("rules", "reversi, three corners ahead"),
        sentence("Black has three corners from the start, as a handicap, and White begins."),
        {"handicap": 3, "first": "white"},
    ),
    "four_corners": RuleSet(
        noun("rules", "reversi, four corners ahead"),
        sentence("Black has all four corners from the start, as a handicap, and White begins."),
        {"handicap": 4, "first": "white"},
    ),
}
IN_SHORT = (
    sentence("Lay a disc so that discs of the other colour lie in a line between it and another of yours."),
    sentence("All that lie so between two of yours turn over, in every direction."),
    sentence("If you can lay none, you pass; when neither can, whoever has more discs wins."),
)
MISTAKES = {
    "wrong side lays": "not_your_turn",
    "laid where it may not lie": "turns_nothing",
    "two laid": "two_discs_laid",
    "enemy moved": "disc_moved",
    "enemy taken": "disc_missing",
    "enemy turned": "turned_without_laying",
    "laid and turned too many": "wrong_disc_turned",
}


class Reversi(Game[Position, Move], Words):
    name = "reversi"
    title = noun("game", "reversi")
    sides = SIDES
    pieces = PIECES
    cells = CELLS
    classes = EMPTY + "".join(PIECES)
    Rules = ReversiRules
    about = About(
        "reversi",
        also=("othello",),
        nouns={"B": noun("piece", "black disc"), "W": noun("piece", "white disc")},
        endings={"neither_can_lay": sentence("neither side can lay")},
        rule_sets=RULE_SETS,
        in_short=IN_SHORT,
        examples={1: "d3 c5 d6"},
        formats=("ggf", "transcript"),
    )
    mistakes = MISTAKES

    def __init__(self, rules: ReversiRules | None = None) -> None:
        self.rules = rules or ReversiRules()
        given = sum(1 << CELLS.index(name) for name in CORNERS[: self.rules.handicap])
        self.starts = (Position((START[0] | given, START[1]), SIDES.index(self.rules.first)),)

    def places(self, position: Position, side: Side) -> int:
        """Where a side could lay a disc if it were its turn, as a bit set."""
        return places(position.discs[side], position.discs[1 - side])

    def turned(self, position: Position, cell: int) -> int:
        """Discs that the mover's disc on an empty cell would turn over, as a bit set; 0 where it may not be laid."""
        return turned(position.discs[position.side], position.discs[1 - position.side], cell)

    def legal_moves(self, position: Position) -> list[Move]:
        """Lays by cell, ascending; only the pass where the mover cannot lay and the enemy can."""
        if here := self.places(position, position.side):
            return [Move(cell) for cell in cells_of(here)]
        return [PASS] if self.places(position, 1 - position.side) else []

    def apply(self, position: Position, move: Move) -> Position:
        cell, mine, theirs = move.cell, position.discs[position.side], position.discs[1 - position.side]
        over = 0 if cell is None or (mine | theirs) >> cell & 1 else turned(mine, theirs, cell)
        if not over:
            self._check(position, move)
        if cell is None:
            return Position(position.discs, 1 - position.side)
        mine, theirs = mine | over | 1 << cell, theirs ^ over
        return Position((mine, theirs) if position.side == 0 else (theirs, mine), 1 - position.side)

    def outcome(self, position: Position) -> Outcome | None:
        if self.places(position, position.side) or self.places(position, 1 - position.side):
            return None
        black, white = (discs.bit_count() for discs in position.discs)
        winner = None if black == white else int(white > black)
        return Outcome(winner, "neither_can_lay", (black, white))

    def board(self, position: Position) -> str:
        """The discs: `B` black, `W` white."""
        return letters_of(position.discs, PIECES, len(CELLS))

    def steps(self, position: Position, move: Move) -> tuple[Step, ...]:
        """The disc laid, then the discs turned, ascending; the player may turn them in any order."""
        if move.cell is None:
            return ()
        piece = PIECES[position.side]
        over = cells_of(self.turned(position, move.cell))
        return (Step("place", move.cell, None, piece), *(Step("flip", cell, None, piece) for cell in over))

    def opening(self, position: Position) -> str:
        return openings.opening(position.discs, position.side)

    def may_become(self, board: str, target: str, plies: int) -> bool:
        """Discs may turn over but are never taken away."""
        return all(target[cell] != EMPTY for cell in changed_cells(board, target))

    def _check(self, position: Position, move: Move) -> None:
        """Raises MoveError with the first rule that the move breaks."""
        if self.outcome(position) is not None:
            raise MoveError("game_over", sentence("the game is over"))
        me, here = Term("side", SIDES[position.side]), self.places(position, position.side)
        if move.cell is None:
            if here:
                free = tuple(CELLS[cell] for cell in cells_of(here))
                raise MoveError("must_lay", sentence("{side} may not pass: it can lay on {cells}", side=me, cells=free))
            return
        name = CELLS[move.cell]
        if (position.discs[0] | position.discs[1]) >> move.cell & 1:
            raise MoveError("occupied", sentence("{cell} is occupied", cell=name))
        if not here:
            raise MoveError("must_pass", sentence("{side} can turn no disc over anywhere and must pass", side=me))
        if not here >> move.cell & 1:
            said = sentence("a {disc} on {cell} turns no disc over", disc=disc(position.side), cell=name)
            raise MoveError("turns_nothing", said)

    def format_move(self, position: Position, move: Move) -> str:
        """`d3`, `pass`."""
        return PASS_TEXT if move.cell is None else CELLS[move.cell]

    def parse_move(self, position: Position, text: str) -> Move:
        """The turn that the text describes, capitals allowed. Raises MoveError."""
        word = text.strip().lower()
        if word == PASS_TEXT:
            move = PASS
        elif word in CELLS:
            move = Move(CELLS.index(word))
        elif re.fullmatch(r"[a-z]\d{1,2}", word):
            raise MoveError("no_such_cell", sentence("there is no point {name} on the board", name=repr(word)))
        else:
            said = sentence("{text} is no move; moves look like d3, or pass", text=repr(text[:40]))
            raise MoveError("not_a_move", said)
        self._check(position, move)
        return move

    def format_position(self, position: Position) -> str:
        """64 characters from a1 along the rows, `X` black, `O` white, `-` empty; a blank and the mover's letter."""
        letters = self.board(position).translate(str.maketrans("".join(PIECES) + EMPTY, f"{LETTERS}-"))
        return f"{letters} {LETTERS[position.side]}"

    def parse_position(self, text: str) -> Position:
        """The position from `format_position`'s text; small letters and a final semicolon are allowed.

        Raises PositionError.
        """
        match = POSITION.fullmatch(text.strip())
        if match is None:
            given = repr(text[:80])
            raise PositionError(
                sentence("{text} is not 64 characters X, O and -, then a blank and X or O for the mover", text=given)
            )
        return Position(bits_of(match[1].upper(), LETTERS), LETTERS.index(match[2].upper()))

    def set_up(self, board: str, side: Side, before: Position) -> Position:
        """The position with these discs and mover; the discs determine everything else."""
        bare = [cell for cell in cells_of(START[0] | START[1]) if board[cell] == EMPTY]
        if bare:
            said = sentence("{cell} is empty, and the four cells in the middle never are", cell=CELLS[bare[0]])
            raise PositionError(said)
        return Position(bits_of(board, PIECES), side)

    def fault(self, position: Position, board: str) -> Fault:
        return Judge(self, position, board).fault()


GAME = Reversi
