"""The rules of morris as `agents.kernels.negamax` asks for them, and the search made of them."""

from __future__ import annotations

from agents.kernels import negamax as core
from agents.kernels.compilation import bit_count, byte_at, compiled, signed
from agents.kernels.memory import SALT, Memory, Word
from agents.kernels.negamax import NOT_OVER, QUIET, REDUCIBLE
from agents.kernels.past import place_of, times
from agents.kernels.table import SPREAD
from agents.search import WIN
from games.nine_mens_morris.kernel import memory as w
from games.nine_mens_morris.kernel.endgame_index import slot_of
from games.nine_mens_morris.kernel.evaluation import FULL, evaluate
from games.nine_mens_morris.kernel.moves import AT_SIDE, can_move, write_moves

ZERO, ONE, THREE, FIVE, TEN, SIXTEEN, CELL = map(Word, (0, 1, 3, 5, 10, 16, 31))
MEN, AT_HAND, AT_THEIR_HAND = map(Word, (24, 48, 52))


@compiled("int64(uint64[::1], uint64, uint64, int64)")
def endgame_score(memory: Memory, mine: Word, theirs: Word, ply: int) -> int:
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
def final_score(memory: Memory, ply: Word) -> int:
    """As `agents.kernels.negamax`; draws do not end the game at the root, and an endgame table tells the end."""
    at = place_of(ply)
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
        if times(memory, w.KEYS + memory[at + w.FIRST_KEY], end, ZERO, own) >= memory[w.REPETITION]:
            return 0
    if memory[w.QUIET_PLIES] > ZERO and memory[at + w.SINCE] >= memory[w.QUIET_PLIES]:
        return 0
    if my_hand + their_hand == ZERO and bit_count(mine | theirs) <= memory[w.ENDGAME_MEN]:
        return endgame_score(memory, mine, theirs, signed(ply))
    return NOT_OVER


@compiled("int64(uint64[::1], uint64, int64, int64)")
def judge(memory: Memory, ply: Word, alpha: int, beta: int) -> int:
    at = place_of(ply)
    hands = signed(memory[at + w.MY_HAND]), signed(memory[at + w.THEIR_HAND])
    return evaluate(memory, memory[at], memory[at + w.THEIRS], hands[0], hands[1], signed(memory[at + w.CLOSED]))


@compiled("uint64(uint64[::1], uint64, int64)")
def table_key(memory: Memory, ply: Word, depth: int) -> Word:
    """The men and the hands; the quiet moves, too, where the draw by them is in reach."""
    at = place_of(ply)
    key: Word = memory[at] | memory[at + w.THEIRS] << MEN
    key = (key | memory[at + w.MY_HAND] << AT_HAND | memory[at + w.THEIR_HAND] << AT_THEIR_HAND) ^ memory[SALT]
    limit = signed(memory[w.QUIET_PLIES])
    if limit > 0 and limit - signed(memory[at + w.SINCE]) <= depth:
        key ^= (memory[at + w.SINCE] + ONE) * SPREAD
    return key


@compiled("uint64(uint64[::1], uint64, uint64)")
def make(memory: Memory, ply: Word, code: Word) -> Word:
    at, after = place_of(ply), place_of(ply + ONE)
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


negamax = core.of(__name__, write_moves=write_moves)
