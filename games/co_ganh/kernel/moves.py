"""Legal moves as codes: arrival | origin << 5. Code 0 is no move."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled
from agents.kernels.loops import each_bit
from agents.kernels.memory import HISTORY, MAX_MOVES, MOVES, STATE
from games.co_ganh.kernel.board import FULL, beside, between, flanked
from games.co_ganh.kernel.memory import AT_LEAPT, AT_NEIGHBOURS, FLIPS, OPENED, THEIRS, WORDS, Memory

U = np.uint64
ZERO, ONE, TWO, FIVE, TEN, ORDER = U(0), U(1), U(2), U(5), U(10), U(32)
STRIDE = U(MAX_MOVES)
CAPTURE = U(1 << 24)
"""Ordering value per man captured."""


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def landings(memory: Memory, origin: np.uint64, theirs: np.uint64, empty: np.uint64) -> np.uint64:
    """Points that a man may jump to."""
    found = ZERO
    for over in each_bit(memory[AT_LEAPT + origin] & theirs):
        found |= ONE << (TWO * over - origin) & empty
    return found


@compiled("boolean(uint64[::1], uint64, uint64)")
def can_move(memory: Memory, mine: np.uint64, theirs: np.uint64) -> bool:
    """Whether the mover has a legal move."""
    empty = FULL & ~(mine | theirs)
    if beside(mine) & empty != ZERO:
        return True
    if memory[FLIPS] != ZERO:
        return False
    for origin in each_bit(mine):
        if landings(memory, origin, theirs, empty) != ZERO:
            return True
    return False


@compiled("uint64(uint64[::1], uint64, int64)")
def write_moves(memory: Memory, ply: np.uint64, depth: int) -> np.uint64:
    """As `agents.kernels.negamax`; at depth 0 only jumps and where a pair is flanked, not where men are shut in."""
    at = STATE + ply * WORDS
    mine, theirs, opened = memory[at], memory[at + THEIRS], memory[at + OPENED]
    empty = FULL & ~(mine | theirs)
    prey = between(theirs, theirs) & empty
    allowed = opened if opened != ZERO else FULL
    start = MOVES + ply * STRIDE
    slot = start
    history = HISTORY + ((ply & ONE) << TEN)
    for origin in each_bit(mine):
        jumps = ZERO
        if memory[FLIPS] == ZERO:
            jumps = landings(memory, origin, theirs, empty)
        targets = (memory[AT_NEIGHBOURS + origin] & empty & allowed) | jumps
        if depth == 0:
            targets &= prey | jumps
        for to in each_bit(targets):
            bit, code = ONE << to, to | origin << FIVE
            order = memory[history + code]
            if (prey | jumps) & bit != ZERO:
                men_taken = ONE if jumps & bit != ZERO else ZERO
                if prey & bit != ZERO:
                    men_taken += bit_count(flanked(memory, to, theirs))
                order = CAPTURE * men_taken
            memory[slot] = order << ORDER | code
            slot += ONE
    return slot - start
