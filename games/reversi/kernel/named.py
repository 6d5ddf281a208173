"""The plain heuristics of `games.reversi.heuristics` in machine code, with identical values."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, signed
from games.reversi import heuristics as plain
from games.reversi.kernel.discs import NOT_A, NOT_H, moves, stable
from games.reversi.kernel.memory import FEATURES, JUDGE, STATIC, WORTHS, Memory

U = np.uint64
ZERO, ONE, SIX, EIGHT = U(0), U(1), U(6), U(8)
OPENING_DISCS, MIDDLE_DISCS = U(20), U(50)
CORNERS = U(0x8100000000000081)
EDGES = U(0x3C0081818181003C)
assert (int(OPENING_DISCS), int(MIDDLE_DISCS)) == (plain.OPENING_DISCS, plain.MIDDLE_DISCS)
assert (int(CORNERS), int(EDGES)) == (plain.CORNERS, plain.EDGES)


@compiled("int64(uint64, uint64)")
def percentage(mine: np.uint64, theirs: np.uint64) -> int:
    """How far my bits outnumber theirs, from -100 to 100, rounded toward zero."""
    own, other = signed(bit_count(mine)), signed(bit_count(theirs))
    if own > other:
        return 100 * (own - other) // (own + other)
    return -(100 * (other - own) // (own + other)) if own < other else 0


@compiled("uint64(uint64, uint64)")
def quiet(mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """My discs that count as stable by the simple measure."""
    level = theirs << ONE & NOT_A | theirs >> ONE & NOT_H | theirs
    return mine & (CORNERS | EDGES | ~(level << EIGHT | level >> EIGHT | level))


@compiled("int64(uint64[::1], uint64, uint64)")
def evaluate_named(memory: Memory, mine: np.uint64, theirs: np.uint64) -> int:
    """The value for the side to move by the heuristic whose weights are in the memory."""
    value = 0
    if memory[JUDGE] == U(STATIC):
        for index in range(9):
            squares = memory[WORTHS + U(index)]
            value += (index - 4) * (signed(bit_count(mine & squares)) - signed(bit_count(theirs & squares)))
        return value
    discs = bit_count(mine | theirs)
    at = FEATURES
    if discs >= OPENING_DISCS:
        at += SIX
    if discs >= MIDDLE_DISCS:
        at += SIX
    value += signed(memory[at]) * percentage(mine & CORNERS, theirs & CORNERS)
    if memory[at + U(1)] != ZERO:
        value += signed(memory[at + U(1)]) * percentage(moves(mine, theirs), moves(theirs, mine))
    value += signed(memory[at + U(2)]) * percentage(mine, theirs)
    value += signed(memory[at + U(3)]) * percentage(mine & EDGES, theirs & EDGES)
    if memory[at + U(4)] != ZERO:
        value += signed(memory[at + U(4)]) * percentage(quiet(mine, theirs), quiet(theirs, mine))
    if memory[at + U(5)] != ZERO:
        value += signed(memory[at + U(5)]) * percentage(stable(mine, theirs), stable(theirs, mine))
    return value
