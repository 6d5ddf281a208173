"""Finds wins by continuous fours: every stone of the attacker threatens five, so every answer is forced.

The search is exact. It tries only stones that make a four; the answer is the one cell that stops the five; if the
answer threatens five in turn, the attacker's next four must stop it. Only the lines of the board change meanwhile, and
patterns are looked up where they are needed: a stone makes new fours only on the lines on which it makes a three.
"""

from __future__ import annotations

from agents.kernels.compilation import compiled, lowest_bit
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import NODES, STOP, Memory, Word
from games.gomoku.kernel import memory as w
from games.gomoku.kernel.board import code_at, count_in, first_in, flip, lift, made_at, made_by, place, write_set
from games.gomoku.kernel.patterns import OVER_FOUR, OVER_THREE, byte_in, threatens_twice

ZERO, ONE, TWO, THREE, FOUR, SEVEN, EIGHT, NINE, AT_PATTERNS = map(Word, (0, 1, 2, 3, 4, 7, 8, 9, 16))
MOST_CELLS, MOST = Word(w.MAX_FOURS - 64), Word(64 * w.MAX_PLY - w.MAX_FOURS)


@compiled("boolean(uint64[::1], uint64, uint64, uint64)")
def belongs(memory: Memory, cell: Word, colour: Word, kind: Word) -> bool:
    """Whether the cell is in a colour's set."""
    return bool(memory[w.FLAGS + cell] >> (colour * w.SIDE_SETS + kind) & ONE)


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def answer_at(memory: Memory, cell: Word, direction: Word, attacker: Word) -> Word:
    """The stop of the closed four that a stone makes there; plus CELLS if the line then still makes a three."""
    found = byte_in(memory, memory[w.ANSWER_TABLE], code_at(memory, cell, direction)) >> attacker * FOUR
    number = found & SEVEN
    stop = cell + (number - FOUR + (number >> TWO)) * memory[w.STEP + direction]
    return Word(stop + (found >> THREE & ONE) * w.BOARD)


@compiled("uint64(uint64[::1], uint64, uint64, uint64)", inlined=True)
def add(memory: Memory, start: Word, count: Word, cell: Word) -> Word:
    """Adds a cell to a list of so many cells there, unless it is among them; returns how many there are."""
    for slot in span(start, start + count):
        if memory[slot] == cell:
            return count
    memory[start + count] = cell
    return count + ONE


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def add_fours(memory: Memory, cell: Word, attacker: Word, directions: Word, count: Word) -> Word:
    """Adds the cells that make a four with a stone, on lines of these directions, to FOUR_CELLS; returns how many."""
    for bit in each_bit(directions):
        direction = bit >> TWO
        step = memory[w.STEP + direction]
        for number in span(ZERO, NINE):
            near = cell + (number - FOUR) * step
            if memory[w.STONES + near] == ZERO and made_at(memory, near, direction) & EIGHT << attacker * FOUR:
                count = add(memory, w.FOUR_CELLS, count, near)
    return count


