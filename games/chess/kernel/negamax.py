"""The rules of chess as `agents.kernels.negamax` asks for them, with a search of captures at the horizon."""

from __future__ import annotations

import numpy as np

from agents.kernels import negamax as core
from agents.kernels import past
from agents.kernels.compilation import bit_count, compiled, signed
from agents.kernels.loops import span
from agents.kernels.memory import EXACT, MAX_PLY, MOVES, SALT, STOP
from agents.kernels.negamax import NOT_OVER, REDUCIBLE, SURE, must_stop
from agents.kernels.negamax import QUIET as QUIET_MOVE
from agents.kernels.ordering import pick, remember
from agents.kernels.table import CODE, SPREAD
from agents.search import WIN
from games.chess.kernel import memory as w
from games.chess.kernel.attacks import ONE, TWO, ZERO, kind_at, of_kind
from games.chess.kernel.evaluation import evaluate
from games.chess.kernel.exchange import value_of
from games.chess.kernel.making import make_move, make_pass, place_of
from games.chess.kernel.memory import Memory
from games.chess.kernel.moves import CELL, CLAIM, JOURNEY, ORDER, STRIDE, TAKING, TWELVE, can_move, write_moves

U = np.uint64
CLAIMED_TIMES, CLAIMED_QUIET = U(3), U(100)
"""When a draw may be claimed: times that a position came, and quiet plies."""
LIGHT = U(0xAA55AA55AA55AA55)
"""One colour of cells; which one does not matter."""
LAST_PLY = U(MAX_PLY - 2)
"""Ply at which even captures are searched no further."""
SHALLOW, MARGIN, RAZOR = 6, 80, 250
"""Plies near the horizon where the evaluation may decide; hundredths of a pawn that a quiet ply may change it by, and
that captures may."""
DELTA = 150
"""Hundredths of a pawn that a capture may gain beyond the piece."""
REDUCED = U(2)
"""Moves before the first that is searched less deeply."""
MOST, GOOD, TEN = U(2**14), U(3 * 2**12), U(10)
"""Greatest number of QUIET_HISTORY, and that of a move that was good three times of four."""


@compiled("uint64(uint64[::1], uint64, uint64)")
def times(memory: Memory, at: np.uint64, ply: np.uint64) -> np.uint64:
    """How often the position has come, as `agents.kernels.past` counts."""
    first, root = w.KEYS + memory[at + w.FIRST_KEY], w.KEYS + memory[w.ROOT_KEY]
    return past.times(memory, first, root, ply, memory[at + w.KEY])


@compiled("boolean(uint64[::1], uint64)")
def is_dead(memory: Memory, at: np.uint64) -> bool:
    """Whether no sequence of moves can give mate: a lone minor piece, or bishops of one colour of cells."""
    both = memory[at + w.MINE] | memory[at + w.THEIRS]
    rest = both & ~of_kind(memory, at, w.KING)
    if bit_count(rest) < TWO:
        return bool(rest & (of_kind(memory, at, w.PAWN) | memory[at + w.TWOS] & memory[at + w.FOURS]) == ZERO)
    if rest & ~memory[at + w.FOURS] != ZERO or rest & memory[at + w.TWOS] != ZERO:
        return False
    return bool(rest & LIGHT == ZERO or rest & ~LIGHT == ZERO)


@compiled("int64(uint64[::1], uint64)")
def final_score(memory: Memory, ply: np.uint64) -> int:
    """As `agents.kernels.negamax`; draws do not end the game at the root.

    Unless the search is exact, a position that comes again counts as drawn.
    """
    at = place_of(ply)
    if memory[at + w.ENTRY] == w.CLAIMED:
        return 0
    if not can_move(memory, at):
        return signed(ply) - WIN if memory[at + w.CHECKERS] != ZERO else 0
    memory[w.KEYS + memory[w.ROOT_KEY] + ply] = memory[at + w.KEY]
    if ply == ZERO:
        return NOT_OVER
    if memory[w.DEAD_DRAWN] != ZERO and is_dead(memory, at):
        return 0
    if memory[w.LONGEST] != ZERO and memory[at + w.QUIET] >= memory[w.LONGEST]:
        return 0
    most = memory[w.REPEATED] if memory[EXACT] != ZERO else CLAIMED_TIMES
    return 0 if most != ZERO and times(memory, at, ply) >= most else NOT_OVER


