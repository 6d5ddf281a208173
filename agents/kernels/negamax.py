"""Principal-variation search for any game of two sides: a game supplies its rules as compiled functions.

`negamax` names these functions, and `of` makes a search of it with those of a game's module. The position of each ply
lies in the memory at STATE; a move is a code of fifteen bits, not 0, whose low ten bits tell quiet moves apart.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from agents.kernels import memory as w
from agents.kernels.compilation import compiled, signed, specialised
from agents.kernels.loops import span
from agents.kernels.memory import EXACT, MAX_PLY, MOVES, STOP, STRIDE, Memory, Word, begin_search
from agents.kernels.ordering import extend_line, order_moves, pick, reward
from agents.kernels.table import AT_DEPTH, AT_MOVE, CODE, DEPTH, OFFSET, SCORE, bound_of, recall, settles, store
from agents.search import MAX_DEPTH, WIN, Iteration

ZERO, ONE = Word(0), Word(1)
SURE = WIN - MAX_DEPTH - 300
"""Scores beyond this are forced wins; the table stores them as distances from the stored position."""
NOT_OVER = LIMIT = 2 * WIN
"""Score beyond every real score."""
LATE, VERY_LATE = Word(3), Word(8)
"""Moves searched before a move is reduced: by one ply, and by two plies."""
STORED = 1
"""Least depth whose results are stored. A game may replace it, as it may PROBES and FORESEES."""
PROBES = 0
"""Shallow searches that may predict that a null window is left."""
FORESEES = False
"""Whether a game foresees scores, passes and leaves out hopeless moves, in null windows, unless exact."""
QUIET, REDUCIBLE = Word(1), Word(2)
"""What `make` returns, added up: whether the move takes nothing, and whether it may be searched less deeply."""


@compiled("boolean(uint64[::1])")
def must_stop(memory: Memory) -> bool:
    """Whether the search must stop; counts the position if not."""
    if memory[w.NODE_LIMIT] != ZERO and memory[w.NODES] >= memory[w.NODE_LIMIT]:
        memory[STOP] = ONE
    if memory[STOP] != ZERO:
        return True
    memory[w.NODES] += ONE
    return False


def _supplied(*_: Any) -> Any:
    """Stands for a function that a game supplies."""
    raise NotImplementedError


final_score: Callable[[Memory, Word], int] = _supplied
"""Of memory and ply: the score for the side to move if the game is over, or its end is known, else NOT_OVER."""
judge: Callable[[Memory, Word, int, int], int] = _supplied
"""Of memory, ply, alpha and beta: the score for the side to move at the horizon, where the game is not over."""
table_key: Callable[[Memory, Word, int], Word] = _supplied
"""Of memory, ply and depth: the key of all that decides a score at that depth."""
write_moves: Callable[[Memory, Word, int], Word] = _supplied
"""Of memory, ply and depth: writes the ply's moves with their initial order to MOVES; returns how many."""
make: Callable[[Memory, Word, Word], Word] = _supplied
"""Of memory, ply and code: writes the position after a move to the next ply; returns QUIET and REDUCIBLE, added up."""

first_probe: Callable[[Memory, Word, int], int] = _supplied
"""With PROBES, of memory, ply and depth: the number of the first before a search to that depth; PROBES for none."""
probe_depth: Callable[[int, int], int] = _supplied
"""With PROBES, of depth and probe: the plies of the probe that predicts a search to that depth."""
margin: Callable[[Memory, Word, int, int], int] = _supplied
"""With PROBES, of memory, ply, depth and probe: by how much the probe's score must leave the window."""

