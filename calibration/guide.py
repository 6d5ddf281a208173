"""What a guided calibration asks for: a few boards to be laid that show every class in several places.

The plan is pure and always the same for one board, so that whoever lays the pieces, a person or a script, may know it.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.template import BoardTemplate
from games import EMPTY, AnyGame
from wording import Listing, Sentence, Term, listing, plural, sentence, sentence_n

BOARDS = 3
"""Boards with pieces; the empty one comes before them."""
MEN_PER_CLASS = 4
"""Most men of one class on one board: six are no better, and take half as long again."""
FILLED = 0.5
"""Most of a board's cells that are filled at once: empty cells are to be seen too."""
TILES = 7
"""Tiles on one board, in games whose pieces cover two cells."""
OPENING_PLIES = 24
"""Plies that are looked at to learn how many men a person owns."""
NEIGHBOURS = 1.2
"""Cells are neighbours up to this many times the least distance of two cells."""


class GuideError(ValueError):
    """A game whose pieces no plan can be made for; the message says why."""


@dataclasses.dataclass(frozen=True)
class Piece:
    """One thing to lay: a man on a cell, or a tile on two."""

    cells: tuple[int, ...]
    """Indices into the template's cells."""
    letters: str
    """Class letter that each of the cells then shows."""


@dataclasses.dataclass(frozen=True)
class Lesson:
    """One board that is asked for."""

    pieces: tuple[Piece, ...]
    board: str
    """A class letter per cell."""
    said: Sentence
    """What to do, for a person."""

    @property
    def text(self) -> str:
        """The same in English."""
        return str(self.said)


def lessons(game: AnyGame, template: BoardTemplate) -> tuple[Lesson, ...]:
    """The boards to lay, the empty one first; two that spread over the board, and one whose pieces lie close.

    Raises GuideError where the classes come in pieces that the game's first moves do not show.
    """
    tiles = _tiles(game)
    places = _tile_boards(tiles, template) if tiles else _men_boards(game, template)
    boards = [(), *places]
    return tuple(Lesson(pieces, _board(pieces, template), asked(pieces, template)) for pieces in boards)


def asked(pieces: Sequence[Piece], template: BoardTemplate) -> Sentence:
    """Asks for these pieces and for nothing else."""
    if not pieces:
        return sentence("Clear the board, so that the whole of it is in view, and take your hands away.")
    return sentence("Lay {pieces}, and nothing else.", pieces=listed(pieces, template))


def listed(pieces: Sequence[Piece], template: BoardTemplate) -> Sentence:
    """Such as "light men on a7 and d6, and dark men on g1", or "the tiles 0-1 on 8A-8B and 2-3 on 9C-10C"."""
    names = template.cell_names
    tiles = [
        sentence("{tile} on {cells}", tile="-".join(piece.letters), cells="-".join(names[cell] for cell in piece.cells))
        for piece in pieces
        if len(piece.cells) > 1
    ]
    groups = [sentence_n("the tile {tiles}", "the tiles {tiles}", len(tiles), tiles=whole(tiles))] if tiles else []
    for letter in template.classes:
        cells = [names[piece.cells[0]] for piece in pieces if piece.letters == letter]
        if cells:
            groups.append(_of_kind(letter, cells, template))
    return functools.reduce(lambda first, then: sentence("{first}, and {then}", first=first, then=then), groups)


def _of_kind(letter: str, cells: Sequence[str], template: BoardTemplate) -> Sentence:
    if len(cells) == 1:
        return sentence("a {kind} on {cell}", kind=kind(letter, template), cell=cells[0])
    return sentence("{kinds} on {cells}", kinds=kinds(letter, template), cells=whole(cells))


def whole(items: Sequence[str] | Sequence[Sentence]) -> Listing:
    """All of them, however many."""
    return listing(items, most=len(items))


def kind(letter: str, template: BoardTemplate) -> Term:
    """What a class is called, such as "light man"; the catalogues take it from the board's file."""
    return Term("kind", template.classes[letter])


def kinds(letter: str, template: BoardTemplate) -> Term:
    """What several of a class are called, such as "light men"."""
    return Term("kind", plural(template.classes[letter]))


def _board(pieces: Sequence[Piece], template: BoardTemplate) -> str:
    cells = [EMPTY] * len(template.cell_names)
    for piece in pieces:
        for cell, letter in zip(piece.cells, piece.letters, strict=True):
            cells[cell] = letter
    return "".join(cells)


