"""Principal-variation search over the flat memory, and quiescence search at its horizon, two recursive functions."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, signed
from agents.search import MAX_DEPTH, WIN
from games.co_ganh.kernel.board import captured, opening
from games.co_ganh.kernel.evaluation import evaluate, number
from games.co_ganh.kernel.memory import (
    BEST_MOVE,
    BEST_SCORE,
    EXACT,
    FLIPS,
    HINT,
    NODE_LIMIT,
    NODES,
    PV_LENGTH,
    STOP,
    Memory,
)
from games.co_ganh.kernel.moves import can_move, write_moves
from games.co_ganh.kernel.ordering import CODE, extend_line, order_moves, pick, reward
from games.co_ganh.kernel.table import (
    AT_BOUND,
    AT_DEPTH,
    AT_LEAST,
    AT_MOST,
    AT_MOVE,
    DEPTH,
    EXACTLY,
    MOVE,
    OFFSET,
    QUIET_PLIES,
    SCORE,
    recall,
    store,
    table_key,
)

U = np.uint64
ZERO, ONE, TWO, THREE, FIVE, CELL = U(0), U(1), U(2), U(3), U(5), U(31)
SURE = WIN - 2 * MAX_DEPTH
"""Scores beyond this are forced wins; the table stores them as distances from the stored position."""
NOT_OVER = 2 * WIN
LATE, VERY_LATE = U(3), U(8)
"""Moves searched before a quiet move is reduced: by one ply, and by two plies."""


@compiled("boolean(uint64[::1])")
def must_stop(memory: Memory) -> bool:
    """Whether the search must stop; counts the position if not."""
    if memory[NODE_LIMIT] != ZERO and memory[NODES] >= memory[NODE_LIMIT]:
        memory[STOP] = ONE
    if memory[STOP] != ZERO:
        return True
    memory[NODES] += ONE
    return False


@compiled("int64(uint64[::1], uint64, uint64, int64, int64)")
def final_score(memory: Memory, mine: np.uint64, theirs: np.uint64, remaining: int, ply: int) -> int:
    """The score for the side to move if the game is over, else NOT_OVER."""
    if mine == ZERO:
        return ply - WIN
    if theirs == ZERO:
        return WIN - ply
    if not can_move(memory, mine, theirs):
        return ply - WIN
    if remaining > 0:
        return NOT_OVER
    lead = number(mine) - number(theirs)
    return 0 if lead == 0 else WIN - ply if lead > 0 else ply - WIN


@compiled("int64(uint64[::1], uint64, uint64, uint64, int64, int64, int64, int64, int64)")
def quiesce(
    memory: Memory,
    mine: np.uint64,
    theirs: np.uint64,
    opened: np.uint64,
    remaining: int,
    ply: int,
    left: int,
    alpha: int,
    beta: int,
) -> int:
    """The score for the side to move if only captures and forced entries are searched, `left` plies at most."""
    if must_stop(memory):
        return 0
    final = final_score(memory, mine, theirs, remaining, ply)
    if final != NOT_OVER:
        return final
    here = U(ply)
    best = evaluate(memory, mine, theirs)
    if left <= 0:
        return best
    if opened != ZERO:
        best = -NOT_OVER
    if best >= beta:
        return best
    alpha = max(alpha, best)
    count = write_moves(memory, mine, theirs, opened, here, opened == ZERO)
    done = ZERO
    while done < count:
        code = pick(memory, count, here, done) & CODE
        done += ONE
        to, origin = code & CELL, code >> FIVE
        taken = captured(memory, mine, theirs, origin, to)
        own = mine ^ (ONE << origin) ^ (ONE << to)
        if memory[FLIPS] != ZERO:
            own |= taken
        enemy = theirs & ~taken
        entry = opening(memory, own, enemy, origin)
        score = -quiesce(memory, enemy, own, entry, remaining - 1, ply + 1, left - 1, -beta, -alpha)
        if memory[STOP] != ZERO:
            return 0
        best = max(best, score)
        alpha = max(alpha, score)
        if alpha >= beta:
            break
    return best


@compiled("int64(uint64[::1], uint64, uint64, uint64, int64, int64, int64, int64, int64)")
def negamax(
    memory: Memory,
    mine: np.uint64,
    theirs: np.uint64,
    opened: np.uint64,
    remaining: int,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
) -> int:
    """The score for the side to move, searched `depth` plies deep; fail-soft. Meaningless once STOP is set.

    `opened` is the point that must be entered, as a bit, 0 for none; `remaining` the plies to the game's limit.
    """
    here = U(ply)
    memory[PV_LENGTH + here] = ZERO
    exact = memory[EXACT] != ZERO
    # 1. The horizon.
    if (depth <= 0 or ply >= MAX_DEPTH) and not exact:
        return quiesce(memory, mine, theirs, opened, remaining, ply, QUIET_PLIES, alpha, beta)
    # 2. Stop if requested; the game is over.
    if must_stop(memory):
        return 0
    final = final_score(memory, mine, theirs, remaining, ply)
    if final != NOT_OVER:
        return final
    if depth <= 0 or ply >= MAX_DEPTH:
        return evaluate(memory, mine, theirs)
    # 3. Look the position up in the table.
    key = table_key(memory, mine, theirs, opened, remaining, depth)
    known = recall(memory, key)
    first = known >> AT_MOVE & MOVE
    stored_depth = signed(known >> AT_DEPTH & DEPTH)
    deep_enough = stored_depth == depth or (stored_depth > depth and not exact)
    if known != ZERO and deep_enough and ply > 0 and beta - alpha == 1:
        score = signed(known & SCORE) - OFFSET
        in_time = True
        if score > SURE:
            in_time = WIN - score <= remaining
            score -= ply
        elif score < -SURE:
            in_time = WIN + score <= remaining
            score += ply
        bound = known >> AT_BOUND & THREE
        tells = bound == EXACTLY or (bound == AT_LEAST and score >= beta) or (bound == AT_MOST and score <= alpha)
        if tells and in_time:
            return score
    # 4. All moves, the most promising first.
    if ply == 0 and memory[HINT] != ZERO:
        first = memory[HINT]
    count = write_moves(memory, mine, theirs, opened, here, False)
    order_moves(memory, count, here, first)
    # 5. Search each: the first with the full window, the others with a null window to prove them no better.
    best, best_code, lowest = -NOT_OVER, ZERO, alpha
    done = ZERO
    while done < count:
        word = pick(memory, count, here, done)
        code = word & CODE
        to, origin = code & CELL, code >> FIVE
        taken = captured(memory, mine, theirs, origin, to)
        own = mine ^ (ONE << origin) ^ (ONE << to)
        if memory[FLIPS] != ZERO:
            own |= taken
        enemy = theirs & ~taken
        entry = opening(memory, own, enemy, origin)
        floor, less = -alpha - 1, 1
        if done == ZERO:
            floor = -beta
        elif not exact and depth >= 3 and done >= LATE and taken == ZERO and entry == ZERO:
            less = 3 if done >= VERY_LATE and depth >= 5 else 2
        score = -negamax(memory, enemy, own, entry, remaining - 1, ply + 1, depth - less, floor, -alpha)
        if less > 1 and score > alpha:
            score = -negamax(memory, enemy, own, entry, remaining - 1, ply + 1, depth - 1, floor, -alpha)
        if done != ZERO and alpha < score < beta:
            score = -negamax(memory, enemy, own, entry, remaining - 1, ply + 1, depth - 1, -beta, -alpha)
        if memory[STOP] != ZERO:
            return 0
        done += ONE
        if score > best:
            best, best_code = score, code
            if ply == 0:
                memory[BEST_MOVE], memory[BEST_SCORE] = code, U(score)
            if score > alpha:
                extend_line(memory, here, code)
                alpha = score
        if alpha >= beta:
            if taken == ZERO:
                reward(memory, code, here, depth)
            break
    # 6. Store the result.
    bound = AT_LEAST if best >= beta else EXACTLY if best > lowest else AT_MOST
    kept = best + ply if best > SURE else best - ply if best < -SURE else best
    store(memory, key, kept, depth, bound, best_code)
    return best
