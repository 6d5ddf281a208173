"""Texts of moves: standard algebraic notation, read in any usual spelling, and the cells of UCI."""

from __future__ import annotations

import re
from typing import NamedTuple

from games.chess.board import CELLS, INDEX, OWN
from games.chess.moves import CLAIM, Move, State, after, castled, in_check, legal
from games.chess.reasons import why_not
from rules import EMPTY, MoveError
from wording import sentence

CLAIM_TEXT = "draw"
FIGURINES = str.maketrans("♔♕♖♗♘♚♛♜♝♞", "KQRBNKQRBN", "♙♟︎")
WRITTEN = re.compile(
    r"(?P<piece>[KQRBNP]?)(?P<from>[A-H]?[1-8]?)(?:-|x|:|\*)?(?P<to>[A-H][1-8])[=/(]?(?P<into>[QRBN]?)\)?",
    re.IGNORECASE,
)
CASTLING = re.compile(r"[Oo0]-?[Oo0](-?[Oo0])?")
TRIMMED = re.compile(r"(?:\s|e\.?p\.?|[+#!?†‡])+$")


class Wanted(NamedTuple):
    """What a text says of a move; fields that it leaves open are empty."""

    piece: str
    column: str
    row: str
    to: int
    into: str


def san(state: State, move: Move) -> str:
    """Standard algebraic notation: `Nbd2`, `exd5`, `O-O`, `e8=Q+`, `Qh4#`."""
    if move == CLAIM:
        return CLAIM_TEXT
    return _bare(state, move) + _sign(after(state, move))


def _bare(state: State, move: Move) -> str:
    board, letter = state.board, state.board[move.origin].upper()
    if is_castling(state, move):
        return "O-O" if move.to > move.origin else "O-O-O"
    takes = "x" if board[move.to] != EMPTY or (letter == "P" and move.to == state.entry) else ""
    to = CELLS[move.to]
    if letter == "P":
        start = CELLS[move.origin][0] if takes else ""
        return f"{start}{takes}{to}" + (f"={move.promotion.upper()}" if move.promotion else "")
    rivals = [one.origin for one in others(state, move)]
    return f"{letter}{_apart(move.origin, rivals)}{takes}{to}"


def others(state: State, move: Move) -> list[Move]:
    """The legal moves of other pieces of the same kind to the same cell."""
    letter = state.board[move.origin]
    return [
        one
        for one in legal(state)
        if one.to == move.to and one.origin != move.origin and state.board[one.origin] == letter
        if not is_castling(state, one)
    ]


def _apart(origin: int, rivals: list[int]) -> str:
    """What of a cell's name tells it from others: column, row or both."""
    if not rivals:
        return ""
    name = CELLS[origin]
    if all(CELLS[one][0] != name[0] for one in rivals):
        return name[0]
    return name[1] if all(CELLS[one][1] != name[1] for one in rivals) else name


def _sign(state: State) -> str:
    if not in_check(state.board, state.side):
        return ""
    return "+" if legal(state) else "#"


def is_castling(state: State, move: Move) -> bool:
    """Whether the king goes to his own rook."""
    own = OWN[state.side]
    return move != CLAIM and state.board[move.origin] == own[0] and state.board[move.to] == own[2]


def uci(state: State, move: Move, *, shuffled: bool) -> str:
    """The move as UCI writes it; of Chess960 (`shuffled`) castling is the king to his rook, else to his arrival."""
    to = castled(state.side, move)[0] if is_castling(state, move) and not shuffled else move.to
    return CELLS[move.origin] + CELLS[to] + move.promotion


def read(state: State, text: str) -> Move:
    """The legal move that a text describes. Raises MoveError."""
    word = TRIMMED.sub("", text.strip()[:40].translate(FIGURINES))
    if (castling := CASTLING.fullmatch(word)) is not None:
        return _castling(state, long=castling[1] is not None)
    match = WRITTEN.fullmatch(word)
    if match is None:
        said = sentence("{text} is no move; moves look like e4, Nf3, exd5, O-O, e8=Q", text=repr(text[:40]))
        raise MoveError("not_a_move", said)
    wanted = _wanted(match, match["piece"] == "b")
    found = _fitting(state, wanted)
    if not found and match["piece"] in ("b", "B"):  # a bishop in small letters, or the pawn on column b in capitals
        found = _fitting(state, _wanted(match, match["piece"] == "B"))
    if not found and wanted.column and wanted.row and not wanted.piece:
        found = _kings_way(state, INDEX[wanted.column + wanted.row], wanted.to)
    if len(found) > 1 and not wanted.into:
        found = [move for move in found if move.promotion in ("", "q")]  # a queen unless told
    if len(found) == 1:
        return found[0]
    if found:
        moves = tuple(san(state, move) for move in found)
        raise MoveError("ambiguous", sentence("{text} may be {moves}", text=repr(word), moves=moves))
    raise _refused(state, wanted, word)


def _wanted(match: re.Match[str], is_column: bool) -> Wanted:
    """What is said of a move; `is_column` where a first letter b, in whatever case, is a column and no bishop."""
    piece, start = match["piece"], match["from"].lower()
    if is_column:
        piece, start = "", "b" + start if not start[:1].isalpha() else start
    column = start[:1] if start[:1].isalpha() else ""
    row = start[-1:] if start[-1:].isdigit() else ""
    if not piece and not (column and row):
        piece = "P"
    return Wanted(piece.upper(), column, row, INDEX[match["to"].lower()], match["into"].lower())


def _fitting(state: State, wanted: Wanted) -> list[Move]:
    found = []
    for move in legal(state):
        letter, name = state.board[move.origin].upper(), CELLS[move.origin]
        if move.to != wanted.to or is_castling(state, move):
            continue
        if wanted.piece and letter != wanted.piece:
            continue
        if (wanted.column and wanted.column != name[0]) or (wanted.row and wanted.row != name[1]):
            continue
        if wanted.into and wanted.into != move.promotion:
            continue
        found.append(move)
    return found


def _kings_way(state: State, origin: int, to: int) -> list[Move]:
    """Castling told by the king's cells: to where he goes, or to the rook."""
    found = [one for one in legal(state) if one.origin == origin and is_castling(state, one)]
    return [one for one in found if one.to == to] or [
        one for one in found if castled(state.side, one)[0] == to and abs(to - origin) > 1
    ]


def _castling(state: State, *, long: bool) -> Move:
    king = state.board.find(OWN[state.side][0])
    found = [one for one in legal(state) if is_castling(state, one) and (one.to < king) == long]
    if found:
        return found[0]
    raise MoveError(*why_not(state, king, castled(state.side, Move(king, -1 if long else 64))[0], castling=True))


def _refused(state: State, wanted: Wanted, word: str) -> MoveError:
    """The rule against a text that is no legal move."""
    own = OWN[state.side]
    starts = [
        cell
        for cell, letter in enumerate(state.board)
        if letter in own
        and (not wanted.piece or letter.upper() == wanted.piece)
        and (not wanted.column or CELLS[cell][0] == wanted.column)
        and (not wanted.row or CELLS[cell][1] == wanted.row)
    ]
    if len(starts) == 1:
        return MoveError(*why_not(state, starts[0], wanted.to))
    if not starts:
        return MoveError("no_such_piece", sentence("there is no such piece for {move}", move=repr(word)))
    near = [why_not(state, cell, wanted.to) for cell in starts]
    barred = [one for one in near if one[0] != "wrong_movement"]
    if barred:
        return MoveError(*barred[0])
    return MoveError("wrong_movement", sentence("no such piece can go to {cell}", cell=CELLS[wanted.to]))
