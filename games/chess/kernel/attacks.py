"""Which cells pieces attack, and who gives check."""

from __future__ import annotations

from agents.kernels.compilation import bit_count, compiled, leading_zeros, lowest_bit
from agents.kernels.loops import each_bit
from agents.kernels.memory import Memory, Word
from games.chess.kernel import memory as w

ZERO, ONE, TWO, FOUR, SIX, EIGHT, HIGHEST, CELLS = map(Word, (0, 1, 2, 4, 6, 8, 63, 64))
ALL = Word(2**64 - 1)


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def along(memory: Memory, line: Word, occupied: Word) -> Word:
    """Cells that a slider reaches both ways along a line, up to the first piece: by one subtraction.

    With the highest piece before it at bit m and the lowest after it at bit n, 2 * 2**n - 2**m has the bits m to n.
    """
    before, after = memory[line], memory[line + ONE]
    nearest = occupied & after
    nearest &= ZERO - nearest
    reached = (ALL << (HIGHEST - leading_zeros(occupied & before | ONE))) + nearest + nearest
    return Word(reached & (before | after))


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def straight(memory: Memory, cell: Word, occupied: Word) -> Word:
    line = w.LINES + cell * EIGHT
    return along(memory, line, occupied) | along(memory, line + TWO, occupied)


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def slanted(memory: Memory, cell: Word, occupied: Word) -> Word:
    line = w.LINES + cell * EIGHT
    return along(memory, line + FOUR, occupied) | along(memory, line + SIX, occupied)


@compiled("uint64(uint64[::1], uint64, uint64, uint64)", inlined=True)
def reach(memory: Memory, kind: Word, cell: Word, occupied: Word) -> Word:
    """The cells that a piece other than a pawn or a king attacks."""
    if kind == w.KNIGHT:
        return Word(memory[w.KNIGHT_TO + cell])
    found = straight(memory, cell, occupied) if kind & TWO != ZERO else ZERO
    return found | slanted(memory, cell, occupied) if kind & ONE != ZERO else found


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def kind_at(memory: Memory, at: Word, cell: Word) -> Word:
    """The kind of the piece on a cell; 0 if it is empty."""
    kind = memory[at + w.ONES] >> cell & ONE | (memory[at + w.TWOS] >> cell & ONE) << ONE
    return Word(kind | (memory[at + w.FOURS] >> cell & ONE) << TWO)


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def of_kind(memory: Memory, at: Word, kind: Word) -> Word:
    """The pieces of a kind, of both sides."""
    found: Word = memory[at + w.ONES] if kind & ONE != ZERO else ~memory[at + w.ONES]
    found &= memory[at + w.TWOS] if kind & TWO != ZERO else ~memory[at + w.TWOS]
    found &= memory[at + w.FOURS] if kind & FOUR != ZERO else ~memory[at + w.FOURS]
    return found


@compiled("uint64(uint64[::1], uint64, uint64)", inlined=True)
def king_of(memory: Memory, at: Word, side: Word) -> Word:
    """The cell of a king: of MINE or of THEIRS, as `side` says."""
    return Word(lowest_bit(memory[at + side] & of_kind(memory, at, w.KING)))


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def attackers(memory: Memory, at: Word, cell: Word, occupied: Word) -> Word:
    """All pieces of both sides that attack a cell; those that are not in `occupied` let others through."""
    mine, theirs, side = memory[at + w.MINE], memory[at + w.THEIRS], memory[at + w.SIDE]
    ours = memory[w.PAWN_TO + (side ^ ONE) * CELLS + cell] & mine
    found: Word = (ours | memory[w.PAWN_TO + side * CELLS + cell] & theirs) & of_kind(memory, at, w.PAWN)
    found |= memory[w.KNIGHT_TO + cell] & of_kind(memory, at, w.KNIGHT)
    found |= memory[w.KING_TO + cell] & of_kind(memory, at, w.KING)
    found |= straight(memory, cell, occupied) & memory[at + w.TWOS] & memory[at + w.FOURS]
    found |= slanted(memory, cell, occupied) & memory[at + w.ONES] & memory[at + w.FOURS]
    return found & occupied


@compiled("boolean(uint64[::1], uint64, uint64, uint64)")
def is_attacked(memory: Memory, at: Word, cell: Word, occupied: Word) -> bool:
    """Whether an enemy piece in `occupied` attacks a cell."""
    return bool(attackers(memory, at, cell, occupied) & memory[at + w.THEIRS] != ZERO)


@compiled("void(uint64[::1], uint64)")
def look(memory: Memory, at: Word) -> None:
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
