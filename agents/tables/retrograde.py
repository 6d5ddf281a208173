"""Retrograde analysis of a pair of endgame subspaces, backwards from the ends of the game, one distance at a time.

Each slot has a code: 0 for a draw (or not yet known); c from 1 to 254 for an end c - 1 plies later, which the mover
loses if c is odd and wins if it is even; 255 for a hole (a slot that repeats another). The mover shortens a win and
lengthens a loss. Repetition and counts of quiet moves are ignored.

Each subspace has three arrays over its slots: `codes` (final), `pending` (the code that a slot will have unless a
better one comes first; an odd one waits until no other move is left) and `left` (16 for each move that takes no man
and does not yet lose; 65535 if a capture draws, so that the mover cannot lose). Two moves may lead to images of one
position, and a symmetric position has fewer images; hence the 16: a move found backwards subtracts 16 * (symmetries of
the earlier position) / (symmetries of the later one), whichever images they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import bit_count, byte_at
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import Memory, Word
from agents.tables.slots import compiled, position_at, true_slot
from games.nine_mens_morris.kernel.endgame_index import MEN, slot_of
from games.nine_mens_morris.kernel.evaluation import FULL, flies
from games.nine_mens_morris.kernel.memory import NEIGHBOURS
from games.nine_mens_morris.kernel.moves import closes, takeable

U = np.uint64
Codes = NDArray[np.uint8]
Space = tuple[Codes, Codes, NDArray[np.uint16]]
"""The arrays of a subspace: codes, pending, left."""
SPACE = "Tuple((uint8[::1], uint8[::1], uint16[::1]))"
ZERO, ONE, TWO, THREE, SIXTEEN = U(0), U(1), U(2), U(3), U(16)
THEIRS, FIXED, SLOT = U(24), U(40), U(2**40 - 1)
HOLE = U(255)
ESCAPE = U(65535)


@compiled("uint64(uint64, uint64, uint64, uint64)")
def after_capture(base: Word, table: Word, mine: Word, theirs: Word) -> Word:
    """The code, for the side that has just captured, of the position it reached; 0 is a draw.

    `theirs` are the men left to the enemy. `table` is the address of the table of those men against mine; it is not
    read if only two are left.
    """
    if bit_count(theirs) < THREE:
        return TWO
    code = byte_at(table + slot_of(base, theirs, mine))
    return code + ONE if code != ZERO else ZERO


@compiled("UniTuple(uint64, 4)(uint64[::1], uint64, uint64, uint64, uint64)")
def weigh_moves(memory: Memory, base: Word, table: Word, mine: Word, theirs: Word) -> tuple[Word, Word, Word, Word]:
    """Moves without capture, the captures' least winning and greatest losing codes, and the drawing captures."""
    empty = FULL & ~(mine | theirs)
    prey = takeable(memory, theirs)
    anywhere = flies(memory, mine, 0)
    quiet, least, greatest, draws = ZERO, ZERO, ZERO, ZERO
    for origin in each_bit(mine):
        staying = mine & ~(ONE << origin)
        for to in each_bit(empty if anywhere else empty & memory[NEIGHBOURS + origin]):
            if not closes(memory, staying, to):
                quiet += ONE
                continue
            for taken in each_bit(prey):
                code = after_capture(base, table, staying | ONE << to, theirs & ~(ONE << taken))
                if code == ZERO:
                    draws += ONE
                elif code & ONE == ZERO and (least == ZERO or code < least):
                    least = code
                elif code & ONE != ZERO and code > greatest:
                    greatest = code
    return quiet, least, greatest, draws


@compiled(f"uint64(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64, {SPACE})")
def prepare(
    memory: Memory, base: Word, table: Word, own: Word, opp: Word, first: Word, end: Word, space: Space
) -> np.uint64:
    """Fills slots `first` to `end` as captures and blockades decide; returns how many of them are true slots."""
    codes, pending, left = space
    found = ZERO
    for slot in span(first, end):
        position = position_at(base, own, opp, slot)
        mine, theirs = position & MEN, position >> THEIRS
        if true_slot(base, mine, theirs) & SLOT != slot:
            codes[slot] = HOLE
            continue
        found += ONE
        quiet, least, greatest, draws = weigh_moves(memory, base, table, mine, theirs)
        left[slot] = quiet * SIXTEEN if draws == ZERO else ESCAPE
        if least != ZERO:
            pending[slot] = min(least, HOLE)
        elif draws == ZERO:
            blocked = quiet == ZERO and greatest == ZERO
            pending[slot] = ONE if blocked else min(greatest, HOLE)
    return found


@compiled(f"void(uint64[::1], uint64, uint64, uint64, uint64, uint64, {SPACE})")
def tell_earlier(memory: Memory, base: Word, mine: Word, theirs: Word, fixed: Word, code: Word, space: Space) -> None:
    """Passes this position's new code to the enemy's positions that lead here, in their subspace."""
    codes, pending, left = space
    empty = FULL & ~(mine | theirs)
    anywhere = flies(memory, theirs, 0)
    for to in each_bit(theirs):
        staying = theirs & ~(ONE << to)
        if closes(memory, staying, to):
            continue  # that move took a man
        for origin in each_bit(empty if anywhere else empty & memory[NEIGHBOURS + to]):
            word = true_slot(base, staying | ONE << origin, mine)
            slot = word & SLOT
            if codes[slot] != 0:
                continue
            if code & ONE != ZERO:
                pending[slot] = code + ONE
                continue
            if U(left[slot]) == ESCAPE:
                continue
            less = U(left[slot]) - SIXTEEN * (word >> FIXED) // fixed
            left[slot] = less
            if less == ZERO and (pending[slot] == 0 or (pending[slot] & 1 != 0 and U(pending[slot]) <= code)):
                pending[slot] = code + ONE


@compiled(f"uint64(uint64[::1], uint64, uint64, uint64, uint64, {SPACE}, {SPACE})")
def settle(memory: Memory, base: Word, own: Word, opp: Word, code: Word, space: Space, other: Space) -> np.uint64:
    """Settles every slot that waits for this code and updates the positions before it.

    Returns how many it settled, or 2**63 if none but some wait for a later code. What it writes to the other
    subspace's slots does not affect a `settle` of the same code there.
    """
    codes, pending, left = space
    settled, waiting = ZERO, ZERO
    for slot in span(ZERO, U(len(codes))):
        wanted = U(pending[slot])
        if wanted >= code and codes[slot] == 0 and (wanted & ONE == ZERO or left[slot] == 0):
            if wanted > code:
                waiting = U(2**63)
            else:
                codes[slot] = code
                settled += ONE
                position = position_at(base, own, opp, slot)
                mine, theirs = position & MEN, position >> THEIRS
                fixed = true_slot(base, mine, theirs) >> FIXED
                tell_earlier(memory, base, mine, theirs, fixed, code, other)
    return settled if settled != ZERO else waiting


@compiled("void(uint64, uint64, uint64, uint8[::1], uint64[::1])")
def finish(base: np.uint64, own: np.uint64, opp: np.uint64, codes: Codes, sums: Memory) -> None:
    """Fills the holes and counts in `sums` (256 words) the positions of each code, including all their images."""
    for slot in span(ZERO, U(len(codes))):
        position = position_at(base, own, opp, slot)
        word = true_slot(base, position & MEN, position >> THEIRS)
        true = word & SLOT
        if true == slot:
            sums[U(codes[slot])] += SIXTEEN // (word >> FIXED)
        else:
            codes[slot] = codes[true]  # the true slot is the least: it is already right
