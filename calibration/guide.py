"""Plans a guided calibration: a few boards to lay that show every class in several places.

The plan is deterministic for each board, so that the person or script that lays the pieces can know it beforehand.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.template import BoardTemplate
from rules import EMPTY, AnyGame
from wording import Listing, Sentence, Term, listing, plural, sentence, sentence_n

BOARDS = 3
"""Number of boards with pieces; the empty one comes before them."""
MEN_PER_CLASS = 4
"""Most pieces of one class on one board: six are no better, and take half as long again."""
FILLED = 0.5
"""Largest share of a board's cells filled at once: empty cells must be seen too."""
TILES = 7
"""Tiles on one board, in games whose pieces cover two cells."""
OPENING_PLIES = 24
"""Plies played to find out how many pieces a player owns."""
NEIGHBOURS = 1.2
"""Two cells are neighbours if they are at most this many times the least distance apart."""


class GuideError(ValueError):
    """No plan can be made for the game's pieces; the message says why."""


@dataclasses.dataclass(frozen=True)
class Piece:
    """One piece to lay: on one cell, or a tile on two."""

    cells: tuple[int, ...]
    """Indices into the template's cells."""
    letters: str
    """Class letter that each of the cells then shows."""


@dataclasses.dataclass(frozen=True)
class Lesson:
    pieces: tuple[Piece, ...]
    board: str
    said: Sentence

    @property
    def text(self) -> str:
        return str(self.said)


def lessons(game: AnyGame, template: BoardTemplate) -> tuple[Lesson, ...]:
    """The boards to lay: the empty one, two with pieces spread over the board, and one with pieces close together.

    Raises GuideError if the game's first moves do not show all its pieces.
    """
    tiles = _tiles(game)
    places = _tile_boards(tiles, template) if tiles else _men_boards(game, template)
    boards = [(), *places]
    return tuple(Lesson(pieces, _board(pieces, template), asked(pieces, template)) for pieces in boards)


def asked(pieces: Sequence[Piece], template: BoardTemplate) -> Sentence:
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
    return listing(items, most=len(items))


def kind(letter: str, template: BoardTemplate) -> Term:
    """Name of a class, such as "light man"; the translation catalogues take it from the board's file."""
    return Term("kind", template.classes[letter])


def kinds(letter: str, template: BoardTemplate) -> Term:
    """Plural name of a class, such as "light men"."""
    return Term("kind", plural(template.classes[letter]))


def _board(pieces: Sequence[Piece], template: BoardTemplate) -> str:
    cells = [EMPTY] * len(template.cell_names)
    for piece in pieces:
        for cell, letter in zip(piece.cells, piece.letters, strict=True):
            cells[cell] = letter
    return "".join(cells)


def _men_boards(game: AnyGame, template: BoardTemplate) -> list[tuple[Piece, ...]]:
    """Boards with pieces of every class: two on cells far apart, sharing no cell, and one around the middle."""
    letters = template.letters[1:]
    owned = _owned(game)
    count = len(template.cell_names)
    each = max(1, min([MEN_PER_CLASS, int(FILLED * count / len(letters)), *(owned[letter] for letter in letters)]))
    on_board = each * len(letters)
    spread = _spread(template, (BOARDS - 1) * on_board)
    chosen = [spread[start :: BOARDS - 1] for start in range(BOARDS - 1)]
    boards = []
    for number, cells in enumerate([*chosen, _from_the_middle(template)[:on_board]]):
        # Classes alternate, shifted from board to board, so that no class stays in one part of the board.
        dealt = [(cell, letters[(place + number) % len(letters)]) for place, cell in enumerate(cells)]
        boards.append(tuple(Piece((cell,), letter) for cell, letter in sorted(dealt)))
    return boards


def _owned(game: AnyGame) -> collections.Counter[str]:
    """Pieces of each class that a game of OPENING_PLIES plies has on the board at most: players own at least these."""
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
    """Tiles that can be laid first, as pairs of letters; empty in games whose pieces cover one cell."""
    start = game.initial()
    found = set()
    for move in game.legal_moves(start):
        steps = game.steps(start, move)
        if len(steps) == 2 and all(step.kind == "place" for step in steps):
            found.add("".join(sorted(step.piece for step in steps)))
    return sorted(found)


def _tile_boards(tiles: Sequence[str], template: BoardTemplate) -> list[tuple[Piece, ...]]:
    """Boards of tiles in all four directions that show every class about equally often, no tile twice."""
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
    """Pairs of neighbouring cells, alternately across and down: far apart, or near the middle on the last board."""
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
    distances = np.linalg.norm(template.cells_mm - template.cells_mm[cell], axis=1)
    distances[cell] = np.inf
    return [int(other) for other in np.flatnonzero(distances <= NEIGHBOURS * distances.min())]


def _from_the_middle(template: BoardTemplate) -> list[int]:
    distances = np.linalg.norm(template.cells_mm - template.cells_mm.mean(axis=0), axis=1)
    return [int(cell) for cell in np.argsort(np.round(distances, 3), kind="stable")]


def _spread(template: BoardTemplate, count: int, first: int = 0) -> list[int]:
    """`count` cells: starts with `first` and always adds the cell farthest from all chosen so far."""
    places = template.cells_mm
    chosen = [first]
    nearest = np.linalg.norm(places - places[first], axis=1)
    while len(chosen) < min(count, len(places)):
        farthest = int(np.argmax(np.round(nearest, 3)))
        chosen.append(farthest)
        nearest = np.minimum(nearest, np.linalg.norm(places - places[farthest], axis=1))
    return chosen
