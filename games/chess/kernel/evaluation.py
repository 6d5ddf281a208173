"""Static evaluation: features counted here, times the weights in the memory.

A weight is two numbers in one, for the middlegame and the endgame (`weights.packed`); so sums add both at once. How
much of each counts depends on the pieces left. White's worth of all pieces where they stand comes with the position.
"""

from __future__ import annotations

from agents.kernels.compilation import bit_count, compiled, leading_zeros, lowest_bit, number, signed
from agents.kernels.loops import each_bit, span
from agents.kernels.memory import Memory, Word
from games.chess.kernel import memory as w
from games.chess.kernel.attacks import EIGHT, FOUR, ONE, TWO, ZERO, kind_at, king_of, of_kind, reach
from games.chess.kernel.exchange import value_of, won_at
from games.chess.kernel.moves import forth

OWN, NAMED, EXCHANGES = map(Word, (0, 1, 2))
"""What JUDGE may be: the engine's own evaluation, a heuristic by pieces and places, the same with exchanges."""
MOBILITY = w.WEIGHTS
"""Cells that a piece attacks, without own pawns and king, nor what enemy pawns attack: MOST_MOVES words a kind."""
MOST_MOVES = 32
PASSED = w.WEIGHTS + Word(4 * MOST_MOVES)
"""By row, from 0 on the pawn's own first: a pawn that no enemy pawn can stop or take."""
FREE = PASSED + Word(8)
"""By row: a passed pawn with nothing in its way."""
KING_NEAR, ENEMY_NEAR = FREE + Word(8), FREE + Word(16)
"""By distance: the king from the cell in front of a passed pawn; the enemy's king."""
ISOLATED, DOUBLED, SUPPORTED, BACKWARD = (ENEMY_NEAR + Word(place) for place in (8, 9, 10, 11))
"""A pawn without own ones on the columns beside; with one in front; protected by one; with none beside or behind that
could protect it, and an enemy pawn attacking the cell in front."""
PAIR = BACKWARD + ONE
"""Two bishops or more."""
OPEN, HALF_OPEN = PAIR + ONE, PAIR + TWO
"""A rook on a column without pawns; without own pawns."""
OUTPOST = PAIR + Word(3)
"""A knight, and then a bishop, protected by a pawn where no enemy pawn can come to attack it."""
SHELTER, STORM = OUTPOST + TWO, OUTPOST + Word(10)
"""By rows between, 7 for none: the nearest own and enemy pawn in front of the king, on his column and beside it."""
HITS, HITTERS = STORM + EIGHT, STORM + Word(24)
"""By number: cells around the enemy's king attacked by pieces, counted for each; pieces that attack some."""
THREATS = HITTERS + EIGHT
"""A minor piece, a rook, a queen attacked by a pawn; a rook by a minor piece; a queen by a lesser piece."""
HANGING = THREATS + Word(5)
"""A piece other than a pawn that is attacked and not protected."""
TEMPO = HANGING + ONE
KINGS_EARLY, KINGS_LATE, PIECES_LATE = TEMPO + ONE, TEMPO + TWO, TEMPO + Word(3)
"""Of named heuristics: worth of a step of the king towards the middle; with that worth of enemy pieces or less."""
WHOLE = 24
"""Weight of all pieces at the start: knights and bishops 1, rooks 2, queens 4."""
LEFT, RIGHT = Word(0x0101010101010101), Word(0x8080808080808080)
THREE = Word(3)
NEAR_ENEMY = (Word(0x000000FFFFFF0000), Word(0x0000FFFFFF000000))
"""By side: the rows where an outpost counts."""
SEEN = w.JUDGE + Word(1)
"""4 words per side: what its pawns attack, its knights and bishops, its rooks, and all together."""
MANY_HITS, MANY_HITTERS = Word(15), Word(7)
FEW = 8
"""What an advantage is divided by that is too small to win without pawns."""
CHASE = 20
"""Hundredths of a pawn for a step of a lone king: more than all else that changes there, and less than a pawn."""
MINOR = 350
"""Hundredths of a pawn: more than a minor piece, less than a rook."""


