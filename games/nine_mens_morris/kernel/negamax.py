"""Principal-variation search over the flat memory: one recursive function."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, signed
from agents.search import MAX_DEPTH, WIN
from games.nine_mens_morris.kernel.addresses import byte_at
from games.nine_mens_morris.kernel.endgame_index import slot_of
from games.nine_mens_morris.kernel.evaluation import evaluate
from games.nine_mens_morris.kernel.memory import (
    BEST_MOVE,
    BEST_SCORE,
    ENDGAME_INDEX,
    ENDGAME_MEN,
    ENDGAMES,
    EXACT,
    FULL_DRAW,
    HINT,
    HISTORY,
    KEYS,
    KILLERS,
    MAX_MOVES,
    MAX_PLY,
    MOVES,
    NODE_LIMIT,
    NODES,
    NOISE,
    NONE,
    PV,
    PV_LENGTH,
    QUIET_PLIES,
    REPETITION,
    STOP,
    Memory,
)
from games.nine_mens_morris.kernel.moves import FULL, can_move, write_moves
from games.nine_mens_morris.kernel.table import (
    AT_BOUND,
    AT_DEPTH,
    AT_LEAST,
    AT_MOST,
    AT_MOVE,
    DEPTH,
    EXACTLY,
    MOVE,
    OFFSET,
    SCORE,
    SPREAD,
    recall,
    store,
    table_key,
)

U = np.uint64
ZERO, ONE, TWO, THREE = U(0), U(1), U(2), U(3)
FIVE, TEN, SIXTEEN, ORDER, AT_SIDE, MEN = U(5), U(10), U(16), U(32), U(48), U(24)
CODE, CELL = U(2**15 - 1), U(31)
PLIES, STRIDE, JOURNEYS, CELLS = U(MAX_PLY), U(MAX_MOVES), U(32 * 24), U(24)
FIRST, KILLER, MAX_HISTORY = U(2**31), U(2**23), U(2**22)
MIN_NOISE = U(60)
SURE = WIN - MAX_DEPTH - 300
"""Scores beyond this are forced wins; the table stores them as distances from the stored position."""
NOT_OVER = 2 * WIN
LATE, VERY_LATE = U(3), U(8)
"""Moves searched before a move is reduced: by one ply, and by two plies."""


@compiled("int64(uint64[::1], uint64, uint64, int64, int64, int64, int64, int64, int64)")
def final_score(
    memory: Memory,
    mine: np.uint64,
    theirs: np.uint64,
    my_hand: int,
    their_hand: int,
    quiet: int,
    start: int,
    end: int,
    ply: int,
) -> int:
    """The score for the side to move if the game is over, else NOT_OVER. Draws do not end the game at the root."""
    if my_hand == 0 and bit_count(mine) < THREE:
        return ply - WIN
    if their_hand == 0 and bit_count(theirs) < THREE:
        return WIN - ply
    if memory[FULL_DRAW] != ZERO and my_hand + their_hand == 0 and mine | theirs == FULL:
        return 0
    if not can_move(memory, mine, theirs, my_hand):
        return ply - WIN
    if ply == 0:
        return NOT_OVER
    if memory[REPETITION] > ZERO:
        own = mine | theirs << MEN | (U(ply) & ONE) << AT_SIDE
        seen = ONE
        for index in range(start, end):
            if memory[KEYS + U(index)] == own:
                seen += ONE
        if seen >= memory[REPETITION]:
            return 0
    if memory[QUIET_PLIES] > ZERO and U(quiet) >= memory[QUIET_PLIES]:
        return 0
    return NOT_OVER


@compiled("int64(uint64[::1], uint64, uint64, int64)")
def endgame_score(memory: Memory, mine: np.uint64, theirs: np.uint64, ply: int) -> int:
    """The endgame table's score for the side to move, all men laid; NOT_OVER if there is no table."""
    table = memory[ENDGAMES + bit_count(mine) * SIXTEEN + bit_count(theirs)]
    if table == ZERO:
        return NOT_OVER
    code = signed(byte_at(table + slot_of(memory[ENDGAME_INDEX], mine, theirs)))
    if code == 0:
        return 0
    distance = ply + code - 1
    return distance - WIN if code & 1 else WIN - distance


@compiled("void(uint64[::1], uint64, uint64, uint64)")
def order_moves(memory: Memory, count: np.uint64, ply: np.uint64, first: np.uint64) -> None:
    """Ranks the stored move and the killers first among the ply's moves; shuffles equal moves at the root."""
    slot = MOVES + ply * STRIDE
    killers = KILLERS + ply * TWO
    end = slot + count
    while slot < end:
        code = memory[slot] & CODE
        if code == first:
            memory[slot] = FIRST << ORDER | code
        elif code == memory[killers] or code == memory[killers + ONE]:
            memory[slot] = KILLER << ORDER | code
        elif ply == ZERO and memory[NOISE] != ZERO:
            memory[slot] |= ((code + memory[NOISE]) * SPREAD >> MIN_NOISE) << (ORDER - U(16))
        slot += ONE


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def pick(memory: Memory, count: np.uint64, ply: np.uint64, done: np.uint64) -> np.uint64:
    """Swaps the most promising move from `done` on into that place; returns its code."""
    first = MOVES + ply * STRIDE + done
    end = MOVES + ply * STRIDE + count
    best = first
    slot = first + ONE
    while slot < end:
        if memory[slot] > memory[best]:
            best = slot
        slot += ONE
    word = memory[best]
    memory[best] = memory[first]
    memory[first] = word
    code: np.uint64 = word & CODE
    return code


