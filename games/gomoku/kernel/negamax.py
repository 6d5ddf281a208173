"""Principal-variation search with the engine's evaluation: patterns, forced answers, wins by fours at the leaves."""

from __future__ import annotations

from agents.kernels.compilation import compiled, signed
from agents.kernels.loops import span
from agents.kernels.memory import BEST_MOVE, BEST_SCORE, HINT, HISTORY, NOISE, PV_LENGTH, STOP, Memory, Word
from agents.kernels.negamax import must_stop
from agents.kernels.ordering import extend_line
from agents.kernels.table import AT_DEPTH, AT_MOVE, DEPTH, OFFSET, SCORE, SPREAD, bound_of, recall, settles, store
from agents.search import FORCED, MAX_DEPTH, WIN
from games.gomoku.kernel import memory as w
from games.gomoku.kernel.board import count_in, first_in, lift, place
from games.gomoku.kernel.evaluation import evaluate, follow, guide
from games.gomoku.kernel.fours import wins_by_fours
from games.gomoku.kernel.patterns import FIRST_BITS, OVER_FOUR, OVER_THREE
from games.gomoku.kernel.threats import write_answers

ZERO, ONE, TWO, THREE, FOUR, SIXTEEN = map(Word, (0, 1, 2, 3, 4, 16))
AT_ORDER, EDGE, ROW = map(Word, (10, w.BORDER, w.WIDTH))
DEEPEST = 110
KILLER, SECOND, STONE, MINE_FAILS, THEIRS_FAILS = ZERO, ONE, TWO, THREE, FOUR
"""Words of STACK."""
OWN_FOURS, ENEMY_FOURS = Word(25), Word(30)
"""Most positions of a search for a win by fours: of the side to move; of the enemy, if we passed."""
WIDTHS = (8, 10, 12, 17)
"""Most moves tried at a depth of one, two, three, and more. This, the margins below, the bonuses and `LATE` were tuned
together in 8,500 games of 8,000 positions a move, by simultaneous perturbation (2026-11-29)."""
GOOD_DEPTH, GOOD = 6, 18
"""Up to this depth, a value so far above the window for each ply is believed."""
POOR_DEPTH, POOR = 3, 100
"""Up to this depth, a value so far below the window for each ply and one more is believed."""
THREATENED = 35
"""The same where the enemy threatens to win by fours, and with no ply more but one less."""
PROBE_DEPTH, PROBED, SAFE = 7, 4, 45
"""From this depth on, a value above the window is believed if a search four plies less deep is this much above it."""
UNKNOWN_DEPTH = 3
"""From this depth on, a position without a known best move is searched one ply less deeply."""
LOW_HALF, AT_LEAST_TWO, SOME = Word(0xFFFF), Word(0xEEEE), Word(0xEEEEEEEE)
ORDERED = 2**20
"""Added to the order of moves, which is above 0."""
HISTORY_LIMIT, HISTORY_SHARE = 4096, 11
KILLER_BONUS, SECOND_BONUS, REPLY_BONUS = map(Word, (135, 120, 112))
SURE = WIN - 4 * MAX_DEPTH
"""Scores beyond this are proven: the loser has no other move, or each that could help was searched."""
DOUBT = WIN - FORCED
"""Taken from wins and losses found among promising moves alone: they stay in order, but are claimed by nobody."""
DECIDED = SURE - DOUBT
"""Scores beyond this are wins and losses, proven or not; the table stores them as distances from the position."""


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def insert(memory: Memory, moves: Word, count: Word, most: Word, word: Word) -> Word:
    """Inserts a move into the list from there on, best first; a full list drops its worst. Returns their number."""
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
def looks_foul(memory: Memory, cell: Word) -> bool:
    """Whether black's stone there would make two fours or two open threes; ignores renju's finer points."""
    patterns = memory[w.PATTERNS + cell] & LOW_HALF
    fours, threes = patterns & OVER_FOUR, patterns & OVER_THREE & (patterns & FIRST_BITS) << TWO
    return not memory[w.FLAGS + cell] & ONE and bool(fours & (fours - ONE) | threes & (threes - ONE))


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def write_moves(memory: Memory, colour: Word, ply: Word, most: Word, first: Word) -> Word:
    """The most promising moves near stones, as order << 10 | cell, best first; returns how many."""
    certain = bool(memory[w.CLAIMS] >> colour & ONE)
    count = ZERO
    follow(memory, memory[w.STONE_COUNT])
    stack = w.STACK + ply * w.STACKED
    killer, second = memory[stack + KILLER], memory[stack + SECOND]
    reply = memory[w.REPLIES + (colour ^ ONE) * w.BOARD + memory[stack - w.STACKED + STONE]] if ply > ZERO else ZERO
    for row in span(EDGE, EDGE + memory[w.SIZE]):
        start = row * ROW + EDGE
        for cell in span(start, start + memory[w.SIZE]):
            if memory[w.STONES + cell] != ZERO or (ply == ZERO and memory[w.BANNED + cell] != ZERO):
                continue
            if memory[w.PATTERNS + cell] & SOME == ZERO or (not certain and looks_foul(memory, cell)):
                continue
            history = signed(memory[HISTORY + colour * w.BOARD + cell]) // HISTORY_SHARE
            order = Word(ORDERED + history + guide(memory, cell, colour))
            if cell == killer:
                order += KILLER_BONUS
            elif cell == second:
                order += SECOND_BONUS
            if cell == reply:
                order += REPLY_BONUS
            if ply == ZERO and memory[NOISE] != ZERO:
                order = order << THREE | (cell + memory[NOISE]) * SPREAD >> Word(61)
            if cell == first:
                order = Word(2**40)
            count = insert(memory, w.MOVES + ply * w.PLY_MOVES, count, most, order << AT_ORDER | cell)
    return count


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def order_answers(memory: Memory, colour: Word, ply: Word, count: Word, first: Word) -> Word:
    """Sorts the answers to a threat among the ply's moves and drops banned ones; returns how many are left."""
    kept = ZERO
    follow(memory, memory[w.STONE_COUNT])
    moves = w.MOVES + ply * w.PLY_MOVES
    for slot in span(moves, moves + count):
        cell = memory[slot]
        if ply == ZERO and memory[w.BANNED + cell] != ZERO:
            continue
        order = Word(2**40) if cell == first else Word(ORDERED + guide(memory, cell, colour))
        kept = insert(memory, moves, kept, w.PLY_MOVES, order << AT_ORDER | cell)
    return kept