@compiled("uint64(uint64[::1], uint64, int64)")
def table_key(memory: Memory, ply: np.uint64, depth: int) -> np.uint64:
    """The position's hash; the quiet moves, too, where a draw by them is in reach."""
    at = place_of(ply)
    key: np.uint64 = memory[at + w.KEY] ^ memory[SALT]
    if signed(memory[at + w.QUIET]) + depth >= signed(CLAIMED_QUIET):
        key ^= (memory[at + w.QUIET] + ONE) * SPREAD
    return key


@compiled("uint64(uint64[::1], uint64, int64)")
def all_written(memory: Memory, ply: np.uint64, depth: int) -> np.uint64:
    """As `write_moves` of `agents.kernels.negamax`; the claim of a draw comes first, for others must be better."""
    at = place_of(ply)
    count = write_moves(memory, at, ply, False)
    again = (memory[EXACT] != ZERO or ply == ZERO) and times(memory, at, ply) >= CLAIMED_TIMES
    if again or memory[at + w.QUIET] >= CLAIMED_QUIET:
        memory[MOVES + ply * STRIDE + count] = TAKING + TAKING << ORDER | CLAIM
        count += ONE
    return count


@compiled("uint64(uint64[::1], uint64, uint64)")
def make(memory: Memory, ply: np.uint64, code: np.uint64) -> np.uint64:
    if not make_move(memory, ply, code):
        return ZERO
    checks = memory[place_of(ply) + w.CHECKERS] | memory[place_of(ply + ONE) + w.CHECKERS]
    return QUIET_MOVE | REDUCIBLE if checks == ZERO else QUIET_MOVE


@compiled("int64(uint64[::1], uint64)", inlined=True)
def extension(memory: Memory, ply: np.uint64) -> int:
    """As `agents.kernels.negamax`: a check costs no depth."""
    return 1 if memory[place_of(ply) + w.CHECKERS] != ZERO else 0


@compiled("int64(uint64[::1], uint64, int64, uint64, uint64)")
def reduction(memory: Memory, ply: np.uint64, depth: int, done: np.uint64, code: np.uint64) -> int:
    """As `agents.kernels.negamax`: later moves more, and those less that were good elsewhere."""
    if depth < 3 or done < REDUCED:
        return 0
    less = signed(memory[w.REDUCTIONS + U(min(depth, 63)) * U(64) + min(done, U(63))])
    good = memory[w.QUIET_HISTORY + (memory[place_of(ply) + w.SIDE] << TWELVE) + (code & JOURNEY)]
    if good > GOOD:
        less -= 1
    return max(0, min(less, depth - 2))


@compiled("int64(uint64[::1], uint64, int64, int64)")
def quiesce(memory: Memory, ply: np.uint64, alpha: int, beta: int) -> int:
    """The score of a game that is not over, if only captures that lose nothing and ways out of check are searched."""
    at = place_of(ply)
    checked, best = memory[at + w.CHECKERS] != ZERO, -NOT_OVER
    if not checked or ply >= LAST_PLY:
        best = evaluate(memory, at)
    if best >= beta or ply >= LAST_PLY:
        return best
    lowest = best + DELTA
    alpha = max(alpha, best)
    count = write_moves(memory, at, ply, not checked)
    if checked and count == ZERO:
        return signed(ply) - WIN
    for done in span(ZERO, count):
        code = pick(memory, count, ply, done)
        if not checked:
            if memory[MOVES + ply * STRIDE + done] >> ORDER < TAKING:
                break
            victim = value_of(kind_at(memory, at, code & CELL))
            if lowest + victim <= alpha and code >> TWELVE == ZERO:
                best = max(best, lowest + victim)
                continue
        make_move(memory, ply, code)
        if must_stop(memory):
            return 0
        score = -quiesce(memory, ply + ONE, -beta, -alpha)
        if memory[STOP] != ZERO:
            return 0
        best = max(best, score)
        alpha = max(alpha, score)
        if alpha >= beta:
            break
    return best


