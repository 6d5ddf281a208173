"""Evaluation learnt from games: the contents of the three squares and the four sides, weighted by stage of the game.

A square is its eight points in a circle, a side its nine points on all three squares; the outer and the inner square,
and mirror images, share weights. Every joint of two points lies in one of these groups, and so does every man that can
step into a mill: mobility and mills within reach need no features of their own. A group's content is a number in base
three: 0 empty, 1 mine, 2 theirs. Weights are hundredths of a logit of winning; the value is their sum for the mover.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import bit_count, compiled, signed
from games.nine_mens_morris import CELLS
from games.nine_mens_morris.kernel.memory import PATTERN_WORDS, PATTERNS, Memory

U = np.uint64
TWO, THREE, EIGHT, SIXTEEN, BYTE = U(2), U(3), U(8), U(16), U(255)
NEXT = U(256)
LANE = U(2**16 - 1)
SQUARES = ("a7 d7 g7 g4 g1 d1 a1 a4", "b6 d6 f6 f4 f2 d2 b2 b4", "c5 d5 e5 e4 e3 d3 c3 c4")
SIDES = (
    "a7 d7 g7 b6 d6 f6 c5 d5 e5",
    "g7 g4 g1 f6 f4 f2 e5 e4 e3",
    "g1 d1 a1 f2 d2 b2 e3 d3 c3",
    "a1 a4 a7 b2 b4 b6 c3 c4 c5",
)
GROUPS = tuple(tuple(CELLS.index(name) for name in group.split()) for group in (*SQUARES, *SIDES))
STARTS = (0, 3**8, 0, *(4 * (2 * 3**8,)))
"""Start of each group's weights within a stage: the outer and the inner square share theirs, and so do the sides."""
MATERIAL = 2 * 3**8 + 3**9
"""Start of the weights indexed by my men, those in hand too, minus theirs, plus MOST_AHEAD; the constant follows."""
MOST_AHEAD = 9
CONSTANT = MATERIAL + 2 * MOST_AHEAD + 1
FEATURES = len(GROUPS) + 2
"""Features of a position: the groups, the men, the constant."""
MAX_VALUE = 3000


def _digits(groups: tuple[tuple[int, ...], ...]) -> NDArray[np.uint64]:
    """For each byte of a bit set, 3 x 256 words: the groups' numbers that its points add up to, 16 bits each."""
    words = np.zeros(3 * 256, dtype=np.uint64)
    for index in range(3 * 256):
        cells = [index // 256 * 8 + bit for bit in range(8) if index >> bit & 1]
        for lane, group in enumerate(groups):
            number = sum(3 ** group.index(cell) for cell in cells if cell in group)
            words[index] |= U(number << 16 * lane)
    return words


IN_SQUARES, IN_SIDES = _digits(GROUPS[:3]), _digits(GROUPS[3:])


@compiled("uint64(uint64)")
def in_squares(men: np.uint64) -> np.uint64:
    """What a bit set adds to the numbers of the three squares, 16 bits each."""
    word: np.uint64 = IN_SQUARES[men & BYTE] + IN_SQUARES[NEXT + (men >> EIGHT & BYTE)]
    word += IN_SQUARES[TWO * NEXT + (men >> SIXTEEN)]
    return word


@compiled("uint64(uint64)")
def in_sides(men: np.uint64) -> np.uint64:
    """What a bit set adds to the numbers of the four sides, 16 bits each."""
    word: np.uint64 = IN_SIDES[men & BYTE] + IN_SIDES[NEXT + (men >> EIGHT & BYTE)]
    word += IN_SIDES[TWO * NEXT + (men >> SIXTEEN)]
    return word


@compiled("int64(int64, boolean, boolean)")
def stage_of(men: int, mine_fly: bool, theirs_fly: bool) -> int:
    """Stage of the game with all men laid, by the men on the board."""
    if mine_fly or theirs_fly:
        return 8 if not theirs_fly else 9 if not mine_fly else 10
    return 4 if men >= 15 else 5 if men >= 12 else 6 if men >= 9 else 7


@compiled("int64(uint64, uint64, int64, int64, boolean, boolean)")
def stage(mine: np.uint64, theirs: np.uint64, my_hand: int, their_hand: int, mine_fly: bool, theirs_fly: bool) -> int:
    """Stage of the game, 0 to STAGES - 1."""
    to_lay = my_hand + their_hand
    if to_lay > 0:
        return 0 if to_lay > 12 else 1 if to_lay > 8 else 2 if to_lay > 4 else 3
    return stage_of(signed(bit_count(mine | theirs)), mine_fly, theirs_fly)


@compiled("int64(uint64[::1], uint64, uint64)")
def weight(memory: Memory, start: np.uint64, index: np.uint64) -> int:
    """The weight with that index in the stage that begins at word `start`; four weights per word."""
    word = memory[start + (index >> TWO)] << (U(48) - SIXTEEN * (index & THREE))
    return signed(word) >> 48


@compiled("int64(uint64[::1], uint64, uint64, int64, int64, boolean, boolean)")
def evaluate_patterns(
    memory: Memory,
    mine: np.uint64,
    theirs: np.uint64,
    my_hand: int,
    their_hand: int,
    mine_fly: bool,
    theirs_fly: bool,
) -> int:
    """The value for the side to move, in hundredths of a logit of winning."""
    start = PATTERNS + U(stage(mine, theirs, my_hand, their_hand, mine_fly, theirs_fly)) * U(PATTERN_WORDS)
    squares = in_squares(mine) + TWO * in_squares(theirs)
    sides = in_sides(mine) + TWO * in_sides(theirs)
    value: int = weight(memory, start, squares & LANE)
    value += weight(memory, start, U(STARTS[1]) + (squares >> SIXTEEN & LANE))
    value += weight(memory, start, squares >> U(32))
    for side in range(4):
        value += weight(memory, start, U(STARTS[3]) + (sides >> U(16 * side) & LANE))
    ahead = signed(bit_count(mine)) + my_hand - signed(bit_count(theirs)) - their_hand
    value += weight(memory, start, U(MATERIAL + MOST_AHEAD + min(max(ahead, -MOST_AHEAD), MOST_AHEAD)))
    value += weight(memory, start, U(CONSTANT))
    return min(max(value, -MAX_VALUE), MAX_VALUE)
