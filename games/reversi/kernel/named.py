"""The plain heuristics of `games.reversi.heuristics` in machine code, with identical values."""

from __future__ import annotations

from agents.kernels.compilation import bit_count, compiled, number, signed
from agents.kernels.memory import Memory, Word
from games.reversi import heuristics as plain
from games.reversi.kernel.discs import CORNERS, beside, moves, stable
from games.reversi.kernel.memory import FEATURES, JUDGE, STATIC, WORTHS

ZERO, SIX = Word(0), Word(6)
OPENING_DISCS, MIDDLE_DISCS, EDGES = map(Word, (plain.OPENING_DISCS, plain.MIDDLE_DISCS, plain.EDGES))


@compiled("int64(uint64, uint64)")
def percentage(mine: Word, theirs: Word) -> int:
    """How far my bits outnumber theirs, from -100 to 100, rounded toward zero."""
    own, other = number(mine), number(theirs)
    share = 100 * abs(own - other) // max(own + other, 1)
    return share if own > other else -share


@compiled("uint64(uint64, uint64)")
def quiet(mine: Word, theirs: Word) -> Word:
    """My discs that count as stable by the simple measure."""
    return mine & (CORNERS | EDGES | ~beside(theirs))


@compiled("int64(uint64[::1], uint64, uint64)")
def evaluate_named(memory: Memory, mine: Word, theirs: Word) -> int:
    """The value for the side to move by the heuristic whose weights are in the memory."""
    value = 0
    if memory[JUDGE] == Word(STATIC):
        for index in range(9):
            squares = memory[WORTHS + Word(index)]
            value += (index - 4) * (number(mine & squares) - number(theirs & squares))
        return value
    discs = bit_count(mine | theirs)
    at = FEATURES + SIX * (Word(discs >= OPENING_DISCS) + Word(discs >= MIDDLE_DISCS))
    value += signed(memory[at]) * percentage(mine & CORNERS, theirs & CORNERS)
    if memory[at + Word(1)] != ZERO:
        value += signed(memory[at + Word(1)]) * percentage(moves(mine, theirs), moves(theirs, mine))
    value += signed(memory[at + Word(2)]) * percentage(mine, theirs)
    value += signed(memory[at + Word(3)]) * percentage(mine & EDGES, theirs & EDGES)
    if memory[at + Word(4)] != ZERO:
        value += signed(memory[at + Word(4)]) * percentage(quiet(mine, theirs), quiet(theirs, mine))
    if memory[at + Word(5)] != ZERO:
        value += signed(memory[at + Word(5)]) * percentage(stable(mine, theirs), stable(theirs, mine))
    return value
