"""The rules of morris as `agents.kernels.negamax` asks for them, and the search made of them."""

from __future__ import annotations

import numpy as np

from agents.kernels import negamax as core
from agents.kernels import past
from agents.kernels.compilation import bit_count, byte_at, compiled, signed
from agents.kernels.memory import SALT, STATE
from agents.kernels.negamax import NOT_OVER, QUIET, REDUCIBLE
from agents.kernels.table import SPREAD
from agents.search import WIN
from games.nine_mens_morris.kernel import memory as w
from games.nine_mens_morris.kernel.endgame_index import slot_of
from games.nine_mens_morris.kernel.evaluation import evaluate
from games.nine_mens_morris.kernel.memory import Memory
from games.nine_mens_morris.kernel.moves import AT_SIDE, FULL, WORDS, can_move, write_moves

U = np.uint64
ZERO, ONE, TWO, THREE = U(0), U(1), U(2), U(3)
FIVE, TEN, SIXTEEN, MEN = U(5), U(10), U(16), U(24)
AT_HAND, AT_THEIR_HAND, CELL = U(48), U(52), U(31)


@compiled("int64(uint64[::1], uint64, uint64, int64)")
def endgame_score(memory: Memory, mine: np.uint64, theirs: np.uint64, ply: int) -> int:
    """The endgame table's score for the side to move, all men laid; NOT_OVER if there is no table."""
    table = memory[w.ENDGAMES + bit_count(mine) * SIXTEEN + bit_count(theirs)]
    if table == ZERO:
        return NOT_OVER
    code = signed(byte_at(table + slot_of(memory[w.ENDGAME_INDEX], mine, theirs)))
    if code == 0:
        return 0
    distance = ply + code - 1
    return distance - WIN if code & 1 else WIN - distance


@compiled("int64(uint64[::1], uint64)")
def final_score(memory: Memory, ply: np.uint64) -> int:
    """As `agents.kernels.negamax`; draws do not end the game at the root, and an endgame table tells the end."""
    at = STATE + ply * WORDS
    mine, theirs = memory[at], memory[at + w.THEIRS]
    my_hand, their_hand = memory[at + w.MY_HAND], memory[at + w.THEIR_HAND]
    if my_hand == ZERO and bit_count(mine) < THREE:
        return signed(ply) - WIN
    if their_hand == ZERO and bit_count(theirs) < THREE:
        return WIN - signed(ply)
    if memory[w.FULL_DRAW] != ZERO and my_hand + their_hand == ZERO and mine | theirs == FULL:
        return 0
    if not can_move(memory, mine, theirs, signed(my_hand)):
        return signed(ply) - WIN
    if ply == ZERO:
        return NOT_OVER
    if memory[w.REPETITION] > ZERO:
        own, end = mine | theirs << MEN | (ply & ONE) << AT_SIDE, w.KEYS + memory[at + w.LAST_KEY]
        if past.times(memory, w.KEYS + memory[at + w.FIRST_KEY], end, ZERO, own) >= memory[w.REPETITION]:
            return 0
    if memory[w.QUIET_PLIES] > ZERO and memory[at + w.SINCE] >= memory[w.QUIET_PLIES]:
        return 0
    if my_hand + their_hand == ZERO and bit_count(mine | theirs) <= memory[w.ENDGAME_MEN]:
        return endgame_score(memory, mine, theirs, signed(ply))
    return NOT_OVER


@compiled("int64(uint64[::1], uint64, int64, int64)")
def judge(memory: Memory, ply: np.uint64, alpha: int, beta: int) -> int:
    at = STATE + ply * WORDS
    hands = signed(memory[at + w.MY_HAND]), signed(memory[at + w.THEIR_HAND])
    return evaluate(memory, memory[at], memory[at + w.THEIRS], hands[0], hands[1], signed(memory[at + w.CLOSED]))


@compiled("uint64(uint64[::1], uint64, int64)")
def table_key(memory: Memory, ply: np.uint64, depth: int) -> np.uint64:
    """The men and the hands; the quiet moves, too, where the draw by them is in reach."""
    at = STATE + ply * WORDS
    key: np.uint64 = memory[at] | memory[at + w.THEIRS] << MEN
    key = (key | memory[at + w.MY_HAND] << AT_HAND | memory[at + w.THEIR_HAND] << AT_THEIR_HAND) ^ memory[SALT]
    limit = signed(memory[w.QUIET_PLIES])
    if limit > 0 and limit - signed(memory[at + w.SINCE]) <= depth:
        key ^= (memory[at + w.SINCE] + ONE) * SPREAD
    return key


@compiled("uint64(uint64[::1], uint64, uint64)")
def make(memory: Memory, ply: np.uint64, code: np.uint64) -> np.uint64:
    at = STATE + ply * WORDS
    after = at + WORDS
    origin, removed, end = code >> FIVE & CELL, code >> TEN, memory[at + w.LAST_KEY] + ONE
    mine, theirs, hand, closed = memory[at] | ONE << (code & CELL), memory[at + w.THEIRS], memory[at + w.MY_HAND], ZERO
    quiet, start = ZERO, end
    if origin == w.NONE:
        hand -= ONE
    else:
        mine ^= ONE << origin
    if removed != w.NONE:
        theirs ^= ONE << removed
        closed = ONE
    elif origin != w.NONE:
        quiet, start = memory[at + w.SINCE] + ONE, memory[at + w.FIRST_KEY]
    memory[after], memory[after + w.THEIRS] = theirs, mine
    memory[after + w.MY_HAND], memory[after + w.THEIR_HAND] = memory[at + w.THEIR_HAND], hand
    memory[after + w.SINCE], memory[after + w.CLOSED] = quiet, closed
    memory[after + w.FIRST_KEY], memory[after + w.LAST_KEY] = start, end
    return REDUCIBLE if closed != ZERO else REDUCIBLE | QUIET


negamax = core.of(
    __name__,
    final_score=final_score,
    judge=judge,
    table_key=table_key,
    write_moves=write_moves,
    make=make,
)
"""The search of morris: memory, ply 0, depth, alpha, beta."""