@compiled("uint64(uint64)", inlined=True)
def beside(cells: Word) -> Word:
    """The cells left and right of some."""
    return (cells & ~LEFT) >> ONE | (cells & ~RIGHT) << ONE


@compiled("uint64(uint64, uint64)", inlined=True)
def pawn_attacks(men: Word, side: Word) -> Word:
    return forth(beside(men), side, EIGHT)


@compiled("uint64(uint64, uint64)", inlined=True)
def in_front(cells: Word, side: Word) -> Word:
    """All cells in front of some, on their columns."""
    cells = forth(cells, side, EIGHT)
    cells |= forth(cells, side, EIGHT)
    cells |= forth(cells, side, Word(16))
    return cells | forth(cells, side, Word(32))


@compiled("uint64(uint64, uint64)", inlined=True)
def row_of(cell: Word, side: Word) -> Word:
    """The row of a cell as a side counts them, from 0 where its pieces begin."""
    row = cell // EIGHT
    return Word(7) - row if side == ZERO else row


@compiled("uint64(uint64, uint64)")
def distance(one: Word, other: Word) -> Word:
    """Steps of a king from a cell to another."""
    columns = abs(signed(one & Word(7)) - signed(other & Word(7)))
    rows = abs(signed(one // EIGHT) - signed(other // EIGHT))
    return Word(max(columns, rows))


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64)")
def of_pawns(
    memory: Memory, men: Word, enemies: Word, occupied: Word, side: Word, king: Word, enemy_king: Word
) -> Word:
    """Value of a side's pawns beyond their worth."""
    other = side ^ ONE
    stopped = in_front(enemies, other) | in_front(pawn_attacks(enemies, other), other) | pawn_attacks(enemies, other)
    columns = men | in_front(men, ZERO) | in_front(men, ONE)
    own_attacks = pawn_attacks(men, side)
    value = memory[SUPPORTED] * bit_count(men & own_attacks)
    value += memory[DOUBLED] * bit_count(men & in_front(men, other))
    isolated = men & ~beside(columns)
    value += memory[ISOLATED] * bit_count(isolated)
    reach = in_front(own_attacks, side) | own_attacks
    unsafe = pawn_attacks(enemies, other) & ~reach
    held = men & ~isolated & forth(unsafe, other, EIGHT)
    value += memory[BACKWARD] * bit_count(held)
    passers = men & ~stopped & ~in_front(men, other)
    for cell in each_bit(passers):
        row = row_of(cell, side)
        value += memory[PASSED + row]
        if in_front(ONE << cell, side) & occupied == ZERO:
            value += memory[FREE + row]
        stop = cell - EIGHT if side == ZERO else cell + EIGHT
        value += memory[KING_NEAR + distance(king, stop)] + memory[ENEMY_NEAR + distance(enemy_king, stop)]
    return Word(value)


@compiled("uint64(uint64, uint64, uint64)", inlined=True)
def rows_to(pieces: Word, side: Word, row: Word) -> Word:
    """Rows between a row and the nearest of some pieces in front of it; 7 if there is none."""
    if pieces == ZERO:
        return Word(7)
    nearest = lowest_bit(pieces) if side == ONE else Word(63) - leading_zeros(pieces)
    return row_of(nearest, side) - row - ONE


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def of_shelter(memory: Memory, men: Word, enemies: Word, side: Word, king: Word) -> Word:
    """Value of the pawns in front of a king, on three columns."""
    column, value = king & Word(7), ZERO
    first = column - ONE if column > ZERO else column
    last = column + ONE if column < Word(7) else column
    row = row_of(king, side)
    for near in span(first, last + ONE):
        way = in_front(ONE << (king - column + near), side)
        value += memory[SHELTER + rows_to(way & men, side, row)] + memory[STORM + rows_to(way & enemies, side, row)]
    return value


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, uint64)")
def of_pieces(memory: Memory, at: Word, own: Word, enemies: Word, side: Word, enemy_king: Word) -> Word:
    """Value of where a side's pieces can go, and of what they do to the enemy's king; notes what they attack."""
    men, their_men, occupied = own & of_kind(memory, at, w.PAWN), enemies & of_kind(memory, at, w.PAWN), own | enemies
    king = own & of_kind(memory, at, w.KING)
    feared = pawn_attacks(their_men, side ^ ONE)
    wanted = ~(men | king | feared)
    around = memory[w.KING_TO + enemy_king]
    own_attacks = pawn_attacks(men, side)
    posts = own_attacks & ~in_front(feared, side ^ ONE) & ~feared & NEAR_ENEMY[side]
    value, hits, hitters, minors, rooks, queens = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for cell in each_bit(own & (memory[at + w.FOURS] | of_kind(memory, at, w.KNIGHT))):
        bit = ONE << cell
        kind = kind_at(memory, at, cell)
        seen = reach(memory, kind, cell, occupied)
        if kind == w.QUEEN:
            queens |= seen
        elif kind == w.ROOK:
            rooks |= seen
            column = in_front(bit, ZERO) | in_front(bit, ONE)
            if column & men == ZERO:
                value += memory[OPEN] if column & their_men == ZERO else memory[HALF_OPEN]
        else:
            minors |= seen
            if posts & bit != ZERO:
                value += memory[OUTPOST if kind == w.KNIGHT else OUTPOST + ONE]
        row = MOBILITY + Word(MOST_MOVES) * (ZERO if kind == w.KNIGHT else kind & THREE)
        value += memory[row + bit_count(seen & wanted)]
        struck = seen & around & ~feared
        if struck != ZERO:
            hits += bit_count(struck)
            hitters += ONE
    if hitters != ZERO:
        value += memory[HITS + min(hits, MANY_HITS)] + memory[HITTERS + min(hitters, MANY_HITTERS)]
    noted = SEEN + side * FOUR
    memory[noted], memory[noted + ONE], memory[noted + TWO] = own_attacks, minors, rooks
    memory[noted + THREE] = own_attacks | minors | rooks | queens | memory[w.KING_TO + lowest_bit(king)]
    return value


