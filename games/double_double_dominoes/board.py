"""The board of Double Double Dominoes: cells, diamonds, track, tiles, and where one more tile fits."""

from __future__ import annotations

import functools
from typing import NamedTuple

from rules import EMPTY
from wording import Given, Sentence, sentence

ROWS = 15
CELLS = tuple(f"{row}{column}" for row in range(1, ROWS + 1) for column in "ABCDEFGHIJKLMNO")
STAR = CELLS.index("8H")
"""The cell that the first tile covers."""
_UPPER_ROWS = (
    "500400030004005 003004000400300 030020000020030 400302000203004 "
    "002010101010200 040201000102040 000010000010000 300000000000003"
).split()
DIAMONDS = tuple(int(points) for row in (*_UPPER_ROWS, *_UPPER_ROWS[-2::-1]) for points in row)
"""Points of the diamond on each cell, 0 where there is none."""
TRACK = tuple(
    int(value)
    for value in "1234560253462203541624550634201513444506354132001123635210665212503350614063514262316562040164416630"
)
"""Values of the spaces 1 to 100 around the edge; space 0 is the start and has no value."""
PIPS = 7
"""Number of pip values: an end shows 0 to 6."""
EACH = 2
"""Copies of each tile in the set."""

Tile = tuple[int, int]
"""Pips of both ends, low first."""
TILES: tuple[Tile, ...] = tuple((low, high) for low in range(PIPS) for high in range(low, PIPS))
NUMBER_OF = {pips: index for index, (a, b) in enumerate(TILES) for pips in ((a, b), (b, a))}
"""Index into TILES, by the pips in either order."""


class Lay(NamedTuple):
    cells: tuple[int, int]
    """Ascending indices into CELLS."""
    pips: tuple[int, int]
    """Pips on each of the cells."""

    @property
    def tile(self) -> Tile:
        """The tile, regardless of direction."""
        return (min(self.pips), max(self.pips))

    @property
    def is_double(self) -> bool:
        return self.pips[0] == self.pips[1]

    @property
    def text(self) -> str:
        """The lay as text, such as `8H6-8I1`."""
        return "-".join(f"{CELLS[cell]}{pip}" for cell, pip in zip(self.cells, self.pips, strict=True))


def _neighbours(cell: int) -> tuple[int, ...]:
    row, column = divmod(cell, ROWS)
    beside = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return tuple(ROWS * r + c for r, c in beside if 0 <= r < ROWS and 0 <= c < ROWS)


NEIGHBOURS = tuple(_neighbours(cell) for cell in range(len(CELLS)))
"""The cells beside each cell, ascending."""

FREE, BLOCKED = -1, -2
Slot = tuple[tuple[int, int], int, int]
"""Two empty cells that may take a tile, and the pips that each requires; FREE requires none."""


@functools.lru_cache(maxsize=1024)
def slots(board: str, joined_to: Lay | None) -> tuple[Slot, ...]:
    """Every place for one more tile, sorted by cells; with `joined_to`, only those beside that tile.

    Results for recent boards are cached: callers ask many times for a position's moves and end. About 0.1 ms for a new
    board of twenty tiles.
    """
    if board.count(EMPTY) == len(board):
        pairs = [(min(STAR, cell), max(STAR, cell)) for cell in NEIGHBOURS[STAR]]
        return tuple((pair, FREE, FREE) for pair in pairs)
    around = [cell for cell, letter in enumerate(board) if letter != EMPTY] if joined_to is None else joined_to.cells
    asked: dict[int, int] = {}
    found: dict[tuple[int, int], Slot] = {}
    for cell in {beside for laid in around for beside in NEIGHBOURS[laid] if board[beside] == EMPTY}:
        pip = asked[cell] = asked[cell] if cell in asked else asks_for(board, cell)
        if pip == BLOCKED:
            continue
        for other in NEIGHBOURS[cell]:
            if board[other] != EMPTY:
                continue
            free = asked[other] = asked[other] if other in asked else asks_for(board, other)
            if free != BLOCKED:
                pair = (cell, other) if cell < other else (other, cell)
                found[pair] = (pair, pip, free) if cell < other else (pair, free, pip)
    return tuple(found[pair] for pair in sorted(found))


def asks_for(board: str, cell: int) -> int:
    """The pips that an end on an empty cell must show; FREE beside no tile, BLOCKED beside two."""
    touched = [board[beside] for beside in NEIGHBOURS[cell] if board[beside] != EMPTY]
    # Two neighbours of the same cell are never adjacent to each other, so they belong to two tiles.
    return FREE if not touched else int(touched[0]) if len(touched) == 1 else BLOCKED


@functools.lru_cache(maxsize=2 * ROWS * (ROWS - 1))
def lays_on(cells: tuple[int, int]) -> tuple[Lay, ...]:
    """Every lay on two cells; the one with pips (a, b) is at index 7 a + b."""
    return tuple(Lay(cells, (a, b)) for a in range(PIPS) for b in range(PIPS))


class Breach(NamedTuple):
    """The rule that a tile on two empty cells breaks."""

    rule: str
    said: Sentence
    """What is wrong, without a full stop."""

    @property
    def text(self) -> str:
        return str(self.said)


def breach(board: str, lay: Lay) -> Breach | None:
    """Why the tile may not lie on these otherwise empty cells; None where it may."""
    here = [CELLS[cell] for cell in lay.cells]
    if board.count(EMPTY) == len(board):
        if STAR in lay.cells:
            return None
        return Breach("not_on_star", sentence("the first tile covers the star on 8H, not {cells}", cells=here))
    touched = [[beside for beside in NEIGHBOURS[cell] if board[beside] != EMPTY] for cell in lay.cells]
    if not any(touched):
        return Breach("touches_nothing", sentence("the tile on {cells} touches no other tile", cells=here))
    for cell, pip, besides in zip(lay.cells, lay.pips, touched, strict=True):
        for beside in besides:
            if board[beside] != str(pip):
                what: dict[str, Given] = {
                    "pips": pip,
                    "cell": CELLS[cell],
                    "others": board[beside],
                    "other": CELLS[beside],
                }
                return Breach(
                    "pips_differ",
                    sentence(
                        "the {pips} on {cell} lies beside the {others} on {other}, and ends that touch must be equal",
                        **what,
                    ),
                )
    for cell, besides in zip(lay.cells, touched, strict=True):
        if len(besides) > 1:
            names = [CELLS[beside] for beside in besides]
            said = sentence("the end on {cell} touches two tiles, on {cells}", cell=CELLS[cell], cells=names)
            return Breach("touches_two_tiles", said)
    return None
