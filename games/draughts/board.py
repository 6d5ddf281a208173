"""The boards of draughts: dark squares numbered from the top, light's men at the bottom, and the diagonals."""

from __future__ import annotations

import dataclasses
import functools

UP_LEFT, UP_RIGHT, DOWN_LEFT, DOWN_RIGHT = DIRECTIONS = range(4)
"""Directions as seen with square 1 at the top: light's men go up, dark's go down."""
FORWARD = ((UP_LEFT, UP_RIGHT), (DOWN_LEFT, DOWN_RIGHT))
"""The directions in which each side's men go."""
STEPS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
"""Rows and columns to the next square in each direction."""
EMPTY_ROWS = 2
"""Rows between the men at the start."""


@dataclasses.dataclass(frozen=True)
class Board:
    """A board and what its size alone decides; squares are indices from 0, and bit sets have a bit for each."""

    size: int
    """Squares of all colours in a row."""
    cells: tuple[str, ...]
    """Names of the squares, `1` to `32` or `50`."""
    full: int
    """All squares, as a bit set."""
    next: tuple[tuple[int, ...], ...]
    """By direction and square, the next square on the diagonal; -1 beyond the edge."""
    rays: tuple[tuple[tuple[int, ...], ...], ...]
    """By direction and square, all squares on the diagonal up to the edge."""
    crowning: tuple[int, int]
    """The row where each side's men become kings, as a bit set."""
    start: tuple[int, int]
    """Each side's men at the start, as a bit set."""
    _masks: tuple[tuple[tuple[int, int], ...], ...]
    """By direction, the sets of squares from which one shift leads to the next square, with that shift."""

    def lettered(self, square: int) -> str:
        """The square's name by column and row, as in Russia."""
        row, place = divmod(square, self.size // 2)
        return f"{chr(ord('a') + 2 * place + (row + 1) % 2)}{self.size - row}"

    def shifted(self, squares: int, direction: int) -> int:
        """All of the squares moved on by one in a direction; those that would leave the board are gone."""
        moved = 0
        for mask, by in self._masks[direction]:
            moved |= (squares & mask) << by if by > 0 else (squares & mask) >> -by
        return moved


@functools.cache
def board(size: int) -> Board:
    """The board with so many rows; its lower left corner is dark."""
    places = [(row, column) for row in range(size) for column in range(size) if (row + column) % 2]
    index = {place: square for square, place in enumerate(places)}
    following = tuple(
        tuple(index.get((row + down, column + right), -1) for row, column in places) for down, right in STEPS
    )
    rays = tuple(tuple(_ray(following[way], square) for square in range(len(places))) for way in DIRECTIONS)
    masks = []
    for way in DIRECTIONS:
        by_shift: dict[int, int] = {}
        for square, there in enumerate(following[way]):
            if there >= 0:
                by_shift[there - square] = by_shift.get(there - square, 0) | 1 << square
        masks.append(tuple((mask, by) for by, mask in by_shift.items()))
    rows = [sum(1 << index[place] for place in places if place[0] == row) for row in range(size)]
    men = (size - EMPTY_ROWS) // 2
    return Board(
        size,
        tuple(str(number) for number in range(1, len(places) + 1)),
        (1 << len(places)) - 1,
        following,
        rays,
        (rows[0], rows[-1]),
        (sum(rows[-men:]), sum(rows[:men])),
        tuple(masks),
    )


def _ray(following: tuple[int, ...], square: int) -> tuple[int, ...]:
    found = []
    while (square := following[square]) >= 0:
        found.append(square)
    return tuple(found)
