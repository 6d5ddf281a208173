"""Legal moves as codes: arrival | origin << 6 | promotion << 12. Code 0 is no move.

The king castles by going to the cell of his own rook. A promotion is 1 to 4, the queen first; CLAIM claims a draw.
"""

from __future__ import annotations

from agents.kernels.compilation import bit_count, compiled, lowest_bit
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import MOVES, STRIDE, Memory, Word
from games.chess.kernel import memory as w
from games.chess.kernel.attacks import ALL, CELLS, is_attacked, kind_at, king_of, of_kind, reach
from games.chess.kernel.exchange import gain, value_of

ZERO, ONE, TWO, FIVE, SIX, TWELVE, ORDER, CELL, JOURNEY = map(Word, (0, 1, 2, 5, 6, 12, 32, 63, 4095))
CLAIM = Word(5 << 12)
AHEAD = Word(8)
"""Difference of cells between rows."""
ENDS = Word(0xFF000000000000FF)
"""The first and the last row, where pawns become pieces."""
RISEN = (Word(0x0000FF0000000000), Word(0x0000000000FF0000))
"""By side: the row that a pawn reaches by its first single step."""
TAKING, QUIETLY = Word(2**24), Word(2**16)
"""Order of captures that lose nothing, and of quiet moves; captures that lose come below."""
PROMOTED = (Word(0), w.QUEEN, w.ROOK, w.BISHOP, w.KNIGHT)
"""Kind by promotion."""


@compiled("uint64(uint64, uint64, uint64)", inlined=True)
def forth(cells: Word, side: Word, by: Word) -> Word:
    """A set of cells moved forward as a side sees it, by eight a row."""
    return cells >> by if side == ZERO else cells << by


@compiled("uint64(uint64, uint64)", inlined=True)
def passed(side: Word, entry: Word) -> Word:
    """The cell of the pawn that a side takes in passing when it arrives on `entry`."""
    return entry + AHEAD if side == ZERO else entry - AHEAD


@compiled("boolean(uint64[::1], uint64, uint64, uint64)")
def may_pass(memory: Memory, at: Word, origin: Word, entry: Word) -> bool:
    """Whether taking in passing leaves the king out of check: two pawns leave their cells at once."""
    taken = ONE << passed(memory[at + w.SIDE], entry)
    occupied = (memory[at + w.MINE] | memory[at + w.THEIRS] | ONE << entry) & ~(ONE << origin | taken)
    return not is_attacked(memory, at, king_of(memory, at, w.MINE), occupied)


@compiled("boolean(uint64[::1], uint64, uint64)")
def may_enter(memory: Memory, at: Word, entry: Word) -> bool:
    """Whether the side to move can take in passing on that cell."""
    beside = memory[w.PAWN_TO + (memory[at + w.SIDE] ^ ONE) * CELLS + entry]
    for origin in each_bit(beside & memory[at + w.MINE] & of_kind(memory, at, w.PAWN)):
        if may_pass(memory, at, origin, entry):
            return True
    return False


@compiled("uint64(uint64[::1], uint64, uint64)")
def pawn_steps(memory: Memory, at: Word, origin: Word) -> Word:
    """Where a pawn can go but in passing, whatever becomes of its king."""
    side, theirs = memory[at + w.SIDE], memory[at + w.THEIRS]
    empty = ~(memory[at + w.MINE] | theirs)
    once = forth(ONE << origin, side, AHEAD) & empty
    twice = forth(once & RISEN[side], side, AHEAD) & empty
    return Word(memory[w.PAWN_TO + side * CELLS + origin] & theirs | once | twice)


@compiled("uint64(uint64[::1], uint64)")
def meeting(memory: Memory, at: Word) -> Word:
    """Where pieces other than the king may go because of checks: everywhere without one, nowhere with two."""
    checkers = memory[at + w.CHECKERS]
    if checkers == ZERO:
        return ALL
    if bit_count(checkers) > ONE:
        return ZERO
    king = king_of(memory, at, w.MINE)
    return Word(checkers | memory[w.BETWEEN + king * CELLS + lowest_bit(checkers)])


@compiled("uint64(uint64[::1], uint64, uint64, uint64)", inlined=True)
def allowed(memory: Memory, at: Word, origin: Word, king: Word) -> Word:
    """Where a piece may go because of pins."""
    pinned = memory[at + w.PINNED] >> origin & ONE != ZERO
    return Word(memory[w.THROUGH + king * CELLS + origin]) if pinned else ALL


@compiled("uint64(uint64[::1], uint64, uint64)")
def king_steps(memory: Memory, at: Word, king: Word) -> Word:
    """Where the king can go without castling."""
    mine = memory[at + w.MINE]
    bare = (mine | memory[at + w.THEIRS]) ^ ONE << king
    found = ZERO
    for cell in each_bit(memory[w.KING_TO + king] & ~mine):
        if not is_attacked(memory, at, cell, bare):
            found |= ONE << cell
    return found


@compiled("boolean(uint64[::1], uint64, uint64, uint64)")
def may_castle(memory: Memory, at: Word, king: Word, rook: Word) -> bool:
    """Whether a king that is not in check may castle with a rook: in Chess960 both may begin anywhere on their row."""
    row, occupied = king & Word(56), memory[at + w.MINE] | memory[at + w.THEIRS]
    to, beside = (row + Word(6), row + Word(5)) if rook > king else (row + Word(2), row + Word(3))
    bare = occupied & ~(ONE << king | ONE << rook)
    way = memory[w.BETWEEN + king * CELLS + to] if king != to else ZERO
    rooks_way = memory[w.BETWEEN + rook * CELLS + beside] | ONE << beside
    if (way | ONE << to | rooks_way) & bare != ZERO:
        return False
    for cell in each_bit(way):
        if is_attacked(memory, at, cell, bare):
            return False
    return not is_attacked(memory, at, to, bare | ONE << beside)


