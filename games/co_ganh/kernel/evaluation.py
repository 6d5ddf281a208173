"""Static evaluation: features counted here, times the weights in the memory."""

from __future__ import annotations

from agents.kernels.compilation import compiled, number, signed
from agents.kernels.memory import Memory, Word
from games.co_ganh.kernel.board import EVEN, FIVE, FOUR, FULL, NOT_LEFT, NOT_RIGHT, ONE, SIX, ZERO, beside, between
from games.co_ganh.kernel.memory import WEIGHTS

OWN, ENEMY, LOOKS = WEIGHTS, WEIGHTS + Word(1), WEIGHTS + Word(2)
"""A man of the side to move, and one of the enemy's; not 0 if other features count than the men. The weights from here
on are for differences, mine minus theirs."""
STANDING = WEIGHTS + Word(3)
"""6 words: a man on each of the KINDS of points."""
FACING, TOGETHER, STEPS, TURN = (WEIGHTS + Word(place) for place in range(9, 13))
"""An enemy man beside one of mine on my turn; two men next to each other on a line; a step that a man could make."""
MAJORITY, SHARE = WEIGHTS + Word(13), WEIGHTS + Word(14)
"""Having more men; each hundredth of the men on the board by which one side has more than the other."""
PREY, FEAR = WEIGHTS + Word(15), WEIGHTS + Word(16)
"""A point between two enemy men onto which one of mine could step; the same for the enemy, who is not to move."""
LEAPS, EXPOSED = WEIGHTS + Word(17), WEIGHTS + Word(18)
"""An enemy man with one of mine on one side and an empty point opposite; the same for my men."""
STUCK = WEIGHTS + Word(19)
"""A man without an empty point beside it."""
CORNERS = Word(1 << 0 | 1 << 4 | 1 << 20 | 1 << 24)
MIDDLES = Word(1 << 2 | 1 << 10 | 1 << 14 | 1 << 22)
INNERS = Word(1 << 6 | 1 << 8 | 1 << 16 | 1 << 18)
ARMS = Word(1 << 7 | 1 << 11 | 1 << 13 | 1 << 17)
HUBS = Word(1 << 12)
KINDS = CORNERS, FULL & ~(CORNERS | MIDDLES | INNERS | ARMS | HUBS), MIDDLES, INNERS, ARMS, HUBS
"""Corners, points beside one, middles of the sides; b2 b4 d2 d4, b3 c2 c4 d3, c3."""


@compiled("int64(uint64, uint64)")
def links(men: Word, others: Word) -> int:
    """Number of pairs in which one of `others` follows one of `men` along a line: right, down and diagonally down."""
    slanting = men & EVEN
    level = number((men & NOT_RIGHT) << ONE & others) + number(men << FIVE & others)
    falling = number((slanting & NOT_RIGHT) << SIX & others)
    return level + falling + number((slanting & NOT_LEFT) << FOUR & others)


@compiled("int64(uint64[::1], uint64, uint64)")
def evaluate(memory: Memory, mine: Word, theirs: Word) -> int:
    """The value for the side to move."""
    own, enemy = number(mine), number(theirs)
    value = signed(memory[OWN]) * own - signed(memory[ENEMY]) * enemy
    if memory[LOOKS] == ZERO:
        return value
    empty = FULL & ~(mine | theirs)
    for kind in range(len(KINDS)):
        value += signed(memory[STANDING + Word(kind)]) * (number(mine & KINDS[kind]) - number(theirs & KINDS[kind]))
    value += signed(memory[TOGETHER]) * (links(mine, mine) - links(theirs, theirs))
    my_steps = links(mine, empty) + links(empty, mine)
    value += signed(memory[STEPS]) * (my_steps - links(theirs, empty) - links(empty, theirs))
    reach, their_reach = beside(mine), beside(theirs)
    value += signed(memory[FACING]) * number(theirs & reach) + signed(memory[TURN])
    if own != enemy:
        bonus = signed(memory[MAJORITY]) + signed(memory[SHARE]) * (100 * abs(own - enemy) // (own + enemy))
        value += bonus if own > enemy else -bonus
    value += signed(memory[PREY]) * number(between(theirs, theirs) & empty & reach)
    value += signed(memory[FEAR]) * number(between(mine, mine) & empty & their_reach)
    value += signed(memory[LEAPS]) * number(between(mine, empty) & theirs)
    value += signed(memory[EXPOSED]) * number(between(theirs, empty) & mine)
    near = beside(empty)
    return value + signed(memory[STUCK]) * (number(mine & ~near) - number(theirs & ~near))
