"""Finds wins by continuous fours: every stone of the attacker threatens five, so every answer is forced.

The search is exact. It tries only stones that make a four; the answer is the one cell that stops the five; if the
answer threatens five in turn, the attacker's next four must stop it. Only the lines of the board change meanwhile, and
patterns are looked up where they are needed: a stone makes new fours only on the lines on which it makes a three.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, lowest_bit
from agents.kernels.memory import NODES, STOP, Memory
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel.board import (
    BOARD,
    FIRST_BITS,
    NOWHERE,
    OVER_FOUR,
    OVER_THREE,
    SIDE_SETS,
    TWELVE,
    count_in,
    first_in,
    lift,
    line_of,
    next_in,
    place_in,
    try_out,
)
from games.gomoku.kernel.memory import (
    ANSWER_TABLE,
    FAILED,
    FAILED_MASK,
    FLAGS,
    FOUR_CELLS,
    FOURS,
    FOURS_CUT,
    FOURS_LIMIT,
    FOURS_NODES,
    HELD,
    KEY,
    LINE,
    LINE_LENGTH,
    MAX_PLY,
    PATTERN_TABLE,
    REACH,
    SALTS,
    SET_WORDS,
    SETS,
    STEP,
    ZOBRIST,
)

U = np.uint64
ZERO, ONE, TWO, THREE_, FOUR_, SIX, SEVEN, EIGHT, NIBBLE = U(0), U(1), U(2), U(3), U(4), U(6), U(7), U(8), U(15)
FIVE, WINNING, FOUR = U(layout.FIVE), U(layout.WINNING), U(layout.FOUR)
AT_PATTERNS, CELL = U(16), U(1023)
MOST_CELLS, MOST = U(layout.MAX_FOURS - 64), U(64 * MAX_PLY - layout.MAX_FOURS)


@compiled("boolean(uint64[::1], uint64, uint64, uint64)")
def belongs(memory: Memory, cell: np.uint64, colour: np.uint64, kind: np.uint64) -> bool:
    """Whether the cell is in a colour's set."""
    return bool(memory[FLAGS + cell] >> (colour * SIDE_SETS + kind) & ONE)


@compiled("uint64(uint64[::1], uint64, uint64)")
def code_at(memory: Memory, cell: np.uint64, direction: np.uint64) -> np.uint64:
    """The contents of the cells around a cell on a line, its own left out."""
    around = TWO * memory[REACH]
    low = (ONE << around) - ONE
    seen = memory[line_of(cell, direction)] >> TWO * place_in(cell, direction) - around
    code: np.uint64 = seen & low | seen >> TWO & low << around
    return code


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def made_in(memory: Memory, cell: np.uint64, direction: np.uint64, colour: np.uint64) -> np.uint64:
    """The pattern that a stone there makes on one line."""
    code = code_at(memory, cell, direction)
    pattern: np.uint64 = memory[PATTERN_TABLE + (code >> THREE_)] >> (code & SEVEN) * EIGHT + colour * FOUR_ & NIBBLE
    return pattern


@compiled("uint64(uint64[::1], uint64, uint64)")
def made_by(memory: Memory, cell: np.uint64, colour: np.uint64) -> np.uint64:
    """The four patterns that a stone there makes, as in PATTERNS."""
    return (
        made_in(memory, cell, ZERO, colour)
        | made_in(memory, cell, ONE, colour) << FOUR_
        | made_in(memory, cell, TWO, colour) << EIGHT
        | made_in(memory, cell, THREE_, colour) << TWELVE
    )


