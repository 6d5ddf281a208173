"""Explains a gomoku board that no legal move can produce."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games.gomoku.position import COLOURS
from games.gomoku.renju import FOULS
from rules import EMPTY, Fault
from rules.turns import changed_cells
from wording import Given, Listing, Sentence, Term, listing, sentence, sentence_n


class Judge:
    """Names the broken rule for one board."""

    def __init__(self, cells: Sequence[str], before: str, board: str, letter: str) -> None:
        """`letter` is the class letter of the next stone."""
        self.cells, self.board, self.before, self.letter = cells, board, before, letter
        self.changed = changed_cells(before, board)
        self.new = [cell for cell in self.changed if before[cell] == EMPTY]
        self.gone = [cell for cell in self.changed if board[cell] == EMPTY]

    def fault(self, mover: str, over: bool, seats: bool, foul: str) -> Fault:
        """The first broken rule found.

        `mover` is the side to lay. `seats` says that sides are seats, not colours. `foul` is the code of the renju
        foul, where a single stone of the right colour was laid.
        """
        side = Term("side", mover)
        if not self.changed:
            return self._say(
                "unexplained", sentence("Nothing has changed on the board. It is {side:gen}'s turn.", side=side)
            )
        if len(self.new) + len(self.gone) < len(self.changed):
            return self._recoloured()
        if self.gone:
            return self._gone()
        if over:
            return self._say("game_over", sentence("The game is over."), *self._away())
        if len(self.new) > 1:
            return self._several(side)
        return self._foul(foul) if foul else self._wrong_colour(side, seats)

    def too_near(self, count: int, middle: str, steps: int) -> Fault:
        """The fault of a stone where the opening forbids it; `count` stones were laid before."""
        cell = self.cells[self.new[0]]
        if count == 0:
            said = sentence(
                "In this opening the first stone lies on {middle}. Take the one on {cell} back.",
                middle=middle,
                cell=cell,
            )
        else:
            said = sentence(
                "In this opening black's second stone lies {steps} steps or more from the middle. "
                "Take the one on {cell} back.",
                steps=steps,
                cell=cell,
            )
        return self._say("opening_rule", said)

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
        return self._say("piece_changed_colour", said, *self._remedy())

    def _gone(self) -> Fault:
        if len(self.gone) == len(self.new) == 1 and self.before[self.gone[0]] == self.board[self.new[0]]:
            way: dict[str, Given] = {"origin": self.cells[self.gone[0]], "cell": self.cells[self.new[0]]}
            return self._say(
                "stone_moved",
                sentence(
                    "The {stone} on {origin} was moved to {cell}. Stones never move: put it back.",
                    stone=_stone(self.before[self.gone[0]]),
                    **way,
                ),
            )
        if not self.new and len(self.gone) == 1:
            stone, cell = _stone(self.before[self.gone[0]]), self.cells[self.gone[0]]
            return self._say(
                "stone_missing", sentence("The {stone} on {cell} is missing. Put it back.", stone=stone, cell=cell)
            )
        if not self.new:
            cells = self._names(self.gone)
            return self._say(
                "stone_missing", sentence("The stones on {cells} are missing. Put them back.", cells=cells)
            )
        return self._say("unexplained", sentence("Stones are missing and others are new."), *self._remedy())

    def _several(self, mover: Term) -> Fault:
        mine = [cell for cell in self.new if self.board[cell] == self.letter]
        what: dict[str, Given] = {"stones": len(self.new), "cells": self._names(self.new)}
        if len(mine) == len(self.new):
            said = sentence("{side:Nom} laid {stones} stones, {cells}. Take all but one back.", side=mover, **what)
            return self._say("two_stones_laid", said)
        said = sentence(
            "{stones} stones were laid, {cells}. {colour:Nom} is next: leave one of that colour at most.",
            colour=_colour(self.letter),
            **what,
        )
        return self._say("two_stones_laid", said)

    def _foul(self, foul: str) -> Fault:
        what: dict[str, Given] = {"cell": self.cells[self.new[0]], "foul": FOULS[foul]}
        return self._say(foul, sentence("Black may not lay on {cell}: it makes {foul}. Take it back.", **what))

    def _wrong_colour(self, mover: Term, seats: bool) -> Fault:
        cell, wrong = self.cells[self.new[0]], self.board[self.new[0]]
        if seats:
            said = sentence(
                "{side:Nom} lays a {right:acc} now. Take the {wrong:acc} on {cell} back.",
                side=mover,
                right=_stone(self.letter),
                wrong=_stone(wrong),
                cell=cell,
            )
            return self._say("wrong_colour", said)
        said = sentence(
            "It is {side:gen}'s turn, but {other} laid a stone on {cell}. Take it back.",
            side=mover,
            other=_colour(wrong),
            cell=cell,
        )
        return self._say("not_your_turn", said)

    def _remedy(self) -> tuple[Sentence, ...]:
        """What the players must do to restore the board."""
        lacking = [cell for cell in self.changed if cell not in self.new]
        back = sentence_n(
            "Put {cells} back as it was.", "Put {cells} back as they were.", len(lacking), cells=self._names(lacking)
        )
        return (*self._away(), back)

    def _away(self) -> tuple[Sentence, ...]:
        if not self.new:
            return ()
        return (
            sentence_n(
                "Take the stone on {cells} away.",
                "Take the stones on {cells} away.",
                len(self.new),
                cells=self._names(self.new),
            ),
        )

    def _names(self, cells: Iterable[int]) -> Listing:
        return listing(self.cells[cell] for cell in cells)


def _colour(letter: str) -> Term:
    name = COLOURS["BW".index(letter)]
    return Term("side", name)


def _stone(letter: str) -> Term:
    return Term("stone", "black stone") if letter == "B" else Term("stone", "white stone")
