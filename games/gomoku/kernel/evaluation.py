"""The evaluation: what the mover's stones could make minus what the enemy's could, and the value of being to move."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, signed
from agents.kernels.memory import Memory
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel.board import SIDE_SETS, count_in
from games.gomoku.kernel.memory import HELD, SUMS, TURNS

U = np.uint64
ZERO, ONE, TWO, THREE_, FOUR_, FIVE_ = U(0), U(1), U(2), U(3), U(4), U(5)
WINNING, FOUR, THREE = U(layout.WINNING), U(layout.FOUR), U(layout.THREE)


@compiled("uint64(uint64[::1], uint64, uint64)")
def level(memory: Memory, colour: np.uint64, kind: np.uint64) -> np.uint64:
    """How many cells make a four (`weights.FOURS`) or an open three (`weights.THREES`), in steps."""
    count = count_in(memory, colour, kind)
    return U(count > ZERO) + U(count > TWO) + U(kind == THREE and count > FIVE_)


@compiled("int64(uint64[::1], uint64)")
def evaluate(memory: Memory, colour: np.uint64) -> int:
    """Value for the mover, in seventieths of a logit of winning."""
    enemy = colour ^ ONE
    turn = ONE if memory[HELD + enemy * SIDE_SETS + WINNING] != ZERO else ZERO
    turn = turn * THREE_ + level(memory, colour, FOUR)
    turn = turn * FOUR_ + level(memory, colour, THREE)
    turn = turn * THREE_ + level(memory, enemy, FOUR)
    turn = turn * FOUR_ + level(memory, enemy, THREE)
    return signed(memory[TURNS + turn]) + signed(memory[SUMS + colour]) - signed(memory[SUMS + enemy])
