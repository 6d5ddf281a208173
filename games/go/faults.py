"""Explains a go board that no legal move, nor part of one, can produce."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games.go.board import PIECES
from games.go.position import COLOURS
from rules import EMPTY, Fault, Side
from rules.turns import changed_cells
from wording import Given, Listing, Sentence, Term, listing, sentence, sentence_n


class Judge:
    """Names the broken rule for one board."""

    def __init__(self, cells: Sequence[str], before: str, board: str, side: Side) -> None:
        """`side` is to move."""
        self.cells, self.before, self.board = cells, before, board
        self.letter, self.mover = PIECES[side], Term("side", COLOURS[side])
        self.changed = changed_cells(before, board)
        self.new = [cell for cell in self.changed if before[cell] == EMPTY]
        self.gone = [cell for cell in self.changed if board[cell] == EMPTY]
        mine = [cell for cell in self.new if board[cell] == self.letter]
        turned = len(self.new) + len(self.gone) < len(self.changed)
        self.laid = mine[0] if len(mine) == 1 and not turned else None
        """The point of the mover's only new stone; None if there is none, or stones changed their colour."""

    def barred(self, code: str, why: Sentence) -> Fault:
        """The fault of a stone on a point where a rule forbids it, such as a ko."""
        assert self.laid is not None
        said = sentence("{why:Nom}. Take the stone on {cell} back.", why=why, cell=self.cells[self.laid])
        rest = [cell for cell in self.changed if cell != self.laid]
        return self._say(code, said, *(self._remedy(rest) if rest else ()))

    def captured(self, cell: int, taken: Sequence[int]) -> Fault:
        """The fault of a board on which a stone that captures others was laid, but not only these were taken."""
        here = self.cells[cell]
        others = [one for one in self.gone if one not in taken]
        left = [one for one in taken if self.board[one] != EMPTY]
        if others:
            said = sentence_n(
                "The stone on {cell} does not capture {cells}. Put it back.",
                "The stone on {cell} does not capture {cells}. Put them back.",
                len(others),
                cell=here,
                cells=self._names(others),
            )
            return self._say("not_captured", said)
        more = [one for one in self.new if one != cell]
        if left and more:
            where = self._names(left)
            said = sentence(
                "The stone on {cell} captures {cells}: take them off the board first.", cell=here, cells=where
            )
            return self._say("capture_half_taken", said, *self._away(more))
        return self.fault(False)

    def fault(self, over: bool) -> Fault:
        """The first broken rule found; `over` says whether the game has ended."""
        if not self.changed:
            return self._say(
                "unexplained", sentence("Nothing has changed on the board. It is {side:gen}'s turn.", side=self.mover)
            )
        if over:
            return self._say("game_over", sentence("The game is over."), *self._remedy(self.changed))
        if len(self.new) + len(self.gone) < len(self.changed):
            return self._recoloured()
        if self.gone:
            return self._gone()
        return self._several() if len(self.new) > 1 else self._wrong_colour()

    def _say(self, code: str, *said: Sentence) -> Fault:
        return Fault(code, self.changed, said)

    def _recoloured(self) -> Fault:
        other = [cell for cell in self.changed if cell not in self.new and cell not in self.gone]
        if len(other) == len(self.changed) == 1:
            stone, cell = _stone(self.before[other[0]]), self.cells[other[0]]
            said = sentence("The {stone} on {cell} has changed its colour. Put it back.", stone=stone, cell=cell)
            return self._say("piece_changed_colour", said)
        said = sentence_n(
            "{cells} has changed colour.", "{cells} have changed colour.", len(other), cells=self._names(other)
        )
        return self._say("piece_changed_colour", said, *self._remedy(self.changed))

    def _gone(self) -> Fault:
        if len(self.gone) == len(self.new) == 1 and self.before[self.gone[0]] == self.board[self.new[0]]:
            way: dict[str, Given] = {"origin": self.cells[self.gone[0]], "cell": self.cells[self.new[0]]}
            said = sentence(
                "The {stone} on {origin} was moved to {cell}. Stones never move: put it back.",
                stone=_stone(self.before[self.gone[0]]),
                **way,
            )
            return self._say("stone_moved", said)
        if self.laid is not None and len(self.new) == 1:
            said = sentence_n(
                "The stone on {cell} does not capture {cells}. Put it back.",
                "The stone on {cell} does not capture {cells}. Put them back.",
                len(self.gone),
                cell=self.cells[self.laid],
                cells=self._names(self.gone),
            )
            return self._say("not_captured", said)
        if self.new:
            said = sentence("Stones are missing and others are new.")
            return self._say("unexplained", said, *self._remedy(self.changed))
        if len(self.gone) == 1:
            stone, cell = _stone(self.before[self.gone[0]]), self.cells[self.gone[0]]
            said = sentence("The {stone} on {cell} is missing. Put it back.", stone=stone, cell=cell)
            return self._say("stone_missing", said)
        names = self._names(self.gone)
        return self._say("stone_missing", sentence("The stones on {cells} are missing. Put them back.", cells=names))

    def _several(self) -> Fault:
        mine = [cell for cell in self.new if self.board[cell] == self.letter]
        what: dict[str, Given] = {"stones": len(self.new), "cells": self._names(self.new)}
        if len(mine) == len(self.new):
            said = sentence("{side:Nom} laid {stones} stones, {cells}. Take all but one back.", side=self.mover, **what)
            return self._say("two_stones_laid", said)
        said = sentence(
            "{stones} stones were laid, {cells}. {colour:Nom} is next: leave one of that colour at most.",
            colour=self.mover,
            **what,
        )
        return self._say("two_stones_laid", said)

    def _wrong_colour(self) -> Fault:
        cell = self.new[0]
        said = sentence(
            "It is {side:gen}'s turn, but {other} laid a stone on {cell}. Take it back.",
            side=self.mover,
            other=Term("side", COLOURS[PIECES.index(self.board[cell])]),
            cell=self.cells[cell],
        )
        return self._say("not_your_turn", said)

    def _remedy(self, cells: Sequence[int]) -> tuple[Sentence, ...]:
        """What the players must do to restore these cells."""
        new = [cell for cell in cells if cell in self.new]
        lacking = [cell for cell in cells if cell not in self.new]
        if not lacking:
            return self._away(new)
        back = sentence_n(
            "Put {cells} back as it was.", "Put {cells} back as they were.", len(lacking), cells=self._names(lacking)
        )
        return (*self._away(new), back)

    def _away(self, cells: Sequence[int]) -> tuple[Sentence, ...]:
        if not cells:
            return ()
        return (
            sentence_n(
                "Take the stone on {cells} away.",
                "Take the stones on {cells} away.",
                len(cells),
                cells=self._names(cells),
            ),
        )

    def _names(self, cells: Iterable[int]) -> Listing:
        return listing(self.cells[cell] for cell in cells)


def _stone(letter: str) -> Term:
    return Term("stone", "black stone") if letter == "B" else Term("stone", "white stone")
