"""Chess, also from the 960 start positions of Chess960.

A camera sees light, dark or empty; which piece stands where follows from play. A pawn that reaches the last row becomes
a queen unless told. The mover may claim a draw when the same position has come three times, or nothing was taken and no
pawn moved for fifty moves; after five times, or 75 moves, the game is drawn by itself (rule option `draws`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from games.chess import notation, openings, placing
from games.chess.board import CELLS, OWN, is_light
from games.chess.faults import Judge
from games.chess.moves import CLAIM, Move, State, after, castled, in_check, legal, passed
from games.chess.notation import is_castling
from games.chess.position import SIDES, USUAL, Position, position_of, start, text_of
from games.chess.reasons import counted, piece
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
    Right,
    RuleSet,
    Side,
    Step,
    Words,
)
from rules.options import rule
from rules.turns import carry_out
from wording import Given, Sentence, Sentences, Term, Value, noun, sentence

__all__ = ["CELLS", "CLAIM", "GAME", "Chess", "Move", "Position", "State"]

SEEN = str.maketrans("KQRBNPkqrbnp", 6 * "W" + 6 * "B")
"""Class letters of the pieces' letters."""
SIGNS = str.maketrans("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟")
"""Figures of the pieces' letters."""
LETTERS = str.maketrans("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPkqrbnp")
"""The pieces' letters of figures."""
DRAWS = {"claimed": (3, 100, 5, 150), "automatic": (3, 100, 3, 100), "never": (3, 100, math.inf, math.inf)}
"""How often a position must come, and after how many quiet plies, until a draw may be claimed; until it is one.

Recorded games never end by themselves, also with too few pieces to give mate."""

FIGURES = {
    "♔": noun("piece", "white king"),
    "♕": noun("piece", "white queen"),
    "♖": noun("piece", "white rook"),
    "♗": noun("piece", "white bishop"),
    "♘": noun("piece", "white knight"),
    "♙": noun("piece", "white pawn"),
    "♚": noun("piece", "black king"),
    "♛": noun("piece", "black queen"),
    "♜": noun("piece", "black rook"),
    "♝": noun("piece", "black bishop"),
    "♞": noun("piece", "black knight"),
    "♟": noun("piece", "black pawn"),
}
ENDINGS = {
    "checkmate": sentence("{side} is checkmated"),
    "stalemate": sentence("stalemate: the side to move has no move and is not in check"),
    "dead_position": sentence("nobody has enough pieces left to give mate"),
    "repetition": sentence("the same position has come too often"),
    "quiet_moves": sentence("nothing was taken and no pawn moved for too long"),
    "claimed": sentence("a draw was claimed"),
}
MISTAKES = {
    "wrong side moves": "not_your_turn",
    "one too many": "extra_piece",
    "two moved": "two_pieces_moved illegal_castling",
    "moved too far": "wrong_movement way_blocked in_check own_piece no_en_passant illegal_castling",
    "enemy moved": "not_your_turn",
    "own taken": "piece_missing",
    "enemy taken": "piece_missing",
    "enemy turned": "piece_changed_colour",
    "own turned": "piece_changed_colour",
    "moved and taken": "wrong_capture piece_missing two_pieces_moved illegal_castling",
}
RULE_SETS = {
    "usual": RuleSet(noun("rules", "chess"), sentence("A draw by repetition or by fifty quiet moves is claimed."), {}),
    "automatic": RuleSet(
        noun("rules", "chess with automatic draws"),
        sentence("The third repetition, and the fiftieth quiet move, end the game."),
        {"draws": "automatic"},
    ),
}


@dataclasses.dataclass(frozen=True)
class ChessRules:
    start: int = rule(USUAL, "start position, as Chess960 numbers them; 518 is chess", minimum=0, maximum=959)
    draws: str = rule(
        "claimed",
        "whether repetition and quiet moves end the game early, or must be claimed",
        choices=("claimed", "automatic", "never"),
    )


