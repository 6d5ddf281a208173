"""Bit sets of points of the 5x5 board: neighbours, points between others, and captures."""

from __future__ import annotations

from agents.kernels.compilation import compiled
from agents.kernels.loops import span
from agents.kernels.memory import Memory, Word
from games.co_ganh.kernel.memory import AT_NEIGHBOURS, AT_PAIRS, FLIPS

ZERO, ONE, FOUR, FIVE, SIX = map(Word, (0, 1, 4, 5, 6))
FULL, PAIRS = map(Word, (2**25 - 1, 4))
EVEN = Word(0b1010101010101010101010101)
"""Points from which diagonals are drawn."""
NOT_LEFT = Word(0b1111011110111101111011110)
NOT_RIGHT = Word(0b0111101111011110111101111)


@compiled("uint64(uint64)")
def beside(men: Word) -> Word:
    slanting = men & EVEN
    left, right = slanting & NOT_LEFT, slanting & NOT_RIGHT
    level = (men & NOT_RIGHT) << ONE | (men & NOT_LEFT) >> ONE
    return Word((level | men << FIVE | men >> FIVE | right << SIX | left << FOUR | left >> SIX | right >> FOUR) & FULL)


@compiled("uint64(uint64, uint64)")
def between(before: Word, after: Word) -> Word:
    """Every point with a member of the first set on one side along a line and one of the second set opposite."""
    slanting, other = before & EVEN, after & EVEN
    level = (before << ONE & NOT_LEFT) & (after >> ONE & NOT_RIGHT)
    level |= (after << ONE & NOT_LEFT) & (before >> ONE & NOT_RIGHT)
    upright = (before << FIVE & after >> FIVE) | (after << FIVE & before >> FIVE)
    falling = (slanting << SIX & NOT_LEFT) & (other >> SIX & NOT_RIGHT)
    falling |= (other << SIX & NOT_LEFT) & (slanting >> SIX & NOT_RIGHT)
    rising = (slanting << FOUR & NOT_RIGHT) & (other >> FOUR & NOT_LEFT)
    rising |= (other << FOUR & NOT_RIGHT) & (slanting >> FOUR & NOT_LEFT)
    return Word((level | upright | falling | rising) & FULL)


@compiled("uint64(uint64[::1], uint64, uint64)")
def flanked(memory: Memory, cell: Word, men: Word) -> Word:
    """Every pair of the men between which the point lies."""
    found, first = ZERO, AT_PAIRS + PAIRS * cell
    for slot in span(first, first + PAIRS):
        if memory[slot] & men == memory[slot]:
            found |= memory[slot]
    return found


@compiled("uint64(uint64, uint64)")
def shut_in(men: Word, others: Word) -> Word:
    """The men in groups without an empty neighbouring point."""
    free = beside(FULL & ~(men | others)) & men
    grown = free | (beside(free) & men)
    while grown != free:
        free = grown
        grown = free | (beside(free) & men)
    return men & ~free


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def captured(memory: Memory, mine: Word, theirs: Word, origin: Word, to: Word) -> Word:
    """Enemy men that a move captures; `mine` are the men before it."""
    leapt = ZERO
    if memory[AT_NEIGHBOURS + origin] >> to & ONE == ZERO:
        leapt = ONE << ((origin + to) >> ONE)
    found = flanked(memory, to, theirs & ~leapt) | leapt
    if memory[FLIPS] != ZERO:
        after = mine ^ (ONE << origin) ^ (ONE << to)
        found |= shut_in(theirs & ~found, after | found)
    return found
