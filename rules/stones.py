"""What people do wrong with stones of two colours, which are laid on empty points and never move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules import EMPTY, Fault, PositionError
from rules.turns import bits_of, changed_cells, letters_of
from wording import Given, Listing, Sentence, Term, listing, noun, sentence, sentence_n

PIECES = ("B", "W")
MARKS = "XO"
"""Letters of a position's text: black, white."""
COLOURS = (noun("side", "black"), noun("side", "white"))
STONES = {"B": noun("piece", "black stone"), "W": noun("piece", "white stone")}


class StoneFaults:
    """Names what is wrong on one board; each game says in which order it is looked for."""

    def __init__(self, cells: Sequence[str], before: str, board: str, letter: str) -> None:
        """`letter` is the class letter of the next stone."""
        self.cells, self.before, self.board, self.letter = cells, before, board, letter
        self.changed = changed_cells(before, board)
        self.new = [cell for cell in self.changed if before[cell] == EMPTY]
        self.gone = [cell for cell in self.changed if board[cell] == EMPTY]
        self.turned = [cell for cell in self.changed if cell not in self.new and cell not in self.gone]
        """Cells whose stones have changed their colour."""

    def say(self, code: str, *said: Sentence) -> Fault:
        return Fault(code, self.changed, said)

    def unchanged(self, mover: Term) -> Fault:
        """The fault of a board on which nothing has changed."""
        said = sentence("Nothing has changed on the board. It is {side:gen}'s turn.", side=mover)
        return self.say("unexplained", said)

    def recoloured(self) -> Fault:
        """The fault of stones that have changed their colour."""
        if len(self.turned) == len(self.changed) == 1:
            stone, cell = stone_of(self.before[self.turned[0]]), self.cells[self.turned[0]]
            said = sentence("The {stone} on {cell} has changed its colour. Put it back.", stone=stone, cell=cell)
            return self.say("piece_changed_colour", said)
        said = sentence_n(
            "{cells} has changed colour.",
            "{cells} have changed colour.",
            len(self.turned),
            cells=self.names(self.turned),
        )
        return self.say("piece_changed_colour", said, *self.remedy(self.changed))

    @property
    def is_moved(self) -> bool:
        """Whether one stone has gone to another point."""
        return len(self.gone) == len(self.new) == 1 and self.before[self.gone[0]] == self.board[self.new[0]]

    def missing(self) -> Fault:
        """The fault of a board from which stones are gone."""
        if self.is_moved:
            way: dict[str, Given] = {"origin": self.cells[self.gone[0]], "cell": self.cells[self.new[0]]}
            said = sentence(
                "The {stone} on {origin} was moved to {cell}. Stones never move: put it back.",
                stone=stone_of(self.before[self.gone[0]]),
                **way,
            )
            return self.say("stone_moved", said)
        if self.new:
            said = sentence("Stones are missing and others are new.")
            return self.say("unexplained", said, *self.remedy(self.changed))
        if len(self.gone) == 1:
            stone, cell = stone_of(self.before[self.gone[0]]), self.cells[self.gone[0]]
            said = sentence("The {stone} on {cell} is missing. Put it back.", stone=stone, cell=cell)
            return self.say("stone_missing", said)
        said = sentence("The stones on {cells} are missing. Put them back.", cells=self.names(self.gone))
        return self.say("stone_missing", said)

    def several(self, mover: Term) -> Fault:
        """The fault of more than one new stone."""
        what: dict[str, Given] = {"stones": len(self.new), "cells": self.names(self.new)}
        if all(self.board[cell] == self.letter for cell in self.new):
            said = sentence("{side:Nom} laid {stones} stones, {cells}. Take all but one back.", side=mover, **what)
        else:
            said = sentence(
                "{stones} stones were laid, {cells}. {colour:Nom} is next: leave one of that colour at most.",
                colour=colour_of(self.letter),
                **what,
            )
        return self.say("two_stones_laid", said)

    def wrong_colour(self, mover: Term) -> Fault:
        """The fault of a single new stone of the colour whose turn it is not."""
        said = sentence(
            "It is {side:gen}'s turn, but {other} laid a stone on {cell}. Take it back.",
            side=mover,
            other=colour_of(self.board[self.new[0]]),
            cell=self.cells[self.new[0]],
        )
        return self.say("not_your_turn", said)

    def remedy(self, cells: Sequence[int]) -> tuple[Sentence, ...]:
        """What the players must do to restore these cells."""
        new = [cell for cell in cells if cell in self.new]
        lacking = [cell for cell in cells if cell not in self.new]
        if not lacking:
            return self.away(new)
        back = sentence_n(
            "Put {cells} back as it was.", "Put {cells} back as they were.", len(lacking), cells=self.names(lacking)
        )
        return (*self.away(new), back)

    def away(self, cells: Sequence[int]) -> tuple[Sentence, ...]:
        """That these stones must be taken away; empty where there are none."""
        if not cells:
            return ()
        what: dict[str, Given] = {"cells": self.names(cells)}
        return (sentence_n("Take the stone on {cells} away.", "Take the stones on {cells} away.", len(cells), **what),)

    def names(self, cells: Iterable[int]) -> Listing:
        """The cells' names, as a list in a sentence."""
        return listing(self.cells[cell] for cell in cells)


def written(stones: tuple[int, int], size: int) -> str:
    """The rows of a board from the top, joined by `/`: `X` black, `O` white, `.` empty."""
    letters = letters_of(stones, MARKS, size * size)
    return "/".join(letters[start : start + size] for start in range(0, size * size, size))


def read(text: str, size: int) -> tuple[int, int]:
    """The stones of `written`'s text, as bit sets. Raises PositionError."""
    rows = text.split("/")
    if len(rows) != size:
        raise PositionError(sentence("{told} rows; the board has {needed}", told=len(rows), needed=size))
    for number, row in zip(range(size, 0, -1), rows, strict=True):
        if len(row) != size:
            what: dict[str, Given] = {"number": number, "text": repr(row[:40]), "told": len(row), "needed": size}
            raise PositionError(sentence("row {number}, {text}, has {told} points; the board has {needed}", **what))
    return bits_of("".join(rows), MARKS)


def colour_of(letter: str) -> Term:
    """The side that lays stones of that letter."""
    return Term("side", COLOURS[PIECES.index(letter)])


def stone_of(letter: str) -> Term:
    """What a stone of that letter is called."""
    return Term("stone", "black stone") if letter == "B" else Term("stone", "white stone")