foresee: Callable[[Memory, Word, int, int, int], int] = _supplied
"""If FORESEES, of memory, ply, depth, alpha and beta: the score that leaves a null window unsearched, else NOT_OVER."""
pass_depth: Callable[[Memory, Word, int, int], int] = _supplied
"""If FORESEES, of memory, ply, depth and beta: the plies of a search after a pass that may show that any move is good
enough, or -1."""
make_pass: Callable[[Memory, Word], None] = _supplied
"""If FORESEES, of memory and ply: writes the position after a pass to the next ply."""
is_hopeless: Callable[[Memory, Word, int, Word, Word, int], bool] = _supplied
"""If FORESEES, of memory, ply, depth, number of moves before, code and alpha: whether a REDUCIBLE move is left out."""


@compiled("boolean(uint64[::1], uint64, int64)", inlined=True)
def holds(memory: Memory, ply: Word, score: int) -> bool:
    """Whether a stored score beyond SURE, as a distance from this position, can still come about.

    True where keys have all that could end the game before. A game may replace it.
    """
    return True


@compiled("int64(uint64[::1], uint64)", inlined=True)
def extension(memory: Memory, ply: Word) -> int:
    """Plies by which a position is searched more deeply, unless exact. A game may replace it."""
    return 0


@compiled("int64(uint64[::1], uint64, int64, uint64, uint64)", inlined=True)
def reduction(memory: Memory, ply: Word, depth: int, done: Word, code: Word) -> int:
    """Plies by which a REDUCIBLE move is searched less deeply, unless exact. A game may replace it and `reward`."""
    if done < LATE or depth < 3:
        return 0
    return 2 if done >= VERY_LATE and depth >= 5 else 1


SUPPLIED = {"holds", "extension", "reduction", "reward", *(name for name, one in globals().items() if one is _supplied)}
"""Names of the functions that a game must or may supply."""


def negamax(memory: Memory, ply: int, depth: int, alpha: int, beta: int) -> int:
    """The score for the side to move, searched `depth` plies deep; fail-soft. Meaningless once STOP is set."""
    here = Word(ply)
    memory[w.PV_LENGTH + here] = ZERO
    # 1. Stop if requested.
    if must_stop(memory):
        return 0
    # 2. The game is over, or the horizon is reached.
    final = final_score(memory, here)
    if final != NOT_OVER:
        return final
    if memory[EXACT] == ZERO:
        depth += extension(memory, here)
    if depth <= 0 or ply >= MAX_DEPTH:
        return judge(memory, here, alpha, beta)
    # 3. Look the position up in the table.
    key, known = ZERO, ZERO
    if depth >= STORED:
        key = table_key(memory, here, depth)
        known = recall(memory, key)
    first = known >> AT_MOVE & CODE
    stored_depth = signed(known >> AT_DEPTH & DEPTH)
    deep_enough = stored_depth == depth or (stored_depth > depth and memory[EXACT] == ZERO)
    if known != ZERO and deep_enough and ply > 0 and beta - alpha == 1:
        score = signed(known & SCORE) - OFFSET
        in_time = holds(memory, here, score)
        if score > SURE:
            score -= ply
        elif score < -SURE:
            score += ply
        if in_time and settles(known, score, alpha, beta):
            return score
    # 4. Cut a null window that a shallow search predicts to be left, on the side that the position itself suggests.
    if PROBES and ply > 0 and beta - alpha == 1:
        probe = first_probe(memory, here, depth)
        static = judge(memory, here, alpha, beta) if probe < PROBES else 0
        while probe < PROBES:
            plies, apart = probe_depth(depth, probe), margin(memory, here, depth, probe)
            if static >= beta:
                score = static if plies <= 0 else negamax(memory, ply, plies, beta + apart - 1, beta + apart)
                if score >= beta + apart:
                    return beta
            else:
                score = static if plies <= 0 else negamax(memory, ply, plies, alpha - apart, alpha - apart + 1)
                if score <= alpha - apart:
                    return alpha
            probe += 1
        if memory[STOP] != ZERO:
            return 0
    # 5. Leave a null window that the position itself leaves, or that is left even after a pass.
    foresees = FORESEES and ply > 0 and beta - alpha == 1 and memory[EXACT] == ZERO
    if foresees:
        foreseen = foresee(memory, here, depth, alpha, beta)
        if foreseen != NOT_OVER:
            return foreseen
        plies = pass_depth(memory, here, depth, beta)
        if plies >= 0:
            make_pass(memory, here)
            score = -negamax(memory, ply + 1, plies, -beta, -alpha)
            if memory[STOP] != ZERO:
                return 0
            if score >= beta:
                return beta
    # 6. All moves, the most promising first.
    if ply == 0 and memory[w.HINT] != ZERO:
        first = memory[w.HINT]
    count = write_moves(memory, here, depth)
    order_moves(memory, count, here, first)
    # 7. Search each: the first with the full window, the others with a null window to prove them no better.
    best, best_code, lowest, open_window = -NOT_OVER, ZERO, alpha, beta - alpha > 1
    done = ZERO
    while done < count:
        code = pick(memory, count, here, done)
        kind = make(memory, here, code)
        if foresees and kind & REDUCIBLE and done != ZERO and is_hopeless(memory, here, depth, done, code, alpha):
            done += ONE
            continue
        floor = -beta if done == ZERO else -alpha - 1
        # Unless exact: search late moves less deeply first, and again in full if they prove better.
        less = 0
        if kind & REDUCIBLE and memory[EXACT] == ZERO:
            less = reduction(memory, here, depth, done, code)
        score = -negamax(memory, ply + 1, depth - 1 - less, floor, -alpha)
        if less > 0 and score > alpha:
            score = -negamax(memory, ply + 1, depth - 1, floor, -alpha)
        if done != ZERO and alpha < score < beta:
            score = -negamax(memory, ply + 1, depth - 1, -beta, -alpha)
        if memory[STOP] != ZERO:
            return 0
        done += ONE
        if score > best:
            best, best_code = score, code
            if ply == 0:
                memory[w.BEST_MOVE], memory[w.BEST_SCORE] = code, Word(score)
            if score > alpha:
                if open_window:  # no line goes through a null window
                    extend_line(memory, here, code)
                alpha = score
        if alpha >= beta:
            if kind & QUIET:
                reward(memory, code, here, depth)
            break
    # 8. Store the result.
    if depth >= STORED:
        kept = best + ply if best > SURE else best - ply if best < -SURE else best
        store(memory, key, kept, depth, bound_of(best, lowest, beta), best_code)
    return best


