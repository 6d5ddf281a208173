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


@compiled("uint64(uint64[::1], uint64, uint64, uint64)", inlined=True)
def reach(memory: Memory, kind: np.uint64, cell: np.uint64, occupied: np.uint64) -> np.uint64:
    """The cells that a piece other than a pawn or a king attacks."""
    if kind == w.KNIGHT:
        return memory[w.KNIGHT_TO + cell]  # type: ignore[no-any-return]
    found = ZERO
    if kind & TWO != ZERO:
        found |= straight(memory, cell, occupied)
    if kind & ONE != ZERO:
        found |= slanted(memory, cell, occupied)
    return found


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def kind_at(memory: Memory, at: np.uint64, cell: np.uint64) -> np.uint64:
    """The kind of the piece on a cell; 0 if it is empty."""
    kind: np.uint64 = memory[at + w.ONES] >> cell & ONE
    kind |= (memory[at + w.TWOS] >> cell & ONE) << ONE
    result: np.uint64 = kind | (memory[at + w.FOURS] >> cell & ONE) << TWO
    return result


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def of_kind(memory: Memory, at: np.uint64, kind: np.uint64) -> np.uint64:
    """The pieces of a kind, of both sides."""
    found: np.uint64 = memory[at + w.ONES] if kind & ONE != ZERO else ~memory[at + w.ONES]
    found &= memory[at + w.TWOS] if kind & TWO != ZERO else ~memory[at + w.TWOS]
    found &= memory[at + w.FOURS] if kind & FOUR != ZERO else ~memory[at + w.FOURS]
    return found


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def king_of(memory: Memory, at: np.uint64, side: np.uint64) -> np.uint64:
    """The cell of a king: of MINE or of THEIRS, as `side` says."""
    return lowest_bit(memory[at + side] & of_kind(memory, at, w.KING))  # type: ignore[no-any-return]


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def attackers(memory: Memory, at: np.uint64, cell: np.uint64, occupied: np.uint64) -> np.uint64:
    """All pieces of both sides that attack a cell; those that are not in `occupied` let others through."""
    mine, theirs, side = memory[at + w.MINE], memory[at + w.THEIRS], memory[at + w.SIDE]
    ours = memory[w.PAWN_TO + (side ^ ONE) * CELLS + cell] & mine
    found: np.uint64 = (ours | memory[w.PAWN_TO + side * CELLS + cell] & theirs) & of_kind(memory, at, w.PAWN)
    found |= memory[w.KNIGHT_TO + cell] & of_kind(memory, at, w.KNIGHT) | memory[w.KING_TO + cell] & of_kind(
        memory, at, w.KING
    )
    found |= straight(memory, cell, occupied) & memory[at + w.TWOS] & memory[at + w.FOURS]
    found |= slanted(memory, cell, occupied) & memory[at + w.ONES] & memory[at + w.FOURS]
    return found & occupied


@compiled("boolean(uint64[::1], uint64, uint64, uint64)")
def is_attacked(memory: Memory, at: np.uint64, cell: np.uint64, occupied: np.uint64) -> bool:
    """Whether an enemy piece in `occupied` attacks a cell."""
    return bool(attackers(memory, at, cell, occupied) & memory[at + w.THEIRS] != ZERO)


@compiled("void(uint64[::1], uint64)")
def look(memory: Memory, at: np.uint64) -> None:
    """Finds who gives check and who is pinned."""
    mine, theirs = memory[at + w.MINE], memory[at + w.THEIRS]
    king = king_of(memory, at, w.MINE)
    checkers = memory[w.PAWN_TO + memory[at + w.SIDE] * CELLS + king] & theirs & of_kind(memory, at, w.PAWN)
    checkers |= memory[w.KNIGHT_TO + king] & theirs & of_kind(memory, at, w.KNIGHT)
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
