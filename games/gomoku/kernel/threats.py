"""Wins by continuous threats: proof-number search in which every quiet stone threatens a win by fours.

A position of the defender is searched only if the attacker would win by fours were the defender to pass. Then all
answers that can spoil that win are searched: stones on any cell of the winning line, and stones that give the defender
a four, now or with the stones that the line forces the defender to place. Any other answer leaves the line intact, so a
proof holds against every move. Depth-first proof-number search after Nagai; the null-move argument is lambda search's.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, lowest_bit
from agents.kernels.memory import GENERATION, NODE_LIMIT, NODES, STOP, Memory
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel.board import BOARD, NOWHERE, SIDE_SETS, count_in, first_in, lift, next_in, try_out
from games.gomoku.kernel.fours import belongs, wins_by_fours
from games.gomoku.kernel.memory import (
    HELD,
    INNER_LIMIT,
    KEY,
    LINE,
    LINE_LENGTH,
    MARK,
    MARKS,
    MAX_MOVES,
    MAX_PLY,
    MOVES,
    SALTS,
    SET_WORDS,
    SETS,
    THREATS,
    THREATS_LIMIT,
    THREATS_MASK,
    ZOBRIST,
)

U = np.uint64
ZERO, ONE, TWO, THREE_, FOUR_, SIX, EIGHT, TEN, SIXTEEN = U(0), U(1), U(2), U(3), U(4), U(6), U(8), U(10), U(16)
FIVE, WINNING, FOUR, THREE = U(layout.FIVE), U(layout.WINNING), U(layout.FOUR), U(layout.THREE)
PLY_MOVES, MOST, LAST, TEN_BITS, CELL = U(64), U(MAX_MOVES), U(63), U(1023), U(1023)
NUMBER, AT_DISPROOF, AT_COUNT, AT_AGE, AT_WORK = U(2**24 - 1), U(24), U(48), U(54), U(60)
SIX_BITS, MAX_WORK = U(63), U(15)
SURE = U(2**23)
"""The proof or disproof number of a position settled the other way."""
DEEPEST = U(MAX_PLY - 8)
PROVEN, DISPROVEN = 1, 2


@compiled("uint64(uint64[::1], uint64, uint64)")
def threat_key(memory: Memory, attacker: np.uint64, turn: np.uint64) -> np.uint64:
    """Key of a position in the search; `turn` is 1 if the attacker is to move."""
    key: np.uint64 = memory[KEY] ^ memory[SALTS + attacker] ^ memory[SALTS + TWO + turn]
    return key


@compiled("uint64(uint64[::1], uint64)")
def find(memory: Memory, key: np.uint64) -> np.uint64:
    """Index of the entry with that key; 0 if there is none."""
    for way in range(4):
        slot: np.uint64 = memory[THREATS] + ((key + U(way)) & memory[THREATS_MASK]) * EIGHT
        if memory[slot] == key:
            return slot
    return ZERO


@compiled("uint64(uint64[::1], uint64)")
def place_for(memory: Memory, key: np.uint64) -> np.uint64:
    """Index for storing a key: its own entry, else an empty one, else an earlier search's, else that of least work."""
    best: np.uint64 = ZERO
    least = ~ZERO
    for way in range(4):
        slot = memory[THREATS] + ((key + U(way)) & memory[THREATS_MASK]) * EIGHT
        if memory[slot] == key:
            best = slot
            break
        data = memory[slot + ONE]
        worth = data >> AT_WORK
        if data >> AT_AGE & SIX_BITS == memory[GENERATION] and memory[slot] != ZERO:
            worth += SIXTEEN
        if memory[slot] == ZERO:
            worth = ZERO
        if worth < least:
            best, least = slot, worth
    return best


@compiled("void(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64)")
def keep(
    memory: Memory,
    key: np.uint64,
    proof: np.uint64,
    disproof: np.uint64,
    ply: np.uint64,
    count: np.uint64,
    work: np.uint64,
) -> None:
    """Stores the numbers, the ply's moves and `work`, the positions visited, as a logarithm to base 4."""
    logarithm = ZERO
    while work > ONE and logarithm < MAX_WORK:
        work >>= TWO
        logarithm += ONE
    slot = place_for(memory, key)
    if memory[slot] == key:
        logarithm = max(logarithm, memory[slot + ONE] >> AT_WORK)
    memory[slot] = key
    data = proof | disproof << AT_DISPROOF | count << AT_COUNT
    memory[slot + ONE] = data | (memory[GENERATION] & SIX_BITS) << AT_AGE | logarithm << AT_WORK
    moves = MOVES + ply * PLY_MOVES
    for word in range(6):
        packed = ZERO
        for place in range(6):
            index = U(word * 6 + place)
            if index < count:
                packed |= memory[moves + index] << U(place) * TEN
        memory[slot + TWO + U(word)] = packed


