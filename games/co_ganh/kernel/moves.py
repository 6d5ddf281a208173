"""Legal moves as codes: arrival | origin << 5. Code 0 is no move."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, lowest_bit
from agents.kernels.memory import HISTORY, MAX_MOVES, MOVES
from games.co_ganh.kernel.board import FULL, beside, between, flanked
from games.co_ganh.kernel.memory import AT_LEAPT, AT_NEIGHBOURS, FLIPS, Memory

U = np.uint64
ZERO, ONE, TWO, FIVE, TEN, ORDER = U(0), U(1), U(2), U(5), U(10), U(32)
STRIDE = U(MAX_MOVES)
CAPTURE = U(1 << 24)
"""Ordering value per man captured."""


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def landings(memory: Memory, origin: np.uint64, theirs: np.uint64, empty: np.uint64) -> np.uint64:
    """Points that a man may jump to."""
    found = ZERO
    over = memory[AT_LEAPT + origin] & theirs
    while over:
        landing = ONE << (TWO * lowest_bit(over) - origin)
        over &= over - ONE
        found |= landing & empty
    return found


@compiled("boolean(uint64[::1], uint64, uint64)")
def can_move(memory: Memory, mine: np.uint64, theirs: np.uint64) -> bool:
    """Whether the mover has a legal move."""
    empty = FULL & ~(mine | theirs)
    if beside(mine) & empty != ZERO:
        return True
    if memory[FLIPS] != ZERO:
        return False
    men = mine
    while men:
        if landings(memory, lowest_bit(men), theirs, empty) != ZERO:
            return True
        men &= men - ONE
    return False


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, boolean)")
def write_moves(
    memory: Memory, mine: np.uint64, theirs: np.uint64, opened: np.uint64, ply: np.uint64, captures_only: bool
) -> np.uint64:
    """Writes the mover's moves into the ply's slots, with their initial order; returns how many.

    `opened` is the point that must be entered, as a bit, 0 for none. Only jumps and flanked pairs count as captures
    here, not men shut in.
    """
    empty = FULL & ~(mine | theirs)
    prey = between(theirs, theirs) & empty
    allowed = opened if opened != ZERO else FULL
    start = MOVES + ply * STRIDE
    slot = start
    history = HISTORY + ((ply & ONE) << TEN)
    men = mine
    while men:
        origin = lowest_bit(men)
        men &= men - ONE
        jumps = ZERO
        if memory[FLIPS] == ZERO:
            jumps = landings(memory, origin, theirs, empty)
        targets = (memory[AT_NEIGHBOURS + origin] & empty & allowed) | jumps
        if captures_only:
            targets &= prey | jumps
        while targets:
            to = lowest_bit(targets)
            bit = ONE << to
            targets &= targets - ONE
            code = to | origin << FIVE
            order = memory[history + code]
            if (prey | jumps) & bit != ZERO:
                leapt = ONE if jumps & bit != ZERO else ZERO
                men_taken = leapt
                if prey & bit != ZERO:
                    men_taken += bit_count(flanked(memory, to, theirs))
                order = CAPTURE * men_taken
            memory[slot] = order << ORDER | code
            slot += ONE
    return slot - start
