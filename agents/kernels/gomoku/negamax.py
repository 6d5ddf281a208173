"""Principal-variation search with the engine's evaluation: patterns, forced answers, wins by fours at the leaves."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import compiled, signed
from agents.kernels.gomoku import memory as layout
from agents.kernels.gomoku.board import BOARD, BONUS, DOUBLE, NOWHERE, WHITE_DOUBLE, count_in, first_in, toggle
from agents.kernels.gomoku.fours import wins_by_fours
from agents.kernels.gomoku.memory import (
    BANNED,
    BEST_MOVE,
    BEST_SCORE,
    BORDER,
    CLAIMS,
    FLAGS,
    HINT,
    HISTORY,
    LINE,
    LINE_LENGTH,
    MOVES,
    NODE_LIMIT,
    NODES,
    NOISE,
    PATTERNS,
    PV,
    PV_LENGTH,
    SIZE,
    STONE_COUNT,
    STONES,
    STOP,
    SUMS,
    WIDTH,
    WORTH,
    Memory,
)
from agents.kernels.gomoku.table import (
    AT_BOUND,
    AT_CELL,
    AT_DEPTH,
    AT_LEAST,
    AT_MOST,
    CELL,
    DEPTH,
    EXACTLY,
    recall,
    score_of,
    store,
    table_key,
)
from agents.kernels.gomoku.threats import write_answers
from agents.kernels.gomoku.weights import TURN
from agents.search import WIN

U = np.uint64
ZERO, ONE, TWO, THREE, FOUR_, FIVE_ = U(0), U(1), U(2), U(3), U(4), U(5)
FIVE, WINNING, FOUR = U(layout.FIVE), U(layout.WINNING), U(layout.FOUR)
PLY_MOVES, PLIES, AT_ORDER = U(64), U(128), U(10)
EDGE, ROW = U(BORDER), U(WIDTH)
DEEPEST = 110
LEAF_FOURS, NULL_FOURS = U(40), U(100)
WIDTHS = (14, 18, 22)
"""Most moves tried one ply before the leaves, two plies before, and earlier."""
LOW_HALF, FOURS, THREES, OPEN = U(0xFFFF), U(0x8888), U(0x4444), U(0x1111)
DOUBLES = DOUBLE | WHITE_DOUBLE
MAX_HISTORY = U(200)
SPREAD = U(0x9E3779B97F4A7C15)


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def insert(memory: Memory, ply: np.uint64, count: np.uint64, most: np.uint64, word: np.uint64) -> np.uint64:
    """Inserts a move into the ply's moves, sorted best first; a full list drops its worst. Returns their number."""
    moves = MOVES + ply * PLY_MOVES
    if count == most:
        if memory[moves + count - ONE] >= word:
            return count
        count -= ONE
    place = count
    while place > ZERO and memory[moves + place - ONE] < word:
        memory[moves + place] = memory[moves + place - ONE]
        place -= ONE
    memory[moves + place] = word
    return count + ONE


@compiled("boolean(uint64[::1], uint64)")
def looks_foul(memory: Memory, cell: np.uint64) -> bool:
    """Whether black's stone there would make two fours or two open threes; ignores renju's finer points."""
    patterns = memory[PATTERNS + cell] & LOW_HALF
    if memory[FLAGS + cell] & ONE:
        return False
    found = patterns & FOURS
    threes = patterns & THREES & (patterns & OPEN) << TWO
    return bool(found & (found - ONE)) or bool(threes & (threes - ONE))


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def write_moves(memory: Memory, colour: np.uint64, ply: np.uint64, most: np.uint64, first: np.uint64) -> np.uint64:
    """The most promising moves near stones, as order << 10 | cell, best first; returns how many."""
    certain = bool(memory[CLAIMS] >> colour & ONE)
    count = ZERO
    for row in range(memory[SIZE]):
        start = (U(row) + EDGE) * ROW + EDGE
        for column in range(memory[SIZE]):
            cell = start + U(column)
            worth = memory[WORTH + cell]
            if memory[STONES + cell] != ZERO or worth == ZERO or (ply == ZERO and memory[BANNED + cell] != ZERO):
                continue
            if not certain and looks_foul(memory, cell):
                continue
            if memory[FLAGS + cell] & DOUBLES:
                worth += BONUS
            order = worth * FIVE_ + memory[HISTORY + colour * BOARD + cell]
            if ply == ZERO and memory[NOISE] != ZERO:
                order = order << THREE | (cell + memory[NOISE]) * SPREAD >> U(61)
            if cell == first:
                order = U(2**40)
            count = insert(memory, ply, count, most, order << AT_ORDER | cell)
    return count


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def order_answers(memory: Memory, ply: np.uint64, count: np.uint64, first: np.uint64) -> np.uint64:
    """Sorts the answers to a threat among the ply's moves and drops banned ones; returns how many are left."""
    kept = ZERO
    moves = MOVES + ply * PLY_MOVES
    for index in range(count):
        cell = memory[moves + U(index)]
        if ply == ZERO and memory[BANNED + cell] != ZERO:
            continue
        order = U(2**40) if cell == first else memory[WORTH + cell]
        kept = insert(memory, ply, kept, PLY_MOVES, order << AT_ORDER | cell)
    return kept


