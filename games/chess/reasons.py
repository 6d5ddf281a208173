"""Why a piece may not go where somebody wants it: the rule's code and a sentence."""

from __future__ import annotations

from games.chess.board import BETWEEN, CELLS, FORWARD, HOME, KING, KNIGHT, LINES, OWN, PAWN_TAKES, START_ROW, attackers
from games.chess.moves import Move, State, blocked, castled, crossed, king_of, passed
from rules import EMPTY
from wording import Given, Listing, Sentence, Sentences, Term, listing, noun, sentence, sentence_n

PIECES = {
    "K": noun("piece", "king"),
    "Q": noun("piece", "queen"),
    "R": noun("piece", "rook"),
    "B": noun("piece", "bishop"),
    "N": noun("piece", "knight"),
    "P": noun("piece", "pawn"),
}
Reason = tuple[str, Sentence]


def counted(board: str) -> Sentences:
    """How many pieces both sides have, and of which kinds."""
    white, black = (sum(board.count(letter) for letter in own) for own in OWN)
    one, other = Term("side", "white"), Term("side", "black")
    both: dict[str, Given] = {"one": one, "ones": white, "other": other, "others": black}
    kinds = [
        sentence("{side:Nom}: {what}.", side=side, what=_kinds(board, own))
        for side, own in zip((one, other), OWN, strict=True)
    ]
    return sentence("On the board: {one} {ones}, {other} {others}.", **both), *kinds


def _kinds(board: str, own: str) -> Listing:
    """The pieces of a side but for its king, "1 queen, 2 rooks and 8 pawns"; "only the king"."""
    queens, rooks, bishops, knights, pawns = (board.count(letter) for letter in own[1:])
    kinds = [
        sentence_n("{count} queen", "{count} queens", queens),
        sentence_n("{count} rook", "{count} rooks", rooks),
        sentence_n("{count} bishop", "{count} bishops", bishops),
        sentence_n("{count} knight", "{count} knights", knights),
        sentence_n("{count} pawn", "{count} pawns", pawns),
    ]
    return listing([one for one in kinds if one.count] or [sentence("only the king")])


def piece(letter: str) -> Term:
    return Term("piece", PIECES[letter.upper()])


def why_not(state: State, origin: int, to: int, *, castling: bool = False) -> Reason:
    """The rule against the move of the mover's piece on `origin`, which is not legal."""
    board, side = state.board, state.side
    own, letter = OWN[side], board[origin]
    way: dict[str, Given] = {"piece": piece(letter), "origin": CELLS[origin], "cell": CELLS[to]}
    if letter == own[0] and (castling or _looks_like_castling(state, origin, to)):
        return _why_not_castle(state, origin, long=to < origin)
    if board[to] in own:
        return "own_piece", sentence("an own piece stands on {cell}", cell=CELLS[to])
    if not _moves_so(board, side, origin, to):
        if letter == own[5]:
            return _why_not_pawn(state, origin, to)
        said = sentence("a {piece} does not go from {origin} to {cell}", **way)
        return "wrong_movement", said
    between = [cell for cell in BETWEEN.get((origin, to), ()) if board[cell] != EMPTY]
    if between and letter not in own[4]:
        said = sentence("the {piece} on {origin} cannot leap over {over}", over=CELLS[between[0]], **way)
        return "way_blocked", said
    if letter == own[5] and (to - origin) % 8 and board[to] == EMPTY:
        return "no_en_passant", sentence("on {cell} no pawn can be taken in passing now", cell=CELLS[to])
    after = list(board)
    after[origin], after[to] = EMPTY, letter
    if letter == own[5] and to == state.entry:
        after[passed(side, to)] = EMPTY
    king = king_of("".join(after), side)
    checks = attackers("".join(after), king, 1 - side)
    if checks:
        at: dict[str, Given] = {
            "side": Term("side", ("white", "black")[side]),
            "point": CELLS[king],
            "cell": CELLS[checks[0]],
        }
        if attackers(board, king_of(board, side), 1 - side) and letter != own[0]:
            return "in_check", sentence("{side:gen}'s king on {point} is in check from {cell}", **at)
        return "in_check", sentence("{side:gen}'s king on {point} would be in check from {cell}", **at)
    return "wrong_movement", sentence("a {piece} does not go from {origin} to {cell}", **way)


def _looks_like_castling(state: State, king: int, to: int) -> bool:
    return king // 8 == to // 8 == HOME[state.side] and abs(to - king) > 1


def _moves_so(board: str, side: int, origin: int, to: int) -> bool:
    """Whether a piece goes from one cell to the other, whatever stands between."""
    kind, across, down = board[origin].upper(), abs(to % 8 - origin % 8), abs(to // 8 - origin // 8)
    if kind == "N":
        return to in KNIGHT[origin]
    if kind == "K":
        return to in KING[origin]
    if kind == "P":
        forward = to - origin
        if to in PAWN_TAKES[side][origin]:
            return True
        double = origin // 8 == START_ROW[side] and forward == 2 * FORWARD[side]
        return board[to] == EMPTY and (forward == FORWARD[side] or double)
    slanted, straight = across == down != 0, (across == 0) != (down == 0)
    return (slanted and kind in "QB") or (straight and kind in LINES[0])


def _why_not_pawn(state: State, origin: int, to: int) -> Reason:
    way = {"origin": CELLS[origin], "cell": CELLS[to]}
    forward = (to - origin) * (1 if FORWARD[state.side] > 0 else -1)
    if to % 8 == origin % 8 and state.board[to] != EMPTY and forward in (8, 16):
        return "wrong_movement", sentence("a pawn takes only slantwise, not from {origin} to {cell}", **way)
    return "wrong_movement", sentence("a pawn does not go from {origin} to {cell}", **way)


def _why_not_castle(state: State, king: int, *, long: bool) -> Reason:
    board, side = state.board, state.side
    me = Term("side", ("white", "black")[side])
    row = 8 * HOME[side]
    rooks = [cell for cell in range(row, row + 8) if state.rooks >> cell & 1 and (cell < king) == long]
    if not row <= king < row + 8 or not rooks:
        said = sentence("{side:Nom} may not castle there any more: king or rook has moved", side=me)
        return "illegal_castling", said
    if checks := attackers(board, king, 1 - side):
        said = sentence("{side:Nom} may not castle out of check from {cell}", side=me, cell=CELLS[checks[0]])
        return "illegal_castling", said
    if between := blocked(board, side, king, rooks[0]):
        said = sentence("{side:Nom} may not castle over {cells}", side=me, cells=tuple(CELLS[one] for one in between))
        return "illegal_castling", said
    if over := crossed(board, side, king, rooks[0]):
        arrives = over[0] == castled(side, Move(king, rooks[0]))[0]
        if arrives:
            return "illegal_castling", sentence("by castling the king would be in check on {cell}", cell=CELLS[over[0]])
        said = sentence("{side:Nom} may not castle over {cell}, which is attacked", side=me, cell=CELLS[over[0]])
        return "illegal_castling", said
    return "illegal_castling", sentence("{side:Nom} may not castle now", side=me)
