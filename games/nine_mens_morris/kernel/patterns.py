"""Evaluation learnt from games: the contents of the three squares and the four sides, weighted by stage of the game.

A square is its eight points in a circle, a side its nine points on all three squares; the outer and the inner square,
and mirror images, share weights. Every joint of two points lies in one of these groups, and so does every man that can
step into a mill: mobility and mills within reach need no features of their own. A group's content is a number in base
three: 0 empty, 1 mine, 2 theirs. Weights are hundredths of a logit of winning; the value is their sum for the mover.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import compiled, number, signed
from agents.kernels.loops import span
from agents.kernels.memory import Memory, Word
from games.nine_mens_morris import CELLS
from games.nine_mens_morris.kernel.memory import PATTERN_WORDS, PATTERNS

ZERO, TWO, THREE, EIGHT, SIXTEEN, BYTE = map(Word, (0, 2, 3, 8, 16, 255))
NEXT, LANE = Word(256), Word(2**16 - 1)
RINGS = "a7 d7 g7 g4 g1 d1 a1 a4", "b6 d6 f6 f4 f2 d2 b2 b4", "c5 d5 e5 e4 e3 d3 c3 c4"
SQUARES = tuple(tuple(CELLS.index(name) for name in ring.split()) for ring in RINGS)
SIDES = tuple(tuple(ring[(2 * side + place) % 8] for ring in SQUARES for place in range(3)) for side in range(4))
GROUPS = (*SQUARES, *SIDES)
STARTS = (0, 3**8, 0, *(4 * (2 * 3**8,)))
"""Start of each group's weights within a stage: the outer and the inner square share theirs, and so do the sides."""
MATERIAL = 2 * 3**8 + 3**9
"""Start of the weights indexed by my men, those in hand too, minus theirs, plus MOST_AHEAD; the constant follows."""
MOST_AHEAD = 9
CONSTANT = MATERIAL + 2 * MOST_AHEAD + 1
FEATURES = len(GROUPS) + 2
"""Features of a position: the groups, the men, the constant."""
MAX_VALUE = 3000


def _digits(groups: tuple[tuple[int, ...], ...]) -> NDArray[Word]:
    """For each byte of a bit set, 3 x 256 words: the groups' numbers that its points add up to, 16 bits each."""
    words = np.zeros(3 * 256, dtype=Word)
    for index in range(3 * 256):
        cells = [index // 256 * 8 + bit for bit in range(8) if index >> bit & 1]
        for lane, group in enumerate(groups):
            added = sum(3 ** group.index(cell) for cell in cells if cell in group)
            words[index] |= Word(added << 16 * lane)
    return words


DIGITS = np.concatenate([_digits(SQUARES), _digits(SIDES)])
IN_SQUARES, IN_SIDES = Word(0), Word(3 * 256)
"""Where the digits of the three squares begin, and those of the four sides."""


@compiled("uint64(uint64, uint64, uint64)")
def numbers(mine: Word, theirs: Word, first: Word) -> Word:
    """The numbers of the groups whose digits begin at `first`, 16 bits each."""
    found = ZERO
    for part in span(ZERO, THREE):
        row, shift = first + NEXT * part, EIGHT * part
        found += DIGITS[row + (mine >> shift & BYTE)] + TWO * DIGITS[row + (theirs >> shift & BYTE)]
    return found


@compiled("int64(uint64, uint64, int64, int64, boolean, boolean)")
def stage(mine: Word, theirs: Word, my_hand: int, their_hand: int, mine_fly: bool, theirs_fly: bool) -> int:
    """Stage of the game, 0 to STAGES - 1."""
    to_lay = my_hand + their_hand
    if to_lay > 0:
        return 0 if to_lay > 12 else 1 if to_lay > 8 else 2 if to_lay > 4 else 3
    if mine_fly or theirs_fly:
        return 8 if not theirs_fly else 9 if not mine_fly else 10
    men = number(mine | theirs)
    return 4 if men >= 15 else 5 if men >= 12 else 6 if men >= 9 else 7


@compiled("int64(uint64[::1], uint64, uint64)")
def weight(memory: Memory, start: Word, index: Word) -> int:
    """The weight with that index in the stage that begins at word `start`; four weights per word."""
    word = memory[start + (index >> TWO)] << (Word(48) - SIXTEEN * (index & THREE))
    return signed(word) >> 48


@compiled("int64(uint64[::1], uint64, uint64, int64, int64, boolean, boolean)")
def evaluate_patterns(
    memory: Memory, mine: Word, theirs: Word, my_hand: int, their_hand: int, mine_fly: bool, theirs_fly: bool
) -> int:
    """The value for the side to move, in hundredths of a logit of winning."""
    start = PATTERNS + Word(stage(mine, theirs, my_hand, their_hand, mine_fly, theirs_fly)) * Word(PATTERN_WORDS)
    squares, sides = numbers(mine, theirs, IN_SQUARES), numbers(mine, theirs, IN_SIDES)
    value = weight(memory, start, Word(CONSTANT))
    for lane in range(3):
        value += weight(memory, start, Word(STARTS[lane]) + (squares >> Word(16 * lane) & LANE))
    for lane in range(4):
        value += weight(memory, start, Word(STARTS[3]) + (sides >> Word(16 * lane) & LANE))
    ahead = number(mine) + my_hand - number(theirs) - their_hand
    value += weight(memory, start, Word(MATERIAL + MOST_AHEAD + min(max(ahead, -MOST_AHEAD), MOST_AHEAD)))
    return min(max(value, -MAX_VALUE), MAX_VALUE)
