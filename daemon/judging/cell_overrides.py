"""Cells whose content somebody at the table has stated because it was misread."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable

from daemon.belief.look import Look
from daemon.game.line_of_play import shares_pieces
from daemon.judging.corrections import Refusal
from daemon.judging.referee import Referee
from daemon.words.translation import called
from rules import EMPTY, AnyGame, piece_noun
from vision.reading.board_reading import BoardReading
from wording import Term, listing, sentence

SURE = 0.9999
"""Probability assigned to what a person says about a cell."""


class CellOverrides:
    """Statements about cells. Each holds until the cell is read as something else than when it was made."""

    def __init__(self) -> None:
        self._said: dict[int, tuple[str, str]] = {}
        """Letter said and letter then read, by cell."""

    @property
    def cells(self) -> tuple[int, ...]:
        return tuple(sorted(self._said))

    def say(self, cell: int, letter: str, reading: BoardReading) -> None:
        """States the letter on a cell; `reading` is the present reading of it."""
        self._said[cell] = letter, reading.board[cell]

    def forget(self, cells: Iterable[int]) -> None:
        for cell in cells:
            self._said.pop(cell, None)

    def seen(self, referee: Referee, look: Look) -> Look:
        """The look with the statements applied; without them where legal play alone explains the picture."""
        corrected = self.over(look.reading)
        if corrected is look.reading:
            return look
        said = dataclasses.replace(look, reading=corrected)
        if referee.fits(said) or referee.is_doubtful(look):
            return said
        self.forget(self.cells)  # hands have moved since
        return look

    def over(self, reading: BoardReading) -> BoardReading:
        """The reading with the statements applied; those about cells that have changed since are dropped first."""
        board = reading.board if self._said else ""
        self.forget([cell for cell, (_, then) in self._said.items() if board[cell] != then])
        if not self._said:
            return reading
        logs = reading.log_probabilities.copy()
        for cell, (letter, _) in self._said.items():
            logs[cell] = math.log((1 - SURE) / max(1, len(reading.letters) - 1))
            logs[cell, reading.letters.index(letter)] = math.log(SURE)
        return dataclasses.replace(reading, log_probabilities=logs)


def cell_of(game: AnyGame, name: str) -> int:
    """The cell of that name. Raises Refusal, naming the first and the last."""
    for index, cell in enumerate(game.cells):
        if cell.lower() == name.lower():
            return index
    what = {"name": name[:20], "first": game.cells[0], "last": game.cells[-1]}
    raise Refusal(sentence("There is no cell {name}; the cells are {first} to {last}.", **what))


def letter_of(game: AnyGame, piece: str) -> str:
    """The class letter of a piece: a side's name, a colour, a letter, or `empty`. Raises Refusal, listing them."""
    word, names = piece.strip().lower(), pieces_of(game)
    for name, letter in names.items():
        if word in _called(game, name, letter):
            return letter
    if (letter := piece.strip().upper()) in game.classes and letter:
        return letter
    known = listing(names, joint="or")
    raise Refusal(sentence("There is no piece {name}; say {pieces}.", name=piece[:20], pieces=known))


def _called(game: AnyGame, name: str, letter: str) -> set[str]:
    """The words by which people may call the content of a cell; half a tile is called by its pips only."""
    if letter == EMPTY:
        return called(Term("piece", "empty"))
    noun = piece_noun(game, letter)
    return {name} if not isinstance(noun, Term) else called(Term("side", name)) | called(noun)


def pieces_of(game: AnyGame) -> dict[str, str]:
    """The words for the possible contents of a cell, each with its class letter."""
    if shares_pieces(game):
        return {letter: letter for letter in game.classes if letter != EMPTY} | {"empty": EMPTY}
    return dict(zip(game.sides, game.pieces, strict=True)) | {"empty": EMPTY}
