"""Finds wins by continuous fours: every stone of the attacker threatens five, so every answer is forced.

The search is exact. It tries only stones that make a four; the answer is the one cell that stops the five; if the
answer threatens five in turn, the attacker's next four must stop it.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, lowest_bit
from agents.kernels.gomoku import memory as layout
from agents.kernels.gomoku.board import NOWHERE, SIDE_SETS, count_in, first_in, lift, next_in, try_out
from agents.kernels.gomoku.memory import (
    FAILED,
    FAILED_MASK,
    FLAGS,
    FOURS_CUT,
    FOURS_LIMIT,
    FOURS_NODES,
    HELD,
    KEY,
    LINE,
    LINE_LENGTH,
    MAX_PLY,
    NODES,
    PATTERNS,
    SALTS,
    SET_WORDS,
    SETS,
    STOP,
    Memory,
)

U = np.uint64
ZERO, ONE, TWO, THREE_, FOUR_, FIVE_, SIX, SIXTEEN = U(0), U(1), U(2), U(3), U(4), U(5), U(6), U(16)
FIVE, WINNING, FOUR = U(layout.FIVE), U(layout.WINNING), U(layout.FOUR)
AT_LEAST_THREE, FIRST_BITS, LOW_HALF = U(0xCCCC), U(0x1111), U(0xFFFF)
LAST_PLY = U(MAX_PLY)


@compiled("boolean(uint64[::1], uint64, uint64, uint64)")
def belongs(memory: Memory, cell: np.uint64, colour: np.uint64, kind: np.uint64) -> bool:
    """Whether the cell is in a colour's set."""
    return bool(memory[FLAGS + cell] >> (colour * SIDE_SETS + kind) & ONE)


@compiled("void(uint64[::1], uint64, uint64, uint64)")
def finish(memory: Memory, attacker: np.uint64, ply: np.uint64, cell: np.uint64) -> None:
    """Writes the end of the line: a stone that threatens two fives, the stop of one, the other five."""
    try_out(memory, cell, attacker)
    stopped = first_in(memory, attacker, FIVE)
    memory[LINE + ply] = cell
    memory[LINE + ply + ONE] = stopped
    memory[LINE + ply + TWO] = next_in(memory, attacker, FIVE, stopped)
    memory[LINE_LENGTH] = ply + THREE_
    lift(memory)


@compiled("boolean(uint64[::1], uint64, uint64)")
def search_fours(memory: Memory, attacker: np.uint64, ply: np.uint64) -> bool:
    """Whether the attacker, to move, wins by fours; the line is then in LINE, from `ply` on."""
    # 1. Stop if requested.
    memory[NODES] += ONE
    memory[FOURS_NODES] += ONE
    if memory[FOURS_NODES] > memory[FOURS_LIMIT] or memory[STOP] != ZERO or ply > LAST_PLY:
        memory[FOURS_CUT] = ONE
        return False
    # 2. Make five; or stop the enemy's five with a four, if that is possible.
    defender = attacker ^ ONE
    five = first_in(memory, attacker, FIVE)
    if five != NOWHERE:
        memory[LINE + ply] = five
        memory[LINE_LENGTH] = ply + ONE
        return True
    forced = first_in(memory, defender, FIVE)
    if forced != NOWHERE:
        if not belongs(memory, forced, attacker, FOUR) or count_in(memory, defender, FIVE) > ONE:
            return False
        if belongs(memory, forced, attacker, WINNING):
            finish(memory, attacker, ply, forced)
            return True
    else:
        winning = first_in(memory, attacker, WINNING)
        if winning != NOWHERE:
            finish(memory, attacker, ply, winning)
            return True
    # 3. Look up whether the position is known to fail.
    key = memory[KEY] ^ memory[SALTS + attacker]
    slot = memory[FAILED] + (key & memory[FAILED_MASK])
    if memory[slot] == key:
        return False
    # 4. Try every four, first those that make at least a three in another direction too.
    chosen = attacker * SIDE_SETS + FOUR
    for turn in range(2):
        held = memory[HELD + chosen]
        while held:
            word = lowest_bit(held)
            held &= held - ONE
            cells = memory[SETS + chosen * U(SET_WORDS) + word]
            while cells:
                cell = word << SIX | lowest_bit(cells)
                cells &= cells - ONE
                if forced != NOWHERE and cell != forced:
                    continue
                patterns = memory[PATTERNS + cell] >> attacker * SIXTEEN & LOW_HALF & AT_LEAST_THREE
                several = bit_count((patterns | patterns >> ONE) & U(0x4444)) > ONE
                if several != (turn == 0):
                    continue
                try_out(memory, cell, attacker)
                answer = first_in(memory, attacker, FIVE)
                try_out(memory, answer, defender)
                memory[LINE + ply] = cell
                memory[LINE + ply + ONE] = answer
                won = search_fours(memory, attacker, ply + TWO)
                lift(memory)
                lift(memory)
                if won:
                    return True
                if memory[FOURS_CUT] != ZERO:
                    return False
    memory[slot] = key
    return False


@compiled("boolean(uint64[::1], uint64, uint64)")
def wins_by_fours(memory: Memory, attacker: np.uint64, limit: np.uint64) -> bool:
    """Runs `search_fours` from here over at most `limit` positions; FOURS_CUT tells whether they were too few."""
    memory[FOURS_NODES], memory[FOURS_LIMIT], memory[FOURS_CUT] = ZERO, limit, ZERO
    memory[LINE_LENGTH] = ZERO
    return search_fours(memory, attacker, ZERO)
