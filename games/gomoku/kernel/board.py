"""Places and lifts stones, and keeps codes, patterns, sets of cells and sums up to date; `allocate` lays the board."""

from __future__ import annotations

import random

import numpy as np

from agents.kernels.compilation import bit_count, compiled, fetch, lowest_bit
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import TABLE, TABLE_SHIFT, Memory, Word, aligned, write, zeros
from agents.kernels.table import pair_of
from games.gomoku.kernel import memory as w
from games.gomoku.kernel.evaluation import turn
from games.gomoku.kernel.patterns import byte_in, classes, line_of, place_in, write_patterns
from games.gomoku.kernel.weights import network, write_network

ZERO, ONE, TWO, FOUR, SIX, TWELVE, SIXTEEN = map(Word, (0, 1, 2, 4, 6, 12, 16))
NIBBLE, HIGH_NIBBLE, NIBBLES, LOW_HALF, LAST = map(Word, (15, 240, 15 | 15 << 16, 0xFFFF, 63))
EVERY_SECOND, EITHER_CLASS = Word(0x5555555555555555), Word(0xCCCCCCCC)
AT_FLAGS, AT_CELL, ALL_FLAGS, PATTERN_BITS = map(Word, (32, 44, 2**8 - 1, 2**32 - 1))


@compiled("void(uint64[::1], uint64, uint64)")
def change_sets(memory: Memory, cell: Word, flags: Word) -> None:
    """Puts the cell into the sets of these flags and takes it out of the others."""
    changed = memory[w.FLAGS + cell] ^ flags
    memory[w.FLAGS + cell] = flags
    word, bit = cell >> SIX, ONE << (cell & LAST)
    for kind in each_bit(changed):
        slot = w.SETS + kind * w.SET_WORDS + word
        after = memory[slot] ^ bit
        memory[slot] = after
        if after & ~bit == ZERO:
            memory[w.HELD + kind] ^= ONE << word


@compiled("uint64(uint64[::1], uint64, uint64)")
def code_at(memory: Memory, cell: Word, direction: Word) -> Word:
    """The contents of the cells around a cell on a line, its own left out."""
    around = TWO * memory[w.REACH]
    low = (ONE << around) - ONE
    seen = memory[line_of(cell, direction)] >> TWO * place_in(cell, direction) - around
    return Word(seen & low | seen >> TWO & low << around)


@compiled("uint64(uint64[::1], uint64, uint64)")
def made_at(memory: Memory, cell: Word, direction: Word) -> Word:
    """What black's and white's stone there make on one line, in the low and the next four bits."""
    return byte_in(memory, w.PATTERN_TABLE, code_at(memory, cell, direction))


@compiled("uint64(uint64[::1], uint64, uint64)")
def made_by(memory: Memory, cell: Word, colour: Word) -> Word:
    """The four patterns that a stone there makes, as in PATTERNS."""
    found = ZERO
    for direction in span(ZERO, FOUR):
        found |= (made_at(memory, cell, direction) >> colour * FOUR & NIBBLE) << direction * FOUR
    return found


@compiled("void(uint64[::1], uint64, uint64)")
def flip(memory: Memory, cell: Word, colour: Word) -> None:
    """Puts a stone on a cell and the lines through it, or takes it away."""
    memory[w.STONES + cell] ^= ONE << colour
    for direction in span(ZERO, FOUR):
        memory[line_of(cell, direction)] ^= ONE << colour + TWO * place_in(cell, direction)


@compiled("void(uint64[::1], uint64, uint64)")
def place(memory: Memory, cell: Word, colour: Word) -> None:
    """Places a stone on an empty cell, and logs what changes."""
    stone = ONE << colour
    begun = memory[w.LOG_END]
    memory[begun] = memory[w.PATTERNS + cell] | memory[w.FLAGS + cell] << AT_FLAGS | cell << AT_CELL
    log = begun + ONE
    memory[w.PLACED + memory[w.STONE_COUNT]] = cell << ONE | colour
    memory[w.STONES + cell] = stone
    key = memory[w.KEY] ^ memory[w.ZOBRIST + colour * w.BOARD + cell]
    memory[w.KEY] = key
    # What the tables know of the position is asked for soon.
    fetch(memory, pair_of(memory, key ^ memory[w.SALTS + FOUR + (colour ^ ONE)]))
    for attacker in span(ZERO, TWO):
        fetch(memory, memory[w.FAILED] + (memory[w.FAILED_MASK] & (key ^ memory[w.SALTS + attacker])))
    memory[w.STONE_COUNT] += ONE
    change_sets(memory, cell, ZERO)
    reach = memory[w.REACH]
    around = TWO * reach
    low = (ONE << around) - ONE
    for direction in span(ZERO, FOUR):
        slot, step, shift = line_of(cell, direction), memory[w.STEP + direction], direction * FOUR
        place = place_in(cell, direction)
        line = memory[slot] | stone << TWO * place
        memory[slot] = line
        start, lowest = TWO * place - around, cell - reach * step
        seen = line >> start
        for at in each_bit(~(seen | seen >> ONE) & EVERY_SECOND & ((ONE << TWO * around + TWO) - ONE)):
            # Occupied cells keep what they had: their stones are lifted after this one.
            near = lowest + (at >> ONE) * step
            seen = line >> start + at - around
            pair = byte_in(memory, w.PATTERN_TABLE, seen & low | seen >> TWO & low << around)
            before = memory[w.PATTERNS + near]
            after = before & ~(NIBBLES << shift) | (pair & NIBBLE | (pair & HIGH_NIBBLE) << TWELVE) << shift
            if after != before:
                flags = memory[w.FLAGS + near]
                memory[log] = before | flags << AT_FLAGS | near << AT_CELL
                log += ONE
                memory[w.PATTERNS + near] = after
                if flags | after & EITHER_CLASS:
                    now = classes(after & LOW_HALF) | classes(after >> SIXTEEN) << w.SIDE_SETS
                    if now != flags:
                        change_sets(memory, near, now)
    memory[log] = begun
    memory[w.LOG_END] = log + ONE


