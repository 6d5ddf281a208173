"""The evaluation: what the mover's stones could make minus what the enemy's could, and the value of being to move."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, signed
from agents.kernels.memory import Memory
from games.gomoku.kernel import memory as w
from games.gomoku.kernel.board import count_in

U = np.uint64
ZERO, ONE, TWO, THREE, FOUR, FIVE = U(0), U(1), U(2), U(3), U(4), U(5)


@compiled("uint64(uint64[::1], uint64, uint64)")
def level(memory: Memory, colour: np.uint64, kind: np.uint64) -> np.uint64:
    """How many cells make a four (`weights.FOURS`) or an open three (`weights.THREES`), in steps."""
    count = count_in(memory, colour, kind)
    return U(count > ZERO) + U(count > TWO) + U(kind == w.THREE and count > FIVE)


@compiled("int64(uint64[::1], uint64)")
def evaluate(memory: Memory, colour: np.uint64) -> int:
    """Value for the mover, in seventieths of a logit of winning."""
    enemy = colour ^ ONE
    turn = ONE if memory[w.HELD + enemy * w.SIDE_SETS + w.WINNING] != ZERO else ZERO
    turn = turn * THREE + level(memory, colour, w.FOUR)
    turn = turn * FOUR + level(memory, colour, w.THREE)
    turn = turn * THREE + level(memory, enemy, w.FOUR)
    turn = turn * FOUR + level(memory, enemy, w.THREE)
    return signed(memory[w.TURNS + turn]) + signed(memory[w.SUMS + colour]) - signed(memory[w.SUMS + enemy])
