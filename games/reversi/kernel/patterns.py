"""Evaluation learnt from games: the contents of 46 groups of squares and the mobility, weighted by stage of the game.

Weights are hundredths of a disc; the value is their sum for the side to move.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, signed
from agents.kernels.memory import Memory, Word
from games.reversi.kernel.discs import moves
from games.reversi.kernel.groups import FIRST_WEIGHTS, SIZES
from games.reversi.kernel.memory import ROWS, STAGE_WORDS, STAGES, WEIGHTS
from games.reversi.kernel.vectors import summing

FOUR = Word(4)

MOBILITY = sum(3**size for size in SIZES)
"""Start of the 64 weights indexed by my moves minus theirs plus 32; the constant follows them."""
CONSTANT = MOBILITY + 64
MAX_VALUE = 6400
FIRST_DISCS, STAGE_DISCS = 9, 5
"""Discs: stage 0 ends before the sum of both; every stage spans STAGE_DISCS."""
TEMPO = np.array([21, 32, 28, 33, 34, 76, 101, 89, 46, 31], dtype=np.int64)
"""Worth of being to move by stage, in hundredths of a disc: half the mean difference between the scores of searches of
odd and even plies without it. The fit to results cannot see it: measured anew with every new weights, by
`kibitzer bench reversi-errors`."""
weight_of_groups = summing(int(ROWS), FIRST_WEIGHTS, CONSTANT)


@compiled("uint64(uint64, uint64)")
def stage_of(mine: Word, theirs: Word) -> Word:
    """Stage of the game by the number of discs on the board."""
    return Word(min(max((signed(bit_count(mine | theirs)) - FIRST_DISCS) // STAGE_DISCS, 0), STAGES - 1))


@compiled("int64(uint64[::1], uint64, uint64, uint64)")
def evaluate_patterns(memory: Memory, mine: Word, theirs: Word, where: Word) -> int:
    """The expected result for the side to move, whose moves are `where`, in hundredths of a disc."""
    stage = stage_of(mine, theirs)
    free = Word(MOBILITY + 32) + bit_count(where) - bit_count(moves(theirs, mine))
    first = (WEIGHTS + stage * Word(STAGE_WORDS)) * FOUR
    value: int = weight_of_groups(memory, mine, theirs, first, free) + TEMPO[stage]
    return min(max(value, -MAX_VALUE), MAX_VALUE)
