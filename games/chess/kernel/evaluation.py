"""Static evaluation: features counted here, times the weights in the memory.

A weight is two numbers in one, for the middlegame and the endgame (`weights.packed`); so sums add both at once. How
much of each counts depends on the pieces left. White's worth of all pieces where they stand comes with the position.
"""

from __future__ import annotations

import numpy as np

from agents.kernels.compilation import bit_count, compiled, leading_zeros, lowest_bit, number, signed
from agents.kernels.loops import each_bit, span
from games.chess.kernel import memory as w
from games.chess.kernel.attacks import EIGHT, FOUR, ONE, TWO, ZERO, kind_at, king_of, of_kind, reach
from games.chess.kernel.exchange import value_of, won_at
from games.chess.kernel.memory import Memory
from games.chess.kernel.moves import forth

U = np.uint64
OWN, NAMED, EXCHANGES = U(0), U(1), U(2)
"""What JUDGE may be: the engine's own evaluation, a heuristic by pieces and places, the same with exchanges."""
MOBILITY = w.WEIGHTS
"""Cells that a piece attacks, without own pawns and king, nor what enemy pawns attack: MOST_MOVES words a kind."""
MOST_MOVES = 32
PASSED = w.WEIGHTS + U(4 * MOST_MOVES)
"""By row, from 0 on the pawn's own first: a pawn that no enemy pawn can stop or take."""
FREE = PASSED + U(8)
"""By row: a passed pawn with nothing in its way."""
KING_NEAR, ENEMY_NEAR = FREE + U(8), FREE + U(16)
"""By distance: the king from the cell in front of a passed pawn; the enemy's king."""
ISOLATED, DOUBLED, SUPPORTED, BACKWARD = (ENEMY_NEAR + U(place) for place in (8, 9, 10, 11))
"""A pawn without own ones on the columns beside; with one in front; protected by one; with none beside or behind that
could protect it, and an enemy pawn attacking the cell in front."""
PAIR = BACKWARD + ONE
"""Two bishops or more."""
OPEN, HALF_OPEN = PAIR + ONE, PAIR + TWO
"""A rook on a column without pawns; without own pawns."""
OUTPOST = PAIR + U(3)
"""A knight, and then a bishop, protected by a pawn where no enemy pawn can come to attack it."""
SHELTER, STORM = OUTPOST + TWO, OUTPOST + U(10)
"""By rows between, 7 for none: the nearest own and enemy pawn in front of the king, on his column and beside it."""
HITS, HITTERS = STORM + EIGHT, STORM + U(24)
"""By number: cells around the enemy's king attacked by pieces, counted for each; pieces that attack some."""
THREATS = HITTERS + EIGHT
"""A minor piece, a rook, a queen attacked by a pawn; a rook by a minor piece; a queen by a lesser piece."""
HANGING = THREATS + U(5)
"""A piece other than a pawn that is attacked and not protected."""
TEMPO = HANGING + ONE
KINGS_EARLY, KINGS_LATE, PIECES_LATE = TEMPO + ONE, TEMPO + TWO, TEMPO + U(3)
"""Of named heuristics: worth of a step of the king towards the middle; with that worth of enemy pieces or less."""
COUNTED = TEMPO + ONE - w.WEIGHTS
"""Number of words that are weights of the engine's own evaluation."""
WHOLE = 24
"""Weight of all pieces at the start: knights and bishops 1, rooks 2, queens 4."""
LEFT, RIGHT = U(0x0101010101010101), U(0x8080808080808080)
THREE = U(3)
NEAR_ENEMY = (U(0x000000FFFFFF0000), U(0x0000FFFFFF000000))
"""By side: the rows where an outpost counts."""
SEEN = w.JUDGE + U(1)
"""4 words per side: what its pawns attack, its knights and bishops, its rooks, and all together."""
MANY_HITS, MANY_HITTERS = U(15), U(7)
FEW = 8
"""What an advantage is divided by that is too small to win without pawns."""
CHASE = 20
"""Hundredths of a pawn for a step of a lone king: more than all else that changes there, and less than a pawn."""
MINOR = 350
"""Hundredths of a pawn: more than a minor piece, less than a rook."""


@compiled("uint64(uint64)", inlined=True)
def beside(cells: np.uint64) -> np.uint64:
    """The cells left and right of some."""
    return (cells & ~LEFT) >> ONE | (cells & ~RIGHT) << ONE


@compiled("uint64(uint64, uint64)", inlined=True)
def pawn_attacks(men: np.uint64, side: np.uint64) -> np.uint64:
    return forth(beside(men), side, EIGHT)


@compiled("uint64(uint64, uint64)", inlined=True)
def in_front(cells: np.uint64, side: np.uint64) -> np.uint64:
    """All cells in front of some, on their columns."""
    cells = forth(cells, side, EIGHT)
    cells |= forth(cells, side, EIGHT)
    cells |= forth(cells, side, U(16))
    return cells | forth(cells, side, U(32))


@compiled("uint64(uint64, uint64)", inlined=True)
def row_of(cell: np.uint64, side: np.uint64) -> np.uint64:
    """The row of a cell as a side counts them, from 0 where its pieces begin."""
    row = cell // EIGHT
    return U(7) - row if side == ZERO else row


