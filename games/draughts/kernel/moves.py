"""Legal moves as codes, in the order of `games.draughts.moves`; code 0 is no move.

A capture is TAKES | its number among the position's captures. Another move is STEPS | its last square | direction << 6
| squares gone less one << 8: the low ten bits tell nearly all apart.
"""

from __future__ import annotations

from agents.kernels.compilation import bit_count, compiled, lowest_bit
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import HISTORY, MOVES, STRIDE, Memory, Word
from games.draughts.kernel import memory as w
from games.draughts.kernel.board import ALL_WAYS, DIRECTIONS, ONE, TWO, ZERO, can_jump, shifted

SIX, EIGHT, TEN, ORDER = map(Word, (6, 8, 10, 32))
CELL, JOURNEY = Word(63), Word(2**10 - 1)
STEPS, TAKES, PASSED = map(Word, (1 << 12, 1 << 14, 1 << 63))
"""Marks of the codes of both kinds, and of a capture that passed the last row where that crowns."""
TAKEN_ORDER, CROWNED_ORDER = Word(1 << 24), Word(1 << 23)
"""Ordering value per piece captured, and of a man's last step."""


@compiled("void(uint64[::1], uint64, uint64)")
def record(memory: Memory, at: Word, taken: Word) -> None:
    """Writes a capture that ends on a square, unless a longer one is obligatory or the same is written already."""
    count = bit_count(taken & ~PASSED)
    if memory[w.LONGEST] != ZERO:
        if count < memory[w.MOST_TAKEN]:
            return
        if count > memory[w.MOST_TAKEN]:
            memory[w.MOST_TAKEN], memory[w.WRITTEN] = count, ZERO
    squares = memory[w.ORIGIN] | lowest_bit(at) << SIX
    for number in span(ZERO, memory[w.WRITTEN]):
        slot = memory[w.START] + TWO * number
        if memory[slot] == taken and memory[slot + ONE] == squares:
            return
    if memory[w.WRITTEN] < STRIDE:
        slot = memory[w.START] + TWO * memory[w.WRITTEN]
        memory[slot], memory[slot + ONE] = taken, squares
        memory[w.WRITTEN] += ONE


@compiled("void(uint64[::1], uint64, uint64, boolean, uint64, uint64)")
def go_on(memory: Memory, at: Word, taken: Word, king: bool, empty: Word, left: Word) -> None:
    """Writes all ways to end a capture; `left` are the enemy's pieces not yet jumped, which stay where they are."""
    side, ended = memory[w.MOVER], True
    ways = ALL_WAYS if king else memory[w.TAKING + side]
    flies = king and memory[w.FLYING] != ZERO
    crowning = memory[w.CROWNING + side] if memory[w.PASSING] != ZERO else ZERO
    for way in span(ZERO, DIRECTIONS):
        over = shifted(memory, at, way) if ways >> way & ONE != ZERO else ZERO
        while flies and over & empty != ZERO:
            over = shifted(memory, over, way)
        over &= left
        nearest = shifted(memory, over, way) & empty
        if nearest != ZERO:
            ended = False
            further, rest, to = False, left & ~over, nearest
            while to != ZERO:
                further |= can_jump(memory, to, king or to & crowning != ZERO, side, empty, rest)
                to = shifted(memory, to, way) & empty if flies else ZERO
            to = nearest
            while to != ZERO:
                crowned = to & crowning != ZERO
                if not further or can_jump(memory, to, king or crowned, side, empty, rest):
                    go_on(memory, to, taken | over | (PASSED if crowned else ZERO), king or crowned, empty, rest)
                to = shifted(memory, to, way) & empty if flies else ZERO
    if ended:
        record(memory, at, taken)


@compiled("uint64(uint64[::1], uint64, uint64)")
def write_captures(memory: Memory, at: Word, ply: Word) -> Word:
    """Writes the captures of a position whose mover can take; returns how many."""
    own, enemy, kings = memory[at + w.MINE], memory[at + w.THEIRS], memory[at + w.KINGS]
    memory[w.START] = w.CAPTURES + ply * TWO * STRIDE
    memory[w.WRITTEN], memory[w.MOST_TAKEN], memory[w.MOVER] = ZERO, ZERO, memory[at + w.SIDE]
    empty = memory[w.FULL] & ~(own | enemy)
    for turn in span(ZERO, TWO):  # men first
        for cell in each_bit(memory[at + w.TAKERS] & (~kings if turn == ZERO else kings)):
            memory[w.ORIGIN] = cell
            go_on(memory, ONE << cell, ZERO, turn == ONE, empty | ONE << cell, enemy)
    slot = MOVES + ply * STRIDE
    for number in span(ZERO, memory[w.WRITTEN]):
        taken = memory[memory[w.START] + TWO * number] & ~PASSED
        value = TAKEN_ORDER * (bit_count(taken) + bit_count(taken & kings))
        memory[slot + number] = value << ORDER | TAKES | number
    return memory[w.WRITTEN]  # type: ignore[no-any-return]


@compiled("uint64(uint64[::1], uint64, uint64)")
def write_steps(memory: Memory, at: Word, ply: Word) -> Word:
    """Writes the moves of a position whose mover cannot take; returns how many."""
    own, kings, side = memory[at + w.MINE], memory[at + w.KINGS], memory[at + w.SIDE]
    empty, crowning = memory[w.FULL] & ~(own | memory[at + w.THEIRS]), memory[w.CROWNING + side]
    start = slot = MOVES + ply * STRIDE
    history = HISTORY + ((ply & ONE) << TEN)
    for cell in each_bit(own):
        origin, king = ONE << cell, kings >> cell & ONE != ZERO
        first = ZERO if king else side << ONE
        for way in span(first, DIRECTIONS if king else first + TWO):
            to, gone = shifted(memory, origin, way) & empty, ZERO
            while to != ZERO:
                code = lowest_bit(to) | way << SIX | gone << EIGHT | STEPS
                order = memory[history + (code & JOURNEY)]
                if not king and to & crowning != ZERO:
                    order += CROWNED_ORDER
                memory[slot] = order << ORDER | code
                slot += ONE
                gone += ONE
                to = shifted(memory, to, way) & empty if king and memory[w.FLYING] != ZERO else ZERO
    return slot - start