@compiled("int64(uint64[::1], uint64)")
def evaluate(memory: Memory, colour: np.uint64) -> int:
    """Value for the mover: what its stones could make minus what the enemy's could, in hundredths of a logit."""
    return TURN + signed(memory[SUMS + colour]) - signed(memory[SUMS + (colour ^ ONE)])


@compiled("void(uint64[::1], uint64, uint64)")
def extend_line(memory: Memory, ply: np.uint64, cell: np.uint64) -> None:
    """Sets the best line from here to this move followed by the best line after it."""
    own = PV + ply * PLIES
    after = own + PLIES
    length = min(memory[PV_LENGTH + ply + ONE], PLIES - TWO)
    memory[own] = cell
    for index in range(length):
        memory[own + ONE + U(index)] = memory[after + U(index)]
    memory[PV_LENGTH + ply] = length + ONE


@compiled("int64(uint64[::1], uint64, int64)")
def forced_loss(memory: Memory, forced: np.uint64, ply: int) -> int:
    """The score if the enemy threatens five twice; the line ends with the stop of one of them."""
    extend_line(memory, U(ply), forced)
    if ply == 0:
        memory[BEST_MOVE], memory[BEST_SCORE] = forced, U(ply + 2 - WIN)
    return ply + 2 - WIN


@compiled("int64(uint64[::1], uint64, int64, int64)")
def claim(memory: Memory, cell: np.uint64, ply: int, plies: int) -> int:
    """Records a win that begins with this cell and takes `plies` plies; returns its score."""
    memory[PV_LENGTH + U(ply) + ONE] = ZERO
    extend_line(memory, U(ply), cell)
    if ply == 0:
        memory[BEST_MOVE], memory[BEST_SCORE] = cell, U(WIN - plies)
    return WIN - ply - plies


