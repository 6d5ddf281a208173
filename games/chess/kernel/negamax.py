"""The rules of chess as `agents.kernels.negamax` asks for them, with a search of captures at the horizon."""

from __future__ import annotations

from agents.kernels import negamax as core
from agents.kernels.compilation import bit_count, compiled, signed
from agents.kernels.loops import span
from agents.kernels.memory import EXACT, KEY, KEYS, MAX_PLY, MOVES, ROOT_KEY, SALT, STOP, STRIDE, Memory, Word
from agents.kernels.negamax import NOT_OVER, QUIET, REDUCIBLE, SURE, must_stop
from agents.kernels.ordering import pick, remember
from agents.kernels.past import place_of, times_here
from agents.kernels.table import CODE, SPREAD
from agents.search import WIN
from games.chess.kernel import memory as w
from games.chess.kernel.attacks import ONE, TWO, ZERO, kind_at, of_kind
from games.chess.kernel.evaluation import evaluate
from games.chess.kernel.exchange import value_of
from games.chess.kernel.making import make_move, make_pass
from games.chess.kernel.moves import CELL, CLAIM, JOURNEY, ORDER, TAKING, TWELVE, can_move, put_all

CLAIMED_TIMES, CLAIMED_QUIET = Word(3), Word(100)
"""When a draw may be claimed: times that a position came, and quiet plies."""
LIGHT = Word(0xAA55AA55AA55AA55)
"""One colour of cells; which one does not matter."""
LAST_PLY = Word(MAX_PLY - 2)
"""Ply at which even captures are searched no further."""
SHALLOW, MARGIN, RAZOR = 6, 80, 250
"""Plies near the horizon where the evaluation may decide; hundredths of a pawn that a quiet ply may change it by, and
that captures may."""
DELTA = 150
"""Hundredths of a pawn that a capture may gain beyond the piece."""
REDUCED = Word(2)
"""Moves before the first that is searched less deeply."""
MOST, GOOD, TEN = map(Word, (2**14, 3 * 2**12, 10))
"""Greatest number of QUIET_HISTORY, and that of a move that was good three times of four."""


@compiled("boolean(uint64[::1], uint64)")
def is_dead(memory: Memory, at: Word) -> bool:
    """Whether no sequence of moves can give mate: a lone minor piece, or bishops of one colour of cells."""
    both = memory[at + w.MINE] | memory[at + w.THEIRS]
    rest = both & ~of_kind(memory, at, w.KING)
    if bit_count(rest) < TWO:
        return bool(rest & (of_kind(memory, at, w.PAWN) | memory[at + w.TWOS] & memory[at + w.FOURS]) == ZERO)
    if rest & ~memory[at + w.FOURS] != ZERO or rest & memory[at + w.TWOS] != ZERO:
        return False
    return bool(rest & LIGHT == ZERO or rest & ~LIGHT == ZERO)


@compiled("int64(uint64[::1], uint64)")
def final_score(memory: Memory, ply: Word) -> int:
    """As `agents.kernels.negamax`; draws do not end the game at the root.

    Unless the search is exact, a position that comes again counts as drawn.
    """
    at = place_of(ply)
    if memory[at + w.ENTRY] == w.CLAIMED:
        return 0
    if not can_move(memory, at):
        return signed(ply) - WIN if memory[at + w.CHECKERS] != ZERO else 0
    memory[KEYS + memory[ROOT_KEY] + ply] = memory[at + KEY]
    if ply == ZERO:
        return NOT_OVER
    if memory[w.DEAD_DRAWN] != ZERO and is_dead(memory, at):
        return 0
    if memory[w.LONGEST] != ZERO and memory[at + w.QUIET] >= memory[w.LONGEST]:
        return 0
    most = memory[w.REPEATED] if memory[EXACT] != ZERO else CLAIMED_TIMES
    return 0 if most != ZERO and times_here(memory, ply) >= most else NOT_OVER


@compiled("uint64(uint64[::1], uint64, int64)")
def table_key(memory: Memory, ply: Word, depth: int) -> Word:
    """The position's hash; the quiet moves, too, where a draw by them is in reach."""
    at = place_of(ply)
    key: Word = memory[at + KEY] ^ memory[SALT]
    if signed(memory[at + w.QUIET]) + depth >= signed(CLAIMED_QUIET):
        key ^= (memory[at + w.QUIET] + ONE) * SPREAD
    return key


