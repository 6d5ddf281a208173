"""Static evaluation: my features minus the enemy's, times the weights in the memory.

`games.nine_mens_morris.heuristics` defines each feature and the weights of every named heuristic.
"""

from __future__ import annotations

from agents.kernels.compilation import bit_count, compiled, lowest_bit, number, signed
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import Memory, Word
from games.nine_mens_morris.kernel import memory as w
from games.nine_mens_morris.kernel.patterns import evaluate_patterns

LAST, MILLS, BLOCKED, MEN, TWO_CONFIGURATIONS, DOUBLE = map(Word, (0, 1, 2, 3, 4, 5))
THREE_CONFIGURATIONS, MILL_MEN, MOBILITY, REACH, RUNNING, THREAT, TEMPO = map(Word, (6, 7, 8, 9, 10, 11, 12))
"""Offsets of a phase's weights; `games.nine_mens_morris.kernel.weights.Weights` explains each."""
EARLY = 9
"""Men still to lay, both sides together, from which on a position is in the first phase."""
ZERO, TWO, THREE, SIXTEEN = map(Word, (0, 2, 3, 16))
FULL = Word(2**24 - 1)


@compiled("boolean(uint64[::1], uint64, int64)")
def flies(memory: Memory, men: Word, hand: int) -> bool:
    """Whether these men may go to any empty point."""
    return memory[w.FLYING] != ZERO and hand == 0 and bit_count(men) == THREE


@compiled("int64(uint64[::1], uint64, uint64, uint64, boolean)")
def mobility_of(memory: Memory, men: Word, empty: Word, weights: Word, anywhere: bool) -> int:
    """One side's value for free neighbours less that for blocked men; its phase's weights begin at word `weights`."""
    stuck, free = 0, ZERO
    for cell in each_bit(men):
        ways = bit_count(memory[w.NEIGHBOURS + cell] & empty)
        free += ways
        if ways == ZERO and not anywhere:
            stuck += 1
    return signed(memory[weights + MOBILITY]) * signed(free) - signed(memory[weights + BLOCKED]) * stuck


@compiled("boolean(uint64[::1], uint64, uint64)")
def has_room(memory: Memory, men: Word, empty: Word) -> bool:
    """Whether any of the men has a free neighbour."""
    for cell in each_bit(men):
        if memory[w.NEIGHBOURS + cell] & empty != ZERO:
            return True
    return False


@compiled("int64(uint64[::1], uint64, uint64, uint64, boolean, boolean, boolean)")
def lines_of(memory: Memory, men: Word, empty: Word, weights: Word, anywhere: bool, lays: bool, moves: bool) -> int:
    """One side's value for lines and pairs of lines, weights from word `weights`; `moves` is true if it is to move.

    Lines that share a man are counted by the men on two lines and on three: no point lies on more.
    """
    running = memory[weights + RUNNING] != ZERO
    closed, closed_twice, open_, open_twice = ZERO, ZERO, ZERO, ZERO
    mills, two, double, three, within_reach, swinging = 0, 0, 0, 0, 0, 0
    for line in span(ZERO, memory[w.LINE_COUNT]):
        cells = memory[w.LINES + line]
        own = cells & men
        if own == cells:
            mills += 1
            double += number(own & closed) + number(own & closed_twice)
            closed, closed_twice = closed | own, closed_twice | own & closed
            if running and has_room(memory, cells, empty):
                swinging += 1
        elif bit_count(own) == TWO and cells & empty != ZERO:
            two += 1
            three += number(own & open_) + number(own & open_twice)
            open_, open_twice = open_ | own, open_twice | own & open_
            helpers = men & ~cells
            if helpers & memory[w.NEIGHBOURS + lowest_bit(cells & empty)] != ZERO or (anywhere and helpers != ZERO):
                within_reach += 1
    value = signed(memory[weights + MILLS]) * mills + signed(memory[weights + TWO_CONFIGURATIONS]) * two
    value += signed(memory[weights + DOUBLE]) * double + signed(memory[weights + THREE_CONFIGURATIONS]) * three
    value += signed(memory[weights + REACH]) * within_reach + signed(memory[weights + RUNNING]) * swinging
    value += signed(memory[weights + MILL_MEN]) * number(closed)
    if moves and (within_reach > 0 or (lays and two > 0)):
        value += signed(memory[weights + THREAT])
    return value


@compiled("int64(uint64[::1], uint64, uint64, int64, int64, int64)")
def evaluate(memory: Memory, mine: Word, theirs: Word, my_hand: int, their_hand: int, closed: int) -> int:
    """The value for the side to move; `closed` is 1 if the enemy's last move closed a mill."""
    empty = FULL & ~(mine | theirs)
    mine_fly, theirs_fly = flies(memory, mine, my_hand), flies(memory, theirs, their_hand)
    if memory[w.JUDGE] != ZERO:
        return evaluate_patterns(memory, mine, theirs, my_hand, their_hand, mine_fly, theirs_fly)
    to_lay = my_hand + their_hand
    phase = Word(0) if to_lay >= EARLY else Word(1) if to_lay > 0 else Word(3) if mine_fly and theirs_fly else Word(2)
    weights = w.WEIGHTS + SIXTEEN * phase
    value = signed(memory[weights + MEN]) * (number(mine) - number(theirs)) - signed(memory[weights + LAST]) * closed
    value += signed(memory[weights + TEMPO])
    if (memory[weights + MOBILITY] | memory[weights + BLOCKED]) != ZERO:
        value += mobility_of(memory, mine, empty, weights, mine_fly)
        value -= mobility_of(memory, theirs, empty, weights, theirs_fly)
    value += lines_of(memory, mine, empty, weights, mine_fly, my_hand > 0, True)
    return value - lines_of(memory, theirs, empty, weights, theirs_fly, their_hand > 0, False)