@compiled("int64(uint64[::1], uint64, int64, int64, int64, int64)")
def negamax(memory: Memory, colour: np.uint64, ply: int, depth: int, alpha: int, beta: int) -> int:
    """The score for the side to move, `depth` plies deep plus forced answers. Meaningless once STOP is set."""
    here, enemy = U(ply), colour ^ ONE
    memory[PV_LENGTH + here] = ZERO
    memory[PV_LENGTH + here + ONE] = ZERO
    # 1. Stop if requested.
    memory[NODES] += ONE
    if memory[NODE_LIMIT] != ZERO and memory[NODES] > memory[NODE_LIMIT]:
        memory[STOP] = ONE
    if memory[STOP] != ZERO:
        return 0
    # 2. Wins and losses that the patterns show, and the full board.
    certain = bool(memory[CLAIMS] >> colour & ONE)
    five = first_in(memory, colour, FIVE)
    if five != NOWHERE:
        return claim(memory, five, ply, 1)
    if memory[STONE_COUNT] >= memory[SIZE] * memory[SIZE]:
        return 0
    forced = first_in(memory, enemy, FIVE)
    if forced != NOWHERE and count_in(memory, enemy, FIVE) > ONE:
        return forced_loss(memory, forced, ply)
    winning = first_in(memory, colour, WINNING)
    if forced == NOWHERE and winning != NOWHERE and certain:
        return claim(memory, winning, ply, 3)
    # 3. The horizon: a win by fours, or the patterns.
    if (depth <= 0 and forced == NOWHERE) or ply >= DEEPEST:
        if certain and first_in(memory, colour, FOUR) != NOWHERE and wins_by_fours(memory, colour, LEAF_FOURS):
            return claim(memory, memory[LINE], ply, signed(memory[LINE_LENGTH]))
        return evaluate(memory, colour)
    # 4. Look the position up in the table.
    key = table_key(memory, colour)
    known = recall(memory, key)
    first = known >> AT_CELL & CELL
    if known != ZERO and ply > 0 and signed(known >> AT_DEPTH & DEPTH) >= depth and beta - alpha == 1:
        score = score_of(known, ply)
        bound = known >> AT_BOUND & THREE
        if bound == EXACTLY or (bound == AT_LEAST and score >= beta) or (bound == AT_MOST and score <= alpha):
            return score
    if ply == 0 and memory[HINT] != ZERO:
        first = memory[HINT]
    # 5. The moves: the forced one; answers to the enemy's win by fours; else the most promising.
    count, lost_in = ZERO, 0
    threatened: bool = False
    if forced != NOWHERE and (ply > 0 or memory[BANNED + forced] == ZERO):
        memory[MOVES + here * PLY_MOVES] = forced
        count = ONE
    else:
        if certain and first_in(memory, colour, FOUR) != NOWHERE and wins_by_fours(memory, colour, LEAF_FOURS):
            return claim(memory, memory[LINE], ply, signed(memory[LINE_LENGTH]))
        if first_in(memory, enemy, FOUR) != NOWHERE and memory[CLAIMS] >> enemy & ONE:
            threatened = wins_by_fours(memory, enemy, NULL_FOURS)
        if threatened:
            lost_in = 1 + signed(memory[LINE_LENGTH])
            count = write_answers(memory, enemy, here)
            count = order_answers(memory, here, count, first) if count < PLY_MOVES else ZERO
            # At the root, even a lost position needs a move: the one that loses last.
            threatened = count != ZERO or ply > 0
        if not threatened:
            most = U(WIDTHS[0] if depth <= 1 else WIDTHS[1] if depth == 2 else WIDTHS[2])
            count = write_moves(memory, colour, here, most, first)
    if memory[STOP] != ZERO:
        return 0
    if count == ZERO:
        return ply + lost_in - WIN if threatened else 0
    # 6. Search each: the first with the full window, the others with a null window to prove them no better.
    best, best_cell, lowest = -2 * WIN, ZERO, alpha
    after = depth if forced != NOWHERE or (threatened and count <= THREE and ply < 2 * depth + 8) else depth - 1
    for done in range(count):
        cell = memory[MOVES + here * PLY_MOVES + U(done)] & CELL
        toggle(memory, cell, colour)
        score = alpha + 1
        # Search late moves less deeply first, and again in full if they seem better.
        less = 1 + depth // 6 if done >= 4 and depth >= 3 and not threatened else 0
        if done > 0 and less > 0:
            score = -negamax(memory, enemy, ply + 1, after - less, -alpha - 1, -alpha)
        if done > 0 and score > alpha:
            score = -negamax(memory, enemy, ply + 1, after, -alpha - 1, -alpha)
        if done == 0 or alpha < score < beta:
            score = -negamax(memory, enemy, ply + 1, after, -beta, -alpha)
        toggle(memory, cell, colour)
        if memory[STOP] != ZERO:
            return 0
        if score > best:
            best, best_cell = score, cell
            if ply == 0:
                memory[BEST_MOVE], memory[BEST_SCORE] = cell, U(score)
            if score > alpha:
                extend_line(memory, here, cell)
                alpha = score
        if alpha >= beta:
            slot = HISTORY + colour * BOARD + cell
            memory[slot] = min(memory[slot] + U(depth * depth if depth > 0 else 1), MAX_HISTORY)
            break
    # 7. Store the result.
    bound = AT_LEAST if best >= beta else EXACTLY if best > lowest else AT_MOST
    store(memory, key, best, ply, depth, bound, best_cell)
    return best
