"""The go board as bit sets: points, chains and their liberties. Bit `row * size + column` is a point, row 0 on top."""

from __future__ import annotations

import functools
from typing import NamedTuple

from rules.turns import cells_of

COLUMNS = "ABCDEFGHJKLMNOPQRST"
"""Letters of the columns, without I, as go players and GTP have them."""

Stones = tuple[int, int]
"""Black's and white's stones, as bit sets."""


class Chain(NamedTuple):
    """Stones of one colour that are joined along the lines, and the empty points beside them, as bit sets."""

    stones: int
    liberties: int


class Chains(NamedTuple):
    """What laying a stone does, for both colours."""

    breathing: tuple[int, int]
    """Points where a stone of the colour joins a chain that keeps another liberty, as bit sets."""
    taken: tuple[dict[int, int], dict[int, int]]
    """Stones of the *other* colour that a stone of the colour would capture, by its point."""


class Board:
    """The geometry of a board with `size` lines each way. Use `board()`, which creates each size once."""

    def __init__(self, size: int) -> None:
        self.size = size
        letters = COLUMNS[:size]
        self.cells = tuple(f"{letter}{number}" for number in range(size, 0, -1) for letter in letters)
        """Names row by row from the top: A9 to J9, then A8."""
        self.index = {name: cell for cell, name in enumerate(self.cells)}
        """Cell index by name."""
        self.full = (1 << size * size) - 1
        """Bit set of all points."""
        self._left = sum(1 << row * size for row in range(size))
        self._not_left, self._not_right = self.full & ~self._left, self.full & ~(self._left << size - 1)
        self.near_cell = tuple(self.near(1 << cell) for cell in range(size * size))
        """The points beside each point, as bit sets."""
        self.corners = tuple(self._corners(cell) for cell in range(size * size))
        """The points diagonally beside each point, as bit sets."""
        self.chains = functools.lru_cache(maxsize=4096)(self._chains)
        """What laying a stone does, by the stones on the board."""

    def _corners(self, cell: int) -> int:
        row, column = divmod(cell, self.size)
        there = [(row + down, column + right) for down in (-1, 1) for right in (-1, 1)]
        return sum(1 << y * self.size + x for y, x in there if 0 <= x < self.size and 0 <= y < self.size)

    def near(self, points: int) -> int:
        """The points beside any of these, with those of them that are beside others."""
        along = (points & self._not_right) << 1 | (points & self._not_left) >> 1
        return (along | points << self.size | points >> self.size) & self.full

    def joined(self, start: int, within: int) -> int:
        """`start` and all points that lead to it along the lines through points of `within`."""
        reached = start
        while (more := reached | self.near(reached) & within) != reached:
            reached = more
        return reached

    def regions(self, points: int) -> list[int]:
        """The points, divided into those that are joined along the lines."""
        found = []
        while points:
            region = self.joined(points & -points, points)
            found.append(region)
            points ^= region
        return found

    def chain(self, cell: int, stones: Stones) -> Chain:
        own = stones[0] if stones[0] >> cell & 1 else stones[1]
        joined = self.joined(1 << cell, own)
        return Chain(joined, self.near(joined) & ~(stones[0] | stones[1]))

    def _chains(self, stones: Stones) -> Chains:
        empty = self.full & ~(stones[0] | stones[1])
        breathing: list[int] = []
        taken: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for colour in (0, 1):
            there = 0
            for joined in self.regions(stones[colour]):
                liberties = self.near(joined) & empty
                if liberties & liberties - 1:
                    there |= liberties
                elif liberties:
                    cell = liberties.bit_length() - 1
                    taken[1 - colour][cell] = taken[1 - colour].get(cell, 0) | joined
            breathing.append(there)
        return Chains((breathing[0], breathing[1]), taken)

    def breathless(self, stones: Stones) -> int:
        """Stones of chains without a liberty, which cannot stand on the board, as a bit set."""
        empty = self.full & ~(stones[0] | stones[1])
        chains = [joined for own in stones for joined in self.regions(own)]
        return sum(joined for joined in chains if not self.near(joined) & empty)

    def names(self, points: int) -> list[str]:
        return [self.cells[cell] for cell in cells_of(points)]

    def handicap(self, stones: int) -> int:
        """The star points of a fixed handicap in the order of the Go Text Protocol, as a bit set."""
        near = 2 if self.size < 13 else 3
        far, middle = self.size - 1 - near, self.size // 2
        corners = [(far, near), (near, far), (near, near), (far, far)]
        sides = [(middle, near), (middle, far), (far, middle), (near, middle)]
        places = [*corners, *sides][: stones - (stones in (5, 7, 9))]
        places += [(middle, middle)] if stones in (5, 7, 9) else []
        return sum(1 << row * self.size + column for row, column in places)


@functools.cache
def board(size: int) -> Board:
    return Board(size)