@compiled("void(uint64[::1], uint64, uint64, int64)")
def reward(memory: Memory, code: np.uint64, ply: np.uint64, depth: int) -> None:
    """Records a quiet move that caused a cutoff, among the killers and in the history."""
    killers = KILLERS + ply * TWO
    if memory[killers] != code:
        memory[killers + ONE] = memory[killers]
        memory[killers] = code
    slot = HISTORY + (ply & ONE) * JOURNEYS + (code >> FIVE & CELL) * CELLS + (code & CELL)
    memory[slot] += U(depth * depth)
    if memory[slot] > MAX_HISTORY:
        memory[slot] = MAX_HISTORY


@compiled("void(uint64[::1], uint64, uint64)")
def extend_line(memory: Memory, ply: np.uint64, code: np.uint64) -> None:
    """Sets the best line from here to this move followed by the best line after it."""
    own = PV + ply * PLIES
    after = own + PLIES
    length = memory[PV_LENGTH + ply + ONE]
    memory[own] = code
    index = ZERO
    while index < length and index + TWO < PLIES:
        memory[own + ONE + index] = memory[after + index]
        index += ONE
    memory[PV_LENGTH + ply] = index + ONE


@compiled("int64(uint64[::1], uint64, uint64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def negamax(
    memory: Memory,
    mine: np.uint64,
    theirs: np.uint64,
    my_hand: int,
    their_hand: int,
    quiet: int,
    start: int,
    end: int,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
    closed: int,
) -> int:
    """The score for the side to move, searched `depth` plies deep; fail-soft. Meaningless once STOP is set.

    `start` to `end` is the range of KEYS that can repeat; `closed` is 1 if the enemy's last move closed a mill.
    """
    here = U(ply)
    memory[PV_LENGTH + here] = ZERO
    # 1. Stop if requested.
    memory[NODES] += ONE
    if memory[NODE_LIMIT] != ZERO and memory[NODES] > memory[NODE_LIMIT]:
        memory[STOP] = ONE
    if memory[STOP] != ZERO:
        return 0
    # 2. The game is over, or the horizon is reached.
    final = final_score(memory, mine, theirs, my_hand, their_hand, quiet, start, end, ply)
    if final != NOT_OVER:
        return final
    if my_hand + their_hand == 0 and ply > 0 and bit_count(mine | theirs) <= memory[ENDGAME_MEN]:
        final = endgame_score(memory, mine, theirs, ply)
        if final != NOT_OVER:
            return final
    if depth <= 0 or ply >= MAX_DEPTH:
        return evaluate(memory, mine, theirs, my_hand, their_hand, closed)
    # 3. Look the position up in the table.
    key = table_key(memory, mine, theirs, my_hand, their_hand, quiet, depth)
    known = recall(memory, key)
    first = known >> AT_MOVE & MOVE
    stored_depth = signed(known >> AT_DEPTH & DEPTH)
    deep_enough = stored_depth == depth or (stored_depth > depth and memory[EXACT] == ZERO)
    if known != ZERO and deep_enough and ply > 0 and beta - alpha == 1:
        score = signed(known & SCORE) - OFFSET
        if score > SURE:
            score -= ply
        elif score < -SURE:
            score += ply
        bound = known >> AT_BOUND & THREE
        if bound == EXACTLY or (bound == AT_LEAST and score >= beta) or (bound == AT_MOST and score <= alpha):
            return score
    # 4. All moves, the most promising first.
    if ply == 0 and memory[HINT] != ZERO:
        first = memory[HINT]
    count = write_moves(memory, mine, theirs, my_hand, here)
    order_moves(memory, count, here, first)
    memory[KEYS + U(end)] = mine | theirs << MEN | (here & ONE) << AT_SIDE
    # 5. Search each: the first with the full window, the others with a null window to prove them no better.
    best, best_code, lowest = -NOT_OVER, ZERO, alpha
    done = ZERO
    while done < count:
        code = pick(memory, count, here, done)
        origin, removed = code >> FIVE & CELL, code >> TEN
        mine_after = mine | ONE << (code & CELL)
        theirs_after = theirs
        hand_after, quiet_after, start_after, closing = my_hand, 0, end + 1, 0
        if origin == NONE:
            hand_after = my_hand - 1
        else:
            mine_after ^= ONE << origin
        if removed != NONE:
            theirs_after ^= ONE << removed
            closing = 1
        elif origin != NONE:
            quiet_after, start_after = quiet + 1, start
        floor = -beta if done == ZERO else -alpha - 1
        # Unless exact: search late moves less deeply first, and again in full if they prove better.
        less = 0
        if done >= LATE and depth >= 3 and memory[EXACT] == ZERO:
            less = 2 if done >= VERY_LATE and depth >= 5 else 1
        score = -negamax(
            memory, theirs_after, mine_after, their_hand, hand_after, quiet_after, start_after, end + 1,
            ply + 1, depth - 1 - less, floor, -alpha, closing,
        )  # fmt: skip
        if less > 0 and score > alpha:
            score = -negamax(
                memory, theirs_after, mine_after, their_hand, hand_after, quiet_after, start_after, end + 1,
                ply + 1, depth - 1, floor, -alpha, closing,
            )  # fmt: skip
        if done != ZERO and alpha < score < beta:
            score = -negamax(
                memory, theirs_after, mine_after, their_hand, hand_after, quiet_after, start_after, end + 1,
                ply + 1, depth - 1, -beta, -alpha, closing,
            )  # fmt: skip
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
            if removed == NONE:
                reward(memory, code, here, depth)
            break
    # 6. Store the result.
    bound = AT_LEAST if best >= beta else EXACTLY if best > lowest else AT_MOST
    kept = best + ply if best > SURE else best - ply if best < -SURE else best
    store(memory, key, kept, depth, bound, best_code)
    return best
