"""Writes positions: the root's, and the next ply's after a move or a pass."""

from __future__ import annotations

from agents.kernels.compilation import compiled
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import FIRST_KEY, KEY, ROOT_KEY, Memory, Word
from agents.kernels.past import place_of
from games.chess.kernel import memory as w
from games.chess.kernel.attacks import CELLS, EIGHT, ONE, ZERO, kind_at, look
from games.chess.kernel.moves import AHEAD, CELL, CLAIM, PROMOTED, SIX, TWELVE, may_enter, passed

HOME = Word(56)
AWAY = Word(2**64 - 1)
"""-1, to subtract what a piece adds."""


@compiled("void(uint64[::1], uint64, uint64, uint64, uint64, uint64)", inlined=True)
def turn(memory: Memory, at: Word, side: Word, kind: Word, cell: Word, more: Word) -> None:
    """Puts a side's piece on a cell of a position, or takes it away: `more` is 1 or AWAY."""
    for part in span(ZERO, Word(3)):
        memory[at + w.ONES + part] ^= (kind >> part & ONE) << cell
    memory[at + w.MINE + (side ^ memory[at + w.SIDE])] ^= ONE << cell
    piece = (side * EIGHT + kind) * CELLS + cell
    memory[at + KEY] ^= memory[w.HASHES + piece]
    memory[at + w.PLACED] += more * memory[w.WORTHS + piece]


@compiled("void(uint64[::1], uint64, uint64)")
def enter(memory: Memory, at: Word, entry: Word) -> None:
    """Finds checks and pins in a position just written; `entry` is where a pawn has passed, or NOWHERE."""
    look(memory, at)
    if entry != w.NOWHERE and not may_enter(memory, at, entry):
        entry = w.NOWHERE
    memory[at + w.ENTRY] = entry
    memory[at + KEY] ^= memory[w.ENTRY_HASHES + entry]


@compiled("uint64(uint64[::1], uint64)")
def rooks_hash(memory: Memory, rooks: Word) -> Word:
    found = ZERO
    for rook in each_bit(rooks):
        found ^= memory[w.ROOK_HASHES + rook]
    return found


@compiled("void(uint64[::1], uint64)")
def start(memory: Memory, at: Word) -> None:
    """Completes a position of which only the pieces, the side, the rights and the counts are written."""
    key = rooks_hash(memory, memory[at + w.ROOKS]) ^ memory[w.ENTRY_HASHES + memory[at + w.ENTRY]]
    memory[at + KEY] ^= key ^ memory[w.SIDE_HASH] * memory[at + w.SIDE]
    look(memory, at)


@compiled("void(uint64[::1], uint64, uint64)", inlined=True)
def hand_over(memory: Memory, at: Word, after: Word) -> None:
    """Copies a position for the other side to move."""
    memory[after + w.MINE], memory[after + w.THEIRS] = memory[at + w.THEIRS], memory[at + w.MINE]
    memory[after + w.ONES], memory[after + w.TWOS] = memory[at + w.ONES], memory[at + w.TWOS]
    memory[after + w.FOURS], memory[after + w.ROOKS] = memory[at + w.FOURS], memory[at + w.ROOKS]
    memory[after + w.SIDE], memory[after + w.PLACED] = memory[at + w.SIDE] ^ ONE, memory[at + w.PLACED]
    memory[after + KEY] = memory[at + KEY] ^ memory[w.SIDE_HASH] ^ memory[w.ENTRY_HASHES + memory[at + w.ENTRY]]
    memory[after + w.QUIET], memory[after + FIRST_KEY] = memory[at + w.QUIET] + ONE, memory[at + FIRST_KEY]


@compiled("void(uint64[::1], uint64)")
def make_pass(memory: Memory, ply: Word) -> None:
    """Writes the position after a pass, which is only made where there is no check."""
    at, after = place_of(ply), place_of(ply + ONE)
    hand_over(memory, at, after)
    memory[after + w.LAST] = w.NOWHERE
    enter(memory, after, w.NOWHERE)


@compiled("void(uint64[::1], uint64, uint64, uint64, uint64)")
def castle(memory: Memory, after: Word, side: Word, king: Word, rook: Word) -> None:
    row = king & HOME
    to, beside = (row + Word(6), row + Word(5)) if rook > king else (row + Word(2), row + Word(3))
    turn(memory, after, side, w.KING, king, AWAY)
    turn(memory, after, side, w.ROOK, rook, AWAY)
    turn(memory, after, side, w.KING, to, ONE)
    turn(memory, after, side, w.ROOK, beside, ONE)


@compiled("boolean(uint64[::1], uint64, uint64)")
def make_move(memory: Memory, ply: Word, code: Word) -> bool:
    """Writes the position after a move to the next ply; whether nothing was taken and no pawn changed its kind."""
    at, after = place_of(ply), place_of(ply + ONE)
    hand_over(memory, at, after)
    if code == CLAIM:
        memory[after + w.LAST], memory[after + w.ENTRY] = w.NOWHERE, w.CLAIMED
        return True
    side, to, origin, promotion = memory[at + w.SIDE], code & CELL, code >> SIX & CELL, code >> TWELVE
    kind, arrival, entry, quiet = kind_at(memory, at, origin), ONE << to, w.NOWHERE, True
    memory[after + w.LAST] = to
    lost = memory[at + w.ROOKS] & (ONE << origin | arrival)
    if kind == w.KING:
        lost = memory[at + w.ROOKS] & (memory[at + w.MINE] | arrival)
    if lost != ZERO:
        memory[after + w.ROOKS] ^= lost
        memory[after + KEY] ^= rooks_hash(memory, lost)
        memory[after + FIRST_KEY] = memory[ROOT_KEY] + ply + ONE
    if memory[at + w.MINE] & arrival != ZERO:
        castle(memory, after, side, origin, to)
        enter(memory, after, w.NOWHERE)
        return True
    taken = to
    if kind == w.PAWN and to == memory[at + w.ENTRY]:
        taken = passed(side, to)
    victim = kind_at(memory, at, taken)
    if victim != ZERO:
        turn(memory, after, side ^ ONE, victim, taken, AWAY)
        quiet = False
    turn(memory, after, side, kind, origin, AWAY)
    turn(memory, after, side, PROMOTED[promotion] if promotion != ZERO else kind, to, ONE)
    if kind == w.PAWN and (to == origin + AHEAD + AHEAD or to + AHEAD + AHEAD == origin):
        entry = passed(side, to)
    if kind == w.PAWN or not quiet:
        memory[after + w.QUIET], memory[after + FIRST_KEY] = ZERO, memory[ROOT_KEY] + ply + ONE
    enter(memory, after, entry)
    return quiet and promotion == ZERO
