"""Where a tile may be joined, in words for people who cannot see the board."""

from __future__ import annotations

from games.double_double_dominoes.board import CELLS, NEIGHBOURS, STAR, slots
from games.double_double_dominoes.position import SIDES, Position
from rules import EMPTY
from rules.tiles import PIP_NAMES
from wording import Given, Sentence, Sentences, Term, listing, sentence


def ends(position: Position) -> Sentences:
    """The halves of tiles beside which one more fits, by their pips."""
    board = position.board
    if board.count(EMPTY) == len(board):
        return (sentence("No tile lies on the board: the first one covers {cell}.", cell=CELLS[STAR]),)
    open_cells = {cell for cells, *asked in slots(board, position.open_double) for cell in _asking(cells, asked)}
    halves = {beside for cell in open_cells for beside in NEIGHBOURS[cell] if board[beside] != EMPTY}
    if not halves:
        return (sentence("There is no open end."),)
    return tuple(_open(board, pips, sorted(halves)) for pips in sorted({board[cell] for cell in halves}))


def _asking(cells: tuple[int, int], asked: list[int]) -> list[int]:
    """The cells of a place that lie beside a tile, whose pips they must show."""
    return [cell for cell, pips in zip(cells, asked, strict=True) if pips >= 0]


def _open(board: str, pips: str, halves: list[int]) -> Sentence:
    cells = [CELLS[cell] for cell in halves if board[cell] == pips]
    named = listing(cells, most=len(cells))
    return sentence("Open: {pips} on {cells}.", pips=Term("pips", PIP_NAMES[int(pips)]), cells=named)


def counted(position: Position) -> Sentences:
    """How many tiles both sides hold and the bag has; never which."""
    (ones, others), sides = position.holds, [Term("side", side) for side in SIDES]
    both: dict[str, Given] = {"one": sides[0], "ones": ones, "other": sides[1], "others": others}
    return (
        sentence("Tiles in hand: {one} {ones}, {other} {others}.", **both),
        sentence("In the bag: {number}.", number=position.bag),
    )
