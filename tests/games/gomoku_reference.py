"""A second, slow implementation of renju's fouls, from the federation's definitions, on sets of points."""

from __future__ import annotations

from collections.abc import Iterator

Point = tuple[int, int]
"""Row and column, from 0."""
Stones = frozenset[Point]
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Referee:
    """Judges black's stones on one board."""

    def __init__(self, black: Stones, white: Stones, size: int) -> None:
        self.black, self.white, self.size = black, white, size

    def with_stone(self, point: Point) -> Referee:
        return Referee(self.black | {point}, self.white, self.size)

    def is_empty(self, point: Point) -> bool:
        inside = all(0 <= coordinate < self.size for coordinate in point)
        return inside and point not in self.black and point not in self.white

    def unbroken(self, point: Point, direction: Point) -> Stones:
        """The unbroken row of black stones that includes the point."""
        found = {point}
        for sign in (1, -1):
            row, column = point
            while (row := row + sign * direction[0], column := column + sign * direction[1]) in self.black:
                found.add((row, column))
        return frozenset(found)

    def line(self, point: Point, direction: Point) -> Iterator[Point]:
        """The empty points on the line at most five steps away."""
        for steps in range(-5, 6):
            other = point[0] + steps * direction[0], point[1] + steps * direction[1]
            if self.is_empty(other):
                yield other

    def makes_five(self, point: Point) -> bool:
        after = self.with_stone(point)
        return any(len(after.unbroken(point, direction)) == 5 for direction in DIRECTIONS)

    def fours(self, stone: Point) -> set[Stones]:
        """All sets of four black stones, including this one, that one more stone on the line makes exactly five."""
        found = set()
        for direction in DIRECTIONS:
            for other in self.line(stone, direction):
                five = self.with_stone(other).unbroken(other, direction)
                if len(five) == 5 and stone in five:
                    found.add(five - {other})
        return found

    def is_straight_four(self, stone: Point, direction: Point) -> bool:
        """Whether the stone's unbroken row has four stones, and two points make it exactly five."""
        row = self.unbroken(stone, direction)
        if len(row) != 4:
            return False
        fives = [self.with_stone(other).unbroken(other, direction) for other in self.line(stone, direction)]
        return sum(len(five) == 5 and row < five for five in fives) == 2

    def has_three(self, stone: Point, direction: Point) -> bool:
        """Whether the stone is part of a three on that line that black may turn into a straight four."""
        for other in self.line(stone, direction):
            after = self.with_stone(other)
            made = after.is_straight_four(other, direction) and stone in after.unbroken(other, direction)
            if made and not self.makes_five(other) and not self.foul(other):
                return True
        return False

    def foul(self, point: Point) -> str:
        """The code of the foul that a black stone on an empty point would be; empty if it is none."""
        if self.makes_five(point):
            return ""
        after = self.with_stone(point)
        if any(len(after.unbroken(point, direction)) > 5 for direction in DIRECTIONS):
            return "overline"
        if len(after.fours(point)) > 1:
            return "double_four"
        if sum(after.has_three(point, direction) for direction in DIRECTIONS) > 1:
            return "double_three"
        return ""
