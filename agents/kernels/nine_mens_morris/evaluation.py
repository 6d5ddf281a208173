"""How good a position looks without searching on: the sum of features published by Kukreja, mine minus the enemy's.

Laying: 18 last + 26 mills + 1 blocked + 9 men + 10 two + 7 three. Moving: 14 last + 43 mills + 10 blocked + 11 men
+ 8 double. Both sides flying: 16 last + 10 two + 1 three; while only one flies the men still decide, as in moving.
`last` is 1 if the last move closed a mill, `blocked` counts enemy men without a free neighbour, `two` lines with two
men and an empty point, `three` pairs of those that share a man, `double` pairs of closed mills that share a man.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, lowest_bit, signed
from agents.kernels.nine_mens_morris.memory import FLYING, LINE_COUNT, LINES, NEIGHBOURS, PAIR_COUNT, PAIRS, Memory

U = np.uint64
ZERO, ONE, TWO, THREE = U(0), U(1), U(2), U(3)
BYTE, EIGHT, SIXTEEN = U(255), U(8), U(16)
FULL = U(2**24 - 1)


@compiled("boolean(uint64[::1], uint64, int64)")
def flies(memory: Memory, men: np.uint64, hand: int) -> bool:
    """Whether these men may go to any empty point."""
    return memory[FLYING] != ZERO and hand == 0 and bit_count(men) == THREE


@compiled("int64(uint64[::1], uint64, uint64)")
def blocked(memory: Memory, men: np.uint64, empty: np.uint64) -> int:
    """How many men have no free neighbour."""
    count = 0
    while men:
        if memory[NEIGHBOURS + lowest_bit(men)] & empty == ZERO:
            count += 1
        men &= men - ONE
    return count


@compiled("int64(uint64[::1], uint64, uint64, int64, int64, int64, int64, int64)")
def lines_of(
    memory: Memory, men: np.uint64, empty: np.uint64, mills: int, two: int, double: int, three: int, pairs: int
) -> int:
    """One side's lines and pairs of lines, weighted; with `pairs` 0 the pairs are not looked at."""
    closed, open_ = ZERO, ZERO
    value = 0
    line = ZERO
    while line < memory[LINE_COUNT]:
        cells = memory[LINES + line]
        if cells & men == cells:
            closed |= ONE << line
            value += mills
        elif bit_count(cells & men) == TWO and cells & empty != ZERO:
            open_ |= ONE << line
            value += two
        line += ONE
    pair = ZERO
    while pairs and (closed | open_) and pair < memory[PAIR_COUNT]:
        word = memory[PAIRS + pair]
        both = ONE << (word & BYTE) | ONE << (word >> EIGHT & BYTE)
        if closed & both == both:
            value += double
        elif open_ & both == both and word >> SIXTEEN & men:
            value += three
        pair += ONE
    return value


@compiled("int64(uint64[::1], uint64, uint64, int64, int64, int64)")
def evaluate(memory: Memory, mine: np.uint64, theirs: np.uint64, my_hand: int, their_hand: int, closed: int) -> int:
    """The value for the side to move; `closed` is 1 if the enemy's last move closed a mill."""
    empty = FULL & ~(mine | theirs)
    men = signed(bit_count(mine)) - signed(bit_count(theirs))
    if my_hand > 0 or their_hand > 0:
        last, on_board, stuck, mills, two, double, three = 18, 9, 1, 26, 10, 0, 7
    elif flies(memory, mine, my_hand) and flies(memory, theirs, their_hand):
        last, on_board, stuck, mills, two, double, three = 16, 0, 0, 0, 10, 0, 1
    else:
        last, on_board, stuck, mills, two, double, three = 14, 11, 10, 43, 0, 8, 0
    value = on_board * men - last * closed
    if stuck and not flies(memory, mine, my_hand):
        value -= stuck * blocked(memory, mine, empty)
    if stuck and not flies(memory, theirs, their_hand):
        value += stuck * blocked(memory, theirs, empty)
    pairs = double + three
    value += lines_of(memory, mine, empty, mills, two, double, three, pairs)
    return value - lines_of(memory, theirs, empty, mills, two, double, three, pairs)
