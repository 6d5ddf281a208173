"""Pieces on the simulated board: domino tiles, and men and tiles that a hand takes and puts down."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.arrays import FloatArray, Rng
from lab.simulated.men import Man, Pawn
from lab.simulated.style import Style
from rules import EMPTY, Step

BESIDE = 1.3
"""Greatest distance between the middles of neighbouring cells, in halves of a tile."""
MAX_TRIES = 90
"""Most tiles on a random board; fewer if there is no room."""
RAMBLING = 4.0
"""How many ends back, on average, a random board is continued; fewer make longer lines."""
CROWDING = 0.3
"""Factor on a place's probability for every other end that it touches; low, so that lines stay lines."""
EQUAL = 0.85
"""Share of a random board's tiles that show the number of the end at which they lie."""


@dataclasses.dataclass(frozen=True)
class Tile:
    letters: str
    """Letters of the first and the second half; one letter for half a tile by itself."""
    cells: tuple[int, ...]
    """Cells, ascending, on which the halves lie or are about to."""
    x_mm: float
    """The tile's middle."""
    y_mm: float
    turn: float = 0.0
    """Radians from the x axis to the direction from the first half to the second."""
    lift_mm: float = 0.0
    """Height of its foot above the board."""


def has_tiles(template: BoardTemplate) -> bool:
    return template.letters[1:].isdigit()


def neighbours(template: BoardTemplate) -> list[list[int]]:
    """For each cell, the cells, ascending, on which the other half of a tile can lie."""
    apart = np.linalg.norm(template.cells_mm[:, None] - template.cells_mm, axis=2)
    beside = (apart > 0) & (apart <= BESIDE * template.man_diameter_mm)
    return [[int(other) for other in np.flatnonzero(row)] for row in beside]


def handfuls(template: BoardTemplate, steps: Sequence[Step]) -> Iterator[tuple[Step, ...]]:
    """Yields the steps of a move, grouped as a hand does them at once: both halves of a tile."""
    left = list(steps)
    while left:
        first = left.pop(0)
        if left and _are_halves(template, first, left[0]):
            yield first, left.pop(0)
        else:
            yield (first,)


def _are_halves(template: BoardTemplate, one: Step, other: Step) -> bool:
    placed = one.kind == other.kind == "place" and (one.piece + other.piece).isdigit()
    return placed and other.cell in neighbours(template)[one.cell]


def pair_cells(template: BoardTemplate, board: str) -> list[tuple[int, ...]]:
    """Cells of each tile of a board, ascending; halves without a partner by themselves.

    Makes as many pairs as possible: a board alone does not always show which halves were laid together.
    """
    partner: dict[int, int] = {}
    taken = [cell for cell, letter in enumerate(board) if letter != EMPTY]
    near = [[other for other in others if board[other] != EMPTY] for others in neighbours(template)]
    for cell in taken:
        if cell not in partner:
            _augment(cell, near, partner, set())
    pairs: list[tuple[int, ...]] = [(one, other) for one, other in partner.items() if one < other]
    return sorted([*pairs, *((cell,) for cell in taken if cell not in partner)])


def _augment(cell: int, near: Sequence[Sequence[int]], partner: dict[int, int], tried: set[int]) -> bool:
    """Finds a partner for a cell; others change theirs if necessary. Neighbouring cells form no triangles."""
    for other in near[cell]:
        if other in tried:
            continue
        tried.add(other)
        if other not in partner or _augment(partner[other], near, partner, tried):
            partner[cell], partner[other] = other, cell
            return True
    return False


def random_tiles(template: BoardTemplate, rng: Rng) -> str:
    """A random board of tiles laid end to end or side by side, mostly at equal numbers; sometimes empty."""
    board, cells = [EMPTY] * len(template.cell_names), len(template.cell_names)
    near = neighbours(template)
    letters = template.letters[1:]
    ends: list[int] = []
    for _ in range(int(rng.integers(0, MAX_TRIES + 1))):
        end = ends[-1 - min(int(rng.exponential(RAMBLING)), len(ends) - 1)] if ends else -1
        free = near[end] if ends else [int(rng.integers(0, cells))]
        first = _one_of([cell for cell in free if board[cell] == EMPTY], rng)
        second = _one_of([cell for cell in near[first] if board[cell] == EMPTY], rng) if first >= 0 else -1
        touched = [cell for half in (first, second) for cell in near[half] if board[cell] != EMPTY and cell != end]
        if second >= 0 and rng.random() < CROWDING ** len(touched):
            letter, other = (letters[int(number)] for number in rng.integers(0, len(letters), 2))
            board[first] = board[end] if ends and rng.random() < EQUAL else letter
            board[second] = other
            ends += [first, second]
    return "".join(board)


def _one_of(cells: Sequence[int], rng: Rng) -> int:
    """A random one of the cells; -1 if there is none."""
    return cells[int(rng.integers(0, len(cells)))] if cells else -1


