"""Orders the moves of a ply for `negamax`, and remembers those that proved good."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled
from agents.kernels.loops import span
from agents.kernels.memory import (
    HISTORY,
    KILLERS,
    MAX_MOVES,
    MAX_PLY,
    MOVES,
    NOISE,
    NOISE_SHIFT,
    PV,
    PV_LENGTH,
    Memory,
)
from agents.kernels.table import CODE, SPREAD

U = np.uint64
ZERO, ONE, TWO, TEN, ORDER = U(0), U(1), U(2), U(10), U(32)
JOURNEY = U(2**10 - 1)
PLIES, STRIDE = U(MAX_PLY), U(MAX_MOVES)
FIRST, KILLER, MAX_HISTORY = U(2**31), U(2**23), U(2**22)
AT_NOISE = U(16)


@compiled("void(uint64[::1], uint64, uint64, uint64)")
def order_moves(memory: Memory, count: np.uint64, ply: np.uint64, first: np.uint64) -> None:
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
def pick(memory: Memory, count: np.uint64, ply: np.uint64, done: np.uint64) -> np.uint64:
    """Swaps the most promising move from `done` on into that place; returns its code."""
    first = MOVES + ply * STRIDE + done
    best = first
    for slot in span(first + ONE, MOVES + ply * STRIDE + count):
        if memory[slot] > memory[best]:
            best = slot
    word = memory[best]
    memory[best] = memory[first]
    memory[first] = word
    code: np.uint64 = word & CODE
    return code


@compiled("void(uint64[::1], uint64, uint64)", inlined=True)
def remember(memory: Memory, code: np.uint64, ply: np.uint64) -> None:
    """Puts a quiet move that caused a cutoff among the killers."""
    killers = KILLERS + ply * TWO
    if memory[killers] != code:
        memory[killers + ONE] = memory[killers]
        memory[killers] = code


@compiled("void(uint64[::1], uint64, uint64, int64)")
def reward(memory: Memory, code: np.uint64, ply: np.uint64, depth: int) -> None:
    """Records a quiet move that caused a cutoff, among the killers and in the history."""
    remember(memory, code, ply)
    slot = HISTORY + ((ply & ONE) << TEN) + (code & JOURNEY)
    memory[slot] += U(depth * depth)
    if memory[slot] > MAX_HISTORY:
        memory[slot] = MAX_HISTORY


@compiled("void(uint64[::1], uint64, uint64)")
def extend_line(memory: Memory, ply: np.uint64, code: np.uint64) -> None:
    """Sets the best line from here to this move followed by the best line after it."""
    own = PV + ply * PLIES
    after = own + PLIES
    length = memory[PV_LENGTH + ply + ONE]
    memory[own] = code
    index = ZERO
    while index < length and index + TWO < PLIES:
        memory[own + ONE + index] = memory[after + index]
        index += ONE
    memory[PV_LENGTH + ply] = index + ONE