def _men_boards(game: AnyGame, template: BoardTemplate) -> list[tuple[Piece, ...]]:
    """Men of every class in turn: on cells far apart, then on all the others, then side by side."""
    letters = template.letters[1:]
    owned = _owned(game)
    count = len(template.cell_names)
    each = max(1, min([MEN_PER_CLASS, int(FILLED * count / len(letters)), *(owned[letter] for letter in letters)]))
    on_board = each * len(letters)
    spread = _spread(template, (BOARDS - 1) * on_board)
    chosen = [spread[start :: BOARDS - 1] for start in range(BOARDS - 1)]
    boards = []
    for number, cells in enumerate([*chosen, _from_the_middle(template)[:on_board]]):
        # Dealt in turn, and shifted from board to board, so that no class keeps to one part of the board.
        dealt = [(cell, letters[(place + number) % len(letters)]) for place, cell in enumerate(cells)]
        boards.append(tuple(Piece((cell,), letter) for cell, letter in sorted(dealt)))
    return boards


def _owned(game: AnyGame) -> collections.Counter[str]:
    """How many men of each class an opening brings to the board at least; games of many men show many."""
    position, most = game.initial(0), collections.Counter[str]()
    for _ in range(OPENING_PLIES):
        moves = game.legal_moves(position)
        quiet = [move for move in moves if all(step.kind == "place" for step in game.steps(position, move))]
        if not moves:
            break
        position = game.apply(position, (quiet or list(moves))[0])
        most |= collections.Counter(game.board(position))
    if min(most[letter] for letter in game.classes[1:]) == 0:
        raise GuideError(f"the first moves of {game.title} do not show all its pieces; calibrate from labelled photos")
    return most


def _tiles(game: AnyGame) -> list[str]:
    """The tiles that may be laid first, as pairs of letters, in games whose pieces cover two cells."""
    start = game.initial()
    found = set()
    for move in game.legal_moves(start):
        steps = game.steps(start, move)
        if len(steps) == 2 and all(step.kind == "place" for step in steps):
            found.add("".join(sorted(step.piece for step in steps)))
    return sorted(found)


def _tile_boards(tiles: Sequence[str], template: BoardTemplate) -> list[tuple[Piece, ...]]:
    """Tiles that show every class about equally often, no tile twice, lying in all four directions."""
    seen = collections.Counter[str]()
    waiting, boards = list(tiles), []
    for number in range(BOARDS):
        slots = _slots(template, number)
        pieces = []
        for place, slot in enumerate(slots):
            if not waiting:
                break
            tile = min(waiting, key=lambda pair: (seen[pair[0]] + seen[pair[1]], max(seen[pair[0]], seen[pair[1]])))
            waiting.remove(tile)
            seen.update(tile)
            pieces.append(Piece(slot, tile if (place // 2 + number) % 2 else tile[::-1]))
        boards.append(tuple(sorted(pieces, key=lambda piece: piece.cells)))
    return boards


def _slots(template: BoardTemplate, number: int) -> list[tuple[int, int]]:
    """Pairs of neighbouring cells, across and down in turn: far apart, or on the last board about the middle."""
    count, close = len(template.cell_names), number == BOARDS - 1
    order = _from_the_middle(template) if close else _spread(template, count, first=number * count // BOARDS)
    taken: set[int] = set()
    slots: list[tuple[int, int]] = []
    for cell in map(int, order):
        across = len(slots) % 2 == 0
        free = [pair for pair in _pairs(template, cell, across=across) if not taken & set(pair)]
        if free:
            slots.append(free[0])
            taken |= set(free[0]) | (set() if close else {near for end in free[0] for near in _around(template, end)})
        if len(slots) == TILES:
            break
    return slots


def _pairs(template: BoardTemplate, cell: int, *, across: bool) -> Iterator[tuple[int, int]]:
    for other in _around(template, cell):
        apart = np.abs(template.cells_mm[other] - template.cells_mm[cell])
        if (apart[0] > apart[1]) == across:
            yield min(cell, other), max(cell, other)


def _around(template: BoardTemplate, cell: int) -> list[int]:
    """The neighbours of a cell."""
    distances = np.linalg.norm(template.cells_mm - template.cells_mm[cell], axis=1)
    distances[cell] = np.inf
    return [int(other) for other in np.flatnonzero(distances <= NEIGHBOURS * distances.min())]


def _from_the_middle(template: BoardTemplate) -> list[int]:
    """All cells, the nearest to the board's middle first."""
    distances = np.linalg.norm(template.cells_mm - template.cells_mm.mean(axis=0), axis=1)
    return [int(cell) for cell in np.argsort(np.round(distances, 3), kind="stable")]


def _spread(template: BoardTemplate, count: int, first: int = 0) -> list[int]:
    """That many cells: one, and then always the cell farthest from all before it."""
    places = template.cells_mm
    chosen = [first]
    nearest = np.linalg.norm(places - places[first], axis=1)
    while len(chosen) < min(count, len(places)):
        farthest = int(np.argmax(np.round(nearest, 3)))
        chosen.append(farthest)
        nearest = np.minimum(nearest, np.linalg.norm(places - places[farthest], axis=1))
    return chosen
