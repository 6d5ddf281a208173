"""The rule that a board breaks: what moved, came or went, compared with the position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games.chess.board import CELLS, HOME, OWN
from games.chess.moves import Move, State, castled, legal
from games.chess.notation import is_castling
from games.chess.position import SIDES
from games.chess.reasons import Reason, piece, why_not
from rules import EMPTY, Fault
from rules.turns import changed_cells
from wording import Sentence, Term, sentence, sentence_n


class Judge:
    """Compares a position with a board that no legal move, nor part of one, can produce."""

    def __init__(self, state: State, before: str, board: str, over: bool) -> None:
        self.state, self.board, self.over = state, board, over
        self.changed = changed_cells(before, board)
        self.mine, self.theirs = ("WB", "BW")[state.side]
        self.me, self.foe = (Term("side", SIDES[side]) for side in (state.side, 1 - state.side))
        own, enemy = OWN[state.side], OWN[1 - state.side]
        old = state.board
        self.left = [cell for cell in self.changed if old[cell] in own]
        """Cells that the mover's pieces have left, or on which they were taken."""
        self.foe_left = [cell for cell in self.changed if old[cell] in enemy]
        self.arrived = [cell for cell in self.changed if board[cell] == self.mine]
        self.foe_arrived = [cell for cell in self.changed if board[cell] == self.theirs]

    def fault(self) -> Fault:
        if self.over:
            return self._say("game_over", sentence("The game is over."), *self._back())
        if not self.changed:
            return self._say("unexplained", sentence("Nothing has changed on the board."))
        for came, went, left in (
            (self.arrived, self.left, self.foe_left),
            (self.foe_arrived, self.foe_left, self.left),
        ):
            if came and not went and set(came) <= set(left):
                said = sentence("A piece has changed its colour on {cells}.", cells=_names(came))
                return self._say("piece_changed_colour", said, *self._back())
        if self.foe_arrived:
            return self._foe_moved()
        if len(self.arrived) > len(self.left):
            said = sentence("There is a piece too many on {cells}.", cells=_names(self.arrived))
            return self._say("extra_piece", said, *self._back())
        if self._castles():
            return self._castling()
        if len(self.left) > 1 and self.arrived:
            said = sentence("{side:Nom} moved more than one piece.", side=self.me)
            return self._say("two_pieces_moved", said, *self._back())
        if len(self.left) == len(self.arrived) == 1:
            return self._moved(self.left[0], self.arrived[0])
        return self._missing()

    def _foe_moved(self) -> Fault:
        if len(self.foe_arrived) == len(self.foe_left) == 1:
            way = {"origin": CELLS[self.foe_left[0]], "cell": CELLS[self.foe_arrived[0]]}
            said = sentence(
                "It is {side:gen}'s turn, but {other} moved from {origin} to {cell}.",
                side=self.me,
                other=self.foe,
                **way,
            )
            return self._say("not_your_turn", said, *self._back())
        if len(self.foe_arrived) > len(self.foe_left):
            said = sentence("There is a piece too many on {cells}.", cells=_names(self.foe_arrived))
            return self._say("extra_piece", said, *self._back())
        said = sentence("It is {side:gen}'s turn, but {other} moved.", side=self.me, other=self.foe)
        return self._say("not_your_turn", said, *self._back())

    def _castles(self) -> bool:
        """Whether king and rook have left their cells, and two pieces have come, all on the first row."""
        own, row = OWN[self.state.side], 8 * HOME[self.state.side]
        letters = sorted(self.state.board[cell] for cell in self.left)
        home = all(row <= cell < row + 8 for cell in (*self.left, *self.arrived))
        return letters == sorted((own[0], own[2])) and len(self.arrived) == 2 and home and not self.foe_left

    def _castling(self) -> Fault:
        king, rook = sorted(self.left, key=lambda cell: self.state.board[cell].upper() != "K")
        move = Move(king, rook)
        if set(self.arrived) != set(castled(self.state.side, move)):
            said = sentence("King and rook do not castle like that.")
            return self._say("illegal_castling", said, *self._back())
        return self._because(why_not(self.state, king, castled(self.state.side, move)[0], castling=True))

    def _moved(self, origin: int, to: int) -> Fault:
        """One piece went from a cell to another; perhaps more was taken than stood there."""
        legal_here = [move for move in legal(self.state) if (move.origin, move.to) == (origin, to)]
        others = [cell for cell in self.foe_left if cell != to]
        if legal_here and others and not is_castling(self.state, legal_here[0]):
            said = sentence_n(
                "By {origin} to {cell} the piece on {cells} is not taken.",
                "By {origin} to {cell} the pieces on {cells} are not taken.",
                len(others),
                origin=CELLS[origin],
                cell=CELLS[to],
                cells=_names(others),
            )
            return self._say("wrong_capture", said, *self._back(others), cells=others)
        return self._because(why_not(self.state, origin, to))

    def _because(self, reason: Reason) -> Fault:
        return self._say(reason[0], sentence("{why:Nom}.", why=reason[1]), *self._back())

    def _missing(self) -> Fault:
        gone = [cell for cell in self.changed if self.board[cell] == EMPTY]
        said = sentence_n(
            "A piece is missing from {cells}.", "Pieces are missing from {cells}.", len(gone), cells=_names(gone)
        )
        return self._say("piece_missing", said, *self._back())

    def _back(self, cells: Sequence[int] | None = None) -> tuple[Sentence, ...]:
        """What puts the board right: pieces taken away, and put back by name."""
        wrong = self.changed if cells is None else cells
        old = self.state.board
        came = [cell for cell in wrong if old[cell] == EMPTY]
        gone = [cell for cell in wrong if old[cell] != EMPTY]
        if len(came) == len(gone) == 1 and self.board[gone[0]] == EMPTY:
            return (sentence("Move {cell} back to {origin}.", cell=CELLS[came[0]], origin=CELLS[gone[0]]),)
        said = [sentence("Take {cells} away.", cells=_names(came))] if came else []
        for cell in gone[:3]:
            side = Term("side", SIDES[int(old[cell] in OWN[1])])
            said.append(
                sentence(
                    "Put {side:gen}'s {piece:acc} back on {cell}.", side=side, piece=piece(old[cell]), cell=CELLS[cell]
                )
            )
        if gone[3:]:
            said.append(sentence("Put back what stood on {cells}.", cells=_names(gone[3:])))
        return tuple(said)

    def _say(self, rule: str, *said: Sentence, cells: Sequence[int] = ()) -> Fault:
        return Fault(rule, tuple(cells or self.changed), said)


def _names(cells: Iterable[int]) -> tuple[str, ...]:
    return tuple(CELLS[cell] for cell in cells)
