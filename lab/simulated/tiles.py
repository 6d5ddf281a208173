"""Domino tiles: two halves laid together. A class letter that is a digit is half a tile with that many pips."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.template import BoardTemplate
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


def random_tiles(template: BoardTemplate, rng: np.random.Generator) -> str:
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


def _one_of(cells: Sequence[int], rng: np.random.Generator) -> int:
    """A random one of the cells; -1 if there is none."""
    return cells[int(rng.integers(0, len(cells)))] if cells else -1
