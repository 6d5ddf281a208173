"""Checks claimed wins of free gomoku in plain Python, using only windows of five cells in a row.

Boards are two bit sets, the attacker's and the defender's; a cell's bit is row * size + column.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

Prove = Callable[[int, int], Sequence[int] | None]
"""Returns the claimed winning line of cells with the attacker to move; None if no win is claimed."""


@functools.cache
def windows(size: int) -> tuple[int, ...]:
    found = []
    for row in range(size):
        for column in range(size):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if row + 4 * down < size and 0 <= column + 4 * right < size:
                    found.append(sum(1 << (row + k * down) * size + column + k * right for k in range(5)))
    return tuple(found)


def fives(mine: int, theirs: int, size: int = 15) -> int:
    """The empty cells on which a stone makes five."""
    cells = 0
    for window in windows(size):
        if not window & theirs and (window & mine).bit_count() == 4:
            cells |= window & ~mine
    return cells


def fours(mine: int, theirs: int, size: int = 15) -> int:
    """The empty cells on which a stone makes four, or five."""
    cells = 0
    for window in windows(size):
        if not window & theirs and (window & mine).bit_count() >= 3:
            cells |= window & ~mine
    return cells


def faults(mine: int, theirs: int, line: Sequence[int], size: int = 15) -> list[str]:
    """The faults of a line up to the five, in which attacker and defender alternate; [] if it is right.

    Every attacker's stone must make five, or four, or threaten a win by fours; every answer to a four must stop it.
    """
    if len(line) % 2 == 0:
        return ["a line ends with the attacker's five"]
    for number, cell in enumerate(line):
        if (mine | theirs) >> cell & 1:
            return [f"stone {number} is on an occupied cell"]
        threats = fives(mine, theirs, size)
        if number % 2 == 1:
            if fives(theirs, mine, size):
                return [f"before stone {number} the defender can make five"]
            if threats and not threats >> cell & 1:
                return [f"stone {number} does not stop the five"]
            if not threats and wins_by_fours(mine, theirs, size) is None:
                return [f"stone {number - 1} threatens nothing"]
            theirs |= 1 << cell
            continue
        if threats >> cell & 1:
            return [] if number == len(line) - 1 else [f"stone {number} makes five, and the line goes on"]
        stop = fives(theirs, mine, size)
        if stop and stop != 1 << cell:
            return [f"stone {number} does not stop the defender's five"]
        mine |= 1 << cell
    return ["the line has no five"]


def wins_by_fours(mine: int, theirs: int, size: int = 15, deepest: int = 12) -> list[int] | None:
    """A shortest line of fours up to the five; None if there is none of at most `deepest` fours. Slow."""
    for depth in range(deepest + 1):
        line = _fours_line(mine, theirs, size, depth, {})
        if line is not None:
            return line
    return None


def _fours_line(mine: int, theirs: int, size: int, depth: int, failed: dict[tuple[int, int], int]) -> list[int] | None:
    if five := fives(mine, theirs, size):
        return [_first(five)]
    if depth == 0 or failed.get((mine, theirs), 0) >= depth:
        return None
    stop = fives(theirs, mine, size)
    tries = fours(mine, theirs, size) & (stop or -1)
    while tries and stop.bit_count() <= 1:
        cell = _first(tries)
        tries &= tries - 1
        after = mine | 1 << cell
        answer = _first(fives(after, theirs, size))
        rest = _fours_line(after, theirs | 1 << answer, size, depth - 1, failed)
        if rest is not None:
            return [cell, answer, *rest]
    failed[mine, theirs] = depth
    return None


def _first(cells: int) -> int:
    return (cells & -cells).bit_length() - 1


def is_line_of_fours(mine: int, theirs: int, line: Sequence[int], size: int = 15) -> bool:
    """Whether the line wins against every defence.

    Each stone makes a four with one answer, or the last one a four with two answers, or a five.
    """
    for number, cell in enumerate(line):
        if (mine | theirs) >> cell & 1:
            return False
        threats = fives(mine, theirs, size)
        if number % 2 == 0:
            if threats >> cell & 1:
                return True
            stop = fives(theirs, mine, size)
            if stop and stop != 1 << cell:
                return False
            mine |= 1 << cell
        else:
            if not threats >> cell & 1 or fives(theirs, mine, size):
                return False
            if threats.bit_count() > 1:
                return True
            theirs |= 1 << cell
    return False


class Unfinished(Exception):
    """The tree of a win is larger than allowed."""


def holds(mine: int, theirs: int, prove: Prove, size: int = 15, most: int = 10_000) -> int:
    """Follows a claimed win against every legal answer; returns the number of positions visited.

    The prover is asked for every next stone, and each is checked. Raises AssertionError if the win fails, and
    Unfinished beyond `most` positions.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [(mine, theirs)]
    while waiting:
        mine, theirs = waiting.pop()
        if (mine, theirs) in seen:
            continue
        seen.add((mine, theirs))
        if len(seen) > most:
            raise Unfinished
        line = prove(mine, theirs)
        assert line, "no win is claimed after an answer"
        if is_line_of_fours(mine, theirs, line, size):
            continue
        assert not (mine | theirs) >> line[0] & 1
        stop = fives(theirs, mine, size)
        assert not stop or stop == 1 << line[0], "the defender's five is not stopped"
        after = mine | 1 << line[0]
        waiting += [(after, theirs | 1 << cell) for cell in _answers(after, theirs, prove, size)]
    return len(seen)


def _answers(mine: int, theirs: int, prove: Prove, size: int) -> list[int]:
    """All answers of the defender that the attacker's present threat does not refute."""
    empty = ~(mine | theirs) & (1 << size * size) - 1
    threats = fives(mine, theirs, size)
    if threats:
        return [_first(threats)] if threats.bit_count() == 1 else []
    line = prove(mine, theirs)
    assert line and is_line_of_fours(mine, theirs, line, size), "the stone threatens no win by fours"
    cells = [cell for cell in range(size * size) if empty >> cell & 1]
    return [cell for cell in cells if not is_line_of_fours(mine, theirs | 1 << cell, line, size)]
