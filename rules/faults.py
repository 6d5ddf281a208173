"""How a board differs from a position's, where pieces belong to two sides, and what puts it right.

A game's judge is a subclass that names the broken rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rules import EMPTY, Fault
from rules.turns import changed_cells
from wording import Sentence, Term, sentence, sentence_n


class Difference:
    """The cells that differ, by what has come to them, gone from them or changed its colour on them."""

    def __init__(self, game: Any, position: Any, board: str) -> None:
        side = game.to_move(position)
        self.game, self.position = game, position
        self.before, self.board = game.board(position), board
        self.mine, self.theirs = game.pieces[side], game.pieces[1 - side]
        self.me, self.foe = Term("side", game.sides[side]), Term("side", game.sides[1 - side])
        self.changed = changed_cells(self.before, board)
        self.my_new, self.foe_new = self._now(EMPTY, self.mine), self._now(EMPTY, self.theirs)
        self.my_gone, self.foe_gone = self._now(self.mine, EMPTY), self._now(self.theirs, EMPTY)
        self.to_mine, self.to_foe = self._now(self.theirs, self.mine), self._now(self.mine, self.theirs)
        """Cells whose pieces have changed to the mover's colour, and to the enemy's."""

    def _now(self, before: str, now: str) -> list[int]:
        return [cell for cell in self.changed if (self.before[cell], self.board[cell]) == (before, now)]

    @property
    def turned(self) -> list[int]:
        """Cells whose pieces have changed their colour, ascending."""
        return sorted(self.to_mine + self.to_foe)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended in the position."""
        return self.game.outcome(self.position) is not None

    def say(self, code: str, *said: Sentence) -> Fault:
        """The fault of that code."""
        return Fault(code, self.changed, said)

    def names(self, cells: Iterable[int]) -> tuple[str, ...]:
        """The cells' names, ascending."""
        return tuple(self.game.cells[cell] for cell in sorted(cells))

    def unchanged(self) -> Fault:
        """The fault of a board on which nothing has changed."""
        said = sentence("Nothing has changed on the board. It is {side:gen}'s turn.", side=self.me)
        return self.say("unexplained", said)

    def over(self) -> Fault:
        """The fault of a game that goes on after its end."""
        return self.say("game_over", sentence("The game is over."), *self.remedy())

    def recoloured(self) -> Fault:
        """The fault of men that have changed their colour."""
        said = sentence_n(
            "The man on {cells} has changed its colour. Put it back.",
            "The men on {cells} have changed their colour. Put them back.",
            len(self.turned),
            cells=self.names(self.turned),
        )
        return self.say("piece_changed_colour", said)

    def unexplained(self) -> Fault:
        """The fault of a board that no turn explains."""
        said = sentence("No turn of {side:gen} leads here.", side=self.me)
        return self.say("unexplained", said, *self.remedy())

    def remedy(self) -> tuple[Sentence, ...]:
        """What the players must do to restore the board."""
        new, gone = self.my_new + self.foe_new, self.my_gone + self.foe_gone
        if len(new) == len(gone) == 1 and not self.turned and self.board[new[0]] == self.before[gone[0]]:
            return (sentence("Move it back to {cell}.", cell=self.game.cells[gone[0]]),)
        back = (self.put_back(side, cells) for side, cells in self.lost() if cells)
        return (*self.away(), *self.turn_back(), *back)

    def lost(self) -> Sequence[tuple[Term, list[int]]]:
        """The cells from which each side's pieces are gone, in the order in which they are put back."""
        return (self.me, self.my_gone), (self.foe, self.foe_gone)

    def away(self) -> tuple[Sentence, ...]:
        """That new pieces must be taken away; empty where there are none."""
        new = self.my_new + self.foe_new
        return (sentence("Take {cells} away.", cells=self.names(new)),) if new else ()

    def turn_back(self) -> tuple[Sentence, ...]:
        """That pieces must get their colour back; empty where none has changed it."""
        return (sentence("Turn {cells} back.", cells=self.names(self.turned)),) if self.turned else ()

    def put_back(self, side: Term, cells: Sequence[int]) -> Sentence:
        """That a side's men must be put back on their cells."""
        return sentence_n(
            "Put {side:gen}'s man back on {cells}.",
            "Put {side:gen}'s men back on {cells}.",
            len(cells),
            side=side,
            cells=self.names(cells),
        )

    def moved_at_once(self) -> Fault:
        """The fault of a side that moved several men."""
        said = sentence("{side:Nom} moved {men} men at once.", side=self.me, men=len(self.my_new))
        return self.say("two_men_moved", said, *self.remedy())

    def enemy_moved(self) -> Fault:
        """The fault of one enemy man that went elsewhere."""
        said = sentence(
            "It is {side:gen}'s turn, but {other} moved {origin} to {cell}.",
            side=self.me,
            other=self.foe,
            origin=self.names(self.foe_gone),
            cell=self.names(self.foe_new),
        )
        return self.say("not_your_turn", said, *self.remedy())

    def missing(self, cells: Sequence[int]) -> Fault:
        """The fault of men that are gone and should not be."""
        said = sentence_n(
            "The man on {cells} is missing.",
            "The men on {cells} are missing.",
            len(cells),
            cells=self.names(cells),
        )
        return self.say("man_missing", said, *self.remedy())
