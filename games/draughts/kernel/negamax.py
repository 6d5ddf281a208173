"""The rules of draughts as `agents.kernels.negamax` asks for them, with a search of captures at the horizon."""

from __future__ import annotations

from agents.kernels import negamax as core
from agents.kernels.compilation import bit_count, compiled, signed
from agents.kernels.loops import span
from agents.kernels.memory import FIRST_KEY, KEY, KEYS, MAX_PLY, ROOT_KEY, SALT, STOP, STRIDE, Memory, Word
from agents.kernels.negamax import NOT_OVER, QUIET, REDUCIBLE, SURE, must_stop
from agents.kernels.ordering import pick
from agents.kernels.past import place_of, times_here
from agents.kernels.table import SPREAD
from agents.search import WIN
from games.draughts.kernel import memory as w
from games.draughts.kernel.board import ONE, THREE, TWO, ZERO, reached, shifted, takers
from games.draughts.kernel.evaluation import evaluate
from games.draughts.kernel.moves import CELL, EIGHT, PASSED, SIX, TAKES, write_captures, write_steps

FOUR_BITS, MIXED = map(Word, (15, 29))
LAST_PLY = Word(MAX_PLY - 2)
"""Ply at which even captures are searched no further."""
HASHES = Word(0x9E6C63D0876A9A47), Word(0xC2B2AE3D27D4EB4F), Word(0x165667B19E3779F9)
"""Any odd numbers that mix well."""
FEW = Word(32), Word(10)
"""Plies that three and two pieces may play against a lone king."""


@compiled("void(uint64[::1], uint64)")
def enter(memory: Memory, at: Word) -> None:
    """Finds what follows from the pieces and the side of a position just written."""
    mine, theirs, kings, side = memory[at + w.MINE], memory[at + w.THEIRS], memory[at + w.KINGS], memory[at + w.SIDE]
    memory[at + w.TAKERS] = takers(memory, mine, theirs, kings, side)
    key = mine * HASHES[0]
    key = ((key ^ key >> MIXED) + theirs) * HASHES[1]
    key = ((key ^ key >> MIXED) + (kings << ONE | side)) * HASHES[2]
    memory[at + KEY] = key ^ key >> MIXED


@compiled("boolean(uint64[::1], uint64)")
def counts_last(memory: Memory, at: Word) -> bool:
    """Whether a lone king stands against two or three pieces with a king among them, or against one king."""
    if memory[w.LAST_PIECES] == ZERO:
        return False
    few, many = memory[at + w.MINE], memory[at + w.THEIRS]
    if bit_count(few) > bit_count(many):
        few, many = many, few
    kings = memory[at + w.KINGS]
    return bool(bit_count(few) == ONE and bit_count(many) <= THREE and few & kings != ZERO and many & kings != ZERO)


@compiled("uint64(uint64[::1], uint64, uint64)")
def make(memory: Memory, ply: Word, code: Word) -> Word:
    at, after = place_of(ply), place_of(ply + ONE)
    side, taken = memory[at + w.SIDE], ZERO
    if code & TAKES != ZERO:
        slot = w.CAPTURES + TWO * (ply * STRIDE + (code ^ TAKES))
        taken, squares = memory[slot], memory[slot + ONE]
        origin, to = ONE << (squares & CELL), ONE << (squares >> SIX)
    else:
        to = origin = ONE << (code & CELL)
        for _ in span(ZERO, (code >> EIGHT & FOUR_BITS) + ONE):
            origin = shifted(memory, origin, THREE - (code >> SIX & THREE))
    kings, by_king = memory[at + w.KINGS], memory[at + w.KINGS] & origin != ZERO
    if by_king or taken & PASSED != ZERO or to & memory[w.CROWNING + side] != ZERO:
        kings = kings & ~origin | to
    memory[after + w.MINE] = memory[at + w.THEIRS] & ~taken
    memory[after + w.THEIRS] = memory[at + w.MINE] & ~origin | to
    memory[after + w.KINGS], memory[after + w.SIDE] = kings & ~taken, side ^ ONE
    memory[after + w.QUIET], memory[after + FIRST_KEY] = memory[at + w.QUIET] + ONE, memory[at + FIRST_KEY]
    memory[after + w.LAST] = ZERO
    if taken == ZERO and counts_last(memory, at) and counts_last(memory, after):
        memory[after + w.LAST] = memory[at + w.LAST] + ONE
    if taken != ZERO or not by_king:
        memory[after + w.QUIET], memory[after + FIRST_KEY] = ZERO, memory[ROOT_KEY] + ply + ONE
    enter(memory, after)
    if taken != ZERO:
        return ZERO
    return QUIET | REDUCIBLE if memory[after + w.TAKERS] == ZERO else QUIET