@compiled("boolean(uint64)")
def threatens_twice(patterns: np.uint64) -> bool:
    """Whether these patterns, at least a four among them, threaten five in two places."""
    fours = patterns & OVER_FOUR
    return bool(fours & (fours - ONE)) or bool(patterns & FIRST_BITS & fours >> THREE_)


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def answer_at(memory: Memory, cell: np.uint64, direction: np.uint64, attacker: np.uint64) -> np.uint64:
    """The stop of the closed four that a stone makes there; plus CELLS if the line then still makes a three."""
    code = code_at(memory, cell, direction)
    found = memory[ANSWER_TABLE + (code >> THREE_)] >> ((code & SEVEN) * EIGHT + attacker * FOUR_)
    number = found & SEVEN
    answer: np.uint64 = cell + (number - FOUR_ + (number >> TWO)) * memory[STEP + direction]
    answer |= (found >> THREE_ & ONE) * BOARD
    return answer


@compiled("boolean(uint64[::1], uint64)")
def is_empty(memory: Memory, cell: np.uint64) -> bool:
    """Whether the lines have no stone there."""
    return bool(memory[line_of(cell, ZERO)] >> TWO * place_in(cell, ZERO) & THREE_ == ZERO)


@compiled("void(uint64[::1], uint64, uint64)")
def flip(memory: Memory, cell: np.uint64, colour: np.uint64) -> None:
    """Puts a stone on the lines through a cell, or takes it away."""
    for way in range(4):
        direction = U(way)
        memory[line_of(cell, direction)] ^= ONE << colour + TWO * place_in(cell, direction)


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def add_fours(
    memory: Memory, cell: np.uint64, attacker: np.uint64, directions: np.uint64, count: np.uint64
) -> np.uint64:
    """Adds the cells that make a four with a stone, on lines of these directions, to FOUR_CELLS; returns how many."""
    old = count
    while directions:
        direction = lowest_bit(directions) >> TWO
        directions &= directions - ONE
        step = memory[STEP + direction]
        for number in range(9):
            near = cell + (U(number) - FOUR_) * step
            if is_empty(memory, near) and made_in(memory, near, direction, attacker) >= EIGHT:
                known = ZERO
                while known < old and memory[FOUR_CELLS + known] != near:
                    known += ONE
                if known == old:
                    memory[FOUR_CELLS + count] = near
                    count += ONE
    return count


@compiled("boolean(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64)")
def search_fours(
    memory: Memory,
    attacker: np.uint64,
    ply: np.uint64,
    key: np.uint64,
    forced: np.uint64,
    cells: np.uint64,
    start: np.uint64,
) -> bool:
    """Whether the attacker, to move, wins by fours; LINE then holds it, from `ply` to the stone that makes two fives.

    `forced` is the cell on which the enemy threatens five. All fours are among the first `cells` of FOUR_CELLS; the
    words of FOURS from `start` on are free.
    """
    # 1. Stop if requested.
    memory[NODES] += ONE
    memory[FOURS_NODES] += ONE
    if memory[FOURS_NODES] > memory[FOURS_LIMIT] or memory[STOP] != ZERO or cells > MOST_CELLS or start > MOST:
        memory[FOURS_CUT] = ONE
        return False
    if forced != NOWHERE and made_by(memory, forced, attacker) & OVER_FOUR == ZERO:
        return False
    # 2. Two fives at once win.
    count = ZERO
    for index in range(cells):
        cell = memory[FOUR_CELLS + U(index)]
        if is_empty(memory, cell):
            patterns = made_by(memory, cell, attacker)
            if patterns & OVER_FOUR == ZERO:
                continue
            if threatens_twice(patterns) and forced in (NOWHERE, cell):
                memory[LINE + ply] = cell
                memory[LINE_LENGTH] = ply + ONE
                return True
            memory[FOURS + start + count] = cell | patterns << AT_PATTERNS
            count += ONE
    # 3. Try every four, first those that make at least a three in another direction too; but none after which there is
    #    no other four, or which leads to a position that is known to fail.
    defender = attacker ^ ONE
    for turn in range(2):
        for index in range(count):
            word = memory[FOURS + start + U(index)]
            cell, patterns = word & CELL, word >> AT_PATTERNS
            if forced != NOWHERE and cell != forced:
                continue
            threes = (patterns | patterns >> ONE) & OVER_THREE
            several = threes & (threes - ONE) != ZERO
            if several != (turn == 0):
                continue
            direction = lowest_bit(patterns & OVER_FOUR) >> TWO
            answer = answer_at(memory, cell, direction, attacker)
            if answer < BOARD:
                threes &= ~(FOUR_ << direction * FOUR_)
            answer &= CELL
            # The answer's cell makes a four too.
            if threes == ZERO and count == TWO:
                continue
            after = key ^ memory[ZOBRIST + attacker * BOARD + cell] ^ memory[ZOBRIST + defender * BOARD + answer]
            if memory[memory[FAILED] + (after & memory[FAILED_MASK])] == after:
                continue
            flip(memory, cell, attacker)
            threat = made_by(memory, answer, defender)
            next_forced, won = NOWHERE, False
            if threat & OVER_FOUR:
                next_forced = answer_at(memory, answer, lowest_bit(threat & OVER_FOUR) >> TWO, defender) & CELL
            if next_forced == NOWHERE or not threatens_twice(threat):
                flip(memory, answer, defender)
                total = add_fours(memory, cell, attacker, threes, cells)
                memory[LINE + ply] = cell
                memory[LINE + ply + ONE] = answer
                won = search_fours(memory, attacker, ply + TWO, after, next_forced, total, start + count)
                flip(memory, answer, defender)
            flip(memory, cell, attacker)
            if won:
                return True
            if memory[FOURS_CUT] != ZERO:
                return False
    memory[memory[FAILED] + (key & memory[FAILED_MASK])] = key
    return False


