"""What a series of captures on one cell wins, least pieces first."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, lowest_bit
from agents.kernels.memory import Memory, Word
from games.chess.heuristics import MATED, WORTH
from games.chess.kernel import memory as w
from games.chess.kernel.attacks import ONE, ZERO, attackers, kind_at, of_kind

VALUES = np.array([0, *(WORTH[letter] or MATED for letter in "PNK"), 0, *(WORTH[letter] for letter in "BRQ")], np.int64)
"""Worth of a piece by its kind: a king takes last, and never into another attack."""


@compiled("int64(uint64)", inlined=True)
def value_of(kind: Word) -> int:
    return VALUES[kind]  # type: ignore[no-any-return]


@compiled("uint64(uint64[::1], uint64, uint64)")
def least(memory: Memory, at: Word, pieces: Word) -> Word:
    """The pieces of the least kind among some."""
    for kind in (w.PAWN, w.KNIGHT, w.BISHOP, w.ROOK, w.QUEEN):
        found = pieces & of_kind(memory, at, kind)
        if found != ZERO:
            return found
    return pieces


@compiled("int64(uint64[::1], uint64, uint64, uint64, boolean, int64)")
def taking(memory: Memory, at: Word, cell: Word, occupied: Word, by_mover: bool, worth: int) -> int:
    """What a side wins by taking a piece of that worth on a cell; 0 if it had better not."""
    own = memory[at + w.MINE] if by_mover else memory[at + w.THEIRS]
    takers = attackers(memory, at, cell, occupied) & own
    if takers == ZERO:
        return 0
    takers = least(memory, at, takers)
    taker = takers & (ZERO - takers)
    value = value_of(kind_at(memory, at, lowest_bit(taker)))
    return max(0, worth - taking(memory, at, cell, occupied & ~taker, not by_mover, value))


@compiled("int64(uint64[::1], uint64, uint64, uint64)")
def gain(memory: Memory, at: Word, origin: Word, to: Word) -> int:
    """What the mover wins by a move to that cell, the captures there that follow included; negative for a loss."""
    left = (memory[at + w.MINE] | memory[at + w.THEIRS]) & ~(ONE << origin)
    moved = value_of(kind_at(memory, at, origin))
    return value_of(kind_at(memory, at, to)) - taking(memory, at, to, left, False, moved)


@compiled("int64(uint64[::1], uint64, uint64)")
def won_at(memory: Memory, at: Word, cell: Word) -> int:
    """What the mover wins by taking the enemy piece on a cell; 0 where there is none."""
    theirs = memory[at + w.THEIRS]
    if theirs >> cell & ONE == ZERO:
        return 0
    return taking(memory, at, cell, memory[at + w.MINE] | theirs, True, value_of(kind_at(memory, at, cell)))