@compiled("int64(uint64[::1], int64, uint64, int64)")
def settle(memory: Memory, ply: int, cell: Word, score: int) -> int:
    """Records the ply's best stone so far, after which the best line is the next ply's; returns its score."""
    extend_line(memory, Word(ply), cell)
    if ply == 0:
        memory[BEST_MOVE], memory[BEST_SCORE] = cell, Word(score)
    return score


@compiled("void(uint64[::1], uint64, uint64, int64, uint64)")
def learn(memory: Memory, colour: Word, ply: Word, depth: int, done: Word) -> None:
    """Remembers that the ply's move number `done` is good enough, and the ones before it are not."""
    bonus = min(8 * depth * depth, HISTORY_LIMIT // 4)
    last, cell = w.MOVES + ply * w.PLY_MOVES + done, ZERO
    for move in span(last - done, last + ONE):
        cell = memory[move] & w.CELL
        slot = HISTORY + colour * w.BOARD + cell
        there = signed(memory[slot])
        # It stays within HISTORY_LIMIT.
        memory[slot] = Word(there + (bonus if move == last else -bonus) - there * bonus // HISTORY_LIMIT)
    stack = w.STACK + ply * w.STACKED
    if memory[stack + KILLER] != cell:
        memory[stack + SECOND] = memory[stack + KILLER]
        memory[stack + KILLER] = cell
    if ply > ZERO:
        memory[w.REPLIES + (colour ^ ONE) * w.BOARD + memory[stack - w.STACKED + STONE]] = cell


@compiled("boolean(uint64[::1], uint64, uint64)")
def has_fours(memory: Memory, colour: Word, limit: Word) -> bool:
    """Whether the colour, were it to move, wins by fours for certain; a search of `limit` positions."""
    certain = memory[w.CLAIMS] >> colour & ONE != ZERO and first_in(memory, colour, w.FOUR) != w.NOWHERE
    return certain and wins_by_fours(memory, colour, limit)


@compiled("int64(uint64[::1], uint64, int64, int64, int64, int64)")
def negamax(memory: Memory, colour: Word, ply: int, depth: int, alpha: int, beta: int) -> int:
    """The score for the side to move, `depth` plies deep plus forced answers. Meaningless once STOP is set."""
    here, enemy = Word(ply), colour ^ ONE
    memory[PV_LENGTH + here], memory[PV_LENGTH + here + ONE] = ZERO, ZERO
    # 1. Stop if requested.
    if must_stop(memory):
        return 0
    # 2. Wins and losses that the patterns show, and the full board.
    five = first_in(memory, colour, w.FIVE)
    if five != w.NOWHERE:
        return settle(memory, ply, five, WIN - ply - 1)
    if memory[w.STONE_COUNT] >= memory[w.SIZE] * memory[w.SIZE]:
        return 0
    forced = first_in(memory, enemy, w.FIVE)
    if forced != w.NOWHERE and count_in(memory, enemy, w.FIVE) > ONE:
        return settle(memory, ply, forced, ply + 2 - WIN)
    winning = first_in(memory, colour, w.WINNING)
    if forced == w.NOWHERE and winning != w.NOWHERE and memory[w.CLAIMS] >> colour & ONE:
        return settle(memory, ply, winning, WIN - ply - 3)
    # 3. The horizon: a win by fours, or the patterns. If the enemy's last stone was placed although a pass would not
    #    have let us win by fours, we do not win by fours now: stones of theirs only take wins away.
    stack = w.STACK + here * w.STACKED
    spared = ply > 0 and memory[stack - w.STACKED + THEIRS_FAILS] != ZERO
    if (depth <= 0 and forced == w.NOWHERE) or ply >= DEEPEST:
        value = evaluate(memory, colour)
        if value < beta and not spared and has_fours(memory, colour, OWN_FOURS):
            return settle(memory, ply, memory[w.LINE], WIN - ply - signed(memory[w.LINE_LENGTH]))
        return value
    # 4. Look the position up in the table.
    inner = beta - alpha == 1
    key = memory[w.KEY] ^ memory[w.SALTS + FOUR + colour]
    known = recall(memory, key)
    first = known >> AT_MOVE & w.CELL
    if known != ZERO and ply > 0 and signed(known >> AT_DEPTH & DEPTH) >= depth and inner:
        score = signed(known & SCORE) - OFFSET
        score = score - ply if score > DECIDED else score + ply if score < -DECIDED else score
        if settles(known, score, alpha, beta):
            return score
    if ply == 0 and memory[HINT] != ZERO:
        first = memory[HINT]
    if first == ZERO and depth >= UNKNOWN_DEPTH:
        depth -= 1
    # 5. The moves: the forced one; answers to the enemy's win by fours; else the most promising.
    count, lost_in = ZERO, 0
    threatened, quiet, complete = False, False, bool(forced != w.NOWHERE)
    if forced != w.NOWHERE and (ply > 0 or memory[w.BANNED + forced] == ZERO):
        memory[w.MOVES + here * w.PLY_MOVES] = forced
        count = ONE
        memory[stack + MINE_FAILS] = ONE if spared else ZERO
        memory[stack + THEIRS_FAILS] = memory[stack - w.STACKED + MINE_FAILS] if ply > 0 else ZERO
    else:
        if not spared and has_fours(memory, colour, OWN_FOURS):
            return settle(memory, ply, memory[w.LINE], WIN - ply - signed(memory[w.LINE_LENGTH]))
        prunes = inner and ply > 0 and abs(beta) < DECIDED
        value = evaluate(memory, colour) if prunes else 0
        if prunes and depth <= POOR_DEPTH and value + POOR * (depth + 1) <= alpha:
            return value
        # A stone that makes less than a two gives its side no win by fours.
        made = THREE
        if ply > 0 and memory[stack - w.STACKED + MINE_FAILS] != ZERO:
            made = memory[w.PATTERNS + memory[stack - w.STACKED + STONE]] >> enemy * SIXTEEN & LOW_HALF & AT_LEAST_TWO
        threatened = bool(made != ZERO) and has_fours(memory, enemy, ENEMY_FOURS)
        memory[stack + MINE_FAILS] = ONE
        memory[stack + THEIRS_FAILS] = ZERO if threatened else ONE
        if threatened and prunes and depth <= POOR_DEPTH and value + THREATENED * (depth - 1) <= alpha:
            return value
        if threatened:
            lost_in = 1 + signed(memory[w.LINE_LENGTH])
            count = write_answers(memory, enemy, here)
            complete = complete or bool(count < w.PLY_MOVES)
            count = order_answers(memory, colour, here, count, first) if count < w.PLY_MOVES else ZERO
            # At the root, even a lost position needs a move: the one that loses last.
            threatened = bool(count != ZERO) or (complete and ply > 0)
        if not threatened:
            quiet = True
            if prunes and depth <= GOOD_DEPTH and value - GOOD * depth >= beta:
                return value
            if prunes and depth >= PROBE_DEPTH and value >= beta:
                score = negamax(memory, colour, ply, depth - PROBED, beta + SAFE - 1, beta + SAFE)
                if memory[STOP] != ZERO:
                    return 0
                if score >= beta + SAFE:
                    return score
                first = recall(memory, key) >> AT_MOVE & w.CELL
            count = write_moves(memory, colour, here, Word(WIDTHS[min(depth, len(WIDTHS)) - 1]), first)
    if memory[STOP] != ZERO:
        return 0
    if count == ZERO:
        return ply + lost_in - WIN if complete else 0
    # 6. Search each: the first with the full window, the others with a null window to prove them no better.
    best, best_cell, lowest = -2 * WIN, ZERO, alpha
    after = depth if forced != w.NOWHERE or (threatened and count <= THREE and ply < 2 * depth + 8) else depth - 1
    memory[stack + w.STACKED + KILLER], memory[stack + w.STACKED + SECOND] = ZERO, ZERO
    for done in range(count):
        cell = memory[w.MOVES + here * w.PLY_MOVES + Word(done)] & w.CELL
        # Search late moves less deeply first, and again in full if they seem better.
        less = 0
        if done >= 2 and depth >= 2:
            less = signed(memory[w.LATE + Word(min(depth, 63) * 64 + done)])
            less = max(0, min(less if inner else less - 1, after))
        memory[stack + STONE] = cell
        place(memory, cell, colour)
        score = alpha + 1
        if done > 0 and less > 0:
            score = -negamax(memory, enemy, ply + 1, after - less, -alpha - 1, -alpha)
        if done > 0 and score > alpha:
            score = -negamax(memory, enemy, ply + 1, after, -alpha - 1, -alpha)
        if done == 0 or alpha < score < beta:
            score = -negamax(memory, enemy, ply + 1, after, -beta, -alpha)
        lift(memory)
        if memory[STOP] != ZERO:
            return 0
        if score > best:
            best, best_cell = score, cell
            if ply == 0:
                memory[BEST_MOVE], memory[BEST_SCORE] = cell, Word(score)
            if score > alpha:
                extend_line(memory, here, cell)
                alpha = score
        if alpha >= beta:
            if quiet:
                learn(memory, colour, here, depth, Word(done))
            break
    # 7. What was not tried may save the loser; black's wins may be foul.
    if best < -SURE and not complete:
        best += DOUBT
    if best > SURE and not memory[w.CLAIMS] >> colour & ONE:
        best -= DOUBT
    if ply == 0:
        memory[BEST_SCORE] = Word(best)
    # 8. Store the result.
    kept = best + ply if best > DECIDED else best - ply if best < -DECIDED else best
    store(memory, key, kept, max(depth, 0), bound_of(best, lowest, beta), best_cell)
    return best