Negamax = Callable[[Memory, int, int, int, int], int]
_supplied_to = dict[Negamax, tuple[str, dict[str, Any]]]()
"""The game's module and functions of each search that `of` made."""


def leaves(memory: Memory, ply: Word, depth: int) -> int:
    """Number of sequences of `depth` moves; games that end sooner do not count."""
    if final_score(memory, ply) != NOT_OVER:
        return 0
    count = write_moves(memory, ply, depth)
    if depth <= 1:
        return signed(count)
    total, first = 0, MOVES + ply * STRIDE
    for slot in span(first, first + count):
        make(memory, ply, memory[slot] & CODE)
        total += leaves(memory, ply + ONE, depth - 1)
    return total


def of(module: str, **own: Any) -> Negamax:
    """`negamax` of memory, ply, depth, alpha and beta, with the functions of a game's module and what else is given."""
    own = {name: one for name, one in vars(sys.modules[module]).items() if name in SUPPLIED} | own
    made: Negamax = specialised(negamax, "int64(uint64[::1], int64, int64, int64, int64)", module, own)
    _supplied_to[made] = module, own
    return made


@functools.cache
def leaves_of(search: Negamax) -> Callable[[Memory, Word, int], int]:
    """`leaves` with the functions of a game's `negamax`."""
    made: Callable[[Memory, Word, int], int]
    made = specialised(leaves, "int64(uint64[::1], uint64, int64)", *_supplied_to[search])
    return made


