"""Proves whether the result, in discs, is above `alpha`; uses a table and tries the most promising moves first."""

from __future__ import annotations

from agents.kernels.compilation import compiled, number, signed
from agents.kernels.loops import span
from agents.kernels.memory import BEST_MOVE, MOVES, STOP, STRIDE, Memory, Word
from agents.kernels.negamax import LIMIT, must_stop
from agents.kernels.ordering import FIRST, pick
from agents.kernels.table import AT_MOVE, CODE, keep, recall
from games.reversi.kernel.discs import moves, result, stable
from games.reversi.kernel.last import NO_MOVE, last_four
from games.reversi.kernel.midgame import negamax, place, position_key
from games.reversi.kernel.ordering import ORDER, PASSED, TURNED, put_moves
from games.reversi.kernel.patterns import MAX_VALUE

ZERO, ONE, EIGHT, BYTE = map(Word, (0, 1, 8, 255))
PROOF = Word(0xA0761D6478BD642F)
"""Mixed into the keys of proofs, which share a table with searches to a depth."""
SMALL = 4
"""Most empty squares searched without a table and ordered by parity alone."""
ADVISED = 12
"""Empty squares from which a shallow search by the patterns advises which move to try first."""
TRUST = 3
"""Points of a move's order per hundredth of a disc: the value with which endings of 20 empty squares are cheapest."""
MOST = 64
"""The best possible result, in discs."""


@compiled("void(uint64[::1], uint64, uint64, uint64, int64, int64)")
def take_advice(memory: Memory, mine: Word, theirs: Word, count: Word, depth: int, ply: int) -> None:
    """Adds to the moves' order their scores by a search to `depth`: a disc counts as much as 0.6 replies."""
    first = MOVES + Word(ply) * STRIDE
    for slot in span(first, first + count):
        changed = memory[TURNED + Word(ply) * STRIDE + (memory[slot] & CODE)]
        place(memory, Word(ply + 1), theirs & ~changed, mine | changed)
        score = -negamax(memory, ply + 1, depth, -LIMIT, LIMIT)
        score = min(max(score, -MAX_VALUE), MAX_VALUE)
        memory[slot] += Word(TRUST * (score + MAX_VALUE)) << ORDER


@compiled("int64(uint64[::1], uint64, uint64, int64, int64, int64)")
def prove(memory: Memory, mine: Word, theirs: Word, alpha: int, empties: int, ply: int) -> int:
    """A bound on the result, on the same side of `alpha` as the result. Meaningless once STOP is set."""
    if empties == SMALL and ply > 0:
        return last_four(memory, mine, theirs, alpha, False)
    # 1. Stop if requested.
    if must_stop(memory):
        return 0
    # 2. The enemy's stable discs alone may rule out more than alpha: worth checking from that alpha on.
    if ply > 0 and alpha >= 2 * empties - 10:
        most = MOST - 2 * number(stable(theirs, mine))
        if most <= alpha:
            return most
    # 3. Look the position up in the table.
    key = position_key(mine, theirs) ^ PROOF
    known = recall(memory, key)
    lower, upper, first = -MOST, MOST, ZERO
    if known != ZERO:
        lower, upper = signed(known & BYTE) - MOST, signed(known >> EIGHT & BYTE) - MOST
        first = known >> AT_MOVE & CODE
        if ply > 0:
            if lower > alpha:
                return lower
            if upper <= alpha:
                return upper
    # 4. All moves, the most promising first; the pass.
    where = moves(mine, theirs)
    if where == ZERO:
        if moves(theirs, mine) == ZERO:
            return result(mine, theirs)
        if ply == 0:
            memory[BEST_MOVE] = PASSED
        return -prove(memory, theirs, mine, -alpha - 1, empties, ply + 1)
    here = Word(ply)
    count = put_moves(memory, mine, theirs, where, here, False)
    if empties >= ADVISED:
        take_advice(memory, mine, theirs, count, (empties - ADVISED) // 2, ply)
    begin, turned_by = MOVES + here * STRIDE, TURNED + here * STRIDE
    for slot in span(begin, begin + count):
        code = memory[slot] & CODE
        if code == first:
            memory[slot] |= FIRST << ORDER
        if empties > SMALL + 2 and ply > 0:
            changed = memory[turned_by + code]
            reply = recall(memory, position_key(theirs & ~changed, mine | changed) ^ PROOF)
            if reply != ZERO:
                worst = MOST - signed(reply >> EIGHT & BYTE)
                if worst > alpha:
                    return worst
    # 5. Search each.
    best, best_code, done = NO_MOVE, ZERO, ZERO
    while done < count:
        code = pick(memory, count, here, done)
        done += ONE
        changed = memory[turned_by + code]
        score = MOST
        if theirs & ~changed != ZERO:
            score = -prove(memory, theirs & ~changed, mine | changed, -alpha - 1, empties - 1, ply + 1)
        if memory[STOP] != ZERO:
            return 0
        if score > best:
            best, best_code = score, code
            if ply == 0:
                memory[BEST_MOVE] = code
            if score > alpha:
                break
    # 6. Store the result.
    if best > alpha:
        lower = max(lower, best)
    else:
        upper = min(upper, best)
    keep(memory, key, Word(lower + MOST) | Word(upper + MOST) << EIGHT | best_code << AT_MOVE, empties)
    return best