@compiled("void(uint64[::1], uint64)")
def finish(memory: Memory, attacker: np.uint64) -> None:
    """Adds the end of the line, whose last stone threatens two fives: the stop of one, the other five."""
    length = memory[LINE_LENGTH]
    for index in range(length):
        try_out(memory, memory[LINE + U(index)], attacker ^ U(index) & ONE)
    stopped = first_in(memory, attacker, FIVE)
    memory[LINE + length] = stopped
    memory[LINE + length + ONE] = next_in(memory, attacker, FIVE, stopped)
    memory[LINE_LENGTH] = length + TWO
    for _ in range(length):
        lift(memory)


@compiled("boolean(uint64[::1], uint64, uint64)")
def wins_by_fours(memory: Memory, attacker: np.uint64, limit: np.uint64) -> bool:
    """Whether the attacker, to move, wins by fours, searching at most `limit` positions; the line is then in LINE.

    FOURS_CUT tells whether they were too few.
    """
    memory[FOURS_NODES], memory[FOURS_LIMIT], memory[FOURS_CUT] = ZERO, limit, ZERO
    memory[LINE_LENGTH] = ZERO
    # 1. Make five; stop the enemy's five with a four.
    five = first_in(memory, attacker, FIVE)
    if five != NOWHERE:
        memory[LINE] = five
        memory[LINE_LENGTH] = ONE
        return True
    defender = attacker ^ ONE
    forced = first_in(memory, defender, FIVE)
    if forced != NOWHERE and (not belongs(memory, forced, attacker, FOUR) or count_in(memory, defender, FIVE) > ONE):
        return False
    # 2. Look up whether the position is known to fail.
    key = memory[KEY] ^ memory[SALTS + attacker]
    if memory[memory[FAILED] + (key & memory[FAILED_MASK])] == key:
        return False
    # 3. Search.
    cells, chosen = ZERO, attacker * SIDE_SETS + FOUR
    held = memory[HELD + chosen]
    while held:
        word = lowest_bit(held)
        held &= held - ONE
        left = memory[SETS + chosen * U(SET_WORDS) + word]
        while left:
            memory[FOUR_CELLS + cells] = word << SIX | lowest_bit(left)
            cells += ONE
            left &= left - ONE
    if not search_fours(memory, attacker, ZERO, key, forced, cells, ZERO):
        return False
    finish(memory, attacker)
    return True
