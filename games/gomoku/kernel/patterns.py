"""Table of what a stone on an empty cell would make along one line, for every possible surrounding.

The patterns' numbers encode classes in bits: bit 3 is four or better, bit 2 three, bit 0 open.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled
from agents.kernels.loops import span
from agents.kernels.memory import Memory
from games.gomoku.kernel import memory as w

U = np.uint64
ZERO, ONE, TWO, THREE, FOUR, FIVE_CELLS = U(0), U(1), U(2), U(3), U(4), U(5)
SEVEN, EIGHT, NIBBLE, BYTE = U(7), U(8), U(15), U(255)

DEAD, ALONE, CLOSED_TWO, OPEN_TWO, CLOSED_THREE, OPEN_THREE = U(0), U(1), U(2), U(3), U(4), U(5)
"""Dead: no five is possible; alone: the first stone of a five. One more stone makes a closed two a closed three, an
open two an open three, a closed three a closed four, and an open three an open four."""
OVER_FOUR, OVER_THREE, SECOND_BITS, FIRST_BITS = U(0x8888), U(0x4444), U(0x2222), U(0x1111)
"""Each bit of the numbers, in the four directions' patterns of a colour on a cell."""
CLOSED_FOUR, OPEN_FOUR, FIVES = U(8), U(9), U(10)
"""One stone from five in one place; in two places or more; five."""


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def byte_in(memory: Memory, table: np.uint64, index: np.uint64) -> np.uint64:
    """A byte of a table that begins at that word."""
    found: np.uint64 = memory[table + (index >> THREE)] >> (index & SEVEN) * EIGHT & BYTE
    return found


@compiled("boolean(uint64, uint64, uint64, uint64)")
def is_five(code: np.uint64, cells: np.uint64, stone: np.uint64, exact: np.uint64) -> bool:
    """Whether a stone between `cells` neighbours, half of them on either side, is part of a five."""
    half = cells >> ONE
    run = ONE
    place = half
    while place > ZERO and code >> TWO * (place - ONE) & THREE == stone:
        run += ONE
        place -= ONE
    place = half
    while place < cells and code >> TWO * place & THREE == stone:
        run += ONE
        place += ONE
    return bool(run == FIVE_CELLS or (run > FIVE_CELLS and exact == ZERO))


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, uint64)")
def pattern_of(
    memory: Memory, index: np.uint64, cells: np.uint64, stone: np.uint64, shift: np.uint64, exact: np.uint64
) -> np.uint64:
    """What the stone makes, derived from the entries with one stone more, which are later in the table."""
    if is_five(index, cells, stone, exact):
        return FIVES
    fives, best = ZERO, DEAD
    for place in span(ZERO, cells):
        if index >> TWO * place & THREE == ZERO:
            next_one = byte_in(memory, w.PATTERN_TABLE, index | stone << TWO * place) >> shift & NIBBLE
            fives += ONE if next_one == FIVES else ZERO
            if next_one != FIVES and next_one > best:
                best = next_one
    if fives > ZERO:
        return OPEN_FOUR if fives > ONE else CLOSED_FOUR
    if best >= CLOSED_FOUR:
        return best - FOUR
    if best >= CLOSED_TWO:
        return best - TWO if best > OPEN_TWO else ALONE
    return DEAD


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, uint64)")
def answer_to(
    memory: Memory, index: np.uint64, cells: np.uint64, stone: np.uint64, shift: np.uint64, exact: np.uint64
) -> np.uint64:
    """Which of the eight nearest cells stops a closed four; plus 8 if the line still makes a three after that."""
    if byte_in(memory, w.PATTERN_TABLE, index) >> shift & NIBBLE != CLOSED_FOUR:
        return ZERO
    edge = (cells - EIGHT) >> ONE
    place = edge
    while index >> TWO * place & THREE or not is_five(index | stone << TWO * place, cells, stone, exact):
        place += ONE
    left = byte_in(memory, w.PATTERN_TABLE, index | (THREE - stone) << TWO * place) >> shift & NIBBLE
    return place - edge | (EIGHT if left >= CLOSED_THREE else ZERO)


@compiled("void(uint64[::1], uint64, uint64)")
def write_patterns(memory: Memory, black_exact: np.uint64, white_exact: np.uint64) -> None:
    """Fills the table, from the fullest surroundings to the empty ones."""
    cells = TWO * memory[w.REACH]
    index = ONE << TWO * cells
    memory[w.ANSWER_TABLE] = w.PATTERN_TABLE + (index >> THREE)
    while index > ZERO:
        index -= ONE
        slot, shift = w.PATTERN_TABLE + (index >> THREE), (index & SEVEN) * EIGHT
        memory[slot] |= pattern_of(memory, index, cells, ONE, ZERO, black_exact) << shift
        memory[slot] |= pattern_of(memory, index, cells, TWO, FOUR, white_exact) << (shift + FOUR)
        answers = answer_to(memory, index, cells, ONE, ZERO, black_exact)
        answers |= answer_to(memory, index, cells, TWO, FOUR, white_exact) << FOUR
        memory[memory[w.ANSWER_TABLE] + (index >> THREE)] |= answers << shift
