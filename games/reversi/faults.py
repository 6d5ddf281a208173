"""Explains a reversi board that no legal turn, nor part of one, can produce."""

from __future__ import annotations

from collections.abc import Iterable

from games.reversi.bitboard import CELLS, places, turned
from rules import EMPTY, Fault, Side
from rules.turns import cells_of, changed_cells
from wording import Given, Sentence, Term, noun, sentence, sentence_n

SIDES = (noun("side", "black"), noun("side", "white"))
PIECES = ("B", "W")


class Judge:
    """Names the broken rule from which discs came, went and were turned over."""

    def __init__(self, discs: tuple[int, int], side: Side, before: str, board: str, over: bool) -> None:
        """`before` is the board with `discs`; `over` says whether the game has ended there."""
        self.own, self.enemy, self.over = discs[side], discs[1 - side], over
        self.me, self.foe = Term("side", SIDES[side]), Term("side", SIDES[1 - side])
        self.my_disc, self.foe_disc = disc(side), disc(1 - side)
        mine, theirs = PIECES[side], PIECES[1 - side]
        self.changed = changed_cells(before, board)
        came = [cell for cell in self.changed if before[cell] == EMPTY]
        self.my_new = [cell for cell in came if board[cell] == mine]
        self.foe_new = [cell for cell in came if board[cell] == theirs]
        self.my_gone = [cell for cell in self.changed if before[cell] == mine and board[cell] == EMPTY]
        self.foe_gone = [cell for cell in self.changed if before[cell] == theirs and board[cell] == EMPTY]
        self.to_mine = [cell for cell in self.changed if before[cell] == theirs and board[cell] == mine]
        self.to_foe = [cell for cell in self.changed if before[cell] == mine and board[cell] == theirs]

    def fault(self) -> Fault:
        """The first broken rule found."""
        if not self.changed:
            return self._say(
                "unexplained", sentence("Nothing has changed on the board. It is {side:gen}'s turn.", side=self.me)
            )
        if self.over:
            return self._say("game_over", sentence("The game is over."), *self._remedy())
        if self.my_gone or self.foe_gone:
            return self._gone()
        if len(self.my_new) + len(self.foe_new) > 1:
            return self._several()
        if self.foe_new:
            return self._enemy_laid(self.foe_new[0])
        return self._laid(self.my_new[0]) if self.my_new else self._only_turned()

    def _gone(self) -> Fault:
        """Fault where discs have left their cells."""
        gone, came = [*self.my_gone, *self.foe_gone], [*self.my_new, *self.foe_new]
        if len(gone) == len(came) == 1 and len(self.my_gone) == len(self.my_new):
            way: dict[str, Given] = {"origin": CELLS[gone[0]], "cell": CELLS[came[0]]}
            said = sentence("Discs stay where they are, but {origin} moved to {cell}.", **way)
            return self._say("disc_moved", said, *self._remedy())
        said = sentence_n(
            "The disc is missing from {cells}.", "The discs are missing from {cells}.", len(gone), cells=_names(gone)
        )
        return self._say("disc_missing", said, *self._remedy())

    def _several(self) -> Fault:
        """Fault where more than one disc was laid."""
        came = _names([*self.my_new, *self.foe_new])
        one = sentence("A turn lays one disc, but {cells} were laid.", cells=came)
        if self.foe_new:
            return self._say("two_discs_laid", one, *self._remedy())
        return self._say("two_discs_laid", one, sentence("Take all but one away again."), *self._turn_back())

    def _enemy_laid(self, cell: int) -> Fault:
        """Fault where one disc came, of the colour that is not to move."""
        what: dict[str, Given] = {"side": self.me, "disc": self.foe_disc, "cell": CELLS[cell]}
        if not self.to_mine and not self.to_foe and turned(self.own, self.enemy, cell):
            said = sentence(
                "It is {side:gen}'s turn, but a {disc} was laid on {cell}. Turn it over, or take it away.", **what
            )
            return self._say("not_your_turn", said)
        turn = sentence("It is {side:gen}'s turn, but a {disc} was laid on {cell}.", **what)
        return self._say("not_your_turn", turn, *self._remedy())

    def _laid(self, cell: int) -> Fault:
        """Fault where the mover laid one disc: it turns nothing, or the wrong discs were turned."""
        name, over = CELLS[cell], set(cells_of(turned(self.own, self.enemy, cell)))
        if not places(self.own, self.enemy):
            said = sentence("{side:Nom} can turn no disc over and must pass.", side=self.me)
            return self._say("must_pass", said, *self._remedy())
        if not over:
            said = sentence("A {disc} on {cell} turns no disc over.", disc=self.my_disc, cell=name)
            return self._say("turns_nothing", said, *self._remedy())
        wrong = sorted({*self.to_mine, *self.to_foe} - over)
        left = over - set(self.to_mine)
        if not wrong:
            what: dict[str, Given] = {"cell": name, "cells": _names(over), "left": _names(left)}
            return self._say("not_all_turned", sentence("{cell} turns {cells}. Turn {left} over too.", **what))
        said = sentence("{cell} does not turn {cells}. Turn {cells} back.", cell=name, cells=_names(wrong))
        too = [sentence("Turn {cells} over.", cells=_names(left))] if left else []
        return self._say("wrong_disc_turned", said, *too)

    def _only_turned(self) -> Fault:
        cells = [*self.to_mine, *self.to_foe]
        return self._say(
            "turned_without_laying",
            sentence_n(
                "The disc on {cells} was turned over, but none was laid. Turn it back.",
                "The discs on {cells} were turned over, but none was laid. Turn them back.",
                len(cells),
                cells=_names(cells),
            ),
        )

    def _say(self, code: str, *said: Sentence) -> Fault:
        return Fault(code, self.changed, said)

    def _turn_back(self) -> tuple[Sentence, ...]:
        cells = [*self.to_mine, *self.to_foe]
        return (sentence("Turn {cells} back.", cells=_names(cells)),) if cells else ()

    def _remedy(self) -> tuple[Sentence, ...]:
        """What the players must do to restore the board."""
        back = [
            sentence_n(
                "Put {side:gen}'s disc back on {cells}.",
                "Put {side:gen}'s discs back on {cells}.",
                len(cells),
                side=side,
                cells=_names(cells),
            )
            for side, cells in ((self.me, self.my_gone), (self.foe, self.foe_gone))
            if cells
        ]
        came = [*self.my_new, *self.foe_new]
        away = [sentence("Take {cells} away.", cells=_names(came))] if came else []
        return (*back, *away, *self._turn_back())


def disc(side: Side) -> Term:
    """A disc of that side's colour."""
    return Term("disc", "white disc") if side else Term("disc", "black disc")


def _names(cells: Iterable[int]) -> tuple[str, ...]:
    return tuple(CELLS[cell] for cell in sorted(cells))
