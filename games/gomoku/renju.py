"""Black's fouls in renju: overline, double four and double three, as the International Renju Federation defines them.

A *four* is four stones in a line that one more makes exactly five. A *straight four* is an unbroken four that either of
two points makes exactly five. A *three* is three stones in a line that one more makes a straight four, without making
five at the same time. A stone is a foul if it makes two fours or more, two threes or more, or a row of six or more,
unless it also makes exactly five. A three counts only if that one more stone is itself no foul, judged by the same
rules with the first stone in place, and so on.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from games.gomoku.board import FIVE, Board, board
from rules.turns import cells_of
from wording import sentence

OVERLINE, DOUBLE_FOUR, DOUBLE_THREE = "overline", "double_four", "double_three"
FOULS = {
    OVERLINE: sentence("six or more in a row"),
    DOUBLE_FOUR: sentence("two fours at once"),
    DOUBLE_THREE: sentence("two threes at once"),
}
"""What each foul makes, by its code."""
REACH = 5
"""Points to either side of a stone that affect its fives, fours and threes: one beyond the five."""


class Shape(NamedTuple):
    """What a stone in the middle of `2 * REACH + 1` points of a line makes on that line."""

    run: int
    """Stones in the unbroken row that contains it."""
    fours: int
    """Fours that it belongs to; a straight four is one."""
    straight: tuple[int, ...]
    """Steps (negative behind it) to points where one more stone makes a straight four with it and two others."""


@functools.lru_cache(maxsize=1 << 16)
def shape(line: str) -> Shape:
    """The shape of a line of `X` black, `.` empty and `#` anything else; its middle is an `X`."""
    before = max(line.rfind(".", 0, REACH), line.rfind("#", 0, REACH))
    ends = [end for end in (line.find(".", REACH), line.find("#", REACH)) if end >= 0]
    run = min(ends, default=len(line)) - before - 1
    return Shape(run, len(_fours(line)), _straight(line))


def _fours(line: str) -> set[tuple[int, ...]]:
    """The sets of four stones, the middle one among them, that one more makes exactly five."""
    found = set()
    for start in range(REACH - FIVE + 1, REACH + 1):
        five = line[start : start + FIVE]
        bounded = line[start - 1] != "X" and line[start + FIVE : start + FIVE + 1] != "X"
        if bounded and five.count("X") == FIVE - 1 and five.count(".") == 1:
            found.add(tuple(place for place in range(start, start + FIVE) if line[place] == "X"))
    return found


def _straight(line: str) -> tuple[int, ...]:
    """Where one more stone makes an unbroken four, with the middle one, that both its ends make exactly five."""
    found = []
    for start in range(REACH - FIVE + 2, REACH + 1):
        end = start + FIVE - 1
        four = line[start:end]
        free = line[start - 1] == line[end] == "."
        bounded = line[start - 2 : start - 1] != "X" and line[end + 1 : end + 2] != "X"
        if free and bounded and four.count("X") == FIVE - 2 and four.count(".") == 1:
            found.append(start + four.index(".") - REACH)
    return tuple(found)


def foul(geometry: Board, black: int, white: int, cell: int) -> str:
    """The code of the foul that a black stone makes on an empty cell; empty if it is legal."""
    return _judged(geometry, black, white, cell)[1]


def _judged(geometry: Board, black: int, white: int, cell: int) -> tuple[bool, str]:
    """Whether black makes exactly five there, and the foul's code; a five is never a foul."""
    black |= 1 << cell
    shapes = [shape(line) for line in _lines(geometry, black, white, cell)]
    if any(one.run == FIVE for one in shapes):
        return True, ""
    if any(one.run > FIVE for one in shapes):
        return False, OVERLINE
    if sum(one.fours for one in shapes) > 1:
        return False, DOUBLE_FOUR
    may_be = [(rays, one.straight) for rays, one in zip(geometry.rays[cell], shapes, strict=True) if one.straight]
    if len(may_be) > 1:
        threes = 0
        for (behind, ahead), steps in may_be:
            points = (ahead[step - 1] if step > 0 else behind[-step - 1] for step in steps)
            threes += any(_judged(geometry, black, white, point) == (False, "") for point in points)
        if threes > 1:
            return False, DOUBLE_THREE
    return False, ""


def _lines(geometry: Board, black: int, white: int, cell: int) -> list[str]:
    """The four lines through a cell, REACH points to either side, as `shape` reads them."""
    lines = []
    for behind, ahead in geometry.rays[cell]:
        before, after = ("".join(_letter(black, white, one) for one in ray[:REACH]) for ray in (behind, ahead))
        lines.append(f"{before[::-1]:#>{REACH}}X{after:#<{REACH}}")
    return lines


def _letter(black: int, white: int, cell: int) -> str:
    return "X" if black >> cell & 1 else "#" if white >> cell & 1 else "."


@functools.lru_cache(maxsize=1 << 12)
def fouls(size: int, black: int, white: int) -> int:
    """The empty points on which black may not lay, as a bit set."""
    geometry = board(size)
    suspects = geometry.crowded(black) & ~white & ~black
    return sum(1 << cell for cell in cells_of(suspects) if foul(geometry, black, white, cell))
