"""Places and lifts stones, and keeps codes, patterns, sets of cells and sums up to date; `allocate` lays the board."""

from __future__ import annotations

import math
import random

import numpy as np

from agents.kernels.compilation import bit_count, compiled, lowest_bit
from agents.kernels.memory import TABLE, Memory
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel.memory import (
    CELLS,
    FLAGS,
    HELD,
    JUDGED,
    KEY,
    LINES,
    LOG_END,
    PATTERN_TABLE,
    PATTERNS,
    REACH,
    SET_WORDS,
    SETS,
    STEP,
    STONE_COUNT,
    STONES,
    SUMS,
    WIDTH,
    ZOBRIST,
)
from games.gomoku.kernel.patterns import write_patterns
from games.gomoku.kernel.weights import cell_values, promises, turn_values

U = np.uint64
ZERO, ONE, TWO, THREE, FOUR, FIVE = U(0), U(1), U(2), U(3), U(4), U(5)
SIX, SEVEN, EIGHT, SIXTEEN = U(6), U(7), U(8), U(16)
NIBBLE, BYTE, LOW_HALF, LAST = U(15), U(255), U(0xFFFF), U(63)
EVERY_SECOND, EITHER_CLASS = U(0x5555555555555555), U(0xCCCCCCCC)
OVER_FOUR, OVER_THREE, SECOND_BITS, FIRST_BITS = U(0x8888), U(0x4444), U(0x2222), U(0x1111)
WORDS, SIDE_SETS, BOARD = U(SET_WORDS), U(layout.SIDE_SETS), U(CELLS)
HIGH_NIBBLE, TWELVE, NIBBLES = U(240), U(12), U(15 | 15 << 16)
LAST_COLUMN, ROW, LINES_A_WAY = U(WIDTH - 1), U(WIDTH), U(2 * WIDTH)
AT_FLAGS, AT_CELL, ALL_FLAGS, PATTERN_BITS = U(32), U(44), U(2**8 - 1), U(2**32 - 1)
NOWHERE = U(0)


@compiled("uint64(uint64)")
def classes(patterns: np.uint64) -> np.uint64:
    """The sets that a cell with these four patterns of one colour belongs to, one bit each."""
    if patterns & (OVER_FOUR | OVER_THREE) == ZERO:
        return ZERO
    found, fours = ZERO, patterns & OVER_FOUR
    if fours != ZERO:
        found = FOUR
        if fours & (patterns & SECOND_BITS) << TWO:
            found |= ONE
        if fours & (patterns & FIRST_BITS) << THREE or fours & (fours - ONE):
            found |= TWO
    if patterns & OVER_THREE & (patterns & FIRST_BITS) << TWO:
        found |= EIGHT
    return found


@compiled("void(uint64[::1], uint64, uint64)")
def change_sets(memory: Memory, cell: np.uint64, flags: np.uint64) -> None:
    """Puts the cell into the sets of these flags and takes it out of the others."""
    changed = memory[FLAGS + cell] ^ flags
    memory[FLAGS + cell] = flags
    word, bit = cell >> SIX, ONE << (cell & LAST)
    while changed:
        kind = lowest_bit(changed)
        slot = SETS + kind * WORDS + word
        after = memory[slot] ^ bit
        memory[slot] = after
        if after & ~bit == ZERO:
            memory[HELD + kind] ^= ONE << word
        changed &= changed - ONE


@compiled("uint64(uint64[::1], uint64)")
def judged(memory: Memory, patterns: np.uint64) -> np.uint64:
    """Value of an empty cell for the colour that would make these four patterns there."""
    worth: np.uint64 = memory[JUDGED + (patterns >> THREE)] >> (patterns & SEVEN) * EIGHT & BYTE
    return worth


@compiled("uint64(uint64, uint64)")
def place_in(cell: np.uint64, direction: np.uint64) -> np.uint64:
    """The cell's place in its line in a direction."""
    found: np.uint64 = cell >> FIVE if direction & ONE else cell & LAST_COLUMN
    return found


@compiled("uint64(uint64, uint64)")
def line_of(cell: np.uint64, direction: np.uint64) -> np.uint64:
    """Index of the word of LINES that holds the cell's line in a direction."""
    row, column = cell >> FIVE, cell & LAST_COLUMN
    if direction == ZERO:
        number = row
    elif direction == ONE:
        number = column
    elif direction == TWO:
        number = row + ROW - column
    else:
        number = row + column
    slot: np.uint64 = LINES + direction * LINES_A_WAY + number
    return slot


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def look_up(memory: Memory, seen: np.uint64, low: np.uint64, high: np.uint64) -> np.uint64:
    """What black's and white's stone would make, in the low and the next four bits, amid the cells seen.

    `low` and `high` are masks for the cells before the stone's and for those after it, moved next to them.
    """
    index = seen & low | seen >> TWO & high
    pair: np.uint64 = memory[PATTERN_TABLE + (index >> THREE)] >> (index & SEVEN) * EIGHT & BYTE
    return pair


