"""The rules of gánh as `agents.kernels.negamax` asks for them, with a search of captures at the horizon."""

from __future__ import annotations

from agents.kernels import negamax as core
from agents.kernels.compilation import compiled, lowest_bit, number, signed
from agents.kernels.loops import span
from agents.kernels.memory import EXACT, STOP, Memory, Word
from agents.kernels.negamax import NOT_OVER, QUIET, REDUCIBLE, SURE, must_stop
from agents.kernels.ordering import pick
from agents.kernels.past import place_of
from agents.search import WIN
from games.co_ganh.kernel.board import beside, between, captured
from games.co_ganh.kernel.evaluation import evaluate
from games.co_ganh.kernel.memory import FLIPS, FORCES, OPENED, REMAINING, THEIRS
from games.co_ganh.kernel.moves import can_move, write_moves

ZERO, ONE, FIVE, CELL = map(Word, (0, 1, 5, 31))
AT_THEIRS, AT_OPENED, AT_LEFT, AT_EXACT = map(Word, (25, 50, 55, 62))
QUIET_PLIES = 8
"""Plies that the search of captures may go beyond the depth."""


@compiled("int64(uint64[::1], uint64)", inlined=True)
def final_score(memory: Memory, ply: Word) -> int:
    at = place_of(ply)
    mine, theirs = memory[at], memory[at + THEIRS]
    if theirs == ZERO:
        return WIN - signed(ply)
    if not can_move(memory, mine, theirs):  # nor can a side without men
        return signed(ply) - WIN
    if signed(memory[at + REMAINING]) > 0:
        return NOT_OVER
    lead = number(mine) - number(theirs)
    return 0 if lead == 0 else WIN - signed(ply) if lead > 0 else signed(ply) - WIN


@compiled("uint64(uint64[::1], uint64, int64)")
def table_key(memory: Memory, ply: Word, depth: int) -> Word:
    """The whole position, so that keys cannot collide.

    My men, their men << 25, the point to enter (1 to 25, 0 none) << 50, the plies left plus 1 << 55 if the search can
    reach the limit (else 0), exact << 62.
    """
    at = place_of(ply)
    key: Word = memory[at] | memory[at + THEIRS] << AT_THEIRS
    if memory[at + OPENED] != ZERO:
        key |= (lowest_bit(memory[at + OPENED]) + ONE) << AT_OPENED
    if memory[EXACT] != ZERO:
        key |= ONE << AT_EXACT
    if signed(memory[at + REMAINING]) <= depth + (QUIET_PLIES if memory[EXACT] == ZERO else 0):
        key |= (memory[at + REMAINING] + ONE) << AT_LEFT
    return key


@compiled("boolean(uint64[::1], uint64, int64)")
def holds(memory: Memory, ply: Word, score: int) -> bool:
    """As `agents.kernels.negamax`: the game's limit may come before the end that was found with more plies left."""
    remaining = signed(memory[place_of(ply) + REMAINING])
    return (score <= SURE or WIN - score <= remaining) and (score >= -SURE or WIN + score <= remaining)


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def make(memory: Memory, ply: Word, code: Word) -> Word:
    at, after = place_of(ply), place_of(ply + ONE)
    mine, theirs = memory[at], memory[at + THEIRS]
    to, origin = code & CELL, code >> FIVE & CELL
    taken = captured(memory, mine, theirs, origin, to)
    left, enemy = ONE << origin, theirs & ~taken
    own = mine ^ left ^ (ONE << to) | (taken if memory[FLIPS] != ZERO else ZERO)
    opened = memory[FORCES] != ZERO and between(own, own) & left != ZERO and beside(left) & enemy != ZERO
    entry = left if opened else ZERO
    memory[after], memory[after + THEIRS], memory[after + OPENED] = enemy, own, entry
    memory[after + REMAINING] = memory[at + REMAINING] - ONE
    if taken != ZERO:
        return ZERO
    return QUIET if entry != ZERO else QUIET | REDUCIBLE


@compiled("int64(uint64[::1], uint64, int64, int64, int64)")
def quiesce(memory: Memory, ply: Word, left: int, alpha: int, beta: int) -> int:
    """The score of a game that is not over, if only captures and forced entries are searched, `left` plies at most."""
    at = place_of(ply)
    forced = left > 0 and memory[at + OPENED] != ZERO
    best = -NOT_OVER if forced else evaluate(memory, memory[at], memory[at + THEIRS])
    if left <= 0 or best >= beta:
        return best
    alpha = max(alpha, best)
    count = write_moves(memory, ply, 1 if forced else 0)
    for done in span(ZERO, count):
        make(memory, ply, pick(memory, count, ply, done))
        if must_stop(memory):
            return 0
        final = final_score(memory, ply + ONE)
        score = -final if final != NOT_OVER else -quiesce(memory, ply + ONE, left - 1, -beta, -alpha)
        if memory[STOP] != ZERO:
            return 0
        best = max(best, score)
        alpha = max(alpha, score)
        if alpha >= beta:
            break
    return best


@compiled("int64(uint64[::1], uint64, int64, int64)")
def judge(memory: Memory, ply: Word, alpha: int, beta: int) -> int:
    """As `agents.kernels.negamax`: a search of captures, but in exact searches."""
    at = place_of(ply)
    if memory[EXACT] != ZERO:
        return evaluate(memory, memory[at], memory[at + THEIRS])
    return quiesce(memory, ply, QUIET_PLIES, alpha, beta)


negamax = core.of(__name__)