@compiled("uint64(uint64[::1], uint64, uint64)")
def fetch(memory: Memory, slot: np.uint64, ply: np.uint64) -> np.uint64:
    """Copies an entry's moves to the ply; returns how many."""
    count: np.uint64 = memory[slot + ONE] >> AT_COUNT & SIX_BITS
    moves = MOVES + ply * PLY_MOVES
    for index in range(count):
        memory[moves + U(index)] = memory[slot + TWO + U(index) // SIX] >> (U(index) % SIX) * TEN & TEN_BITS
    return count


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def add(memory: Memory, ply: np.uint64, count: np.uint64, cell: np.uint64) -> np.uint64:
    """Adds a cell to the ply's moves if it is not marked yet; beyond 63, cells are only counted."""
    if memory[MARKS + cell] == memory[MARK]:
        return count
    memory[MARKS + cell] = memory[MARK]
    if count < LAST:
        memory[MOVES + ply * PLY_MOVES + count] = cell
    return count + ONE


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def add_set(memory: Memory, ply: np.uint64, count: np.uint64, colour: np.uint64, kind: np.uint64) -> np.uint64:
    """Adds the unmarked cells of a set to the ply's moves; returns how many moves there are."""
    chosen = colour * SIDE_SETS + kind
    held = memory[HELD + chosen]
    while held:
        word = lowest_bit(held)
        held &= held - ONE
        cells = memory[SETS + chosen * U(SET_WORDS) + word]
        while cells:
            count = add(memory, ply, count, word << SIX | lowest_bit(cells))
            cells &= cells - ONE
    return count


@compiled("void(uint64[::1])")
def unmark(memory: Memory) -> None:
    """Clears all marks."""
    memory[MARK] += ONE


@compiled("uint64(uint64[::1], uint64, uint64)")
def write_threats(memory: Memory, attacker: np.uint64, ply: np.uint64) -> np.uint64:
    """Writes the attacker's moves: open threes and fours; returns how many."""
    unmark(memory)
    count = add_set(memory, ply, ZERO, attacker, THREE)
    count = add_set(memory, ply, count, attacker, FOUR)
    return min(count, MOST)


@compiled("uint64(uint64[::1], uint64, uint64)")
def write_spoilers(memory: Memory, attacker: np.uint64, ply: np.uint64) -> np.uint64:
    """Writes the cells that spoil every way of threatening two fives with one stone; returns how many.

    A way is spoilt on its cell and on the fives that a stone there threatens.
    """
    moves = MOVES + ply * PLY_MOVES
    way = first_in(memory, attacker, WINNING)
    try_out(memory, way, attacker)
    count = add_set(memory, ply, add(memory, ply, ZERO, way), attacker, FIVE)
    lift(memory)
    way = next_in(memory, attacker, WINNING, way)
    while way != NOWHERE and count != ZERO:
        try_out(memory, way, attacker)
        kept = ZERO
        for index in range(count):
            cell = memory[moves + U(index)]
            if cell == way or belongs(memory, cell, attacker, FIVE):
                memory[moves + kept] = cell
                kept += ONE
        lift(memory)
        count = kept
        way = next_in(memory, attacker, WINNING, way)
    return count


@compiled("uint64(uint64[::1], uint64, uint64)")
def write_answers(memory: Memory, attacker: np.uint64, ply: np.uint64) -> np.uint64:
    """Writes the defender's moves that may spoil the win by fours in LINE; returns how many, also beyond MAX_MOVES."""
    defender = attacker ^ ONE
    length = memory[LINE_LENGTH]
    unmark(memory)
    if first_in(memory, attacker, WINNING) != NOWHERE:
        count = write_spoilers(memory, attacker, ply)
        unmark(memory)
        for place in range(count):
            memory[MARKS + memory[MOVES + ply * PLY_MOVES + U(place)]] = memory[MARK]
        return add_set(memory, ply, count, defender, FOUR)
    count = add_set(memory, ply, ZERO, defender, FOUR)
    index = ZERO
    while index < length:
        count = add(memory, ply, count, memory[LINE + index])
        try_out(memory, memory[LINE + index], attacker ^ (index & ONE))
        if index & ONE:
            count = add_set(memory, ply, count, defender, FOUR)
        else:
            # The last four threatens two fives; the line contains the stop of only one.
            count = add_set(memory, ply, count, attacker, FIVE)
        index += ONE
    while index > ZERO:
        index -= ONE
        lift(memory)
    return count


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def expand(memory: Memory, attacker: np.uint64, turn: np.uint64, ply: np.uint64) -> np.uint64:
    """Writes the moves of a new position and stores it; returns how many, 0 if it is settled."""
    key = threat_key(memory, attacker, turn)
    defender = attacker ^ ONE
    memory[NODES] += ONE
    count, won = ZERO, False
    if turn == ONE:
        won = wins_by_fours(memory, attacker, memory[INNER_LIMIT])
        if not won:
            count = count_in(memory, defender, FIVE)
            if count == ZERO:
                count = write_threats(memory, attacker, ply)
            else:
                memory[MOVES + ply * PLY_MOVES] = first_in(memory, defender, FIVE)
                count = ONE if count == ONE else ZERO
    elif first_in(memory, defender, FIVE) == NOWHERE:
        fives = count_in(memory, attacker, FIVE)
        if fives == ONE:
            memory[MOVES + ply * PLY_MOVES] = first_in(memory, attacker, FIVE)
            count = ONE
        elif fives > ONE:
            won = True
        elif first_in(memory, defender, WINNING) == NOWHERE and wins_by_fours(memory, attacker, memory[INNER_LIMIT]):
            count = write_answers(memory, attacker, ply)
            won = count == ZERO
            count = ZERO if count > MOST else count
    if memory[STOP] != ZERO:
        return ZERO
    if count == ZERO or ply > DEEPEST:
        keep(memory, key, ZERO if won else SURE, SURE if won else ZERO, ply, ZERO, ONE)
        return ZERO
    keep(memory, key, ONE, ONE, ply, count, ONE)
    return count


@compiled("void(uint64[::1], uint64, uint64, uint64, uint64, uint64)")
def prove(
    memory: Memory,
    attacker: np.uint64,
    turn: np.uint64,
    ply: np.uint64,
    most_proof: np.uint64,
    most_disproof: np.uint64,
) -> None:
    """Searches the position until one of its numbers reaches its limit, and stores them.

    `turn` is 1 if the attacker is to move. `proof` and `disproof` estimate the work of proving or refuting the win; 0
    means done.
    """
    # 1. The position's moves, from the table or new.
    began = memory[NODES]
    key = threat_key(memory, attacker, turn)
    slot = find(memory, key)
    count = fetch(memory, slot, ply) if slot != ZERO else expand(memory, attacker, turn, ply)
    mover = attacker if turn == ONE else attacker ^ ONE
    moves = MOVES + ply * PLY_MOVES
    salt = memory[SALTS + attacker] ^ memory[SALTS + TWO + (turn ^ ONE)]
    while count != ZERO:
        # 2. The children's numbers. `easy` is the number that one child decides, `total` the one that takes all
        #    children. Transpositions inflate sums of proof numbers, so the hardest child plus a count replaces them.
        easy, second, hardest, open_, best, best_all = SURE, SURE, ZERO, ZERO, ZERO, ZERO
        for index in range(count):
            cell = memory[moves + U(index)]
            child = find(memory, memory[KEY] ^ memory[ZOBRIST + mover * BOARD + cell] ^ salt)
            if child != ZERO:
                proof = memory[child + ONE] & NUMBER
                disproof = memory[child + ONE] >> AT_DISPROOF & NUMBER
            else:
                proof, disproof = ONE, ONE
                if (
                    turn == ONE
                    and not belongs(memory, cell, attacker, THREE)
                    and not belongs(memory, cell, attacker, FOUR)
                ):
                    proof = FOUR_
            one, every = (proof, disproof) if turn == ONE else (disproof, proof)
            if one < easy:
                second, easy, best, best_all = easy, one, cell, every
            elif one < second:
                second = one
            if every != ZERO:
                open_ += ONE
                hardest = max(hardest, every)
        total = ZERO if open_ == ZERO else SURE if hardest >= SURE else min(hardest + open_, SURE) - ONE
        if easy == ZERO:
            total = SURE
        elif total == ZERO:
            easy = SURE
        proof, disproof = (easy, total) if turn == ONE else (total, easy)
        # 3. Stop at a limit, or if settled.
        settled = easy == ZERO or total == ZERO
        if memory[NODE_LIMIT] != ZERO and memory[NODES] > memory[NODE_LIMIT]:
            memory[STOP] = ONE
        over = memory[STOP] != ZERO or memory[NODES] > memory[THREATS_LIMIT]
        if over or settled or proof >= most_proof or disproof >= most_disproof:
            keep(memory, key, proof, disproof, ply, count, memory[NODES] - began)
            return
        # 4. Search the most promising child until another is more promising.
        most_one, most_every = (most_proof, most_disproof) if turn == ONE else (most_disproof, most_proof)
        limit_one = min(most_one, second + ONE + second // FOUR_)
        limit_every = min(SURE, most_every - total + best_all)
        try_out(memory, best, mover)
        if turn == ONE:
            prove(memory, attacker, turn ^ ONE, ply + ONE, limit_one, limit_every)
        else:
            prove(memory, attacker, turn ^ ONE, ply + ONE, limit_every, limit_one)
        lift(memory)
