"""The gomoku board as bit sets: points, lines and fives. Bit `row * size + column` is a point, row 0 on top."""

from __future__ import annotations

import functools
import string

from rules.turns import cells_of

FIVE = 5
"""Stones in a row that win."""
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Row and column steps to the next point along a row, a column and both diagonals."""


class Board:
    """The geometry of a board with `size` lines each way. Use `board()`, which creates each size once."""

    def __init__(self, size: int) -> None:
        self.size = size
        letters = string.ascii_lowercase[:size]
        self.cells = tuple(f"{letter}{number}" for number in range(size, 0, -1) for letter in letters)
        """Names row by row from the top: a15 to o15, then a14."""
        self.index = {name: cell for cell, name in enumerate(self.cells)}
        """Cell index by name."""
        self.full = (1 << size * size) - 1
        """Bit set of all points."""
        self._shifts = tuple(down * size + right for down, right in STEPS)
        self._first = tuple(self._starts(step, FIVE) for step in STEPS)
        self._followed = tuple(self._starts(step, FIVE + 1) for step in STEPS)
        self._preceded = tuple(
            sum(1 << cell for cell in range(size * size) if self._has(cell, step, -1)) for step in STEPS
        )

    def _has(self, cell: int, step: tuple[int, int], count: int) -> bool:
        """Whether the point `count` steps away is on the board."""
        row, column = divmod(cell, self.size)
        return 0 <= row + count * step[0] < self.size and 0 <= column + count * step[1] < self.size

    def _starts(self, step: tuple[int, int], length: int) -> int:
        """The points from which a run of that length fits on the board, as a bit set."""
        return sum(1 << cell for cell in range(self.size**2) if self._has(cell, step, length - 1))

    def has_five(self, stones: int, exactly: bool = False) -> bool:
        """Whether the stones contain five or more in a row; with `exactly`, a row of exactly five."""
        for direction, shift in enumerate(self._shifts):
            pairs = stones & stones >> shift
            fives = pairs & pairs >> 2 * shift & stones >> 4 * shift & self._first[direction]
            if fives and exactly:
                fives &= ~(stones >> FIVE * shift & self._followed[direction])
                fives &= ~(stones << shift & self._preceded[direction])
            if fives:
                return True
        return False

    def five(self, stones: int, exactly: bool = False, others: int = 0) -> tuple[int, ...]:
        """The cells of the first winning row found, from one end to the other; empty if there is none.

        With `others` not exactly five stones between two of theirs.
        """
        for direction, (step, shift) in enumerate(zip(STEPS, self._shifts, strict=True)):
            for start in cells_of(stones & self._first[direction]):
                run = tuple(start + count * shift for count in range(FIVE))
                if not all(stones >> cell & 1 for cell in run):
                    continue
                ends = [start + place * shift for place in (-1, FIVE) if self._has(start, step, place)]
                longer = any(stones >> end & 1 for end in ends)
                if not (longer and exactly) and sum(others >> end & 1 for end in ends) < 2:
                    return run
        return ()

    def crowded(self, stones: int) -> int:
        """Points with two of the stones within four steps on each of two lines, or four of them on one line.

        Only there can one more stone make two threes, two fours, or six in a row.
        """
        two_in_one = crowded = 0
        for near in self._near:
            counts = [0, 0, 0, 0]
            for shift, there in near:
                moved = (stones << shift if shift > 0 else stones >> -shift) & there
                for least in (3, 2, 1):
                    counts[least] |= counts[least - 1] & moved
                counts[0] |= moved
            crowded |= counts[3] | two_in_one & counts[1]
            two_in_one |= counts[1]
        return crowded

    @functools.cached_property
    def _near(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each of STEPS: bit shifts by one to four steps either way, each with the points that it can reach."""
        points = range(self.size**2)
        return tuple(
            tuple(
                (shift * count, sum(1 << cell for cell in points if self._has(cell, step, -count)))
                for count in range(1 - FIVE, FIVE)
                if count
            )
            for step, shift in zip(STEPS, self._shifts, strict=True)
        )

    @functools.cached_property
    def rays(self) -> tuple[tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], ...]:
        """For each cell and each of STEPS: the cells of its line behind and ahead of it, nearest first."""
        return tuple(
            tuple((self._ray(cell, step, -1), self._ray(cell, step, 1)) for step in STEPS)
            for cell in range(self.size**2)
        )

    def _ray(self, cell: int, step: tuple[int, int], sign: int) -> tuple[int, ...]:
        shift = sign * (step[0] * self.size + step[1])
        found: list[int] = []
        while self._has(cell + shift * len(found), step, sign):
            found.append(cell + shift * (len(found) + 1))
        return tuple(found)


@functools.cache
def board(size: int) -> Board:
    return Board(size)
