"""Explains a go board that no legal move, nor part of one, can produce."""

from __future__ import annotations

from collections.abc import Sequence

from rules import EMPTY, Fault, Side
from rules.stones import PIECES, StoneFaults, colour_of
from wording import Sentence, sentence, sentence_n


class Judge(StoneFaults):
    def __init__(self, cells: Sequence[str], before: str, board: str, side: Side) -> None:
        """`side` is to move."""
        super().__init__(cells, before, board, PIECES[side])
        self.mover = colour_of(self.letter)
        mine = [cell for cell in self.new if board[cell] == self.letter]
        self.laid = mine[0] if len(mine) == 1 and not self.turned else None
        """The point of the mover's only new stone; None if there is none, or stones changed their colour."""

    def barred(self, code: str, why: Sentence) -> Fault:
        """The fault of a stone on a point where a rule forbids it, such as a ko."""
        assert self.laid is not None
        said = sentence("{why:Nom}. Take the stone on {cell} back.", why=why, cell=self.cells[self.laid])
        rest = [cell for cell in self.changed if cell != self.laid]
        return self.say(code, said, *(self.remedy(rest) if rest else ()))

    def captured(self, cell: int, taken: Sequence[int]) -> Fault:
        """The fault of a board on which a stone that captures others was laid, but not only these were taken."""
        others = [one for one in self.gone if one not in taken]
        left = [one for one in taken if self.board[one] != EMPTY]
        if others:
            return self._not_captured(cell, others)
        more = [one for one in self.new if one != cell]
        if left and more:
            where = self.names(left)
            said = sentence(
                "The stone on {cell} captures {cells}: take them off the board first.",
                cell=self.cells[cell],
                cells=where,
            )
            return self.say("capture_half_taken", said, *self.away(more))
        return self.fault(False)

    def fault(self, over: bool) -> Fault:
        """The first broken rule found; `over` says whether the game has ended."""
        if not self.changed:
            return self.unchanged(self.mover)
        if over:
            return self.say("game_over", sentence("The game is over."), *self.remedy(self.changed))
        if self.turned:
            return self.recoloured()
        if self.gone and self.laid is not None and len(self.new) == 1 and not self.is_moved:
            return self._not_captured(self.laid, self.gone)
        if self.gone:
            return self.missing()
        return self.several(self.mover) if len(self.new) > 1 else self.wrong_colour(self.mover)

    def _not_captured(self, cell: int, gone: Sequence[int]) -> Fault:
        said = sentence_n(
            "The stone on {cell} does not capture {cells}. Put it back.",
            "The stone on {cell} does not capture {cells}. Put them back.",
            len(gone),
            cell=self.cells[cell],
            cells=self.names(gone),
        )
        return self.say("not_captured", said)
