"""Orders the moves of a ply for `negamax`, and remembers those that proved good."""

from __future__ import annotations

from agents.kernels.compilation import compiled
from agents.kernels.loops import span
from agents.kernels.memory import HISTORY, KILLERS, LINE, MOVES, NOISE, NOISE_SHIFT, PV, PV_LENGTH, STRIDE, Memory, Word
from agents.kernels.table import CODE, SPREAD

ZERO, ONE, TWO, TEN, ORDER = map(Word, (0, 1, 2, 10, 32))
JOURNEY = Word(2**10 - 1)
FIRST, KILLER, MAX_HISTORY = map(Word, (2**31, 2**23, 2**22))
AT_NOISE = Word(16)


@compiled("void(uint64[::1], uint64, uint64, uint64)")
def order_moves(memory: Memory, count: Word, ply: Word, first: Word) -> None:
    """Ranks the stored move and the killers first among the ply's moves; shuffles equal moves at the root."""
    begin, killers = MOVES + ply * STRIDE, KILLERS + ply * TWO
    for slot in span(begin, begin + count):
        code = memory[slot] & CODE
        if code == first:
            memory[slot] = FIRST << ORDER | code
        elif memory[slot] >> ORDER < KILLER and (code == memory[killers] or code == memory[killers + ONE]):
            memory[slot] = KILLER << ORDER | code
        elif ply == ZERO and memory[NOISE] != ZERO:
            memory[slot] |= ((code + memory[NOISE]) * SPREAD >> memory[NOISE_SHIFT]) << AT_NOISE


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def pick(memory: Memory, count: Word, ply: Word, done: Word) -> Word:
    """Swaps the most promising move from `done` on into that place; returns its code."""
    first = MOVES + ply * STRIDE + done
    word, best = memory[first], first
    for slot in span(first + ONE, MOVES + ply * STRIDE + count):
        word = max(word, memory[slot])  # without a branch that the processor would have to guess
    for slot in span(first + ONE, MOVES + ply * STRIDE + count):
        best = max(best, slot * Word(memory[slot] == word))
    memory[best] = memory[first]
    memory[first] = word
    return Word(word & CODE)


@compiled("void(uint64[::1], uint64, uint64)", inlined=True)
def remember(memory: Memory, code: Word, ply: Word) -> None:
    """Puts a quiet move that caused a cutoff among the killers."""
    killers = KILLERS + ply * TWO
    if memory[killers] != code:
        memory[killers + ONE] = memory[killers]
        memory[killers] = code


@compiled("void(uint64[::1], uint64, uint64, int64)")
def reward(memory: Memory, code: Word, ply: Word, depth: int) -> None:
    """Records a quiet move that caused a cutoff, among the killers and in the history."""
    remember(memory, code, ply)
    slot = HISTORY + ((ply & ONE) << TEN) + (code & JOURNEY)
    memory[slot] += Word(depth * depth)
    if memory[slot] > MAX_HISTORY:
        memory[slot] = MAX_HISTORY


@compiled("void(uint64[::1], uint64, uint64)")
def extend_line(memory: Memory, ply: Word, code: Word) -> None:
    """Sets the best line from here to this move followed by the best line after it."""
    own = PV + ply * LINE
    after = own + LINE
    length = memory[PV_LENGTH + ply + ONE]
    memory[own] = code
    index = ZERO
    while index < length and index + TWO < LINE:
        memory[own + ONE + index] = memory[after + index]
        index += ONE
    memory[PV_LENGTH + ply] = index + ONE
