"""Principal-variation search to a depth, evaluated by the patterns or by a named heuristic."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, signed
from agents.search import MAX_DEPTH, WIN
from games.reversi.kernel.discs import moves, result
from games.reversi.kernel.memory import (
    BEST_MOVE,
    BEST_SCORE,
    EXACT,
    HINT,
    JUDGE,
    MAX_MOVES,
    MOVES,
    NODE_LIMIT,
    NODES,
    NOISE,
    PASSED,
    PATTERNS,
    SALT,
    STOP,
    Memory,
)
from games.reversi.kernel.named import evaluate_named
from games.reversi.kernel.ordering import AT_ORDER, SQUARE, bring_best, write_moves, write_quickly
from games.reversi.kernel.patterns import MAX_VALUE, evaluate_patterns
from games.reversi.kernel.probcut import MIN_DEPTH, PROBES, first_probe, margin, shallow_depth
from games.reversi.kernel.table import AT_MOVE, BYTE, FIRST, position_key, recall, store

U = np.uint64
ZERO, ONE, TWO, THREE, EIGHT = U(0), U(1), U(2), U(3), U(8)
SORTED = 4
SORT_WEIGHT = 8
STRIDE = U(2 * MAX_MOVES)
LOWEST = -2 * WIN
WON = 100_000
"""Hundredths of a disc: with the trained patterns, a game won by n discs scores this plus 100 n; a draw 0."""
SURE = WIN - 2 * MAX_DEPTH
"""Scores beyond this count plies to the end; the table stores them as distances from the stored position."""
SCORE, OFFSET = U(2**24 - 1), 2**23
DEPTH, AT_DEPTH, AT_BOUND = U(127), U(24), U(31)
EXACTLY, AT_LEAST, AT_MOST = U(1), U(2), U(3)
AT_FIRST, NOISE_BITS = U(60), U(56)


@compiled("int64(uint64[::1], uint64, uint64)")
def evaluate(memory: Memory, mine: np.uint64, theirs: np.uint64) -> int:
    """The position's value for the side to move, by the search's JUDGE."""
    if memory[JUDGE] == U(PATTERNS):
        return evaluate_patterns(memory, mine, theirs)
    return evaluate_named(memory, mine, theirs)


@compiled("int64(uint64[::1], uint64, uint64, int64)")
def final_score(memory: Memory, mine: np.uint64, theirs: np.uint64, ply: int) -> int:
    """The score of a game that is over, for the side to move."""
    discs = result(mine, theirs)
    if discs == 0:
        return 0
    if memory[JUDGE] != U(PATTERNS):
        return WIN - ply if discs > 0 else ply - WIN
    return WON + 100 * discs if discs > 0 else 100 * discs - WON


@compiled("uint64(int64, int64, int64, int64, int64, uint64)")
def entry(score: int, alpha: int, beta: int, depth: int, ply: int, square: np.uint64) -> np.uint64:
    """The table's data word for a search result."""
    bound = AT_LEAST if score >= beta else EXACTLY if score > alpha else AT_MOST
    kept = score + ply if score > SURE else score - ply if score < -SURE else score
    return U(kept + OFFSET) | U(depth) << AT_DEPTH | bound << AT_BOUND | (square + ONE) << AT_MOVE


@compiled("void(uint64[::1], uint64, uint64, uint64, boolean)")
def put_first(memory: Memory, start: np.uint64, end: np.uint64, first: np.uint64, shuffle: bool) -> None:
    """Ranks the move to the square `first` above the others; with `shuffle`, shuffles equal moves."""
    slot = start
    while slot < end:
        square = memory[slot] & SQUARE
        if square == first:
            memory[slot] |= ONE << AT_FIRST
        if shuffle and memory[NOISE] != ZERO:
            memory[slot] ^= ((square + memory[NOISE]) * FIRST >> NOISE_BITS) << EIGHT
        slot += TWO


@compiled("void(uint64[::1], uint64, uint64, uint64, uint64)")
def sort_by_value(memory: Memory, mine: np.uint64, theirs: np.uint64, start: np.uint64, end: np.uint64) -> None:
    """Adds to the moves' order the value of the positions after them."""
    slot = start
    while slot < end:
        square, turned = memory[slot] & SQUARE, memory[slot + ONE]
        value = -evaluate(memory, theirs ^ turned, mine | turned | ONE << square)
        memory[slot] += U((min(max(value, -MAX_VALUE), MAX_VALUE) + MAX_VALUE) * SORT_WEIGHT) << AT_ORDER
        slot += TWO


