"""Legal moves as codes: arrival | origin << 5 | removed << 10; `NONE` for no origin or no removal."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, signed
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import HISTORY, MAX_MOVES, MOVES, STATE, STATE_WORDS
from games.nine_mens_morris.kernel import memory as w
from games.nine_mens_morris.kernel.evaluation import flies, has_room
from games.nine_mens_morris.kernel.memory import Memory

U = np.uint64
ZERO, ONE, TWO, FOUR = U(0), U(1), U(2), U(4)
FIVE, TEN, ORDER = U(5), U(10), U(32)
FULL = U(2**24 - 1)
STRIDE, WORDS = U(MAX_MOVES), U(STATE_WORDS)
AT_THEIRS, AT_SIDE = U(24), U(48)
CLOSING = U(1 << 24)


@compiled("uint64(uint64[::1], uint64)")
def takeable(memory: Memory, theirs: np.uint64) -> np.uint64:
    """The men that a mill may take."""
    in_mills = ZERO
    for line in span(ZERO, memory[w.LINE_COUNT] if memory[w.PROTECTED] != ZERO else ZERO):
        cells = memory[w.LINES + line]
        if cells & theirs == cells:
            in_mills |= cells
    free = theirs & ~in_mills
    return free if free != ZERO else theirs


@compiled("boolean(uint64[::1], uint64, uint64)")
def closes(memory: Memory, men: np.uint64, to: np.uint64) -> bool:
    """Whether a man arriving on `to` closes a mill with `men`, the men that stay."""
    word = w.PARTNERS + FOUR * to
    while memory[word] != ZERO:
        if memory[word] & men == memory[word]:
            return True
        word += ONE
    return False


@compiled("boolean(uint64[::1], uint64, uint64, int64)")
def can_move(memory: Memory, mine: np.uint64, theirs: np.uint64, my_hand: int) -> bool:
    """Whether the mover has a legal move."""
    empty = FULL & ~(mine | theirs)
    if my_hand > 0 or flies(memory, mine, my_hand):
        return bool(empty != ZERO)
    return has_room(memory, mine, empty)


@compiled("uint64(uint64[::1], uint64, uint64)")
def worth(memory: Memory, theirs: np.uint64, cell: np.uint64) -> np.uint64:
    """Ordering value of taking that man: the number of other enemy men on the lines through it."""
    count = ZERO
    word = w.PARTNERS + FOUR * cell
    while memory[word] != ZERO:
        count += bit_count(memory[word] & theirs)
        word += ONE
    return count


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64, uint64)")
def write_journeys(
    memory: Memory,
    slot: np.uint64,
    origin: np.uint64,
    targets: np.uint64,
    staying: np.uint64,
    theirs: np.uint64,
    prey: np.uint64,
    parity: np.uint64,
) -> np.uint64:
    """Writes one man's moves, starting at `slot`; returns the slot after them."""
    for to in each_bit(targets):
        journey = to | origin << FIVE
        if prey != ZERO and closes(memory, staying, to):
            for removed in each_bit(prey):
                order = CLOSING + worth(memory, theirs, removed)
                memory[slot] = order << ORDER | journey | removed << TEN
                slot += ONE
        else:
            order = memory[HISTORY + (parity << TEN) + journey]
            memory[slot] = order << ORDER | journey | w.NONE << TEN
            slot += ONE
    return slot


@compiled("uint64(uint64[::1], uint64, int64)")
def write_moves(memory: Memory, ply: np.uint64, depth: int) -> np.uint64:
    """As `agents.kernels.negamax`; adds the position to KEYS."""
    at, parity = STATE + ply * WORDS, ply & ONE
    mine, theirs, my_hand = memory[at], memory[at + w.THEIRS], signed(memory[at + w.MY_HAND])
    memory[w.KEYS + memory[at + w.LAST_KEY]] = mine | theirs << AT_THEIRS | parity << AT_SIDE
    empty = FULL & ~(mine | theirs)
    start = MOVES + ply * STRIDE
    prey = takeable(memory, theirs)
    slot = start
    if my_hand > 0:
        slot = write_journeys(memory, slot, w.NONE, empty, mine, theirs, prey, parity)
        if memory[w.MOVE_EARLY] == ZERO:
            return slot - start
    anywhere = flies(memory, mine, my_hand)
    for origin in each_bit(mine):
        targets = empty if anywhere else empty & memory[w.NEIGHBOURS + origin]
        slot = write_journeys(memory, slot, origin, targets, mine & ~(ONE << origin), theirs, prey, parity)
    return slot - start
