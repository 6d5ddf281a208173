"""How good a position of draughts looks, in hundredths of a man, and where no position can be judged."""

from __future__ import annotations

import functools
from typing import NamedTuple

from games.draughts import Draughts, Position
from rules import Side

MAN = 100
KING, FLYING_KING = 140, 300
BACK, CENTRE, ADVANCE, KING_CENTRE = 9, 3, 2, 6
"""Worth of a man that guards the own last row, one on a middle square, each row that one has gone, and a king there."""
TRADE = 240
"""What a lead is worth more as pieces are traded off: a man ahead, by the number of pieces left."""


class _Squares(NamedTuple):
    """What one side's men get for standing where they stand, as bit sets of squares."""

    back: tuple[int, int]
    """Squares from which each side guards its own last row best: every other one, as 1 and 3, or 30 and 32."""
    centre: int
    rows: tuple[tuple[int, ...], tuple[int, ...]]
    """By side, its rows from the second that it reaches on."""


def material(game: Draughts, position: Position, last: object) -> int:
    """Men and kings, the mover's less the other's."""
    return _material(game, position, position.side) - _material(game, position, 1 - position.side)


def placed(game: Draughts, position: Position, last: object) -> int:
    """Material, how far the men have gone, who guards the last row and who holds the middle; a lead grows by trades."""
    mine, theirs = position.side, 1 - position.side
    lead = material(game, position, last)
    total = sum(pieces.bit_count() for pieces in position.pieces)
    traded = TRADE * abs(lead) // (MAN * total)
    return lead + (traded if lead > 0 else -traded) + _placed(game, position, mine) - _placed(game, position, theirs)


def is_quiet(game: Draughts, position: Position) -> bool:
    """Whether the mover has nothing to take."""
    own, enemy = position.pieces[position.side], position.pieces[1 - position.side]
    return not game.moves.may_take(own, enemy, position.kings, position.side)


def _material(game: Draughts, position: Position, side: Side) -> int:
    kings = (position.pieces[side] & position.kings).bit_count()
    worth = FLYING_KING if game.rules.flying else KING
    return MAN * (position.pieces[side].bit_count() - kings) + worth * kings


def _placed(game: Draughts, position: Position, side: Side) -> int:
    squares, own = squares_of(game.geometry.size), position.pieces[side]
    men, kings = own & ~position.kings, own & position.kings
    value = CENTRE * (men & squares.centre).bit_count() + KING_CENTRE * (kings & squares.centre).bit_count()
    value += ADVANCE * sum((men & row).bit_count() * gone for gone, row in enumerate(squares.rows[side], 1))
    if position.pieces[1 - side] & ~position.kings:
        value += BACK * (men & squares.back[side]).bit_count()
    return value


@functools.cache
def squares_of(size: int) -> _Squares:
    half = size // 2
    rows = [((1 << half) - 1) << half * row for row in range(size)]
    middle = range(size // 2 - 2, size // 2 + 2)
    inner = [1 << half * row + place for row in middle for place in range(1, half - 1)]
    dark_back = sum(1 << place for place in range(0, half, 2))
    light_back = sum(1 << half * size - 1 - place for place in range(0, half, 2))
    light, dark = tuple(reversed(rows[:-1])), tuple(rows[1:])
    return _Squares((light_back, dark_back), sum(inner), (light, dark))


HEURISTICS = {"placed": placed, "material": material}
