"""Cells of which somebody at the table has said what stands there, because the eyes misread them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable

from daemon.game.line_of_play import shares_men
from daemon.i18n.translation import called
from daemon.judging.corrections import Refusal
from games import EMPTY, AnyGame
from vision.reading.board_reading import BoardReading
from wording import Term, listing, sentence

SURE = 0.9999
"""Probability that a cell shows what a person says."""


class CellOverrides:
    """What was said of cells. It holds until the eyes read the cell as something else than when it was said."""

    def __init__(self) -> None:
        self._said: dict[int, tuple[str, str]] = {}
        """Letter said and letter read then, by cell."""

    @property
    def cells(self) -> tuple[int, ...]:
        """Of which something was said that still holds."""
        return tuple(sorted(self._said))

    def say(self, cell: int, letter: str, reading: BoardReading) -> None:
        """On that cell stands that letter; `reading` is what the eyes make of it now."""
        self._said[cell] = letter, reading.board[cell]

    def forget(self, cells: Iterable[int]) -> None:
        """These cells are the eyes' again."""
        for cell in cells:
            self._said.pop(cell, None)

    def over(self, reading: BoardReading) -> BoardReading:
        """The reading with what was said; cells that have changed since are forgotten first."""
        if self._said:
            board = reading.board
            self.forget([cell for cell, (_, then) in self._said.items() if board[cell] != then])
        if not self._said:
            return reading
        logs = reading.log_probabilities.copy()
        for cell, (letter, _) in self._said.items():
            logs[cell] = math.log((1 - SURE) / max(1, len(reading.letters) - 1))
            logs[cell, reading.letters.index(letter)] = math.log(SURE)
        return dataclasses.replace(reading, log_probabilities=logs)


def cell_of(game: AnyGame, name: str) -> int:
    """The cell of that name. Raises Refusal naming the first and the last."""
    for index, cell in enumerate(game.cells):
        if cell.lower() == name.lower():
            return index
    what = {"name": name[:20], "first": game.cells[0], "last": game.cells[-1]}
    raise Refusal(sentence("There is no cell {name}; the cells are {first} to {last}.", **what))


def letter_of(game: AnyGame, piece: str) -> str:
    """The class letter of a piece: a side's name, a colour, a letter, or `empty`. Raises Refusal listing them."""
    word, names = piece.strip().lower(), pieces_of(game)
    for name, letter in names.items():
        if word in _called(name, letter):
            return letter
    if (letter := piece.strip().upper()) in game.classes and letter:
        return letter
    known = listing(names, joint="or")
    raise Refusal(sentence("There is no piece {name}; say {pieces}.", name=piece[:20], pieces=known))


def _called(name: str, letter: str) -> set[str]:
    """The words by which people may call what stands on a cell; the pips of half a tile are their own."""
    if letter == EMPTY:
        return called(Term("piece", "empty"))
    return {name} if name == letter else called(Term("side", name)) | called(Term("man", name))


def pieces_of(game: AnyGame) -> dict[str, str]:
    """The words for what may stand on a cell, each with its class letter."""
    if shares_men(game):
        return {letter: letter for letter in game.classes if letter != EMPTY} | {"empty": EMPTY}
    return dict(zip(game.sides, game.pieces, strict=True)) | {"empty": EMPTY}