@compiled("uint64(uint64[::1], uint64, uint64)")
def castling(memory: Memory, at: Word, king: Word) -> Word:
    """The rooks with which the king may castle."""
    found = ZERO
    if memory[at + w.CHECKERS] == ZERO:
        for rook in each_bit(memory[at + w.ROOKS] & memory[at + w.MINE]):
            if may_castle(memory, at, king, rook):
                found |= ONE << rook
    return found


@compiled("boolean(uint64[::1], uint64)")
def can_move(memory: Memory, at: Word) -> bool:
    """Whether the side to move has a legal move."""
    mine, meets = memory[at + w.MINE], meeting(memory, at)
    occupied = mine | memory[at + w.THEIRS]
    king = king_of(memory, at, w.MINE)
    for origin in each_bit(mine ^ ONE << king if meets else ZERO):
        kind = kind_at(memory, at, origin)
        found = pawn_steps(memory, at, origin) if kind == w.PAWN else reach(memory, kind, origin, occupied)
        if found & ~mine & meets & allowed(memory, at, origin, king) != ZERO:
            return True
    if king_steps(memory, at, king) != ZERO or memory[at + w.ENTRY] != w.NOWHERE:
        return True
    return bool(castling(memory, at, king) != ZERO)


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, uint64)")
def put(memory: Memory, at: Word, slot: Word, origin: Word, kind: Word, targets: Word) -> Word:
    """Writes moves of a piece, none a promotion, with their initial order, from a slot on; returns the next slot."""
    theirs, history = memory[at + w.THEIRS], w.QUIET_HISTORY + (memory[at + w.SIDE] << TWELVE)
    for to in each_bit(targets):
        code = to | origin << SIX
        order = QUIETLY + memory[history + code]
        if theirs >> to & ONE != ZERO:
            victim = kind_at(memory, at, to)
            order = victim << SIX | (Word(7) - kind)
            if value_of(victim) >= value_of(kind) or gain(memory, at, origin, to) >= 0:
                order += TAKING
        memory[slot] = order << ORDER | code
        slot += ONE
    return slot


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, boolean)")
def put_promotions(memory: Memory, at: Word, slot: Word, origin: Word, targets: Word, queens_only: bool) -> Word:
    for to in each_bit(targets):
        taken, code = kind_at(memory, at, to), to | origin << SIX | ONE << TWELVE
        memory[slot] = (TAKING + (taken + w.QUEEN << SIX)) << ORDER | code
        slot += ONE
        for promotion in span(TWO, TWO if queens_only else FIVE):
            memory[slot] = taken << ORDER | code & JOURNEY | promotion << TWELVE
            slot += ONE
    return slot


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, boolean)")
def put_pawns(memory: Memory, at: Word, slot: Word, king: Word, meets: Word, captures_only: bool) -> Word:
    """Writes the moves of all pawns; of quiet ones only promotions to queens, if `captures_only`."""
    side, entry = memory[at + w.SIDE], memory[at + w.ENTRY]
    wanted = meets & (memory[at + w.THEIRS] | ENDS) if captures_only else meets
    for origin in each_bit(memory[at + w.MINE] & of_kind(memory, at, w.PAWN)):
        targets = pawn_steps(memory, at, origin) & wanted & allowed(memory, at, origin, king)
        if targets & ENDS != ZERO:
            slot = put_promotions(memory, at, slot, origin, targets, captures_only)
        else:
            slot = put(memory, at, slot, origin, w.PAWN, targets)
        beside = entry != w.NOWHERE and memory[w.PAWN_TO + side * CELLS + origin] >> entry & ONE != ZERO
        if beside and may_pass(memory, at, origin, entry):
            memory[slot] = (TAKING + (w.PAWN << SIX)) << ORDER | entry | origin << SIX
            slot += ONE
    return slot


@compiled("uint64(uint64[::1], uint64, uint64, boolean)")
def put_all(memory: Memory, at: Word, ply: Word, captures_only: bool) -> Word:
    """Writes the legal moves of the position in `at` to the ply's slots; returns how many. Claims are left out."""
    mine, theirs, meets = memory[at + w.MINE], memory[at + w.THEIRS], meeting(memory, at)
    king = king_of(memory, at, w.MINE)
    start = slot = MOVES + ply * STRIDE
    wanted = theirs if captures_only else ALL
    if meets != ZERO:
        slot = put_pawns(memory, at, slot, king, meets, captures_only)
        for origin in each_bit(mine & (memory[at + w.FOURS] | of_kind(memory, at, w.KNIGHT))):
            kind = kind_at(memory, at, origin)
            targets = reach(memory, kind, origin, mine | theirs) & ~mine & meets & wanted
            slot = put(memory, at, slot, origin, kind, targets & allowed(memory, at, origin, king))
    slot = put(memory, at, slot, king, w.KING, king_steps(memory, at, king) & wanted)
    if not captures_only:
        slot = put(memory, at, slot, king, w.KING, castling(memory, at, king))
    return slot - start