@compiled("uint64(uint64[::1], uint64, uint64)")
def made_at(memory: Memory, line: np.uint64, place: np.uint64) -> np.uint64:
    """The same at a place of a line."""
    around = TWO * memory[REACH]
    low = (ONE << around) - ONE
    return look_up(memory, line >> TWO * place - around, low, low << around)


@compiled("uint64(uint64, uint64, uint64)")
def reached(seen: np.uint64, around: np.uint64, low: np.uint64) -> np.uint64:
    """The empty cells for which the stone in the middle matters, one bit each at two a cell.

    Beyond stones of both colours, or the edge, nothing changes.
    """
    before, after = seen & low, seen >> around + TWO & low
    before |= before >> TWO
    before |= before >> FOUR
    before |= before >> EIGHT
    after |= after << TWO
    after |= after << FOUR
    after |= after << EIGHT
    beyond = before & before >> ONE | (after & after >> ONE & low) << around + TWO
    found: np.uint64 = ~(seen | seen >> ONE | beyond) & EVERY_SECOND & ((low << around + TWO) | low)
    return found


@compiled("void(uint64[::1], uint64, uint64, boolean)")
def lay(memory: Memory, cell: np.uint64, colour: np.uint64, judges: bool) -> None:
    """Places a stone on an empty cell, and logs what changes; SUMS stay where it does not judge."""
    stone = ONE << colour
    patterns = memory[PATTERNS + cell]
    begun = memory[LOG_END]
    log = begun + THREE
    memory[begun] = cell << ONE | colour
    memory[begun + ONE], memory[begun + TWO] = memory[SUMS], memory[SUMS + ONE]
    memory[log] = patterns | memory[FLAGS + cell] << AT_FLAGS | cell << AT_CELL
    log += ONE
    memory[STONES + cell] = stone
    memory[KEY] ^= memory[ZOBRIST + colour * BOARD + cell]
    memory[STONE_COUNT] += ONE
    black, white = memory[SUMS], memory[SUMS + ONE]
    if judges:
        black -= judged(memory, patterns & LOW_HALF)
        white -= judged(memory, patterns >> SIXTEEN)
    change_sets(memory, cell, ZERO)
    reach = memory[REACH]
    around = TWO * reach
    low = (ONE << around) - ONE
    high = low << around
    for way in range(4):
        direction = U(way)
        slot, step, shift = line_of(cell, direction), memory[STEP + direction], direction * FOUR
        place = place_in(cell, direction)
        line = memory[slot] | stone << TWO * place
        memory[slot] = line
        others = ~(NIBBLES << shift)
        start, lowest = TWO * place - around, cell - reach * step
        empty = reached(line >> start, around, low)
        while empty != ZERO:
            # Occupied cells keep what they had: their stones are lifted after this one.
            at = lowest_bit(empty)
            empty &= empty - ONE
            near = lowest + (at >> ONE) * step
            pair = look_up(memory, line >> start + at - around, low, high)
            before = memory[PATTERNS + near]
            after = before & others | (pair & NIBBLE | (pair & HIGH_NIBBLE) << TWELVE) << shift
            if after != before:
                flags = memory[FLAGS + near]
                memory[log] = before | flags << AT_FLAGS | near << AT_CELL
                log += ONE
                memory[PATTERNS + near] = after
                if judges:
                    black += judged(memory, after & LOW_HALF) - judged(memory, before & LOW_HALF)
                    white += judged(memory, after >> SIXTEEN) - judged(memory, before >> SIXTEEN)
                if flags | after & EITHER_CLASS:
                    now = classes(after & LOW_HALF) | classes(after >> SIXTEEN) << SIDE_SETS
                    if now != flags:
                        change_sets(memory, near, now)
    memory[SUMS], memory[SUMS + ONE] = black, white
    memory[log] = begun
    memory[LOG_END] = log + ONE


@compiled("void(uint64[::1], uint64, uint64)")
def place(memory: Memory, cell: np.uint64, colour: np.uint64) -> None:
    """Places a stone on an empty cell."""
    lay(memory, cell, colour, True)


@compiled("void(uint64[::1], uint64, uint64)")
def try_out(memory: Memory, cell: np.uint64, colour: np.uint64) -> None:
    """As `place`, but SUMS stay: for a stone that is lifted again before anything is judged."""
    lay(memory, cell, colour, False)


