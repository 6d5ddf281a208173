"""Writes positions: the root's, and the next ply's after a move or a pass."""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled
from games.chess.kernel.attacks import CELLS, EIGHT, FOUR, ONE, TWO, ZERO, kind_at, look
from games.chess.kernel.memory import (
    CLAIMED,
    ENTRY,
    ENTRY_HASHES,
    FIRST_KEY,
    FOURS,
    HASHES,
    KEY,
    KING,
    LAST,
    MINE,
    NOWHERE,
    ONES,
    PAWN,
    PLACED,
    PLY_WORDS,
    POSITIONS,
    QUIET,
    ROOK,
    ROOK_HASHES,
    ROOKS,
    ROOT_KEY,
    SIDE,
    SIDE_HASH,
    THEIRS,
    TWOS,
    WORTHS,
    Memory,
)
from games.chess.kernel.moves import AHEAD, CELL, CLAIM, PROMOTED, SIX, TWELVE, may_enter, passed

U = np.uint64
HOME = U(56)


@compiled("uint64(uint64)", inlined=True)
def place_of(ply: np.uint64) -> np.uint64:
    """Where the words of a ply's position begin."""
    return POSITIONS + ply * PLY_WORDS


@compiled("void(uint64[::1], uint64, uint64, uint64, uint64)", inlined=True)
def turn(memory: Memory, at: np.uint64, side: np.uint64, kind: np.uint64, cell: np.uint64) -> None:
    """Puts a side's piece on a cell of a position, or takes it away; MINE and THEIRS are left to the caller."""
    bit = ONE << cell
    memory[at + ONES] ^= bit if kind & ONE != ZERO else ZERO
    memory[at + TWOS] ^= bit if kind & TWO != ZERO else ZERO
    memory[at + FOURS] ^= bit if kind & FOUR != ZERO else ZERO
    memory[at + KEY] ^= memory[HASHES + ((side * EIGHT + kind) * CELLS + cell)]


@compiled("uint64(uint64[::1], uint64, uint64, uint64)", inlined=True)
def worth(memory: Memory, side: np.uint64, kind: np.uint64, cell: np.uint64) -> np.uint64:
    """White's worth of a piece on a cell, as PLACED adds them."""
    result: np.uint64 = memory[WORTHS + ((side * EIGHT + kind) * CELLS + cell)]
    return result


@compiled("void(uint64[::1], uint64, uint64)")
def enter(memory: Memory, at: np.uint64, entry: np.uint64) -> None:
    """Finds checks and pins in a position just written; `entry` is where a pawn has passed, or NOWHERE."""
    look(memory, at)
    if entry != NOWHERE and not may_enter(memory, at, entry):
        entry = NOWHERE
    memory[at + ENTRY] = entry
    memory[at + KEY] ^= memory[ENTRY_HASHES + entry]


@compiled("uint64(uint64[::1], uint64)")
def rooks_hash(memory: Memory, rooks: np.uint64) -> np.uint64:
    found, left = ZERO, rooks
    while left:
        found ^= memory[ROOK_HASHES + bit_count((left & (ZERO - left)) - ONE)]
        left &= left - ONE
    return found


@compiled("void(uint64[::1], uint64)")
def start(memory: Memory, at: np.uint64) -> None:
    """Completes a position of which only the pieces, the side, the rights and the counts are written."""
    side, cell = memory[at + SIDE], ZERO
    key = rooks_hash(memory, memory[at + ROOKS]) ^ memory[ENTRY_HASHES + memory[at + ENTRY]]
    placed = ZERO
    while cell < CELLS:
        kind = kind_at(memory, at, cell)
        if kind != ZERO:
            owner = side ^ (memory[at + THEIRS] >> cell & ONE)
            key ^= memory[HASHES + ((owner * EIGHT + kind) * CELLS + cell)]
            placed += worth(memory, owner, kind, cell)
        cell += ONE
    memory[at + KEY] = key ^ memory[SIDE_HASH] if side != ZERO else key
    memory[at + PLACED] = placed
    look(memory, at)