@compiled("int64(uint64[::1], uint64)")
def final_score(memory: Memory, ply: Word) -> int:
    """As `agents.kernels.negamax`; draws do not end the game at the root.

    Unless the search is exact, a position that comes again counts as drawn.
    """
    at = place_of(ply)
    mine = memory[at + w.MINE]
    if memory[at + w.TAKERS] == ZERO:
        kings, empty = memory[at + w.KINGS], memory[w.FULL] & ~(mine | memory[at + w.THEIRS])
        if reached(memory, mine & ~kings, mine & kings, memory[at + w.SIDE], empty) == ZERO:
            return signed(ply) - WIN
    memory[KEYS + memory[ROOT_KEY] + ply] = memory[at + KEY]
    if ply == ZERO or memory[at + w.QUIET] | memory[at + w.LAST] == ZERO:
        return NOT_OVER
    if memory[w.KING_PLIES] != ZERO and memory[at + w.QUIET] >= memory[w.KING_PLIES]:
        return 0
    many = bit_count(mine) == THREE or bit_count(memory[at + w.THEIRS]) == THREE
    if memory[at + w.LAST] != ZERO and memory[at + w.LAST] >= (FEW[0] if many else FEW[1]):
        return 0
    return 0 if memory[w.REPEATED] != ZERO and times_here(memory, ply) >= memory[w.REPEATED] else NOT_OVER


@compiled("uint64(uint64[::1], uint64, int64)")
def table_key(memory: Memory, ply: Word, depth: int) -> Word:
    """The position's hash; the counted moves, too, where a draw by them is in reach."""
    at = place_of(ply)
    key: Word = memory[at + KEY] ^ memory[SALT] ^ memory[at + w.LAST] * HASHES[0]
    if memory[w.KING_PLIES] != ZERO and signed(memory[at + w.QUIET]) + depth >= signed(memory[w.KING_PLIES]):
        key ^= (memory[at + w.QUIET] + ONE) * SPREAD
    return key


@compiled("boolean(uint64[::1], uint64, int64)", inlined=True)
def holds(memory: Memory, ply: Word, score: int) -> bool:
    """As `agents.kernels.negamax`: a draw may come before the end that was found with fewer moves counted."""
    left = signed(memory[w.KING_PLIES]) - signed(memory[place_of(ply) + w.QUIET])
    return memory[w.KING_PLIES] == ZERO or abs(score) <= SURE or WIN - abs(score) <= left


@compiled("uint64(uint64[::1], uint64, int64)")
def write_moves(memory: Memory, ply: Word, depth: int) -> Word:
    """As `write_moves` of `agents.kernels.negamax`."""
    at = place_of(ply)
    return write_captures(memory, at, ply) if memory[at + w.TAKERS] != ZERO else write_steps(memory, at, ply)


@compiled("int64(uint64[::1], uint64, int64, int64)")
def judge(memory: Memory, ply: Word, alpha: int, beta: int) -> int:
    """As `agents.kernels.negamax`: a search of the captures, which are obligatory."""
    at, best = place_of(ply), -NOT_OVER
    if memory[at + w.TAKERS] == ZERO or ply >= LAST_PLY:
        return evaluate(memory, at)
    count = write_captures(memory, at, ply)
    for done in span(ZERO, count):
        make(memory, ply, pick(memory, count, ply, done))
        if must_stop(memory):
            return 0
        final = final_score(memory, ply + ONE)
        score = -final if final != NOT_OVER else -judge(memory, ply + ONE, -beta, -alpha)
        if memory[STOP] != ZERO:
            return 0
        best = max(best, score)
        alpha = max(alpha, score)
        if alpha >= beta:
            break
    return best


negamax = core.of(__name__)