@compiled("int64(uint64[::1], uint64, uint64, int64, int64, int64, int64)")
def negamax(memory: Memory, mine: np.uint64, theirs: np.uint64, depth: int, alpha: int, beta: int, ply: int) -> int:
    """The score for the side to move, searched `depth` plies deep, passes included; fail-soft.

    Meaningless once STOP is set. At ply 0 it records the root's best move so far.
    """
    # 1. Stop if requested.
    memory[NODES] += ONE
    if memory[NODE_LIMIT] != ZERO and memory[NODES] > memory[NODE_LIMIT]:
        memory[STOP] = ONE
    if memory[STOP] != ZERO:
        return 0
    # 2. The game is over, the horizon is reached, or the mover must pass.
    where = moves(mine, theirs)
    if where == ZERO and moves(theirs, mine) == ZERO:
        return final_score(memory, mine, theirs, ply)
    if depth <= 0:
        return evaluate(memory, mine, theirs)
    if where == ZERO:
        score = -negamax(memory, theirs, mine, depth - 1, -beta, -alpha, ply + 1)
        if ply == 0:
            memory[BEST_MOVE], memory[BEST_SCORE] = PASSED, U(score)
        return score
    # 3. Look the position up in the table.
    key, first = ZERO, SQUARE
    if depth >= 2:
        key = position_key(mine, theirs) ^ memory[SALT]
        known = recall(memory, key)
        if known != ZERO:
            first = (known >> AT_MOVE & BYTE) - ONE
            stored_depth = signed(known >> AT_DEPTH & DEPTH)
            if (stored_depth == depth or (stored_depth > depth and memory[EXACT] == ZERO)) and ply > 0:
                score = signed(known & SCORE) - OFFSET
                score = score - ply if score > SURE else score + ply if score < -SURE else score
                bound = known >> AT_BOUND & THREE
                null = beta - alpha == 1
                if null and (bound == EXACTLY or (bound == AT_LEAST and score >= beta)):
                    return score
                if null and bound == AT_MOST and score <= alpha:
                    return score
    # 4. Cut a null window that a shallow search predicts to be left; a glance may show it already.
    if memory[SALT] != ZERO and depth >= MIN_DEPTH and beta - alpha == 1 and ply > 0:
        hopeful = evaluate(memory, mine, theirs) >= beta
        for probe in range(first_probe(depth), PROBES):
            plies, apart = shallow_depth(depth, probe), margin(mine, theirs, depth, probe)
            above, below = beta + apart, alpha - apart
            if hopeful:
                if negamax(memory, mine, theirs, plies, above - 1, above, ply) >= above:
                    return beta
            elif negamax(memory, mine, theirs, plies, below, below + 1, ply) <= below:
                return alpha
        if memory[STOP] != ZERO:
            return 0
    # 5. All moves, the most promising first.
    if ply == 0 and memory[HINT] != ZERO:
        first = memory[HINT] - ONE
    start = MOVES + U(ply) * STRIDE
    if depth == 1 and ply > 0:
        end = write_quickly(memory, mine, theirs, where, start)
    else:
        end = write_moves(memory, mine, theirs, where, start)
    if depth >= SORTED:
        sort_by_value(memory, mine, theirs, start, end)
    put_first(memory, start, end, first, ply == 0)
    # 6. Search each: the first with the full window, the others with a null window to prove them no better.
    best, best_square, lowest = LOWEST, ZERO, alpha
    slot = start
    while slot < end:
        bring_best(memory, slot, end)
        square, turned = memory[slot] & SQUARE, memory[slot + ONE]
        after, mine_after = theirs ^ turned, mine | turned | ONE << square
        floor = -beta if slot == start else -alpha - 1
        score = -negamax(memory, after, mine_after, depth - 1, floor, -alpha, ply + 1)
        if slot != start and alpha < score < beta and memory[STOP] == ZERO:
            score = -negamax(memory, after, mine_after, depth - 1, -beta, -alpha, ply + 1)
        if memory[STOP] != ZERO:
            return 0
        slot += TWO
        if score > best:
            best, best_square = score, square
            if ply == 0:
                memory[BEST_MOVE], memory[BEST_SCORE] = square + ONE, U(score)
            alpha = max(alpha, score)
            if alpha >= beta:
                break
    # 7. Store the result.
    if depth >= 2:
        store(memory, key, entry(best, lowest, beta, depth, ply, best_square), U(depth))
    return best