@compiled("uint64(uint64[::1], uint64, int64)")
def write_moves(memory: Memory, ply: Word, depth: int) -> Word:
    """As `write_moves` of `agents.kernels.negamax`; the claim of a draw comes first, for others must be better."""
    at = place_of(ply)
    count = put_all(memory, at, ply, False)
    again = (memory[EXACT] != ZERO or ply == ZERO) and times_here(memory, ply) >= CLAIMED_TIMES
    if again or memory[at + w.QUIET] >= CLAIMED_QUIET:
        memory[MOVES + ply * STRIDE + count] = TAKING + TAKING << ORDER | CLAIM
        count += ONE
    return count


@compiled("uint64(uint64[::1], uint64, uint64)")
def make(memory: Memory, ply: Word, code: Word) -> Word:
    if not make_move(memory, ply, code):
        return ZERO
    checks = memory[place_of(ply) + w.CHECKERS] | memory[place_of(ply + ONE) + w.CHECKERS]
    return QUIET | REDUCIBLE if checks == ZERO else QUIET


@compiled("int64(uint64[::1], uint64)", inlined=True)
def extension(memory: Memory, ply: Word) -> int:
    """As `agents.kernels.negamax`: a check costs no depth."""
    return 1 if memory[place_of(ply) + w.CHECKERS] != ZERO else 0


@compiled("int64(uint64[::1], uint64, int64, uint64, uint64)")
def reduction(memory: Memory, ply: Word, depth: int, done: Word, code: Word) -> int:
    """As `agents.kernels.negamax`: later moves more, and those less that were good elsewhere."""
    if depth < 3 or done < REDUCED:
        return 0
    less = signed(memory[w.REDUCTIONS + Word(min(depth, 63)) * Word(64) + min(done, Word(63))])
    good = memory[w.QUIET_HISTORY + (memory[place_of(ply) + w.SIDE] << TWELVE) + (code & JOURNEY)]
    if good > GOOD:
        less -= 1
    return max(0, min(less, depth - 2))


@compiled("int64(uint64[::1], uint64, int64, int64)")
def quiesce(memory: Memory, ply: Word, alpha: int, beta: int) -> int:
    """The score of a game that is not over, if only captures that lose nothing and ways out of check are searched."""
    at = place_of(ply)
    checked, best = memory[at + w.CHECKERS] != ZERO, -NOT_OVER
    if not checked or ply >= LAST_PLY:
        best = evaluate(memory, at)
    if best >= beta or ply >= LAST_PLY:
        return best
    lowest = best + DELTA
    alpha = max(alpha, best)
    count = put_all(memory, at, ply, not checked)
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
def foresee(memory: Memory, ply: Word, depth: int, alpha: int, beta: int) -> int:
    """As `agents.kernels.negamax`: by an evaluation that is far outside the window."""
    at = place_of(ply)
    if memory[at + w.CHECKERS] != ZERO:
        return NOT_OVER
    value = evaluate(memory, at)
    memory[at + w.STATIC] = Word(value)
    if depth <= SHALLOW and value - MARGIN * depth >= beta and beta > -SURE:
        return value
    if depth <= 2 and value + RAZOR * depth <= alpha and alpha < SURE:
        found = quiesce(memory, ply, alpha, beta)
        if found <= alpha:
            return found
    return NOT_OVER


@compiled("int64(uint64[::1], uint64, int64, int64)")
def pass_depth(memory: Memory, ply: Word, depth: int, beta: int) -> int:
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
def is_hopeless(memory: Memory, ply: Word, depth: int, done: Word, code: Word, alpha: int) -> bool:
    """As `agents.kernels.negamax`: late quiet moves near the horizon, and those that cannot make up for a loss."""
    if depth > SHALLOW or alpha < -SURE:
        return False
    if done > Word(3 + depth * depth):
        return True
    return signed(memory[place_of(ply) + w.STATIC]) + MARGIN * (depth + 1) <= alpha


@compiled("void(uint64[::1], uint64, uint64, int64)")
def reward(memory: Memory, code: Word, ply: Word, depth: int) -> None:
    """As `agents.kernels.ordering`; lowers the quiet moves that were tried before."""
    remember(memory, code, ply)
    at = place_of(ply)
    history, taken = w.QUIET_HISTORY + (memory[at + w.SIDE] << TWELVE), memory[at + w.THEIRS]
    share = Word(min(depth * depth, 400))
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
def judge(memory: Memory, ply: Word, alpha: int, beta: int) -> int:
    """As `agents.kernels.negamax`: a search of captures, but in exact searches."""
    if memory[EXACT] != ZERO:
        return evaluate(memory, place_of(ply))
    found = quiesce(memory, ply, alpha, beta)
    return found if memory[place_of(ply) + w.QUIET] < CLAIMED_QUIET else max(found, 0)


negamax = core.of(__name__, FORESEES=True, make_pass=make_pass)
