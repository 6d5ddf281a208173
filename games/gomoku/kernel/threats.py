"""Wins by continuous threats: proof-number search in which every quiet stone threatens a win by fours.

A position of the defender is searched only if the attacker would win by fours were the defender to pass. Then all
answers that can spoil that win are searched: stones on any cell of the winning line, and stones that give the defender
a four, now or with the stones that the line forces the defender to place. Any other answer leaves the line intact, so a
proof holds against every move. Depth-first proof-number search after Nagai; the null-move argument is lambda search's.
"""

from __future__ import annotations

from agents.kernels.compilation import compiled, leading_zeros
from agents.kernels.loops import span
from agents.kernels.memory import GENERATION, NODE_LIMIT, NODES, STOP, Memory, Word
from games.gomoku.kernel import memory as w
from games.gomoku.kernel.board import first_in, lift, place, write_set
from games.gomoku.kernel.fours import add, belongs, wins_by_fours

ZERO, ONE, TWO, FOUR, SIX, EIGHT, TEN, SIXTEEN = map(Word, (0, 1, 2, 4, 6, 8, 10, 16))
MOST, WORD_BITS = Word(36), Word(64)
"""Most moves in an entry of the table; bits of a word."""
NUMBER, AT_DISPROOF, AT_COUNT, AT_AGE, AT_WORK, SIX_BITS, MAX_WORK = map(Word, (2**24 - 1, 24, 48, 54, 60, 63, 15))
SURE = Word(2**23)
"""The proof or disproof number of a position settled the other way."""
DEEPEST = Word(w.MAX_PLY - 8)
INNER_FOURS = Word(300)
"""Most positions of each search for fours within the search for threats."""
THREATENING = ONE << w.THREE | ONE << w.FOUR
"""The sets, as in FLAGS, of cells on which a stone threatens a win by fours or makes one of its fours."""


@compiled("uint64(uint64[::1], uint64, uint64)")
def threat_key(memory: Memory, attacker: Word, turn: Word) -> Word:
    """Key of a position in the search; `turn` is 1 if the attacker is to move."""
    return Word(memory[w.KEY] ^ memory[w.SALTS + attacker] ^ memory[w.SALTS + TWO + turn])


@compiled("uint64(uint64[::1], uint64)")
def find(memory: Memory, key: Word) -> Word:
    """Index of the entry with that key; 0 if there is none."""
    for way in span(ZERO, FOUR):
        slot: Word = memory[w.THREATS] + ((key + way) & memory[w.THREATS_MASK]) * EIGHT
        if memory[slot] == key:
            return slot
    return ZERO


@compiled("uint64(uint64[::1], uint64)")
def slot_of(memory: Memory, key: Word) -> Word:
    """Index of a key's entry; else of an empty one to store it, else an earlier search's, else that of least work."""
    best: Word = ZERO
    least = ~ZERO
    for way in span(ZERO, FOUR):
        slot: Word = memory[w.THREATS] + ((key + way) & memory[w.THREATS_MASK]) * EIGHT
        if memory[slot] == key:
            return slot
        data = memory[slot + ONE]
        worth = data >> AT_WORK
        if data >> AT_AGE & SIX_BITS == memory[GENERATION] and memory[slot] != ZERO:
            worth += SIXTEEN
        if worth < least:
            best, least = slot, worth
    return best