@compiled("boolean(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64)")
def search_fours(memory: Memory, attacker: Word, ply: Word, key: Word, forced: Word, cells: Word, start: Word) -> bool:
    """Whether the attacker, to move, wins by fours; LINE then holds it, from `ply` to the stone that makes two fives.

    `forced` is the cell on which the enemy threatens five. All fours are among the first `cells` of FOUR_CELLS; the
    words of FOURS from `start` on are free.
    """
    # 1. Stop if requested.
    memory[NODES] += ONE
    memory[w.FOURS_LEFT] -= ONE
    if memory[STOP] != ZERO or cells > MOST_CELLS or start > MOST:
        memory[w.FOURS_LEFT] = ZERO
    if memory[w.FOURS_LEFT] == ZERO:
        return False
    if forced != w.NOWHERE and made_by(memory, forced, attacker) & OVER_FOUR == ZERO:
        return False
    # 2. Two fives at once win.
    count = ZERO
    for slot in span(w.FOUR_CELLS, w.FOUR_CELLS + cells):
        cell = memory[slot]
        if memory[w.STONES + cell] == ZERO:
            patterns = made_by(memory, cell, attacker)
            if patterns & OVER_FOUR == ZERO:
                continue
            if threatens_twice(patterns) and forced in (w.NOWHERE, cell):
                memory[w.LINE + ply] = cell
                memory[w.LINE_LENGTH] = ply + ONE
                return True
            memory[w.FOURS + start + count] = cell | patterns << AT_PATTERNS
            count += ONE
    # 3. Try every four, first those that make at least a three in another direction too; but none after which there is
    #    no other four, or which leads to a position that is known to fail.
    defender = attacker ^ ONE
    for turn in range(2):
        for slot in span(w.FOURS + start, w.FOURS + start + count):
            cell, patterns = memory[slot] & w.CELL, memory[slot] >> AT_PATTERNS
            if forced != w.NOWHERE and cell != forced:
                continue
            threes = (patterns | patterns >> ONE) & OVER_THREE
            several = threes & (threes - ONE) != ZERO
            if several != (turn == 0):
                continue
            direction = lowest_bit(patterns & OVER_FOUR) >> TWO
            answer = answer_at(memory, cell, direction, attacker)
            if answer < w.BOARD:
                threes &= ~(FOUR << direction * FOUR)
            answer &= w.CELL
            # The answer's cell makes a four too.
            if threes == ZERO and count == TWO:
                continue
            after = key ^ memory[w.ZOBRIST + attacker * w.BOARD + cell]
            after ^= memory[w.ZOBRIST + defender * w.BOARD + answer]
            if memory[memory[w.FAILED] + (after & memory[w.FAILED_MASK])] == after:
                continue
            flip(memory, cell, attacker)
            threat = made_by(memory, answer, defender)
            next_forced, won = w.NOWHERE, False
            if threat & OVER_FOUR:
                next_forced = answer_at(memory, answer, lowest_bit(threat & OVER_FOUR) >> TWO, defender) & w.CELL
            if next_forced == w.NOWHERE or not threatens_twice(threat):
                flip(memory, answer, defender)
                total = add_fours(memory, cell, attacker, threes, cells)
                memory[w.LINE + ply] = cell
                memory[w.LINE + ply + ONE] = answer
                won = search_fours(memory, attacker, ply + TWO, after, next_forced, total, start + count)
                flip(memory, answer, defender)
            flip(memory, cell, attacker)
            if won:
                return True
            if memory[w.FOURS_LEFT] == ZERO:
                return False
    memory[memory[w.FAILED] + (key & memory[w.FAILED_MASK])] = key
    return False


@compiled("boolean(uint64[::1], uint64, uint64)")
def wins_by_fours(memory: Memory, attacker: Word, limit: Word) -> bool:
    """Whether the attacker, to move, wins by fours, searching at most `limit` positions; the line is then in LINE."""
    memory[w.FOURS_LEFT], memory[w.LINE_LENGTH] = limit + ONE, ZERO
    # 1. Make five; stop the enemy's five with a four.
    five = first_in(memory, attacker, w.FIVE)
    if five != w.NOWHERE:
        memory[w.LINE] = five
        memory[w.LINE_LENGTH] = ONE
        return True
    defender = attacker ^ ONE
    forced = first_in(memory, defender, w.FIVE)
    stopped = belongs(memory, forced, attacker, w.FOUR) and count_in(memory, defender, w.FIVE) == ONE
    if forced != w.NOWHERE and not stopped:
        return False
    # 2. Look up whether the position is known to fail.
    key = memory[w.KEY] ^ memory[w.SALTS + attacker]
    if memory[memory[w.FAILED] + (key & memory[w.FAILED_MASK])] == key:
        return False
    # 3. Search.
    cells = write_set(memory, attacker, w.FOUR, w.FOUR_CELLS) - w.FOUR_CELLS
    if not search_fours(memory, attacker, ZERO, key, forced, cells, ZERO):
        return False
    # 4. The line's last stone threatens two fives: add the stop of one, and the other.
    length = memory[w.LINE_LENGTH]
    for index in span(ZERO, length):
        place(memory, memory[w.LINE + index], attacker ^ index & ONE)
    write_set(memory, attacker, w.FIVE, w.LINE + length)
    memory[w.LINE_LENGTH] = length + TWO
    for _ in span(ZERO, length):
        lift(memory)
    return True
