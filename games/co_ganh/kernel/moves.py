"""Legal moves as codes: arrival | origin << 5. Code 0 is no move."""

from __future__ import annotations

from agents.kernels.compilation import bit_count, compiled
from agents.kernels.loops import each_bit
from agents.kernels.memory import HISTORY, MOVES, STRIDE, Memory, Word
from agents.kernels.past import place_of
from games.co_ganh.kernel.board import FULL, beside, between, flanked
from games.co_ganh.kernel.memory import AT_LEAPT, AT_NEIGHBOURS, FLIPS, OPENED, THEIRS

ZERO, ONE, TWO, FIVE, TEN, ORDER = map(Word, (0, 1, 2, 5, 10, 32))
CAPTURE = Word(1 << 24)
"""Ordering value per man captured."""


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def landings(memory: Memory, origin: Word, theirs: Word, empty: Word) -> Word:
    """Points that a man may jump to."""
    found = ZERO
    for over in each_bit(memory[AT_LEAPT + origin] & theirs):
        found |= ONE << (TWO * over - origin) & empty
    return found


@compiled("boolean(uint64[::1], uint64, uint64)")
def can_move(memory: Memory, mine: Word, theirs: Word) -> bool:
    """Whether the mover has a legal move."""
    empty = FULL & ~(mine | theirs)
    if beside(mine) & empty != ZERO:
        return True
    for origin in each_bit(mine if memory[FLIPS] == ZERO else ZERO):
        if landings(memory, origin, theirs, empty) != ZERO:
            return True
    return False


@compiled("uint64(uint64[::1], uint64, int64)")
def write_moves(memory: Memory, ply: Word, depth: int) -> Word:
    """As `agents.kernels.negamax`; at depth 0 only jumps and where a pair is flanked, not where men are shut in."""
    at = place_of(ply)
    mine, theirs, opened = memory[at], memory[at + THEIRS], memory[at + OPENED]
    empty = FULL & ~(mine | theirs)
    prey = between(theirs, theirs) & empty
    allowed = opened if opened != ZERO else FULL
    start = slot = MOVES + ply * STRIDE
    history = HISTORY + ((ply & ONE) << TEN)
    for origin in each_bit(mine):
        jumps = landings(memory, origin, theirs, empty) if memory[FLIPS] == ZERO else ZERO
        targets = (memory[AT_NEIGHBOURS + origin] & empty & allowed) | jumps
        if depth == 0:
            targets &= prey | jumps
        for to in each_bit(targets):
            code = to | origin << FIVE
            order = memory[history + code]
            if (prey | jumps) >> to & ONE != ZERO:
                flanking = bit_count(flanked(memory, to, theirs)) if prey >> to & ONE != ZERO else ZERO
                order = CAPTURE * ((jumps >> to & ONE) + flanking)
            memory[slot] = order << ORDER | code
            slot += ONE
    return slot - start