Piece = Man | Tile
WORST_PLACEMENT_MM = 3.0
PAWN_MM = 1.2
"""Millimetres, standard deviation of a pawn's place on its space."""
BESIDE_MM = 5.0
"""Millimetres of shift, along x and y, of a pawn whose space already holds another."""


class PlacedPieces:
    def __init__(self, template: BoardTemplate, board: str, style: Style, rng: Rng, *, pawns: bool = True) -> None:
        self._template, self._style, self._rng = template, style, rng
        self._on: dict[int, Piece] = {}
        self.pawns: dict[str, Pawn] = {}
        """The pawns by the template's names for them."""
        self.spaces: dict[str, int] = {}
        """The space of each pawn: 0 is the start, then the spaces of the track."""
        self.beside: tuple[Man, ...] = ()
        """Men on the table beside the board, such as captured ones; in board coordinates."""
        taken = [(cell,) for cell, letter in enumerate(board) if letter != EMPTY]
        for cells in pair_cells(template, board) if has_tiles(template) else taken:
            self.put(cells, "".join(board[cell] for cell in cells))
        for name in template.source.get("pawns", {}) if pawns else ():
            self.put_pawn(name, 0)

    @property
    def board(self) -> str:
        letters = [EMPTY] * len(self._template.cell_names)
        for cell, piece in self._on.items():
            letters[cell] = piece.letters[piece.cells.index(cell)] if isinstance(piece, Tile) else piece.letter
        return "".join(letters)

    @property
    def tiles(self) -> tuple[Tile, ...]:
        return tuple(piece for piece in self.pieces if isinstance(piece, Tile))

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All pieces, ordered by their first cell, the pawns and those beside the board last."""
        return (*dict.fromkeys(self._on[cell] for cell in sorted(self._on)), *self.pawns.values(), *self.beside)

    def put(self, cells: tuple[int, ...], letters: str) -> None:
        offset = self._rng.normal(0, self._style.placement_mm, 2)
        offset *= min(1.0, WORST_PLACEMENT_MM / max(float(np.linalg.norm(offset)), 1e-9))
        if has_tiles(self._template):
            x, y = self._template.cells_mm[list(cells)].mean(axis=0) + self._style.tiles.stray * offset
            turn = self.turn_of(cells) + np.radians(self._rng.normal(0, self._style.tiles.turn_deg))
            tile = Tile(letters, cells, float(x), float(y), float(turn))
            self._on |= dict.fromkeys(cells, tile)
        else:
            x, y = self._template.cells_mm[cells[0]] + offset
            self._on[cells[0]] = Man(letters, float(x), float(y), float(self._rng.uniform(0, 2 * np.pi)))

    def turn_of(self, cells: tuple[int, ...]) -> float:
        """Radians from the x axis to the direction from the first cell to the last."""
        way = self._template.cells_mm[cells[-1]] - self._template.cells_mm[cells[0]]
        return float(np.arctan2(way[1], way[0]))

    def take(self, cell: int) -> Piece | None:
        """Picks up the piece on a cell; None where there is none."""
        piece = self._on.get(cell)
        for each in [each for each, one in self._on.items() if one is piece]:
            del self._on[each]
        return piece

    def nudge(self, cell: int, dx_mm: float, dy_mm: float) -> None:
        """Shifts the piece on a cell. Raises ValueError where there is none."""
        piece = self._on.get(cell)
        if piece is None:
            raise ValueError(f"there is no man on {self._template.cell_names[cell]}")
        moved = dataclasses.replace(piece, x_mm=piece.x_mm + dx_mm, y_mm=piece.y_mm + dy_mm)
        self._on |= {each: moved for each, one in self._on.items() if one is piece}

    def place_mm(self, cells: tuple[int, ...]) -> FloatArray:
        """(2,) the middle of some cells, or of the piece on the first."""
        piece = self._on.get(cells[0])
        if piece is not None:
            return np.array([piece.x_mm, piece.y_mm])
        return np.asarray(self._template.cells_mm[list(cells)].mean(axis=0), dtype=np.float64)

    def space_mm(self, name: str, space: int) -> FloatArray:
        """(2,) the place for a pawn on a space; beside another that is already there."""
        if space <= 0 or not len(self._template.track_mm):
            return np.array(self._template.source["pawns"][name], dtype=np.float64)
        middle: FloatArray = self._template.track_mm[min(space, len(self._template.track_mm)) - 1]
        shared = any(other != name and there == space for other, there in self.spaces.items())
        return middle + (BESIDE_MM if shared else 0.0) * np.array([1.0, -1.0])

    def put_pawn(self, name: str, space: int) -> None:
        x, y = self.space_mm(name, space) + np.clip(self._rng.normal(0, PAWN_MM, 2), -2 * PAWN_MM, 2 * PAWN_MM)
        self.spaces[name] = space
        self.pawns[name] = Pawn(name, float(x), float(y), float(self._rng.uniform(0, 2 * np.pi)))
