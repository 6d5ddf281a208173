"""What a stone on an empty cell would make along one line, a table for every possible surrounding, and along all four.

The patterns' numbers encode classes in bits: bit 3 is four or better, bit 2 three, bit 0 open.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import compiled
from agents.kernels.memory import Memory, Word
from games.gomoku.kernel import memory as w

ZERO, ONE, TWO, THREE, FOUR, EIGHT = map(Word, (0, 1, 2, 3, 4, 8))
AT_ROW, LAST_COLUMN, ROW, LINES_A_WAY = map(Word, (5, w.WIDTH - 1, w.WIDTH, 2 * w.WIDTH))
DEAD, ALONE, CLOSED_TWO, OPEN_TWO, CLOSED_THREE, OPEN_THREE, CLOSED_FOUR, OPEN_FOUR, FIVES = 0, 1, 2, 3, 4, 5, 8, 9, 10
"""Dead: no five is possible; alone: the first stone of a five. A closed four is one stone from five in one place, an
open four in two places or more."""
ONE_LESS = np.array([DEAD, DEAD, ALONE, ALONE, CLOSED_TWO, OPEN_TWO, DEAD, DEAD, CLOSED_THREE, OPEN_THREE], np.uint8)
"""What a stone makes, by the best pattern other than five that one more stone would make."""
OVER_FOUR, OVER_THREE, SECOND_BITS, FIRST_BITS = map(Word, (0x8888, 0x4444, 0x2222, 0x1111))
"""Each bit of the numbers, in the four directions' patterns of a colour on a cell."""


@compiled("uint64(uint64, uint64)")
def place_in(cell: Word, direction: Word) -> Word:
    """The cell's place in its line in a direction."""
    return cell >> AT_ROW if direction & ONE else cell & LAST_COLUMN


@compiled("uint64(uint64, uint64)")
def line_of(cell: Word, direction: Word) -> Word:
    """Index of the word of LINES that holds the cell's line in a direction."""
    row, column = cell >> AT_ROW, cell & LAST_COLUMN
    if direction < TWO:
        number = column if direction == ONE else row
    else:
        number = row + (ROW - column if direction == TWO else column)
    return w.LINES + direction * LINES_A_WAY + number


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def byte_in(memory: Memory, table: Word, index: Word) -> Word:
    """A byte of a table that begins at that word."""
    return Word(memory.view(np.uint8)[table * EIGHT + index])


@compiled("boolean(uint64)")
def threatens_twice(patterns: Word) -> bool:
    """Whether these patterns, at least a four among them, threaten five in two places."""
    fours = patterns & OVER_FOUR
    return bool(fours & (fours - ONE)) or bool(patterns & FIRST_BITS & fours >> THREE)


@compiled("uint64(uint64)")
def classes(patterns: Word) -> Word:
    """The sets that a cell with these four patterns of one colour belongs to, one bit each."""
    found, fours = ZERO, patterns & OVER_FOUR
    if fours != ZERO:
        found = FOUR | (TWO if threatens_twice(patterns) else ZERO)
        if fours & (patterns & SECOND_BITS) << TWO:
            found |= ONE
    if patterns & OVER_THREE & (patterns & FIRST_BITS) << TWO:
        found |= EIGHT
    return found


@functools.cache
def patterns_of(reach: int, exact: bool) -> NDArray[Any]:
    """What a stone makes between `reach` cells on either side, and where a closed four is stopped, by the surroundings.

    Those are numbers to the base of three: a cell is empty, has an own stone, or neither. The stop is one of the eight
    nearest cells, plus 8 if the line still makes a three after it.
    """
    codes, digits = np.arange(9**reach), 3 ** np.arange(2 * reach)[:, None]
    contents = codes // digits % 3
    sides = contents[:reach][::-1] == 1, contents[reach:] == 1
    beside = sum(np.logical_and.accumulate(side).sum(axis=0) for side in sides)
    made = np.where((beside == 4) | ((beside > 4) & (not exact)), FIVES, DEAD).astype(np.uint8)
    # From the fullest surroundings to the empty ones: each follows from those with one stone more.
    empty = contents == 0
    count = np.where(made == FIVES, 0, empty.sum(axis=0))
    for number in range(1, 2 * reach + 1):
        here = np.flatnonzero(count == number)
        after = np.where(empty[:, here], made.take(here + digits, mode="clip"), DEAD)
        fives, best = (after == FIVES).sum(axis=0), np.where(after == FIVES, DEAD, after).max(axis=0)
        made[here] = np.choose(np.minimum(fives, 2), (ONE_LESS[best], CLOSED_FOUR, OPEN_FOUR))
    answers, closed, near = np.zeros_like(made), np.flatnonzero(made == CLOSED_FOUR), slice(reach - 4, reach + 4)
    makes_five = made.take(closed + digits[near], mode="clip") == FIVES
    places = (empty[near, closed] & makes_five).argmax(axis=0)
    left = made[closed + 2 * digits[near][places, 0]] >= CLOSED_THREE
    answers[closed] = places | left << 3
    return np.stack([made, answers])


def write_patterns(memory: Memory, exact_five: tuple[bool, bool]) -> None:
    """Fills the tables of what stones make and of answers."""
    reach = int(memory[w.REACH])
    start, words = int(w.PATTERN_TABLE), 16**reach // 8
    memory[w.ANSWER_TABLE] = start + words
    tables = memory[start : start + 2 * words].view(np.uint8).reshape(2, -1)
    for colour, exact in enumerate(exact_five):
        contents = np.arange(4**reach)[:, None] >> 2 * np.arange(reach) & 3
        side = np.array([0, 1 + colour, 2 - colour, 2])[contents] @ 3 ** np.arange(reach)
        tables |= patterns_of(reach, exact)[:, (3**reach * side[:, None] + side).ravel()] << 4 * colour
