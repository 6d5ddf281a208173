"""Explains a reversi board that no legal turn, nor part of one, can produce."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from games.reversi.bitboard import CELLS, places, turned
from rules import Fault, Side
from rules.faults import Difference
from rules.turns import cells_of
from wording import Given, Sentence, Term, noun, sentence, sentence_n

if TYPE_CHECKING:
    from games.reversi import Position

SIDES = (noun("side", "black"), noun("side", "white"))
PIECES = ("B", "W")


class Judge(Difference):
    """Names the broken rule from which discs came, went and were turned over."""

    position: Position

    def fault(self) -> Fault:
        if not self.changed:
            return self.unchanged()
        if self.is_over:
            return self.over()
        if self.my_gone or self.foe_gone:
            return self._gone()
        if len(self.my_new) + len(self.foe_new) > 1:
            return self._several()
        if self.foe_new:
            return self._enemy_laid(self.foe_new[0])
        return self._laid(self.my_new[0]) if self.my_new else self._only_turned()

    @property
    def _discs(self) -> tuple[int, int]:
        """The mover's discs and the enemy's, before."""
        return self.position.discs[self.position.side], self.position.discs[1 - self.position.side]

    def _gone(self) -> Fault:
        """Fault where discs have left their cells."""
        gone, came = [*self.my_gone, *self.foe_gone], [*self.my_new, *self.foe_new]
        if len(gone) == len(came) == 1 and len(self.my_gone) == len(self.my_new):
            way: dict[str, Given] = {"origin": CELLS[gone[0]], "cell": CELLS[came[0]]}
            said = sentence("Discs stay where they are, but {origin} moved to {cell}.", **way)
            return self.say("disc_moved", said, *self.remedy())
        said = sentence_n(
            "The disc is missing from {cells}.",
            "The discs are missing from {cells}.",
            len(gone),
            cells=self.names(gone),
        )
        return self.say("disc_missing", said, *self.remedy())

    def _several(self) -> Fault:
        """Fault where more than one disc was laid."""
        came = self.names([*self.my_new, *self.foe_new])
        one = sentence("A turn lays one disc, but {cells} were laid.", cells=came)
        if self.foe_new:
            return self.say("two_discs_laid", one, *self.remedy())
        return self.say("two_discs_laid", one, sentence("Take all but one away again."), *self.turn_back())

    def _enemy_laid(self, cell: int) -> Fault:
        """Fault where one disc came, of the colour that is not to move."""
        what: dict[str, Given] = {"side": self.me, "disc": disc(1 - self.position.side), "cell": CELLS[cell]}
        if not self.to_mine and not self.to_foe and turned(*self._discs, cell):
            said = sentence(
                "It is {side:gen}'s turn, but a {disc} was laid on {cell}. Turn it over, or take it away.", **what
            )
            return self.say("not_your_turn", said)
        turn = sentence("It is {side:gen}'s turn, but a {disc} was laid on {cell}.", **what)
        return self.say("not_your_turn", turn, *self.remedy())

    def _laid(self, cell: int) -> Fault:
        """Fault where the mover laid one disc: it turns nothing, or the wrong discs were turned."""
        name, over = CELLS[cell], set(cells_of(turned(*self._discs, cell)))
        if not places(*self._discs):
            said = sentence("{side:Nom} can turn no disc over and must pass.", side=self.me)
            return self.say("must_pass", said, *self.remedy())
        if not over:
            said = sentence("A {disc} on {cell} turns no disc over.", disc=disc(self.position.side), cell=name)
            return self.say("turns_nothing", said, *self.remedy())
        wrong = sorted({*self.to_mine, *self.to_foe} - over)
        left = over - set(self.to_mine)
        if not wrong:
            what: dict[str, Given] = {"cell": name, "cells": self.names(over), "left": self.names(left)}
            return self.say("not_all_turned", sentence("{cell} turns {cells}. Turn {left} over too.", **what))
        said = sentence("{cell} does not turn {cells}. Turn {cells} back.", cell=name, cells=self.names(wrong))
        too = [sentence("Turn {cells} over.", cells=self.names(left))] if left else []
        return self.say("wrong_disc_turned", said, *too)

    def _only_turned(self) -> Fault:
        return self.say(
            "turned_without_laying",
            sentence_n(
                "The disc on {cells} was turned over, but none was laid. Turn it back.",
                "The discs on {cells} were turned over, but none was laid. Turn them back.",
                len(self.turned),
                cells=self.names(self.turned),
            ),
        )

    def put_back(self, side: Term, cells: Sequence[int]) -> Sentence:
        """That a side's discs must be put back on their cells."""
        return sentence_n(
            "Put {side:gen}'s disc back on {cells}.",
            "Put {side:gen}'s discs back on {cells}.",
            len(cells),
            side=side,
            cells=self.names(cells),
        )

    def remedy(self) -> tuple[Sentence, ...]:
        """What is gone is put back before what came is taken away."""
        back = (self.put_back(side, cells) for side, cells in self.lost() if cells)
        return (*back, *self.away(), *self.turn_back())


def disc(side: Side) -> Term:
    """A disc of that side's colour."""
    return Term("disc", "white disc") if side else Term("disc", "black disc")
