"""Reasons in gomoku: fives, fours and open threes, made and blocked, as the rules of the game count them."""

from __future__ import annotations

from typing import Any

from rules import AnyGame

REACH = 4
"""Cells along a line within which two stones can belong to one five."""
WAYS = ((1, 0), (0, 1), (1, 1), (1, -1))


def of(game: AnyGame, position: Any, move: Any) -> list[str]:
    """The reasons for a stone, the weightiest first; none for a stone or a choice of the opening."""
    steps = game.steps(position, move)
    if not steps or position.stage != "play":
        return []
    line = Lines(game, position)
    cell, colour = steps[0].cell, line.colour
    if line.wins(colour, cell):
        return ["five"]
    stopped = {"blocks_five"} if line.wins(1 - colour, cell) else set()
    if not stopped and line.makes_open_four(1 - colour, cell):
        stopped.add("blocks_four")
    near = line.near(cell)
    had_fives = {other for other in near if line.wins(colour, other)}
    had_fours = {other for other in near if line.makes_open_four(colour, other)}
    line.lay(colour, cell)
    fives = [other for other in near if other not in had_fives and line.wins(colour, other)]
    found = ["open_four"] if len(fives) > 1 else ["four"] if fives else []
    found += sorted(stopped)
    if not fives and any(line.makes_open_four(colour, other) for other in near if other not in had_fours):
        found.append("open_three")
    return found


class Lines:
    """Stones on a board, tried out; fouls of renju do not count."""

    def __init__(self, game: AnyGame, position: Any) -> None:
        self._size, self._geometry = round(len(game.cells) ** 0.5), game.geometry  # type: ignore[attr-defined]
        self.colour: int = game.colour(position)  # type: ignore[attr-defined]
        self._stones = list(position.stones)
        rules = game.rules
        self._exactly = (rules.exact_five or rules.renju, rules.exact_five)
        self._caro = rules.caro

    def lay(self, colour: int, cell: int) -> None:
        self._stones[colour] |= 1 << cell

    def wins(self, colour: int, cell: int) -> bool:
        """Whether a stone there makes five."""
        if (self._stones[0] | self._stones[1]) >> cell & 1:
            return False
        stones, exactly = self._stones[colour] | 1 << cell, self._exactly[colour]
        if self._caro:
            return bool(self._geometry.five(stones, exactly, self._stones[1 - colour]))
        return bool(self._geometry.has_five(stones, exactly))

    def makes_open_four(self, colour: int, cell: int) -> bool:
        """Whether a stone there gives two ways to make five."""
        if (self._stones[0] | self._stones[1]) >> cell & 1:
            return False
        self._stones[colour] ^= 1 << cell
        ways = sum(self.wins(colour, other) for other in self.near(cell))
        self._stones[colour] ^= 1 << cell
        return ways > 1

    def near(self, cell: int) -> list[int]:
        """The other cells on the four lines through a cell within reach of it."""
        size, (row, column) = self._size, divmod(cell, self._size)
        far = [step for step in range(-REACH, REACH + 1) if step]
        places = [(row + down * step, column + right * step) for down, right in WAYS for step in far]
        return [one * size + two for one, two in places if 0 <= one < size and 0 <= two < size]
