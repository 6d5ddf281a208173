"""The board of cờ gánh: 25 points of a 5x5 grid, joined along its rows, its columns and six diagonals.

Points are indices into `CELLS`, row by row from Up's side; sets of points are bit sets.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.turns import cells_of

WIDTH = 5
CELLS = tuple(f"{column}{row}" for row in "54321" for column in "abcde")
FULL = (1 << len(CELLS)) - 1
AXES = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Row and column steps to the next point; the two diagonals exist only where row plus column is even."""


def _beside(cell: int, rows: int, columns: int) -> int | None:
    """The point that many rows and columns away; None off the board, or where no diagonal is drawn."""
    row, column = divmod(cell, WIDTH)
    drawn = not (rows and columns) or (row + column) % 2 == 0
    inside = 0 <= row + rows < WIDTH and 0 <= column + columns < WIDTH
    return (row + rows) * WIDTH + column + columns if drawn and inside else None


def _pairs_at(cell: int) -> tuple[int, ...]:
    """Bit sets of the two opposite neighbours, one per line on which the point has both."""
    found = ((_beside(cell, *axis), _beside(cell, -axis[0], -axis[1])) for axis in AXES)
    return tuple(1 << one | 1 << other for one, other in found if one is not None and other is not None)


def _joined_to(cell: int) -> int:
    near = (_beside(cell, sign * rows, sign * columns) for rows, columns in AXES for sign in (1, -1))
    return sum(1 << other for other in near if other is not None)


def _jumps_from(cell: int) -> dict[int, int]:
    """Landing point of each jump from the point, with the point leapt over."""
    found: dict[int, int] = {}
    for rows, columns in ((sign * axis[0], sign * axis[1]) for axis in AXES for sign in (1, -1)):
        over = _beside(cell, rows, columns)
        to = None if over is None else _beside(over, rows, columns)
        if over is not None and to is not None:
            found[to] = over
    return found


NEIGHBOURS = tuple(_joined_to(cell) for cell in range(len(CELLS)))
"""The points joined to each point."""
PAIRS = tuple(_pairs_at(cell) for cell in range(len(CELLS)))
"""For each point, bit sets of the neighbour pairs between which it lies on a drawn line."""
JUMPS = tuple(_jumps_from(cell) for cell in range(len(CELLS)))
"""For each point, landing points by jump along drawn lines, with the point leapt over."""
LEAPS = tuple(tuple((1 << to, 1 << over) for to, over in jumps.items()) for jumps in JUMPS)
"""The jumps as pairs of bit sets: landing point, point leapt over."""


def bits_of(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def flanked(cell: int, men: int) -> int:
    """The men that stand in pairs on either side of the point on a line, all such pairs together."""
    found = 0
    for pair in PAIRS[cell]:
        found |= pair if pair & men == pair else 0
    return found


def surrounded(men: int, others: int) -> int:
    """The men in connected groups that have no empty neighbouring point."""
    empty, found, left = FULL & ~(men | others), 0, men
    while left:
        group, reach = 0, left & -left
        while reach & ~group:
            group |= reach
            reach = neighbours_of(group) & men
        left &= ~group
        found |= 0 if neighbours_of(group) & empty else group
    return found


def neighbours_of(men: int) -> int:
    found = 0
    for cell in cells_of(men):
        found |= NEIGHBOURS[cell]
    return found