@compiled("void(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64)")
def keep(memory: Memory, key: Word, proof: Word, disproof: Word, ply: Word, count: Word, work: Word) -> None:
    """Stores the numbers, the ply's moves and `work`, the positions visited, as a logarithm to base 4."""
    logarithm = min(WORD_BITS - leading_zeros(work | ONE) >> ONE, MAX_WORK)
    slot = slot_of(memory, key)
    if memory[slot] == key:
        logarithm = max(logarithm, memory[slot + ONE] >> AT_WORK)
    memory[slot] = key
    data = proof | disproof << AT_DISPROOF | count << AT_COUNT
    memory[slot + ONE] = data | (memory[GENERATION] & SIX_BITS) << AT_AGE | logarithm << AT_WORK
    for word in span(slot + TWO, slot + EIGHT):
        memory[word] = ZERO
    for index in span(ZERO, count):
        memory[slot + TWO + index // SIX] |= memory[w.MOVES + ply * w.PLY_MOVES + index] << index % SIX * TEN


@compiled("uint64(uint64[::1], uint64, uint64)")
def fetch(memory: Memory, slot: Word, ply: Word) -> Word:
    """Copies an entry's moves to the ply; returns how many."""
    count: Word = memory[slot + ONE] >> AT_COUNT & SIX_BITS
    for index in span(ZERO, count):
        memory[w.MOVES + ply * w.PLY_MOVES + index] = memory[slot + TWO + index // SIX] >> index % SIX * TEN & w.CELL
    return count


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def add_set(memory: Memory, moves: Word, count: Word, colour: Word, kind: Word) -> Word:
    """Adds the cells of a set to a list of moves; returns how many there are. Many go on into the next plies' words."""
    for slot in span(w.FOUR_CELLS, write_set(memory, colour, kind, w.FOUR_CELLS)):
        count = add(memory, moves, count, memory[slot])
    return count


@compiled("uint64(uint64[::1], uint64, uint64)")
def write_spoilers(memory: Memory, attacker: Word, moves: Word) -> Word:
    """Writes the cells that spoil every way of threatening two fives with one stone; returns how many.

    A way is spoilt on its cell and on the fives that a stone there threatens.
    """
    count = add(memory, moves, ZERO, first_in(memory, attacker, w.WINNING))
    count = add_set(memory, moves, count, attacker, w.FOUR)
    for slot in span(w.FOUR_CELLS, write_set(memory, attacker, w.WINNING, w.FOUR_CELLS)):
        way = memory[slot]
        place(memory, way, attacker)
        kept = ZERO
        for move in span(moves, moves + count):
            cell = memory[move]
            if cell == way or belongs(memory, cell, attacker, w.FIVE):
                memory[moves + kept] = cell
                kept += ONE
        lift(memory)
        count = kept
    return count


@compiled("uint64(uint64[::1], uint64, uint64)")
def write_answers(memory: Memory, attacker: Word, ply: Word) -> Word:
    """Writes the defender's moves that may spoil the win by fours in LINE; returns how many."""
    defender, moves = attacker ^ ONE, w.MOVES + ply * w.PLY_MOVES
    if first_in(memory, attacker, w.WINNING) != w.NOWHERE:
        return add_set(memory, moves, write_spoilers(memory, attacker, moves), defender, w.FOUR)
    length = memory[w.LINE_LENGTH]
    count = add_set(memory, moves, ZERO, defender, w.FOUR)
    for index in span(ZERO, length):
        cell = memory[w.LINE + index]
        count = add(memory, moves, count, cell)
        place(memory, cell, attacker ^ (index & ONE))
        if index & ONE:
            count = add_set(memory, moves, count, defender, w.FOUR)
        else:
            # The last four threatens two fives; the line contains the stop of only one.
            count = add_set(memory, moves, count, attacker, w.FIVE)
    for _ in span(ZERO, length):
        lift(memory)
    return count


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def expand(memory: Memory, attacker: Word, turn: Word, ply: Word) -> Word:
    """Writes the moves of a new position and stores it; returns how many, 0 if it is settled."""
    key = threat_key(memory, attacker, turn)
    mover = attacker if turn == ONE else attacker ^ ONE
    memory[NODES] += ONE
    count, won = ZERO, turn == ONE and wins_by_fours(memory, attacker, INNER_FOURS)
    if not won and first_in(memory, mover, w.FIVE) == w.NOWHERE:
        moves = w.MOVES + ply * w.PLY_MOVES
        count = add_set(memory, moves, ZERO, mover ^ ONE, w.FIVE)
        if count > ONE:
            won, count = turn == ZERO, ZERO
        elif count == ONE:
            pass  # the only answer
        elif turn == ONE:
            count = add_set(memory, moves, add_set(memory, moves, ZERO, attacker, w.THREE), attacker, w.FOUR)
            count = min(count, MOST)
        elif first_in(memory, mover, w.WINNING) == w.NOWHERE and wins_by_fours(memory, attacker, INNER_FOURS):
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
def prove(memory: Memory, attacker: Word, turn: Word, ply: Word, most_proof: Word, most_disproof: Word) -> None:
    """Searches the position until one of its numbers reaches its limit, and stores them.

    `turn` is 1 if the attacker is to move. `proof` and `disproof` estimate the work of proving or refuting the win; 0
    means done.
    """
    # 1. The position's moves, from the table or new.
    began = memory[NODES]
    key = threat_key(memory, attacker, turn)
    slot = slot_of(memory, key)
    count = fetch(memory, slot, ply) if memory[slot] == key else expand(memory, attacker, turn, ply)
    mover = attacker if turn == ONE else attacker ^ ONE
    moves = w.MOVES + ply * w.PLY_MOVES
    salt = memory[w.SALTS + attacker] ^ memory[w.SALTS + TWO + (turn ^ ONE)]
    while count != ZERO:
        # 2. The children's numbers. `easy` is the number that one child decides, `total` the one that takes all
        #    children. Transpositions inflate sums of proof numbers, so the hardest child plus a count replaces them.
        easy, second, hardest, open_, best, best_all = SURE, SURE, ZERO, ZERO, ZERO, ZERO
        for move in span(moves, moves + count):
            cell = memory[move]
            child = find(memory, memory[w.KEY] ^ memory[w.ZOBRIST + mover * w.BOARD + cell] ^ salt)
            if child != ZERO:
                proof = memory[child + ONE] & NUMBER
                disproof = memory[child + ONE] >> AT_DISPROOF & NUMBER
            else:
                threatens = memory[w.FLAGS + cell] >> attacker * w.SIDE_SETS & THREATENING != ZERO
                proof, disproof = ONE if threatens or turn == ZERO else FOUR, ONE
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
        over = memory[STOP] != ZERO or memory[NODES] > memory[w.THREATS_LIMIT]
        if over or settled or proof >= most_proof or disproof >= most_disproof:
            keep(memory, key, proof, disproof, ply, count, memory[NODES] - began)
            return
        # 4. Search the most promising child until another is more promising.
        most_one, most_every = (most_proof, most_disproof) if turn == ONE else (most_disproof, most_proof)
        one, every = min(most_one, second + ONE + second // FOUR), min(SURE, most_every - total + best_all)
        proof, disproof = (one, every) if turn == ONE else (every, one)
        place(memory, best, mover)
        prove(memory, attacker, turn ^ ONE, ply + ONE, proof, disproof)
        lift(memory)