@compiled("uint64(uint64[::1], uint64, uint64, uint64)")
def of_threats(memory: Memory, at: Word, enemies: Word, side: Word) -> Word:
    """Value of what a side's pieces attack, once `of_pieces` has noted it for both sides."""
    noted = SEEN + side * FOUR
    by_pawns, by_minors, by_rooks = memory[noted], memory[noted + ONE], memory[noted + TWO]
    ones, twos = memory[at + w.ONES], memory[at + w.TWOS]
    sliders = enemies & memory[at + w.FOURS]
    lesser = enemies & of_kind(memory, at, w.KNIGHT) | sliders & ~twos
    rooks, queens = sliders & twos & ~ones, sliders & twos & ones
    value = memory[THREATS] * bit_count(lesser & by_pawns) + memory[THREATS + ONE] * bit_count(rooks & by_pawns)
    value += memory[THREATS + TWO] * bit_count(queens & by_pawns)
    value += memory[THREATS + THREE] * bit_count(rooks & by_minors)
    value += memory[THREATS + FOUR] * bit_count(queens & (by_minors | by_rooks))
    bare = (sliders | lesser) & memory[noted + THREE] & ~memory[SEEN + (side ^ ONE) * FOUR + THREE]
    return Word(value + memory[HANGING] * bit_count(bare))


@compiled("uint64(uint64[::1], uint64)")
def features(memory: Memory, at: Word) -> Word:
    """The features' value for the side to move, two numbers in one; without the worth of pieces."""
    mine, theirs, side = memory[at + w.MINE], memory[at + w.THEIRS], memory[at + w.SIDE]
    king, enemy_king = king_of(memory, at, w.MINE), king_of(memory, at, w.THEIRS)
    all_men, occupied, other = of_kind(memory, at, w.PAWN), mine | theirs, side ^ ONE
    men, their_men = mine & all_men, theirs & all_men
    value = memory[TEMPO] + of_pieces(memory, at, mine, theirs, side, enemy_king)
    value -= of_pieces(memory, at, theirs, mine, other, king)
    value += of_pawns(memory, men, their_men, occupied, side, king, enemy_king)
    value -= of_pawns(memory, their_men, men, occupied, other, enemy_king, king)
    value += of_shelter(memory, men, their_men, side, king) - of_shelter(memory, their_men, men, other, enemy_king)
    value += of_threats(memory, at, theirs, side) - of_threats(memory, at, mine, other)
    bishops = memory[at + w.ONES] & memory[at + w.FOURS] & ~memory[at + w.TWOS]
    pairs = Word(bit_count(mine & bishops) >= TWO) - Word(bit_count(theirs & bishops) >= TWO)
    return Word(value + memory[PAIR] * pairs)


