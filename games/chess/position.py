"""Positions of chess, their text (FEN, with X-FEN's letters for castling), and the start positions of Chess960."""

from __future__ import annotations

import dataclasses
import re

from games.chess.board import CELLS, HOME, INDEX, OWN
from games.chess.moves import State, in_check, may_enter, passed
from rules import EMPTY, PositionError, Side
from wording import Sentence, Term, sentence

USUAL = 518
"""Number of the usual start position among those of Chess960."""
FIELDS = re.compile(
    r"([1-8KQRBNPkqrbnp/]{15,71}) ([wb])(?: (-|[KQA-Hkqa-h]{1,4}))?(?: (-|[a-h][36]))?(?: (\d{1,4})(?: (\d{1,4}))?)?"
)
KNIGHTS = ((0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4))
"""Places of the two knights among the five that are left, by number."""
SIDES = ("white", "black")


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    state: State
    """Pieces, side to move, rights to castle and to take in passing."""
    quiet: int = 0
    """Plies since a pawn moved or a piece was taken."""
    past: tuple[State, ...] = ()
    """Earlier states that may come again, the first first."""
    claimed: bool = False
    """Whether a draw was claimed."""
    number: int = dataclasses.field(default=1, compare=False)
    """Number of the move, as a FEN counts them."""

    @property
    def board(self) -> str:
        return self.state.board

    @property
    def side(self) -> Side:
        """Who moves next."""
        return self.state.side


def start(number: int = USUAL) -> Position:
    rank = _rank(number)
    board = rank.lower() + 8 * "p" + 32 * EMPTY + 8 * "P" + rank
    rooks = sum(1 << cell for cell, letter in enumerate(board) if letter in "Rr")
    return Position(State(board, 0, rooks, -1))


def _rank(number: int) -> str:
    """The pieces of the first row: Scharnagl's numbering."""
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    row = [""] * 8
    row[2 * light + 1] = row[2 * dark] = "B"
    free = [column for column in range(8) if not row[column]]
    row[free.pop(queen)] = "Q"
    first, second = KNIGHTS[knights]
    row[free[first]] = row[free[second]] = "N"
    for letter in "RKR":
        row[row.index("")] = letter
    return "".join(row)


def number_of(board: str) -> int | None:
    """The number of a start position; None for any other board."""
    rank = board[56:]
    if board != rank.lower() + 8 * "p" + 32 * EMPTY + 8 * "P" + rank:
        return None
    return next((number for number in range(960) if _rank(number) == rank), None)


def text_of(position: Position) -> str:
    """The FEN; castling with an inner rook is told by its column, as X-FEN has it."""
    state = position.state
    rows = "/".join(_row(state.board[first : first + 8]) for first in range(0, 64, 8))
    entry = "-" if state.entry < 0 else CELLS[state.entry]
    return f"{rows} {'wb'[state.side]} {_rights(state)} {entry} {position.quiet} {position.number}"


def _row(row: str) -> str:
    return re.sub(r"\.+", lambda found: str(len(found[0])), row)


def _rights(state: State) -> str:
    found = []
    for side in (0, 1):
        row, king = 8 * HOME[side], state.board.find(OWN[side][0])
        rooks = [cell for cell in range(row, row + 8) if state.board[cell] == OWN[side][2]]
        for cell in reversed([cell for cell in rooks if state.rooks >> cell & 1]):
            outer = max(rooks) if cell > king else min(rooks)
            letter = ("K" if cell > king else "Q") if cell == outer else "ABCDEFGH"[cell - row]
            found.append(letter if side == 0 else letter.lower())
    return "".join(found) or "-"


def position_of(text: str) -> Position:
    """The position of a FEN, an X-FEN or a Shredder-FEN, which may end after the mover. Raises PositionError."""
    match = FIELDS.fullmatch(" ".join(text[:200].split()))
    if match is None:
        given = repr(text[:80])
        raise PositionError(
            sentence("{text} is no FEN: eight rows, w or b, castling, the cell of taking in passing", text=given)
        )
    rows = [re.sub(r"\d", lambda found: EMPTY * int(found[0]), row) for row in match[1].split("/")]
    if len(rows) != 8 or any(len(row) != 8 for row in rows):
        raise PositionError(sentence("{text} is not eight rows of eight squares", text=repr(match[1])))
    board, side = "".join(rows), "wb".index(match[2])
    rooks = 0 if match[3] in (None, "-") else _rooks(board, match[3])
    entry = -1 if match[4] in (None, "-") else INDEX[match[4]]
    position = Position(State(board, side, rooks, -1), int(match[5] or 0), number=max(1, int(match[6] or 1)))
    if (wrong := amiss(position.state)) is not None:
        raise PositionError(wrong)
    return dataclasses.replace(position, state=_with_entry(position.state, entry))


def _with_entry(state: State, entry: int) -> State:
    """The state with the right to take in passing, if a pawn can; other programs name the cell in any case."""
    if entry < 0:
        return state
    pawn = passed(state.side, entry)
    behind = entry + (entry - pawn)
    if state.board[pawn] != OWN[1 - state.side][5] or state.board[entry] != EMPTY or state.board[behind] != EMPTY:
        raise PositionError(sentence("no pawn can have gone over {cell} just now", cell=CELLS[entry]))
    return state._replace(entry=entry) if may_enter(state.board, state.side, entry) else state


def _rooks(board: str, letters: str) -> int:
    """The rooks that a FEN's castling field names, a bit per cell. Raises PositionError."""
    bits = 0
    for letter in letters:
        side = int(letter.islower())
        row, king = 8 * HOME[side], board.find(OWN[side][0])
        rooks = [cell for cell in range(row, row + 8) if board[cell] == OWN[side][2]]
        name = letter.upper()
        if name == "K":
            named = [cell for cell in rooks if cell > king][-1:]
        elif name == "Q":
            named = [cell for cell in rooks if cell < king][:1]
        else:
            named = [cell for cell in rooks if cell == row + "ABCDEFGH".index(name)]
        if not named or not row <= king < row + 8:
            raise PositionError(sentence("castling {text} needs king and rook on their first row", text=repr(letter)))
        bits |= 1 << named[0]
    return bits


def amiss(state: State) -> Sentence | None:
    """Why the pieces cannot stand so; None if they can."""
    for side in (0, 1):
        kings = state.board.count(OWN[side][0])
        if kings != 1:
            return sentence("{side:Nom} has {count} kings and needs one", side=Term("side", SIDES[side]), count=kings)
        for letters, most in ((OWN[side], 16), (OWN[side][5], 8)):
            if (count := sum(letter in letters for letter in state.board)) > most:
                who = Term("side", SIDES[side])
                if most == 8:
                    return sentence("{side:Nom} has {count} pawns, and eight is the most", side=who, count=count)
                return sentence("{side:Nom} has {count} pieces, and sixteen is the most", side=who, count=count)
    for cell in (*range(8), *range(56, 64)):
        if state.board[cell] in "Pp":
            return sentence("a pawn stands on {cell}, where none can", cell=CELLS[cell])
    if in_check(state.board, 1 - state.side):
        return sentence("{side:Nom} is in check and not to move", side=Term("side", SIDES[1 - state.side]))
    return None