@compiled("void(uint64[::1], uint64, uint64)", inlined=True)
def hand_over(memory: Memory, at: np.uint64, after: np.uint64) -> None:
    """Copies a position for the other side to move."""
    memory[after + MINE], memory[after + THEIRS] = memory[at + THEIRS], memory[at + MINE]
    memory[after + ONES], memory[after + TWOS] = memory[at + ONES], memory[at + TWOS]
    memory[after + FOURS], memory[after + ROOKS] = memory[at + FOURS], memory[at + ROOKS]
    memory[after + SIDE], memory[after + PLACED] = memory[at + SIDE] ^ ONE, memory[at + PLACED]
    memory[after + KEY] = memory[at + KEY] ^ memory[SIDE_HASH] ^ memory[ENTRY_HASHES + memory[at + ENTRY]]
    memory[after + QUIET], memory[after + FIRST_KEY] = memory[at + QUIET] + ONE, memory[at + FIRST_KEY]


@compiled("void(uint64[::1], uint64)")
def make_pass(memory: Memory, ply: np.uint64) -> None:
    """Writes the position after a pass, which is only made where there is no check."""
    at, after = place_of(ply), place_of(ply + ONE)
    hand_over(memory, at, after)
    memory[after + LAST] = NOWHERE
    enter(memory, after, NOWHERE)


@compiled("void(uint64[::1], uint64, uint64, uint64, uint64)")
def castle(memory: Memory, after: np.uint64, side: np.uint64, king: np.uint64, rook: np.uint64) -> None:
    row = king & HOME
    to, beside = (row + U(6), row + U(5)) if rook > king else (row + U(2), row + U(3))
    turn(memory, after, side, KING, king)
    turn(memory, after, side, ROOK, rook)
    turn(memory, after, side, KING, to)
    turn(memory, after, side, ROOK, beside)
    memory[after + THEIRS] = memory[after + THEIRS] & ~(ONE << king | ONE << rook) | ONE << to | ONE << beside
    placed = worth(memory, side, KING, to) + worth(memory, side, ROOK, beside)
    memory[after + PLACED] += placed - worth(memory, side, KING, king) - worth(memory, side, ROOK, rook)


@compiled("boolean(uint64[::1], uint64, uint64)")
def make_move(memory: Memory, ply: np.uint64, code: np.uint64) -> bool:
    """Writes the position after a move to the next ply; whether nothing was taken and no pawn changed its kind."""
    at, after = place_of(ply), place_of(ply + ONE)
    hand_over(memory, at, after)
    if code == CLAIM:
        memory[after + LAST], memory[after + ENTRY] = NOWHERE, CLAIMED
        return True
    side, to, origin, promotion = memory[at + SIDE], code & CELL, code >> SIX & CELL, code >> TWELVE
    kind, arrival, entry, quiet = kind_at(memory, at, origin), ONE << to, NOWHERE, True
    memory[after + LAST] = to
    lost = memory[at + ROOKS] & (ONE << origin | arrival)
    if kind == KING:
        lost = memory[at + ROOKS] & (memory[at + MINE] | arrival)
    if lost != ZERO:
        memory[after + ROOKS] ^= lost
        memory[after + KEY] ^= rooks_hash(memory, lost)
        memory[after + FIRST_KEY] = memory[ROOT_KEY] + ply + ONE
    if memory[at + MINE] & arrival != ZERO:
        castle(memory, after, side, origin, to)
        enter(memory, after, NOWHERE)
        return True
    taken = to
    if kind == PAWN and to == memory[at + ENTRY]:
        taken = passed(side, to)
    victim = kind_at(memory, at, taken)
    if victim != ZERO:
        turn(memory, after, side ^ ONE, victim, taken)
        memory[after + MINE] ^= ONE << taken
        memory[after + PLACED] -= worth(memory, side ^ ONE, victim, taken)
        quiet = False
    becomes = PROMOTED[promotion] if promotion != ZERO else kind
    turn(memory, after, side, kind, origin)
    turn(memory, after, side, becomes, to)
    memory[after + THEIRS] ^= ONE << origin | arrival
    memory[after + PLACED] += worth(memory, side, becomes, to) - worth(memory, side, kind, origin)
    if kind == PAWN and (to == origin + AHEAD + AHEAD or to + AHEAD + AHEAD == origin):
        entry = passed(side, to)
    if kind == PAWN or not quiet:
        memory[after + QUIET], memory[after + FIRST_KEY] = ZERO, memory[ROOT_KEY] + ply + ONE
    enter(memory, after, entry)
    return quiet and promotion == ZERO
