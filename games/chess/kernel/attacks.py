"""Which cells pieces attack, and who gives check."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, leading_zeros, lowest_bit
from agents.kernels.loops import each_bit
from games.chess.kernel import memory as w
from games.chess.kernel.memory import Memory

U = np.uint64
ZERO, ONE, TWO, FOUR, SIX, EIGHT, HIGHEST, CELLS = U(0), U(1), U(2), U(4), U(6), U(8), U(63), U(64)
ALL = U(2**64 - 1)


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def along(memory: Memory, line: np.uint64, occupied: np.uint64) -> np.uint64:
    """Cells that a slider reaches both ways along a line, up to the first piece: by one subtraction.

    With the highest piece before it at bit m and the lowest after it at bit n, 2 * 2**n - 2**m has the bits m to n.
    """
    before, after = memory[line], memory[line + ONE]
    nearest = occupied & after
    nearest &= ZERO - nearest
    reached: np.uint64 = (ALL << (HIGHEST - leading_zeros(occupied & before | ONE))) + nearest + nearest
    result: np.uint64 = reached & (before | after)
    return result


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def straight(memory: Memory, cell: np.uint64, occupied: np.uint64) -> np.uint64:
    line = w.LINES + cell * EIGHT
    return along(memory, line, occupied) | along(memory, line + TWO, occupied)


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def slanted(memory: Memory, cell: np.uint64, occupied: np.uint64) -> np.uint64:
    line = w.LINES + cell * EIGHT
    return along(memory, line + FOUR, occupied) | along(memory, line + SIX, occupied)


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def kind_at(memory: Memory, at: np.uint64, cell: np.uint64) -> np.uint64:
    """The kind of the piece on a cell; 0 if it is empty."""
    kind: np.uint64 = memory[at + w.ONES] >> cell & ONE
    kind |= (memory[at + w.TWOS] >> cell & ONE) << ONE
    result: np.uint64 = kind | (memory[at + w.FOURS] >> cell & ONE) << TWO
    return result


@compiled("uint64(uint64[::1], uint64)", inlined=True)
def pawns(memory: Memory, at: np.uint64) -> np.uint64:
    result: np.uint64 = memory[at + w.ONES] & ~(memory[at + w.TWOS] | memory[at + w.FOURS])
    return result


@compiled("uint64(uint64[::1], uint64)", inlined=True)
def knights(memory: Memory, at: np.uint64) -> np.uint64:
    result: np.uint64 = memory[at + w.TWOS] & ~(memory[at + w.ONES] | memory[at + w.FOURS])
    return result


@compiled("uint64(uint64[::1], uint64)", inlined=True)
def kings(memory: Memory, at: np.uint64) -> np.uint64:
    result: np.uint64 = memory[at + w.ONES] & memory[at + w.TWOS] & ~memory[at + w.FOURS]
    return result


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def attackers(memory: Memory, at: np.uint64, cell: np.uint64, occupied: np.uint64) -> np.uint64:
    """All pieces of both sides that attack a cell; those that are not in `occupied` let others through."""
    mine, theirs, side = memory[at + w.MINE], memory[at + w.THEIRS], memory[at + w.SIDE]
    ours = memory[w.PAWN_TO + (side ^ ONE) * CELLS + cell] & mine
    found: np.uint64 = (ours | memory[w.PAWN_TO + side * CELLS + cell] & theirs) & pawns(memory, at)
    found |= memory[w.KNIGHT_TO + cell] & knights(memory, at) | memory[w.KING_TO + cell] & kings(memory, at)
    found |= straight(memory, cell, occupied) & memory[at + w.TWOS] & memory[at + w.FOURS]
    found |= slanted(memory, cell, occupied) & memory[at + w.ONES] & memory[at + w.FOURS]
    return found & occupied


@compiled("boolean(uint64[::1], uint64, uint64, uint64)")
def is_attacked(memory: Memory, at: np.uint64, cell: np.uint64, occupied: np.uint64) -> bool:
    """Whether an enemy piece in `occupied` attacks a cell."""
    theirs = memory[at + w.THEIRS] & occupied
    if memory[w.PAWN_TO + memory[at + w.SIDE] * CELLS + cell] & theirs & pawns(memory, at) != ZERO:
        return True
    if memory[w.KNIGHT_TO + cell] & theirs & knights(memory, at) != ZERO:
        return True
    if memory[w.KING_TO + cell] & theirs & kings(memory, at) != ZERO:
        return True
    sliders = theirs & memory[at + w.FOURS]
    if straight(memory, cell, occupied) & sliders & memory[at + w.TWOS] != ZERO:
        return True
    return bool(slanted(memory, cell, occupied) & sliders & memory[at + w.ONES] != ZERO)


@compiled("void(uint64[::1], uint64)")
def look(memory: Memory, at: np.uint64) -> None:
    """Finds who gives check and who is pinned."""
    mine, theirs = memory[at + w.MINE], memory[at + w.THEIRS]
    king = lowest_bit(mine & kings(memory, at))
    checkers = memory[w.PAWN_TO + memory[at + w.SIDE] * CELLS + king] & theirs & pawns(memory, at)
    checkers |= memory[w.KNIGHT_TO + king] & theirs & knights(memory, at)
    sliders = theirs & memory[at + w.FOURS]
    aiming = straight(memory, king, theirs) & sliders & memory[at + w.TWOS]
    aiming |= slanted(memory, king, theirs) & sliders & memory[at + w.ONES]
    pinned = ZERO
    for cell in each_bit(aiming):
        shield = memory[w.BETWEEN + king * CELLS + cell] & mine
        if shield == ZERO:
            checkers |= ONE << cell
        elif bit_count(shield) == ONE:
            pinned |= shield
    memory[at + w.CHECKERS], memory[at + w.PINNED] = checkers, pinned