@compiled("int64(uint64[::1], uint64, int64, int64, int64)")
def foresee(memory: Memory, ply: np.uint64, depth: int, alpha: int, beta: int) -> int:
    """As `agents.kernels.negamax`: by an evaluation that is far outside the window."""
    at = place_of(ply)
    if memory[at + w.CHECKERS] != ZERO:
        return NOT_OVER
    value = evaluate(memory, at)
    memory[at + w.STATIC] = U(value)
    if depth <= SHALLOW and value - MARGIN * depth >= beta and beta > -SURE:
        return value
    if depth <= 2 and value + RAZOR * depth <= alpha and alpha < SURE:
        found = quiesce(memory, ply, alpha, beta)
        if found <= alpha:
            return found
    return NOT_OVER


@compiled("int64(uint64[::1], uint64, int64, int64)")
def pass_depth(memory: Memory, ply: np.uint64, depth: int, beta: int) -> int:
    """As `agents.kernels.negamax`: never twice in a row, nor with one minor piece, where having to move may be bad."""
    at = place_of(ply)
    pieces = memory[at + w.MINE] & (memory[at + w.FOURS] | of_kind(memory, at, w.KNIGHT))
    if pieces & memory[at + w.FOURS] & memory[at + w.TWOS] == ZERO and bit_count(pieces) < TWO:
        return -1
    if depth < 3 or memory[at + w.CHECKERS] != ZERO or memory[at + w.LAST] == w.NOWHERE:
        return -1
    ahead = signed(memory[at + w.STATIC]) - beta
    if ahead < 0 or beta < -SURE:
        return -1
    return max(0, depth - 4 - depth // 5 - min(3, ahead // 200))


@compiled("boolean(uint64[::1], uint64, int64, uint64, uint64, int64)")
def is_hopeless(memory: Memory, ply: np.uint64, depth: int, done: np.uint64, code: np.uint64, alpha: int) -> bool:
    """As `agents.kernels.negamax`: late quiet moves near the horizon, and those that cannot make up for a loss."""
    if depth > SHALLOW or alpha < -SURE:
        return False
    if done > U(3 + depth * depth):
        return True
    return signed(memory[place_of(ply) + w.STATIC]) + MARGIN * (depth + 1) <= alpha


@compiled("void(uint64[::1], uint64, uint64, int64)")
def reward(memory: Memory, code: np.uint64, ply: np.uint64, depth: int) -> None:
    """As `agents.kernels.ordering`; lowers the quiet moves that were tried before."""
    remember(memory, code, ply)
    at = place_of(ply)
    history, taken = w.QUIET_HISTORY + (memory[at + w.SIDE] << TWELVE), memory[at + w.THEIRS]
    share = U(min(depth * depth, 400))
    good = history + (code & JOURNEY)
    memory[good] += (MOST - memory[good]) * share >> TEN
    slot = MOVES + ply * STRIDE
    while memory[slot] & CODE != code:
        tried = memory[slot] & CODE
        if taken >> (tried & CELL) & ONE == ZERO:
            bad = history + (tried & JOURNEY)
            memory[bad] -= memory[bad] * share >> TEN
        slot += ONE


@compiled("int64(uint64[::1], uint64, int64, int64)")
def judge(memory: Memory, ply: np.uint64, alpha: int, beta: int) -> int:
    """As `agents.kernels.negamax`: a search of captures, but in exact searches."""
    if memory[EXACT] != ZERO:
        return evaluate(memory, place_of(ply))
    found = quiesce(memory, ply, alpha, beta)
    return found if memory[place_of(ply) + w.QUIET] < CLAIMED_QUIET else max(found, 0)


negamax = core.of(
    __name__,
    FORESEES=True,
    final_score=final_score,
    judge=judge,
    table_key=table_key,
    write_moves=all_written,
    make=make,
    make_pass=make_pass,
    extension=extension,
    reduction=reduction,
    foresee=foresee,
    pass_depth=pass_depth,
    is_hopeless=is_hopeless,
    reward=reward,
)
"""The search of chess: memory, ply 0, depth, alpha, beta."""