class Chess(Game[Position, Move], Figures, Arranged, Words, Described):
    name = "chess"
    title = noun("game", "chess")
    sides = SIDES
    pieces = ("W", "B")
    cells = CELLS
    classes = EMPTY + "WB"
    Rules = ChessRules
    about = About(
        "chess",
        also=("șah", "szachy", "cờ vua", "xadrez"),
        nouns={"W": noun("piece", "white piece"), "B": noun("piece", "black piece"), **FIGURES},
        endings=ENDINGS,
        rule_sets=RULE_SETS,
        going_on={"draws": "never"},
        formats=("pgn",),
        in_short=(
            sentence("Whoever attacks the other king so that nothing saves it has won: that is checkmate."),
            sentence("A rook goes straight, a bishop slanting, the queen both ways; the king a single square."),
            sentence("A knight goes two squares straight and one aside, and jumps over what stands between."),
            sentence("A pawn goes forward, one square or at first two, and takes one square forward, slanting."),
            sentence("To castle, move the king two squares to a rook; the rook goes over it. Neither may have moved."),
            sentence("A pawn that reaches the last row becomes a queen, unless you tell me another piece."),
            sentence("If the same position comes three times, the player to move may claim a draw."),
        ),
        examples={0: "f2f3 e7e5 g2g4 d8h4", 2: "g1f3", 4: "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1"},
        to_check=(sentence("I cannot tell king and queen apart: look that both stand right."),),
        any_order=True,
        passes_told=True,
    )
    kinds = "".join(FIGURES)
    easily_exchanged = ("♔♕", "♚♛")
    mistakes = MISTAKES

    def __init__(self, rules: ChessRules | None = None) -> None:
        self.rules = rules or ChessRules()
        self.starts = (start(self.rules.start),)
        self.shuffled = self.rules.start != USUAL
        """Whether castling is told by king and rook in UCI, as in Chess960."""
        if self.shuffled:
            # King and queen are not all that may be exchanged.
            self.about = dataclasses.replace(self.about, to_check=())
        self._draws = DRAWS[self.rules.draws]

    def legal_moves(self, position: Position) -> list[Move]:
        """By origin and arrival, ascending, the queen first of promotions; last the claim of a draw."""
        moves = [] if self._drawn(position) else list(legal(position.state))
        return [*moves, CLAIM] if moves and self._may_claim(position) else moves

    def apply(self, position: Position, move: Move) -> Position:
        state = position.state
        if move == CLAIM and self._may_claim(position) and not self._drawn(position) and legal(state):
            return dataclasses.replace(position, claimed=True)
        if move not in legal(state) or self._drawn(position):
            if self.outcome(position) is not None:
                raise MoveError("game_over", sentence("the game is over"))
            if move == CLAIM:
                said = sentence("a draw can be claimed after three repetitions, or fifty quiet moves, not now")
                raise MoveError("no_draw", said)
            raise MoveError("illegal_move", sentence("this is not a legal move here"))
        board, then = state.board, after(state, move)
        quiet = board[move.origin] not in "Pp" and (board[move.to] == EMPTY or is_castling(state, move))
        lasting = quiet and then.rooks == state.rooks
        return Position(
            then,
            position.quiet + 1 if quiet else 0,
            (*position.past, state) if lasting else (),
            number=position.number + state.side,
        )

    def outcome(self, position: Position) -> Outcome | None:
        """Mate, stalemate, a dead position, a draw by repetition or quiet moves."""
        if not legal(position.state):
            mate = in_check(position.state.board, position.side)
            return Outcome(1 - position.side, "checkmate") if mate else Outcome(None, "stalemate")
        reason = self._drawn(position)
        return Outcome(None, reason) if reason else None

    def _drawn(self, position: Position) -> str:
        """Why a position is a draw though there are moves; empty if it is none."""
        if position.claimed:
            return "claimed"
        _, _, times, quiet = self._draws
        if quiet < math.inf and is_dead(position.board):
            return "dead_position"
        if position.quiet >= quiet:
            return "quiet_moves"
        return "repetition" if position.past.count(position.state) >= times - 1 else ""

    def _may_claim(self, position: Position) -> bool:
        times, quiet, _, _ = self._draws
        return position.quiet >= quiet or position.past.count(position.state) >= times - 1

    def board(self, position: Position) -> str:
        """White's pieces `W`, Black's `B`."""
        return position.board.translate(SEEN)

    def figures(self, position: Position) -> str:
        return position.board.translate(SIGNS)

    @property
    def men(self) -> tuple[Man, ...]:
        return tuple(
            Man(self.pieces[side], {letter.translate(SIGNS): cells for letter, cells in where.items()}, stays)
            for side, where, stays in placing.full_set()
        )

    def steps(self, position: Position, move: Move) -> tuple[Step, ...]:
        """What is taken, then the piece; by castling the king, then the rook."""
        if move == CLAIM:
            return ()
        state, mine = position.state, self.pieces[position.side]
        if is_castling(state, move):
            return _castling_steps(position.side, move, mine)
        steps = [Step("move", move.to, move.origin, mine)]
        if state.board[move.to] != EMPTY:
            steps.insert(0, Step("remove", move.to))
        elif move.to == state.entry and state.board[move.origin] in "Pp":
            steps.insert(0, Step("remove", passed(position.side, move.to)))
        return tuple(steps)

    def told(self, position: Position, move: Move) -> Sentence | None:
        """The claim of a draw, and castling that leaves the board as it is."""
        if move == CLAIM:
            return sentence("Claim a draw")
        return sentence("Castle") if not self.steps(position, move) else None

    def spoken(self, position: Position, move: Move) -> Value:
        """ "knight to f3", "pawn takes on d5", "castle short"; the cell it comes from only where another could go."""
        state = position.state
        if move == CLAIM:
            return sentence("claims a draw")
        what: Sentence
        if is_castling(state, move):
            what = sentence("castle short") if move.to > move.origin else sentence("castle long")
        else:
            way: dict[str, Given] = {
                "piece": piece(state.board[move.origin]),
                "origin": CELLS[move.origin],
                "cell": CELLS[move.to],
            }
            takes = state.board[move.to] != EMPTY or (move.to == state.entry and state.board[move.origin] in "Pp")
            if notation.others(state, move):
                what = sentence("{piece} from {origin} takes on {cell}", **way) if takes else _from(way)
            else:
                what = sentence("{piece} takes on {cell}", **way) if takes else sentence("{piece} to {cell}", **way)
        if move.promotion:
            what = sentence("{move}, becomes a {piece:acc}", move=what, piece=piece(move.promotion))
        then = after(state, move)
        if not in_check(then.board, then.side):
            return what
        return sentence("{move}, check", move=what) if legal(then) else sentence("{move}, mate", move=what)

    def tally(self, position: Position) -> Sentences:
        return counted(position.board)

    def choice(self, position: Position, move: Move) -> Term | None:
        """What a pawn becomes; in Chess960 also castling that looks like a plain move."""
        if move.promotion:
            return piece(move.promotion)
        if move == CLAIM or not position.state.rooks or not self._may_hide(position.state):
            return None
        board = self.board(position)
        done = carry_out(board, self.steps(position, move))
        for other in legal(position.state):
            if is_castling(position.state, other) and carry_out(board, self.steps(position, other)) == done:
                return Term("choice", noun("choice", "castling") if other == move else noun("choice", "no castling"))
        return None

    def _may_hide(self, state: State) -> bool:
        """Whether castling might look like another move: a king that is not on its usual cell."""
        return state.board[60 if state.side == 0 else 4] != OWN[state.side][0]

    def opening(self, position: Position) -> str:
        """The opening's name, by any order of moves; none in Chess960."""
        return "" if self.shuffled else openings.opening(position.state)

    def fault(self, position: Position, board: str) -> Fault:
        over = self.outcome(position) is not None
        return Judge(position.state, self.board(position), board, over).fault()

    def format_move(self, position: Position, move: Move) -> str:
        """Standard algebraic notation; `draw` is the claim of a draw."""
        return notation.san(position.state, move)

    def parse_move(self, position: Position, text: str) -> Move:
        """The move of a text: SAN in any usual spelling, cells as in UCI, figurines, 0-0. Raises MoveError."""
        if text.strip().lower() == notation.CLAIM_TEXT:
            self.apply(position, CLAIM)
            return CLAIM
        over = self.outcome(position) is not None
        try:
            move = notation.read(position.state, text)
        except MoveError as error:
            if over and error.rule != "not_a_move":
                raise MoveError("game_over", sentence("the game is over")) from None
            raise
        if over:
            raise MoveError("game_over", sentence("the game is over"))
        return move

    def format_position(self, position: Position) -> str:
        return text_of(position)

    def parse_position(self, text: str) -> Position:
        """The position of a FEN, with X-FEN's and Shredder's castling. Raises PositionError."""
        return position_of(text)

    def set_up(self, board: str, side: Side, before: Position) -> Position:
        """The position with these pieces; which they are is taken from `before`. Raises PositionError."""
        return placing.placed(board, self.board(before), side, before, self.starts[0])

    def arranged(self, figures: str, side: Side, told: Mapping[str, bool]) -> Position:
        """The position with these pieces; what stands as at the start may castle. Raises PositionError."""
        return placing.arranged(figures.translate(LETTERS), side, told, self.starts[0])

    def rights(self, position: Position) -> tuple[Right, ...]:
        """To castle, by the rook's cell; to take in passing, by the cell of the pawn that has just moved."""
        return placing.rights(position.state, self.starts[0].state)


def _from(way: dict[str, Given]) -> Sentence:
    return sentence("{piece} from {origin} to {cell}", **way)


def _castling_steps(side: Side, move: Move, mine: str) -> tuple[Step, ...]:
    """King and rook, whichever has a free way first; none if they only change places."""
    king, rook = castled(side, move)
    pairs = [(move.origin, king), (move.to, rook)]
    if king == move.to:
        pairs.reverse()
    if pairs[0][0] == pairs[1][1] and pairs[1][0] == pairs[0][1]:
        return ()
    return tuple(Step("move", to, origin, mine) for origin, to in pairs if origin != to)


def is_dead(board: str) -> bool:
    """Whether no sequence of moves can give mate: a lone minor piece, or bishops of one colour of squares."""
    rest = board.replace(EMPTY, "").replace("K", "").replace("k", "")
    if len(rest) < 2:
        return rest in ("", "N", "n", "B", "b")
    if set(rest) <= {"B", "b"}:
        return len({is_light(cell) for cell, letter in enumerate(board) if letter in "Bb"}) == 1
    return False


GAME = Chess