class NegamaxSearch:
    """`agents.search.Search` over one flat array; a game's subclass writes positions and reads move codes."""

    selective = 0x8E9D5C7B3A6F1E2D
    """Mixed into the keys of searches that are not exact."""
    window = 0, 1, 0
    """By how much a score may differ from that so many searches before, from that depth on; 0 for the full window."""

    def __init__(self, negamax: Negamax, memory: Memory, seed: int) -> None:
        self._negamax, self.memory = negamax, memory
        self.memory[w.NOISE] = seed

    def begin(self, position: Any, nodes: int | None, exact: bool) -> None:
        """Sets the position; the table stays, learnt move orders fade."""
        memory = self.memory
        begin_search(memory, nodes or 0)
        memory[[w.HINT, w.PV_LENGTH]] = 0
        memory[EXACT] = exact
        memory[int(w.HISTORY) : int(w.KILLERS)] >>= Word(3)
        memory[int(w.KILLERS) : int(w.PV_LENGTH)] = 0
        self._scores: list[int] = []
        self._place(position)

    def _place(self, position: Any) -> None:
        """Writes the root's state."""
        raise NotImplementedError

    def _decode(self, code: int) -> Any:
        """The move of a code."""
        raise NotImplementedError

    def _salt(self, earlier: Iterable[int], least: int) -> int:
        """Differs between exact searches and others, and between histories that had other positions `least` times."""
        drawn = sorted(key for key, count in Counter(earlier).items() if count >= least)
        salt = hash(tuple(drawn)) % 2**64 if drawn else 0
        return salt if self.memory[EXACT] else salt ^ self.selective

    def leaves(self, position: Any, depth: int) -> int | None:
        """How many sequences of so many moves there are; None if the depth is too great, or `of` made no search."""
        if depth >= MAX_PLY or self._negamax not in _supplied_to:
            return None
        self.begin(position, None, exact=True)
        return 1 if depth <= 0 else int(leaves_of(self._negamax)(self.memory, ZERO, depth))

    def _window(self, depth: int) -> tuple[int, int]:
        """Bounds within which the score is expected: none for exact and for shallow searches."""
        width, back, least = self.window
        scores = self._scores[-back:]
        if not width or self.memory[EXACT] or depth < least or len(scores) < back or abs(scores[0]) > WIN // 2:
            return -LIMIT, LIMIT
        return scores[0] - width, scores[0] + width

    def _score(self) -> int:
        return int(self.memory[w.BEST_SCORE].astype(np.int64))

    def deepen(self, depth: int) -> Iteration:
        """Searches in the expected window, then, if the score lies outside, in the full one."""
        memory, (low, high) = self.memory, self._window(depth)
        memory[[w.BEST_MOVE, w.BEST_SCORE]] = 0
        self._negamax(memory, 0, min(depth, MAX_DEPTH), low, high)
        if not low < self._score() < high and not memory[STOP]:
            memory[[w.BEST_MOVE, w.BEST_SCORE]] = 0
            self._negamax(memory, 0, min(depth, MAX_DEPTH), -LIMIT, LIMIT)
        best = int(memory[w.BEST_MOVE])
        memory[w.HINT] = best or memory[w.HINT]
        self._scores.append(self._score())
        return self._iteration(best, self._score(), self._line())

    def _line(self) -> list[int]:
        """The codes of the moves that the last iteration expects."""
        return [int(code) for code in self.memory[int(w.PV) : int(w.PV) + int(self.memory[w.PV_LENGTH])]]

    def _iteration(self, best: int, score: int, line: Sequence[int], solved: bool = False) -> Iteration:
        """The iteration with a best move, 0 for none, and the expected moves, as codes."""
        return Iteration(
            whole=not self.memory[STOP],
            move=self._decode(best) if best else None,
            score=score,
            pv=tuple(self._decode(code) for code in line),
            nodes=int(self.memory[w.NODES]),
            final=solved,
            exact=solved,
        )

    def interrupt(self) -> None:
        """Interrupts a running search; the kernel checks the flag at every position."""
        self.memory[STOP] = 1
