"""Places and lifts stones, and keeps codes, patterns, sets of cells and sums up to date."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, lowest_bit
from agents.kernels.gomoku.memory import (
    CELLS,
    CODES,
    DOUBLE_VALUE,
    FLAGS,
    INDEX_MASK,
    INDEX_SHIFT,
    JUDGED,
    KEY,
    PATTERN_TABLE,
    PATTERNS,
    REACH,
    SET_WORDS,
    SETS,
    STEP,
    STONE_COUNT,
    STONES,
    SUMS,
    VALUES,
    WORTH,
    ZOBRIST,
    Memory,
)

U = np.uint64
ZERO, ONE, TWO, THREE, FOUR, FIVE = U(0), U(1), U(2), U(3), U(4), U(5)
SIX, SEVEN, EIGHT, SIXTEEN = U(6), U(7), U(8), U(16)
NIBBLE, BYTE, LOW_HALF, LAST = U(15), U(255), U(0xFFFF), U(63)
OVER_FOUR, OVER_THREE, SECOND_BITS, FIRST_BITS = U(0x8888), U(0x4444), U(0x2222), U(0x1111)
WORDS, SIDE_SETS, BOARD = U(SET_WORDS), U(6), U(CELLS)
DOUBLE, WHITE_DOUBLE, BONUS = U(32), U(32 << 6), U(DOUBLE_VALUE)
NOWHERE = U(0)


@compiled("uint64(uint64)")
def classes(patterns: np.uint64) -> np.uint64:
    """The sets that a cell with these four patterns of one colour belongs to, one bit each."""
    fours = patterns & OVER_FOUR
    if patterns & (OVER_FOUR | OVER_THREE) == ZERO:
        return ZERO
    found = U(16)
    if fours != ZERO:
        found |= FOUR
        if fours & (patterns & SECOND_BITS) << TWO:
            found |= ONE
        if fours & (patterns & FIRST_BITS) << THREE or fours & (fours - ONE):
            found |= TWO
    threes = patterns & OVER_THREE & (patterns & FIRST_BITS) << TWO
    if threes != ZERO:
        found |= EIGHT
        several = fours | threes << ONE
        if several & (several - ONE):
            found |= DOUBLE
    return found


@compiled("void(uint64[::1], uint64, uint64)")
def change_sets(memory: Memory, cell: np.uint64, flags: np.uint64) -> None:
    """Puts the cell into the sets of these flags and takes it out of the others."""
    changed = memory[FLAGS + cell] ^ flags
    memory[FLAGS + cell] = flags
    while changed:
        memory[SETS + lowest_bit(changed) * WORDS + (cell >> SIX)] ^= ONE << (cell & LAST)
        changed &= changed - ONE


@compiled("uint64(uint64[::1], uint64)")
def judged(memory: Memory, patterns: np.uint64) -> np.uint64:
    """Value of an empty cell for the colour that would make these four patterns there."""
    worth: np.uint64 = memory[JUDGED + (patterns >> THREE)] >> (patterns & SEVEN) * EIGHT & BYTE
    return worth


@compiled("void(uint64[::1], uint64, uint64)")
def refresh(memory: Memory, cell: np.uint64, direction: np.uint64) -> None:
    """Updates what stones on the cell would make in a direction whose code has changed."""
    index = memory[CODES + direction * BOARD + cell] >> memory[INDEX_SHIFT] & memory[INDEX_MASK]
    pair = memory[PATTERN_TABLE + (index >> THREE)] >> (index & SEVEN) * EIGHT
    shift = direction * FOUR
    black, white = pair & NIBBLE, pair >> FOUR & NIBBLE
    before = memory[PATTERNS + cell]
    after = before & ~((NIBBLE | NIBBLE << SIXTEEN) << shift) | (black | white << SIXTEEN) << shift
    if after == before:
        return
    memory[PATTERNS + cell] = after
    more = memory[VALUES + black] - memory[VALUES + (before >> shift & NIBBLE)]
    more_white = memory[VALUES + white] - memory[VALUES + (before >> (shift + SIXTEEN) & NIBBLE)]
    memory[WORTH + cell] += more + more_white
    if memory[STONES + cell] == ZERO:
        memory[SUMS] += judged(memory, after & LOW_HALF) - judged(memory, before & LOW_HALF)
        memory[SUMS + ONE] += judged(memory, after >> SIXTEEN) - judged(memory, before >> SIXTEEN)
        change_sets(memory, cell, classes(after & LOW_HALF) | classes(after >> SIXTEEN) << SIX)


@compiled("void(uint64[::1], uint64, uint64)")
def toggle(memory: Memory, cell: np.uint64, colour: np.uint64) -> None:
    """Places a stone on an empty cell, or lifts that stone again."""
    stone = ONE << colour
    patterns = memory[PATTERNS + cell]
    memory[STONES + cell] ^= stone
    memory[KEY] ^= memory[ZOBRIST + colour * BOARD + cell]
    placed = memory[STONES + cell] != ZERO
    memory[STONE_COUNT] += ONE if placed else ~ZERO
    black, white = judged(memory, patterns & LOW_HALF), judged(memory, patterns >> SIXTEEN)
    if placed:
        memory[SUMS] -= black
        memory[SUMS + ONE] -= white
        change_sets(memory, cell, ZERO)
    else:
        memory[SUMS] += black
        memory[SUMS + ONE] += white
        change_sets(memory, cell, classes(patterns & LOW_HALF) | classes(patterns >> SIXTEEN) << SIX)
    reach = memory[REACH]
    for way in range(8):
        direction = U(way & 3)
        step = memory[STEP + direction] if way < 4 else ZERO - memory[STEP + direction]
        near = cell
        distance = ONE
        while distance <= reach:
            near += step
            if memory[STONES + near] == THREE:
                break
            # For cells farther along the direction the stone is before them, for the others after them.
            place = FIVE - distance if way < 4 else FOUR + distance
            memory[CODES + direction * BOARD + near] ^= stone << TWO * place
            refresh(memory, near, direction)
            distance += ONE


@compiled("uint64(uint64[::1], uint64, uint64)")
def first_in(memory: Memory, colour: np.uint64, kind: np.uint64) -> np.uint64:
    """The first cell of a set; NOWHERE if it is empty."""
    start = SETS + (colour * SIDE_SETS + kind) * WORDS
    for word in range(SET_WORDS):
        bits = memory[start + U(word)]
        if bits:
            found: np.uint64 = U(word) << SIX | lowest_bit(bits)
            return found
    return NOWHERE


@compiled("uint64(uint64[::1], uint64, uint64)")
def count_in(memory: Memory, colour: np.uint64, kind: np.uint64) -> np.uint64:
    """Number of cells in a set."""
    start = SETS + (colour * SIDE_SETS + kind) * WORDS
    total = ZERO
    for word in range(SET_WORDS):
        total += bit_count(memory[start + U(word)])
    return total


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def next_in(memory: Memory, colour: np.uint64, kind: np.uint64, after: np.uint64) -> np.uint64:
    """The first cell of a set after a cell; NOWHERE if there is none."""
    start = SETS + (colour * SIDE_SETS + kind) * WORDS
    cell = after + ONE
    word = cell >> SIX
    bits = memory[start + word] >> (cell & LAST) << (cell & LAST)
    while bits == ZERO:
        word += ONE
        if word >= WORDS:
            return NOWHERE
        bits = memory[start + word]
    found: np.uint64 = word << SIX | lowest_bit(bits)
    return found
