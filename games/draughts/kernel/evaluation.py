"""Static evaluation in hundredths of a man: features counted here, times the weights of the phase in the memory."""

from __future__ import annotations

from agents.kernels.compilation import compiled, number, signed
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import Memory, Word
from games.draughts import heuristics as plain
from games.draughts.kernel import memory as w
from games.draughts.kernel.board import ONE, ZERO, reached, shifted, takers

OWN, PLACED, MATERIAL = map(Word, (0, 1, 2))
"""Values of JUDGE."""
SQUARES = Word(56)
"""Words of a phase before the others: what a man gets for standing on each square, seen as light's."""
MAN, KING, KING_CENTRE, KING_STEP, STEP, BACKED, EXPOSED, SHARE, TURN = (SQUARES + Word(place) for place in range(9))
"""A man, a king, a king in the middle, and a square that kings can step to; a square that men can step to; a man with
another behind it; a piece of the enemy's that could take if to move; each hundredth of the pieces by which one side has
more; the move."""
NINE = Word(9)


@compiled("int64(uint64[::1], uint64, uint64, uint64, uint64)")
def placed(memory: Memory, own: Word, enemy: Word, kings: Word, side: Word) -> int:
    """What `games.draughts.heuristics` gives a side's pieces for where they stand."""
    men, centre = own & ~kings, memory[w.CENTRE]
    value = plain.CENTRE * number(men & centre) + plain.KING_CENTRE * number(own & kings & centre)
    for row in span(ZERO, NINE):
        value += plain.ADVANCE * signed(row + ONE) * number(men & memory[w.ROWS + NINE * side + row])
    return value + plain.BACK * number(men & memory[w.BACK + side]) if enemy & ~kings != ZERO else value


@compiled("int64(uint64[::1], uint64)")
def named(memory: Memory, at: Word) -> int:
    """The heuristics of `games.draughts.heuristics`."""
    mine, theirs, kings, side = memory[at + w.MINE], memory[at + w.THEIRS], memory[at + w.KINGS], memory[at + w.SIDE]
    worth = plain.KING if memory[w.FLYING] == ZERO else plain.FLYING_KING
    lead = plain.MAN * (number(mine) - number(theirs))
    lead += (worth - plain.MAN) * (number(mine & kings) - number(theirs & kings))
    if memory[w.JUDGE] == MATERIAL:
        return lead
    traded = plain.TRADE * abs(lead) // (plain.MAN * number(mine | theirs))
    value = lead + (traded if lead > 0 else -traded)
    return value + placed(memory, mine, theirs, kings, side) - placed(memory, theirs, mine, kings, side ^ ONE)


@compiled("int64(uint64[::1], uint64, uint64, uint64)")
def standing(memory: Memory, row: Word, men: Word, side: Word) -> int:
    """The worth of a side's men by their squares."""
    value = ZERO
    for square in each_bit(men):
        value += memory[row + (square if side == ZERO else memory[w.TOP] - square)]
    return signed(value)


@compiled("int64(uint64[::1], uint64, uint64, uint64, uint64, uint64)")
def features(memory: Memory, row: Word, own: Word, kings: Word, side: Word, empty: Word) -> int:
    """The worth of a side's pieces."""
    men, kings = own & ~kings, own & kings
    value = standing(memory, row, men, side) + signed(memory[row + MAN]) * number(men)
    value += signed(memory[row + STEP]) * number(reached(memory, men, ZERO, side, empty))
    first = side << ONE
    backed = men & (shifted(memory, men, first) | shifted(memory, men, first + ONE))
    value += signed(memory[row + BACKED]) * number(backed)
    if kings != ZERO:
        value += signed(memory[row + KING]) * number(kings)
        value += signed(memory[row + KING_CENTRE]) * number(kings & memory[w.CENTRE])
        value += signed(memory[row + KING_STEP]) * number(reached(memory, ZERO, kings, side, empty))
    return value


@compiled("int64(uint64[::1], uint64, uint64)")
def phase_of(memory: Memory, mine: Word, theirs: Word) -> int:
    """0 with more than two thirds of the pieces at the start, 1 with more than one, else 2."""
    rows = signed(memory[w.HALF]) - 1  # of each side's men
    return max(0, min(w.PHASES - 1, w.PHASES - 1 - (w.PHASES * (number(mine | theirs) - 1)) // (2 * rows * (rows + 1))))


@compiled("int64(uint64[::1], uint64)")
def evaluate(memory: Memory, at: Word) -> int:
    """The value for the side to move, who has nothing to take."""
    if memory[w.JUDGE] != OWN:
        return named(memory, at)
    mine, theirs, kings, side = memory[at + w.MINE], memory[at + w.THEIRS], memory[at + w.KINGS], memory[at + w.SIDE]
    row, empty = w.WEIGHTS + w.PHASE_WORDS * Word(phase_of(memory, mine, theirs)), memory[w.FULL] & ~(mine | theirs)
    value = features(memory, row, mine, kings, side, empty)
    value -= features(memory, row, theirs, kings, side ^ ONE, empty)
    value += signed(memory[row + EXPOSED]) * number(takers(memory, theirs, mine, kings, side ^ ONE))
    lead = number(mine) - number(theirs)
    share = signed(memory[row + SHARE]) * (100 * abs(lead) // number(mine | theirs))
    return value + (share if lead > 0 else -share) + signed(memory[row + TURN])