@compiled("void(uint64[::1])")
def lift(memory: Memory) -> None:
    """Lifts the stone placed last."""
    log = memory[LOG_END] - ONE
    begun = memory[log]
    cell, colour = memory[begun] >> ONE, memory[begun] & ONE
    stone = ONE << colour
    memory[STONES + cell] = ZERO
    memory[KEY] ^= memory[ZOBRIST + colour * BOARD + cell]
    memory[STONE_COUNT] -= ONE
    for way in range(4):
        direction = U(way)
        memory[line_of(cell, direction)] ^= stone << TWO * place_in(cell, direction)
    while log > begun + THREE:
        log -= ONE
        entry = memory[log]
        near, flags = entry >> AT_CELL, entry >> AT_FLAGS & ALL_FLAGS
        memory[PATTERNS + near] = entry & PATTERN_BITS
        if memory[FLAGS + near] != flags:
            change_sets(memory, near, flags)
    memory[SUMS], memory[SUMS + ONE] = memory[begun + ONE], memory[begun + TWO]
    memory[LOG_END] = begun


@compiled("uint64(uint64[::1], uint64, uint64)")
def first_in(memory: Memory, colour: np.uint64, kind: np.uint64) -> np.uint64:
    """The first cell of a set; NOWHERE if it is empty."""
    chosen = colour * SIDE_SETS + kind
    held = memory[HELD + chosen]
    if held == ZERO:
        return NOWHERE
    word = lowest_bit(held)
    found: np.uint64 = word << SIX | lowest_bit(memory[SETS + chosen * WORDS + word])
    return found


@compiled("uint64(uint64[::1], uint64, uint64)")
def count_in(memory: Memory, colour: np.uint64, kind: np.uint64) -> np.uint64:
    """Number of cells in a set."""
    chosen = colour * SIDE_SETS + kind
    held, total = memory[HELD + chosen], ZERO
    while held != ZERO:
        total += bit_count(memory[SETS + chosen * WORDS + lowest_bit(held)])
        held &= held - ONE
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


def allocate(size: int, exact_five: tuple[bool, bool], table_mb: int) -> Memory:
    """Allocates memory for an empty board, with tables of at most `table_mb` MiB together.

    `exact_five` holds, for black and for white, whether a line of six or more does not win.
    """
    wide = any(exact_five)
    budget = table_mb * 2**20 // 8
    failed = 1 << (budget // 8).bit_length() - 1
    threats = 1 << (budget // 2 // 8).bit_length() - 1
    known = 1 << (budget // 4 // 2).bit_length() - 1
    start = int(layout.FREE)
    memory = np.zeros(start + failed + 8 * threats + 2 * known, dtype=np.uint64)
    memory[layout.SIZE], memory[REACH] = size, 5 if wide else 4
    memory[LOG_END] = layout.LOG
    memory[layout.FAILED], memory[layout.FAILED_MASK] = start, failed - 1
    memory[layout.THREATS], memory[layout.THREATS_MASK] = start + failed, threats - 1
    memory[TABLE], memory[layout.TABLE_MASK] = start + failed + 8 * threats, known - 1
    memory[layout.CLAIMS] = 3
    memory[layout.MARK] = 1
    memory[int(STEP) : int(STEP) + 4] = layout.STEPS
    # A separate generator with a fixed seed, so that keys are the same in every process.
    numbers = random.Random(20)
    for start, count in ((int(ZOBRIST), 2 * CELLS), (int(layout.SALTS), 6)):
        memory[start : start + count] = [numbers.getrandbits(64) for _ in range(count)]
    memory[int(JUDGED) : int(JUDGED) + 2**13] = cell_values().view(np.uint64)
    memory[int(layout.TURNS) : int(layout.FOUR_CELLS)] = turn_values().view(np.uint64)
    for depth in range(2, 64):
        for done in range(2, 64):
            late = int(0.67 + 1.17 * math.log(depth) * math.log(done))
            memory[int(layout.LATE) + 64 * depth + done] = late
    memory[int(layout.PROMISE) : int(layout.PROMISE) + 2**13] = promises().view(np.uint64)
    write_patterns(memory, np.uint64(exact_five[0]), np.uint64(exact_five[1]))
    _write_board(memory, size)
    return memory


def _write_board(memory: Memory, size: int) -> None:
    """Writes the empty board: its border, its lines, and what a stone on each cell would make."""
    inside = {layout.cell_of(index, size) for index in range(size * size)}
    memory[int(STONES) : int(STONES) + CELLS] = [0 if cell in inside else 3 for cell in range(CELLS)]
    memory[int(LINES) : int(PATTERNS)] = 2**64 - 1
    cells, directions = [U(cell) for cell in inside], [U(direction) for direction in range(4)]
    for cell in cells:
        for direction in directions:
            memory[line_of(cell, direction)] &= ~(U(3) << U(2) * place_in(cell, direction))
    for cell in cells:
        patterns = U(0)
        for direction in directions:
            pair = made_at(memory, memory[line_of(cell, direction)], place_in(cell, direction))
            patterns |= (pair & U(15) | (pair & U(240)) << U(12)) << direction * U(4)
        memory[PATTERNS + cell] = patterns
        memory[SUMS] += judged(memory, patterns & U(0xFFFF))
        memory[SUMS + U(1)] += judged(memory, patterns >> U(16))