@compiled("int64(uint64[::1], uint64)")
def phase(memory: Memory, at: Word) -> int:
    """How much of WHOLE is left."""
    twos, fours = memory[at + w.TWOS], memory[at + w.FOURS]
    found = number(of_kind(memory, at, w.KNIGHT)) + number(fours)
    return min(WHOLE, found + number(fours & twos) + 2 * number(fours & twos & memory[at + w.ONES]))


@compiled("int64(uint64[::1], uint64)")
def weigh(memory: Memory, at: Word) -> int:
    """WHOLE times the engine's own value for the side to move, without what only `evaluate` sees."""
    placed = memory[at + w.PLACED]
    value = features(memory, at) + (placed if memory[at + w.SIDE] == ZERO else ZERO - placed)
    early, late = phase(memory, at), signed(value << Word(32)) >> 32
    return (signed(value - Word(late)) >> 32) * early + late * (WHOLE - early)


@compiled("int64(uint64[::1], uint64, uint64)")
def pieces_worth(memory: Memory, at: Word, own: Word) -> int:
    """Worth of some pieces without pawns and king, as exchanges have it."""
    found = 0
    for kind in (w.KNIGHT, w.BISHOP, w.ROOK, w.QUEEN):
        found += value_of(kind) * number(own & of_kind(memory, at, kind))
    return found


@compiled("int64(uint64)", inlined=True)
def inwards(cell: Word) -> int:
    """How near a cell is to the middle, as `games.chess.heuristics` has it."""
    column, row = cell & Word(7), cell // EIGHT
    return signed(min(column, Word(7) - column) + min(row, Word(7) - row))


@compiled("int64(uint64[::1], uint64)")
def named(memory: Memory, at: Word) -> int:
    """A named heuristic's value for the side to move: `games.chess.heuristics` in machine code."""
    mine, theirs, placed = memory[at + w.MINE], memory[at + w.THEIRS], memory[at + w.PLACED]
    value = signed(placed if memory[at + w.SIDE] == ZERO else ZERO - placed)
    mine_late = pieces_worth(memory, at, theirs) <= signed(memory[PIECES_LATE])
    theirs_late = pieces_worth(memory, at, mine) <= signed(memory[PIECES_LATE])
    king, enemy_king = king_of(memory, at, w.MINE), king_of(memory, at, w.THEIRS)
    value += signed(memory[KINGS_LATE if mine_late else KINGS_EARLY]) * inwards(king)
    value -= signed(memory[KINGS_LATE if theirs_late else KINGS_EARLY]) * inwards(enemy_king)
    last = memory[at + w.LAST]
    if memory[w.JUDGE] == EXCHANGES and last != w.NOWHERE:
        value += won_at(memory, at, last)
    return value


@compiled("int64(uint64[::1], uint64)")
def evaluate(memory: Memory, at: Word) -> int:
    """The value for the side to move."""
    if memory[w.JUDGE] != OWN:
        return named(memory, at)
    value, mine, theirs = weigh(memory, at) // WHOLE, memory[at + w.MINE], memory[at + w.THEIRS]
    own, other = (mine, theirs) if value > 0 else (theirs, mine)
    # Who is ahead needs a pawn, or more than a minor piece beyond the enemy's pieces.
    bare = own & of_kind(memory, at, w.PAWN) == ZERO
    if bare and pieces_worth(memory, at, own) - pieces_worth(memory, at, other) <= MINOR:
        return value // FEW
    if bit_count(other) > ONE:
        return value
    # A lone king is driven from the middle, and the enemy's comes near him.
    king, lone = lowest_bit(own & of_kind(memory, at, w.KING)), lowest_bit(other)
    chased = CHASE * (13 - inwards(lone) - signed(distance(king, lone)))
    return value + chased if value > 0 else value - chased
