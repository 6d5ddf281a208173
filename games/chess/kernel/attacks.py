"""Which cells pieces attack, and who gives check."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, leading_zeros, lowest_bit
from games.chess.kernel.memory import (
    BETWEEN,
    CHECKERS,
    FOURS,
    KING_TO,
    KNIGHT_TO,
    LINES,
    MINE,
    ONES,
    PAWN_TO,
    PINNED,
    SIDE,
    THEIRS,
    TWOS,
    Memory,
)

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
    line = LINES + cell * EIGHT
    return along(memory, line, occupied) | along(memory, line + TWO, occupied)


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def slanted(memory: Memory, cell: np.uint64, occupied: np.uint64) -> np.uint64:
    line = LINES + cell * EIGHT
    return along(memory, line + FOUR, occupied) | along(memory, line + SIX, occupied)


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def kind_at(memory: Memory, at: np.uint64, cell: np.uint64) -> np.uint64:
    """The kind of the piece on a cell; 0 if it is empty."""
    kind: np.uint64 = memory[at + ONES] >> cell & ONE
    kind |= (memory[at + TWOS] >> cell & ONE) << ONE
    result: np.uint64 = kind | (memory[at + FOURS] >> cell & ONE) << TWO
    return result


@compiled("uint64(uint64[::1], uint64)", inlined=True)
def pawns(memory: Memory, at: np.uint64) -> np.uint64:
    result: np.uint64 = memory[at + ONES] & ~(memory[at + TWOS] | memory[at + FOURS])
    return result


@compiled("uint64(uint64[::1], uint64)", inlined=True)
def knights(memory: Memory, at: np.uint64) -> np.uint64:
    result: np.uint64 = memory[at + TWOS] & ~(memory[at + ONES] | memory[at + FOURS])
    return result


@compiled("uint64(uint64[::1], uint64)", inlined=True)
def kings(memory: Memory, at: np.uint64) -> np.uint64:
    result: np.uint64 = memory[at + ONES] & memory[at + TWOS] & ~memory[at + FOURS]
    return result


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def attackers(memory: Memory, at: np.uint64, cell: np.uint64, occupied: np.uint64) -> np.uint64:
    """All pieces of both sides that attack a cell; those that are not in `occupied` let others through."""
    mine, theirs, side = memory[at + MINE], memory[at + THEIRS], memory[at + SIDE]
    ours = memory[PAWN_TO + (side ^ ONE) * CELLS + cell] & mine
    found: np.uint64 = (ours | memory[PAWN_TO + side * CELLS + cell] & theirs) & pawns(memory, at)
    found |= memory[KNIGHT_TO + cell] & knights(memory, at) | memory[KING_TO + cell] & kings(memory, at)
    found |= straight(memory, cell, occupied) & memory[at + TWOS] & memory[at + FOURS]
    found |= slanted(memory, cell, occupied) & memory[at + ONES] & memory[at + FOURS]
    return found & occupied


@compiled("boolean(uint64[::1], uint64, uint64, uint64)")
def is_attacked(memory: Memory, at: np.uint64, cell: np.uint64, occupied: np.uint64) -> bool:
    """Whether an enemy piece in `occupied` attacks a cell."""
    theirs = memory[at + THEIRS] & occupied
    if memory[PAWN_TO + memory[at + SIDE] * CELLS + cell] & theirs & pawns(memory, at) != ZERO:
        return True
    if memory[KNIGHT_TO + cell] & theirs & knights(memory, at) != ZERO:
        return True
    if memory[KING_TO + cell] & theirs & kings(memory, at) != ZERO:
        return True
    sliders = theirs & memory[at + FOURS]
    if straight(memory, cell, occupied) & sliders & memory[at + TWOS] != ZERO:
        return True
    return bool(slanted(memory, cell, occupied) & sliders & memory[at + ONES] != ZERO)


@compiled("void(uint64[::1], uint64)")
def look(memory: Memory, at: np.uint64) -> None:
    """Finds who gives check and who is pinned."""
    mine, theirs = memory[at + MINE], memory[at + THEIRS]
    king = lowest_bit(mine & kings(memory, at))
    checkers = memory[PAWN_TO + memory[at + SIDE] * CELLS + king] & theirs & pawns(memory, at)
    checkers |= memory[KNIGHT_TO + king] & theirs & knights(memory, at)
    sliders = theirs & memory[at + FOURS]
    aiming = straight(memory, king, theirs) & sliders & memory[at + TWOS]
    aiming |= slanted(memory, king, theirs) & sliders & memory[at + ONES]
    pinned = ZERO
    while aiming:
        cell = lowest_bit(aiming)
        aiming &= aiming - ONE
        shield = memory[BETWEEN + king * CELLS + cell] & mine
        if shield == ZERO:
            checkers |= ONE << cell
        elif bit_count(shield) == ONE:
            pinned |= shield
    memory[at + CHECKERS], memory[at + PINNED] = checkers, pinned