@compiled("uint64(uint64, uint64)")
def distance(one: np.uint64, other: np.uint64) -> np.uint64:
    """Steps of a king from a cell to another."""
    columns = abs(signed(one & U(7)) - signed(other & U(7)))
    rows = abs(signed(one // EIGHT) - signed(other // EIGHT))
    return U(max(columns, rows))


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64)")
def of_pawns(
    memory: Memory,
    men: np.uint64,
    enemies: np.uint64,
    occupied: np.uint64,
    side: np.uint64,
    king: np.uint64,
    enemy_king: np.uint64,
) -> np.uint64:
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
    result: np.uint64 = value
    return result


@compiled("uint64(uint64, uint64, uint64)", inlined=True)
def rows_to(pieces: np.uint64, side: np.uint64, row: np.uint64) -> np.uint64:
    """Rows between a row and the nearest of some pieces in front of it; 7 if there is none."""
    if pieces == ZERO:
        return U(7)
    nearest = lowest_bit(pieces) if side == ONE else U(63) - leading_zeros(pieces)
    return row_of(nearest, side) - row - ONE


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64)")
def of_shelter(memory: Memory, men: np.uint64, enemies: np.uint64, side: np.uint64, king: np.uint64) -> np.uint64:
    """Value of the pawns in front of a king, on three columns."""
    column, value = king & U(7), ZERO
    first = column - ONE if column > ZERO else column
    last = column + ONE if column < U(7) else column
    row = row_of(king, side)
    for near in span(first, last + ONE):
        way = in_front(ONE << (king - column + near), side)
        value += memory[SHELTER + rows_to(way & men, side, row)] + memory[STORM + rows_to(way & enemies, side, row)]
    return value


@compiled("uint64(uint64[::1], uint64, uint64, uint64, uint64, uint64)")
def of_pieces(
    memory: Memory, at: np.uint64, own: np.uint64, enemies: np.uint64, side: np.uint64, enemy_king: np.uint64
) -> np.uint64:
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
        row = MOBILITY + U(MOST_MOVES) * (ZERO if kind == w.KNIGHT else kind & THREE)
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
def of_threats(memory: Memory, at: np.uint64, enemies: np.uint64, side: np.uint64) -> np.uint64:
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
    result: np.uint64 = value + memory[HANGING] * bit_count(bare)
    return result


@compiled("uint64(uint64[::1], uint64)")
def features(memory: Memory, at: np.uint64) -> np.uint64:
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
    if bit_count(mine & bishops) >= TWO:
        value += memory[PAIR]
    if bit_count(theirs & bishops) >= TWO:
        value -= memory[PAIR]
    result: np.uint64 = value
    return result


@compiled("int64(uint64[::1], uint64)")
def phase(memory: Memory, at: np.uint64) -> int:
    """How much of WHOLE is left."""
    twos, fours = memory[at + w.TWOS], memory[at + w.FOURS]
    found = number(of_kind(memory, at, w.KNIGHT)) + number(fours)
    return min(WHOLE, found + number(fours & twos) + 2 * number(fours & twos & memory[at + w.ONES]))


@compiled("int64(uint64[::1], uint64)")
def weigh(memory: Memory, at: np.uint64) -> int:
    """WHOLE times the engine's own value for the side to move, before `drawish`."""
    placed = memory[at + w.PLACED]
    value = features(memory, at) + (placed if memory[at + w.SIDE] == ZERO else ZERO - placed)
    early, late = phase(memory, at), signed(value << U(32)) >> 32
    return (signed(value - U(late)) >> 32) * early + late * (WHOLE - early)


@compiled("int64(uint64[::1], uint64, uint64)")
def pieces_worth(memory: Memory, at: np.uint64, own: np.uint64) -> int:
    """Worth of some pieces without pawns and king, as exchanges have it."""
    found = 0
    for kind in (w.KNIGHT, w.BISHOP, w.ROOK, w.QUEEN):
        found += value_of(kind) * number(own & of_kind(memory, at, kind))
    return found


@compiled("boolean(uint64[::1], uint64, boolean)")
def can_win(memory: Memory, at: np.uint64, mover: bool) -> bool:
    """Whether a side that is ahead has a pawn, or more than a minor piece beyond the enemy's pieces."""
    own, other = (memory[at + w.MINE], memory[at + w.THEIRS]) if mover else (memory[at + w.THEIRS], memory[at + w.MINE])
    if own & of_kind(memory, at, w.PAWN) != ZERO:
        return True
    return pieces_worth(memory, at, own) - pieces_worth(memory, at, other) > MINOR


@compiled("int64(uint64)", inlined=True)
def inwards(cell: np.uint64) -> int:
    """How near a cell is to the middle, as `games.chess.heuristics` has it."""
    column, row = cell & U(7), cell // EIGHT
    return signed(min(column, U(7) - column) + min(row, U(7) - row))


@compiled("int64(uint64[::1], uint64)")
def named(memory: Memory, at: np.uint64) -> int:
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


@compiled("int64(uint64[::1], uint64, boolean)")
def chased(memory: Memory, at: np.uint64, mover: bool) -> int:
    """For a side that is ahead of a lone king: how far it has driven him from the middle, and come near him."""
    own, other = (memory[at + w.MINE], memory[at + w.THEIRS]) if mover else (memory[at + w.THEIRS], memory[at + w.MINE])
    if bit_count(other) > ONE:
        return 0
    king, enemy_king = lowest_bit(own & of_kind(memory, at, w.KING)), lowest_bit(other)
    return CHASE * (13 - inwards(enemy_king) - signed(distance(king, enemy_king)))


@compiled("int64(uint64[::1], uint64)")
def evaluate(memory: Memory, at: np.uint64) -> int:
    """The value for the side to move."""
    if memory[w.JUDGE] != OWN:
        return named(memory, at)
    value = weigh(memory, at) // WHOLE
    if not can_win(memory, at, value > 0):
        return value // FEW
    return value + chased(memory, at, True) if value > 0 else value - chased(memory, at, False)