@compiled("void(uint64[::1])")
def lift(memory: Memory) -> None:
    """Lifts the stone placed last."""
    log = memory[w.LOG_END] - ONE
    begun = memory[log]
    memory[w.STONE_COUNT] -= ONE
    stone = memory[w.PLACED + memory[w.STONE_COUNT]]
    cell, colour = stone >> ONE, stone & ONE
    memory[w.KEY] ^= memory[w.ZOBRIST + colour * w.BOARD + cell]
    if memory[w.SEEN] > memory[w.STONE_COUNT]:
        memory[w.SEEN] -= ONE
        turn(memory, stone, True)
    flip(memory, cell, colour)
    while log > begun:
        log -= ONE
        entry = memory[log]
        near, flags = entry >> AT_CELL, entry >> AT_FLAGS & ALL_FLAGS
        memory[w.PATTERNS + near] = entry & PATTERN_BITS
        if memory[w.FLAGS + near] != flags:
            change_sets(memory, near, flags)
    memory[w.LOG_END] = begun


@compiled("uint64(uint64[::1], uint64, uint64)")
def first_in(memory: Memory, colour: Word, kind: Word) -> Word:
    """The first cell of a set; w.NOWHERE if it is empty."""
    chosen = colour * w.SIDE_SETS + kind
    held = memory[w.HELD + chosen]
    if held == ZERO:
        return w.NOWHERE
    word = lowest_bit(held)
    return Word(word << SIX | lowest_bit(memory[w.SETS + chosen * w.SET_WORDS + word]))


@compiled("uint64(uint64[::1], uint64, uint64)")
def count_in(memory: Memory, colour: Word, kind: Word) -> Word:
    """Number of cells in a set."""
    chosen = colour * w.SIDE_SETS + kind
    total = ZERO
    for word in each_bit(memory[w.HELD + chosen]):
        total += bit_count(memory[w.SETS + chosen * w.SET_WORDS + word])
    return total


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def write_set(memory: Memory, colour: Word, kind: Word, start: Word) -> Word:
    """Writes the cells of a set into the words from `start` on; returns where they end."""
    chosen = colour * w.SIDE_SETS + kind
    for word in each_bit(memory[w.HELD + chosen]):
        for bit in each_bit(memory[w.SETS + chosen * w.SET_WORDS + word]):
            memory[start] = word << SIX | bit
            start += ONE
    return start


def allocate(size: int, exact_five: tuple[bool, bool], table_mb: int) -> Memory:
    """Allocates memory for an empty board, with tables of at most `table_mb` MiB together.

    `exact_five` holds, for black and for white, whether a line of six or more does not win.
    """
    entries = 1 << (table_mb * 2**20 // 64).bit_length() - 1
    reach = 5 if any(exact_five) else 4
    failed = int(aligned(w.PATTERN_TABLE + Word(2 * 16**reach // 8)))
    threats, table = failed + entries, failed + entries + 8 * entries // 2
    memory = zeros(table + 2 * entries)
    memory[w.SIZE], memory[w.REACH], memory[w.CLAIMS], memory[w.LOG_END] = size, reach, 3, w.LOG
    memory[w.FAILED], memory[w.THREATS], memory[TABLE] = failed, threats, table
    memory[w.FAILED_MASK], memory[w.THREATS_MASK] = entries - 1, entries // 2 - 1
    memory[TABLE_SHIFT] = 65 - entries.bit_length()
    write(memory, w.STEP, w.STEPS)
    # A separate generator with a fixed seed, so that keys are the same in every process.
    numbers = random.Random(20)
    for word, count in ((w.ZOBRIST, 2 * w.CELLS), (w.SALTS, 6)):
        write(memory, word, [numbers.getrandbits(64) for _ in range(count)])
    logarithms = np.log(np.arange(2, 64))
    late = memory[int(w.LATE) : int(w.STACK)].reshape(64, 64)
    late[2:, 2:] = 0.65 + 0.95 * np.outer(logarithms, logarithms)
    write_patterns(memory, exact_five)
    # The empty board: its border, its lines, and what a stone on each cell would make.
    memory[int(w.STONES) : int(w.LINES)] = 3
    memory[int(w.LINES) : int(w.PATTERNS)] = 2**64 - 1
    cells = [Word(w.cell_of(index, size)) for index in range(size * size)]
    for cell in cells:
        flip(memory, cell, ZERO)
        flip(memory, cell, ONE)
    for cell in cells:
        memory[w.PATTERNS + cell] = made_by(memory, cell, ZERO) | made_by(memory, cell, ONE) << SIXTEEN
    write_network(memory, network())
    return memory
