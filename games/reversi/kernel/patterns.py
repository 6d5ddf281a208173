"""Evaluation learnt from games: the contents of 46 groups of squares and the mobility, weighted by stage of the game.

Weights are hundredths of a disc; the value is their sum for the side to move.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, signed
from agents.kernels.memory import Memory, Word
from games.reversi.kernel.discs import moves
from games.reversi.kernel.groups import FIRST_WEIGHTS
from games.reversi.kernel.memory import MOBILITIES, ROWS, STAGE_WORDS, STAGES, UNIT, WEIGHTS
from games.reversi.kernel.vectors import summing

MAX_VALUE = 6400
FIRST_DISCS, STAGE_DISCS = 9, 5
"""Discs: stage 0 ends before the sum of both; every stage spans STAGE_DISCS."""
TEMPO = np.array([21, 32, 28, 33, 34, 76, 101, 89, 46, 31], dtype=np.int64)
"""Worth of being to move by stage, in hundredths of a disc: half the mean difference between the scores of searches of
odd and even plies without it. The fit to results cannot see it: measured anew with every new weights, by
`kibitzer bench reversi-errors`."""
weight_of_groups = summing(int(ROWS), FIRST_WEIGHTS)


@compiled("uint64(uint64, uint64)")
def stage_of(mine: Word, theirs: Word) -> Word:
    """Stage of the game by the number of discs on the board."""
    return Word(min(max((signed(bit_count(mine | theirs)) - FIRST_DISCS) // STAGE_DISCS, 0), STAGES - 1))


@compiled("int64(uint64[::1], uint64, uint64, uint64)")
def evaluate_patterns(memory: Memory, mine: Word, theirs: Word, where: Word) -> int:
    """The expected result for the side to move, whose moves are `where`, in hundredths of a disc."""
    stage = stage_of(mine, theirs)
    groups = weight_of_groups(memory, mine, theirs, WEIGHTS * Word(8) + stage * Word(STAGE_WORDS * 4))
    free = (stage << Word(6)) + Word(32) + bit_count(where) - bit_count(moves(theirs, mine))
    value: int = groups * UNIT + signed(memory[MOBILITIES + free]) + TEMPO[stage]
    return min(max(value, -MAX_VALUE), MAX_VALUE)
