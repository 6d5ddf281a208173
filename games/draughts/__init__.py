"""Draughts, also called checkers: move along the diagonals of the dark squares, jump over enemy pieces and take them.

A man that ends its turn on the last row becomes a king, a second man laid on top of it. Whoever can take must; whoever
cannot move has lost. The defaults are English draughts; the other games of the family are rule options, together under
one name in `games.draughts.rule_sets`. A camera sees men and kings alike: which are kings follows from play.

A capture of several pieces is one turn. Pieces taken stay on the board until its end, so none is jumped twice. Ways
that take the same pieces and end on the same square are one move.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Mapping, Sequence

from games.draughts import fen, openings
from games.draughts.board import board
from games.draughts.faults import PIECES, SIDES, Judge, why_not
from games.draughts.moves import Generator, Move
from games.draughts.rule_sets import RULE_SETS
from rules import (
    EMPTY,
    About,
    Arranged,
    Described,
    Fault,
    Figures,
    Game,
    Man,
    MoveError,
    Outcome,
    PositionError,
    RuleError,
    Side,
    Step,
    Words,
)
from rules.options import rule
from rules.turns import bits_of, letters_of
from wording import Given, Sentences, Term, Value, listing, noun, sentence

__all__ = ["GAME", "Draughts", "DraughtsRules", "Move", "Position"]

TEXT = re.compile(r"(\w{1,2})((?:[-x:]\w{1,2})+)")
ALGEBRAIC = re.compile(r"(?<=[:,KWB])[a-h][1-8](?=[,:.\s]|$)")
"""A square of a position as in Russia, by column and row."""
KINGS = {"K": noun("piece", "light king"), "Q": noun("piece", "dark king")}
CROWNED = str.maketrans("".join(PIECES), "".join(KINGS))
UNCROWNED = str.maketrans("".join(KINGS), "".join(PIECES))
FEW = {3: 32, 2: 10}
"""Plies that the last pieces may play against a lone king, by their number (`last_pieces`)."""


@dataclasses.dataclass(frozen=True)
class DraughtsRules:
    """The rule options; the defaults are English draughts."""

    size: str = rule("8", "squares in a row of the board", choices=("8", "10"), drawn=True)
    first: str = rule("dark", "who begins", choices=SIDES)
    flying: bool = rule(False, "kings go and take over any distance")
    backwards: bool = rule(False, "men also take backwards")
    longest: bool = rule(False, "the most pieces that can be taken must be taken")
    passing: bool = rule(False, "a man that comes to the last row while taking goes on as a king")
    repetition: int = rule(3, "the game is drawn when a position occurs so often; 0 is never", minimum=0, maximum=9)
    king_plies: int = rule(
        80, "drawn after so many moves of kings alone without a capture; 0 is never", minimum=0, maximum=1000
    )
    last_pieces: bool = rule(
        False, "drawn after 16 moves each of three pieces with a king against a lone king, and after 5 of two"
    )

    def __post_init__(self) -> None:
        if self.repetition == 1:
            raise RuleError("draughts: rule option repetition is 0 or at least 2, not 1")


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """The whole state of a game. Equal positions are those that the rules treat alike from here on."""

    pieces: tuple[int, int]
    """Men and kings of light and of dark, a bit per square."""
    kings: int
    """Which of the pieces of both sides are kings."""
    side: Side
    """Who moves next."""
    quiet: int = 0
    """Moves of kings since a man moved or a piece was taken; stays 0 if no rule counts them."""
    last: int = 0
    """Moves made with these last pieces, a lone king on one side; stays 0 if no rule counts them."""
    earlier: tuple[int, ...] = ()
    """Sorted keys of the positions since a man moved or a piece was taken. Empty if no rule needs them."""

    @property
    def look(self) -> tuple[int, int, int, Side]:
        """The position as the move generator takes it."""
        return (*self.pieces, self.kings, self.side)

    @property
    def key(self) -> int:
        """What must recur for a repetition: the pieces and the mover."""
        return self.pieces[0] | self.pieces[1] << 50 | self.kings << 100 | self.side << 150


ENDINGS = {
    "no_pieces": sentence("{side} has no men left"),
    "no_legal_move": sentence("{side} cannot move"),
    "repetition": sentence("the position came up three times"),
    "king_plies": sentence("only kings moved for too long"),
    "last_pieces": sentence("the last pieces could not win in time"),
}
MISTAKES = {
    "wrong side moves": "not_your_turn",
    "two moved": "two_men_moved",
    "moved too far": "not_a_step backwards must_take must_take_most must_take_on",
    "enemy moved": "not_your_turn",
    "own taken": "man_missing",
    "enemy taken": "man_missing",
    "two taken": "wrong_man_taken",
    "moved and taken": "wrong_man_taken nothing_jumped",
    "enemy turned": "piece_changed_colour",
    "own turned": "piece_changed_colour",
    "one too many": "extra_man",
    "wrong side lays": "extra_man",
}


class Draughts(Game[Position, Move], Figures, Arranged, Words, Described):
    name = "draughts"
    title = noun("game", "draughts")
    sides = SIDES
    pieces = PIECES
    classes = EMPTY + "".join(PIECES)
    Rules = DraughtsRules
    about = About(
        "draughts",
        also=("checkers", "dame", "warcaby", "damas"),
        nouns={"W": noun("piece", "light man"), "B": noun("piece", "dark man"), **KINGS},
        endings=ENDINGS,
        rule_sets=RULE_SETS,
        formats=("pdn",),
        in_short=(
            sentence("A man goes one dark square forward, slanting."),
            sentence("It takes by jumping over a man beside it to the free square behind, and on if it can."),
            sentence("Whoever can take must take."),
            sentence("A man that ends its move on the last row becomes a king: lay another man on it."),
            sentence("Whoever cannot move has lost."),
        ),
        examples={1: "11-15 22-18 15x22"},
        any_order=True,
    )
    kinds = "WKBQ"
    mistakes = MISTAKES

    def __init__(self, rules: DraughtsRules | None = None) -> None:
        self.rules = rules or DraughtsRules()
        self.geometry = board(int(self.rules.size))
        self.cells = self.geometry.cells
        self.moves = Generator(
            self.geometry,
            flying=self.rules.flying,
            backwards=self.rules.backwards,
            longest=self.rules.longest,
            passing=self.rules.passing,
        )
        men = (self.rules.size, self.rules.first, self.rules.backwards)
        self._is_english = men == ("8", "dark", False)
        """Whether openings of English draughts are played: kings, and when a game is drawn, come later."""
        self.starts = (Position(self.geometry.start, 0, SIDES.index(self.rules.first)),)

    def pieces_can(self, position: Position) -> tuple[Move, ...]:
        """What the pieces can do, whether or not the game is drawn."""
        return self.moves.legal(*position.look)

    def legal_moves(self, position: Position) -> Sequence[Move]:
        """All moves by origin: the captures where there is one, else the steps."""
        return () if self.outcome(position) is not None else self.pieces_can(position)

    def apply(self, position: Position, move: Move) -> Position:
        if move not in self.legal_moves(position):
            raise why_not(self, position, move.path, move.taken)
        side, origin, to = position.side, 1 << move.path[0], 1 << move.path[-1]
        own, enemy, kings = position.pieces[side], position.pieces[1 - side], position.kings
        by_king = bool(kings & origin)
        own = own & ~origin | to
        if by_king or self.moves.is_crowned(side, move.path):
            kings = kings & ~origin | to
        for square in move.taken:
            enemy &= ~(1 << square)
            kings &= ~(1 << square)
        pieces = (own, enemy) if side == 0 else (enemy, own)
        counts = not move.taken and self._counts_last(position.pieces, position.kings)
        last = position.last + 1 if counts and self._counts_last(pieces, kings) else 0
        if move.taken or not by_king:
            return Position(pieces, kings, 1 - side, last=last)
        quiet = position.quiet + 1 if self.rules.king_plies else 0
        earlier = tuple(sorted((*position.earlier, position.key))) if self.rules.repetition else ()
        return Position(pieces, kings, 1 - side, quiet, last, earlier)

    def _counts_last(self, pieces: tuple[int, int], kings: int) -> bool:
        """Whether a lone king stands against two or three pieces with a king among them, or against one king."""
        if not self.rules.last_pieces:
            return False
        few, many = sorted(pieces, key=int.bit_count)
        return few.bit_count() == 1 and many.bit_count() <= max(FEW) and bool(few & kings) and bool(many & kings)

    def outcome(self, position: Position) -> Outcome | None:
        """The result; losses are checked before draws."""
        side = position.side
        if not position.pieces[side]:
            return Outcome(1 - side, "no_pieces")
        if not self.pieces_can(position):
            return Outcome(1 - side, "no_legal_move")
        if self.rules.repetition and position.earlier.count(position.key) + 1 >= self.rules.repetition:
            return Outcome(None, "repetition")
        if self.rules.king_plies and position.quiet >= self.rules.king_plies:
            return Outcome(None, "king_plies")
        if position.last and position.last >= FEW[max(2, *map(int.bit_count, position.pieces))]:
            return Outcome(None, "last_pieces")
        return None

    def board(self, position: Position) -> str:
        """The pieces: `W` light, `B` dark."""
        return letters_of(position.pieces, PIECES, len(self.cells))

    def figures(self, position: Position) -> str:
        """The men as on the board, and the kings: `K` light, `Q` dark."""
        letters = enumerate(self.board(position))
        return "".join(
            letter.translate(CROWNED) if position.kings >> square & 1 else letter for square, letter in letters
        )

    def tally(self, position: Position) -> Sentences:
        """All pieces, and the kings among them if there are any."""
        one, other = (Term("side", side) for side in SIDES)
        light, dark = position.pieces
        both: dict[str, Given] = {"one": one, "ones": light.bit_count(), "other": other, "others": dark.bit_count()}
        board = sentence("On the board: {one} {ones}, {other} {others}.", **both)
        both |= {"ones": (light & position.kings).bit_count(), "others": (dark & position.kings).bit_count()}
        kings = sentence("Kings among them: {one} {ones}, {other} {others}.", **both)
        return (board, kings) if position.kings else (board,)

    def rows(self) -> list[range]:
        """The squares of each row, which have no number in common."""
        width = math.isqrt(len(self.cells) // 2)
        return [range(start, start + width) for start in range(0, len(self.cells), width)]

    @property
    def men(self) -> tuple[Man, ...]:
        cells = range(len(self.cells))
        rows = zip(PIECES, self.geometry.crowning, strict=True)
        before = {piece: tuple(cell for cell in cells if not row >> cell & 1) for piece, row in rows}
        return tuple(
            Man(piece, {piece: before[piece], piece.translate(CROWNED): cells})
            for piece in PIECES
            for _ in range(self.geometry.start[0].bit_count())
        )

    def opening(self, position: Position) -> str:
        """The opening's name in English draughts, by any order of moves."""
        return openings.opening(position.pieces, position.side) if self._is_english and not position.kings else ""

    def steps(self, position: Position, move: Move) -> tuple[Step, ...]:
        """The piece moved, square by square, then the pieces taken."""
        piece, path = PIECES[position.side], move.path
        hops = (Step("move", to, origin, piece) for origin, to in itertools.pairwise(path))
        return (*hops, *(Step("remove", square) for square in move.taken))

    def spoken(self, position: Position, move: Move) -> Value | None:
        """By its first and last square, with what it takes and whether it crowns: "12 to 26, taking 16 and 23"."""
        said = sentence("{origin} to {cell}", origin=self.cells[move.path[0]], cell=self.cells[move.path[-1]])
        taken = [self.cells[square] for square in move.taken]
        if taken:
            said = sentence("{move}, taking {cells}", move=said, cells=listing(taken, most=len(taken)))
        if position.kings >> move.path[0] & 1 or not self.moves.is_crowned(position.side, move.path):
            return said
        king = Term("piece", tuple(KINGS.values())[position.side])
        return sentence("{move}, becomes a {piece:acc}", move=said, piece=king)

    def may_become(self, board: str, target: str, plies: int) -> bool:
        """A turn moves one piece of its side; no piece of a side ever comes back."""
        if any(target.count(piece) > board.count(piece) for piece in PIECES):
            return False
        came = sum(here != there != EMPTY for here, there in zip(board, target, strict=True))
        return came <= plies

    def format_move(self, position: Position, move: Move) -> str:
        """`11-15`; a capture `22x15`, and by all its squares, `12x19x26`, where another ends on the same one."""
        origin, *_, to = move.path
        if not move.taken:
            return f"{self.cells[origin]}-{self.cells[to]}"
        others = (one for one in self.pieces_can(position) if one != move)
        is_plain = all((one.path[0], one.path[-1]) != (origin, to) for one in others)
        return "x".join(self.cells[square] for square in ((origin, to) if is_plain else move.path))

    def parse_move(self, position: Position, text: str) -> Move:
        """The move that the text describes: `11-15`, `22x15`, any squares of a capture, also as `c3-d4` on eight rows.

        Raises MoveError.
        """
        match = TEXT.fullmatch(text.strip().lower())
        if match is None:
            said = sentence("{text} is no move; moves look like 11-15, 22x15, 12x19x26", text=repr(text[:40]))
            raise MoveError("not_a_move", said)
        named = tuple(self._square(name) for name in re.split("[-x:]", match[1] + match[2]))
        found = dict.fromkeys(self._meant(position, named))
        if len(found) > 1:
            told = listing(self.format_move(position, move) for move in found)
            raise MoveError("ambiguous", sentence("{text} may be {moves}", text=repr(text[:40]), moves=told))
        for move in found:
            return move
        raise why_not(self, position, named)

    def _square(self, name: str) -> int:
        """The square of a number or, as in Russia, of a column and a row. Raises MoveError."""
        rows = self.geometry.size
        if name in self.cells:
            return self.cells.index(name)
        if len(name) > 1 and name[1:].isdecimal() and rows == len("abcdefgh"):
            column, row = ord(name[0]) - ord("a"), rows - int(name[1:])
            if 0 <= row < rows and 0 <= column < rows and (row + column) % 2:
                return row * rows // 2 + column // 2
        raise MoveError("no_such_cell", sentence("there is no square {name} on the board", name=repr(name)))

    def _meant(self, position: Position, named: tuple[int, ...]) -> list[Move]:
        """The legal moves that go by these squares: exactly, else with others in between."""
        if self.outcome(position) is not None:
            return []
        legal = {self._result(position, move): move for move in self.pieces_can(position)}
        routes = [
            one for one in self.moves.routes(*position.look) if (one.path[0], one.path[-1]) == (named[0], named[-1])
        ]
        exact = [one for one in routes if one.path == named]
        return [legal[self._result(position, one)] for one in exact or routes if _goes_by(one.path, named)]

    def _result(self, position: Position, move: Move) -> object:
        """What two routes have in common that are one move."""
        crowned = self.rules.passing and self.moves.is_crowned(position.side, move.path)
        return move.path[0], move.path[-1], frozenset(move.taken), crowned

    def format_position(self, position: Position) -> str:
        """The FEN of PDN: `B:W18,24,K10:B12,K22`."""
        return fen.write(fen.Pieces(position.pieces, position.kings, position.side))

    def parse_position(self, text: str) -> Position:
        """The position from a FEN; squares may be given as ranges. Raises PositionError."""
        try:
            numbers = ALGEBRAIC.sub(lambda found: str(self._square(found[0]) + 1), text)
        except MoveError as error:
            raise PositionError(error.said) from None
        given = fen.read(numbers, len(self.cells))
        self._check_pieces(given.pieces)
        kings = given.kings | self._crowned(given.pieces)
        return Position(given.pieces, kings, given.side)

    def _crowned(self, pieces: tuple[int, int]) -> int:
        """The pieces on their last row, which can only be kings."""
        return pieces[0] & self.geometry.crowning[0] | pieces[1] & self.geometry.crowning[1]

    def _check_pieces(self, pieces: tuple[int, int]) -> None:
        """Raises PositionError where a side has too many."""
        counts, men = [one.bit_count() for one in pieces], self.geometry.start[0].bit_count()
        if max(counts) > men:
            raise PositionError(
                sentence("{most} men of a side stand there, and each side has {men}", most=max(counts), men=men)
            )

    def set_up(self, board: str, side: Side, before: Position) -> Position:
        """Pieces that stay where they were stay kings, and those on their last row are kings; all others are men."""
        light, dark = bits_of(board, PIECES)
        self._check_pieces((light, dark))
        stayed = light & before.pieces[0] | dark & before.pieces[1]
        return Position((light, dark), before.kings & stayed | self._crowned((light, dark)), side)

    def arranged(self, figures: str, side: Side, told: Mapping[str, bool]) -> Position:
        """The position with these men and kings; men on their last row are kings. Raises PositionError."""
        made = self.set_up(figures.translate(UNCROWNED), side, self.starts[0])
        kings = sum(1 << cell for cell, letter in enumerate(figures) if letter in KINGS)
        return Position(made.pieces, kings | self._crowned(made.pieces), side)

    def fault(self, position: Position, board: str) -> Fault:
        return Judge(self, position, board).fault()


def _goes_by(path: tuple[int, ...], named: tuple[int, ...]) -> bool:
    """Whether the named squares lie on the path in this order."""
    rest = iter(path)
    return all(square in rest for square in named)


GAME = Draughts
