"""The rules of reversi as `agents.kernels.negamax` asks for them, evaluated by the patterns or by a named heuristic.

The state of a ply is four words: my discs, their discs, the squares where I may move, and the position's value once it
is known. A pass is a move.
"""

from __future__ import annotations

from agents.kernels import negamax as core
from agents.kernels.compilation import compiled, fetch, signed
from agents.kernels.loops import span
from agents.kernels.memory import MOVES, SALT, STRIDE, Memory, Word
from agents.kernels.negamax import NOT_OVER
from agents.kernels.past import place_of
from agents.kernels.table import CODE, SPREAD, pair_of
from agents.search import WIN
from games.reversi.kernel.discs import moves, result
from games.reversi.kernel.memory import JUDGE, PATTERNS, STAGES
from games.reversi.kernel.named import evaluate_named
from games.reversi.kernel.ordering import ORDER, PASSED, TURNED, VALUED, put_moves
from games.reversi.kernel.patterns import MAX_VALUE, evaluate_patterns, stage_of
from games.reversi.kernel.probcut import DEPTHS, GLANCED, MARGINS, MIN_DEPTH, PROBES, shallow_depth

ZERO, ONE, HIGH, HALF = map(Word, (0, 1, 29, 32))
THEIRS, WHERE, VALUE = Word(1), Word(2), Word(3)
"""Words of a ply's state after the first, my discs."""
UNKNOWN = Word(2**32)
"""No position's value."""
SORTED = 4
"""Least depth at which moves are sorted also by the value of the positions after them."""
SORT_WEIGHT = 8
STORED = 2
"""As in `agents.kernels.negamax`."""
WON = 100_000
"""Hundredths of a disc: with the trained patterns, a game won by n discs scores this plus 100 n; a draw 0."""
SECOND, THIRD = Word(0xC2B2AE3D27D4EB4F), Word(0xD6E8FEB86659FD93)


@compiled("void(uint64[::1], uint64, uint64, uint64)", inlined=True)
def place(memory: Memory, ply: Word, mine: Word, theirs: Word) -> None:
    """Writes a ply's state."""
    at = place_of(ply)
    memory[at], memory[at + THEIRS], memory[at + VALUE] = mine, theirs, UNKNOWN


@compiled("uint64(uint64, uint64)")
def position_key(mine: Word, theirs: Word) -> Word:
    """A 64-bit hash of a position."""
    other = theirs * SECOND
    key = mine * SPREAD ^ (other >> HALF | other << HALF)
    key = (key ^ key >> HALF) * THIRD
    return key ^ key >> HIGH


@compiled("int64(uint64[::1], uint64, uint64, uint64)", inlined=True)
def value(memory: Memory, mine: Word, theirs: Word, where: Word) -> int:
    """The position's value for the side to move, whose moves are `where`, by the search's JUDGE."""
    if memory[JUDGE] == Word(PATTERNS):
        return evaluate_patterns(memory, mine, theirs, where)
    return evaluate_named(memory, mine, theirs)


@compiled("int64(uint64[::1], uint64, uint64)")
def evaluate(memory: Memory, mine: Word, theirs: Word) -> int:
    """As `value`, where the moves are not known yet."""
    return value(memory, mine, theirs, moves(mine, theirs))


@compiled("int64(uint64[::1], uint64)", inlined=True)
def final_score(memory: Memory, ply: Word) -> int:
    at = place_of(ply)
    mine, theirs = memory[at], memory[at + THEIRS]
    memory[at + WHERE] = moves(mine, theirs)
    if memory[at + WHERE] != ZERO or moves(theirs, mine) != ZERO:
        return NOT_OVER
    discs = result(mine, theirs)
    if discs == 0:
        return 0
    if memory[JUDGE] != Word(PATTERNS):
        return WIN - signed(ply) if discs > 0 else signed(ply) - WIN
    return WON + 100 * discs if discs > 0 else 100 * discs - WON


@compiled("int64(uint64[::1], uint64, int64, int64)", inlined=True)
def judge(memory: Memory, ply: Word, alpha: int, beta: int) -> int:
    at = place_of(ply)
    if memory[at + VALUE] == UNKNOWN:
        memory[at + VALUE] = Word(value(memory, memory[at], memory[at + THEIRS], memory[at + WHERE]))
    return signed(memory[at + VALUE])


@compiled("uint64(uint64[::1], uint64, int64)", inlined=True)
def table_key(memory: Memory, ply: Word, depth: int) -> Word:
    at = place_of(ply)
    return Word(position_key(memory[at], memory[at + THEIRS]) ^ memory[SALT])


@compiled("int64(uint64[::1], uint64, int64)")
def first_probe(memory: Memory, ply: Word, depth: int) -> int:
    """As `agents.kernels.negamax`: selective searches are those whose keys have a salt."""
    if memory[SALT] == ZERO or depth < MIN_DEPTH or memory[place_of(ply) + WHERE] == ZERO:
        return PROBES
    return 0 if depth >= GLANCED else 1


@compiled("int64(uint64[::1], uint64, int64, int64)")
def margin(memory: Memory, ply: Word, depth: int, probe: int) -> int:
    at = place_of(ply)
    stage = signed(stage_of(memory[at], memory[at + THEIRS]))
    apart: int = MARGINS[Word((probe * STAGES + stage) * DEPTHS + min(depth, DEPTHS - 1))]
    return apart


@compiled("uint64(uint64[::1], uint64, int64)")
def write_moves(memory: Memory, ply: Word, depth: int) -> Word:
    """As `write_moves` of `agents.kernels.negamax`."""
    at, first = place_of(ply), MOVES + ply * STRIDE
    mine, theirs, where = memory[at], memory[at + THEIRS], memory[at + WHERE]
    if where == ZERO:
        memory[first] = PASSED
        memory[TURNED + ply * STRIDE + PASSED] = ZERO
        memory[VALUED + ply * STRIDE] = ZERO
        return ONE
    quickly = depth == 1 and signed(ply) > 0
    count = put_moves(memory, mine, theirs, where, ply, quickly)
    # What the table knows of the positions after them is asked for soon.
    for slot in span(first, first + count if depth > STORED else first):
        changed = memory[TURNED + ply * STRIDE + (memory[slot] & CODE)]
        fetch(memory, pair_of(memory, position_key(theirs & ~changed, mine | changed) ^ memory[SALT]))
    values = VALUED + ply * STRIDE
    memory[values] = Word(depth >= SORTED)
    for slot in span(first, first + count if depth >= SORTED else first):
        code = memory[slot] & CODE
        changed = memory[TURNED + ply * STRIDE + code]
        worth = evaluate(memory, theirs & ~changed, mine | changed)
        memory[values + code] = Word(worth)
        memory[slot] += Word((min(max(-worth, -MAX_VALUE), MAX_VALUE) + MAX_VALUE) * SORT_WEIGHT) << ORDER
    return count


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def make(memory: Memory, ply: Word, code: Word) -> Word:
    at = place_of(ply)
    changed, values = memory[TURNED + ply * STRIDE + code], VALUED + ply * STRIDE
    place(memory, ply + ONE, memory[at + THEIRS] & ~changed, memory[at] | changed)
    if memory[values] != ZERO:
        memory[place_of(ply + ONE) + VALUE] = memory[values + code]
    return ZERO


negamax = core.of(__name__, PROBES=PROBES, STORED=STORED, probe_depth=shallow_depth)
"""The search of a ply whose position `place` has set."""
