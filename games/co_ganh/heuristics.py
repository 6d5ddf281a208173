"""What looks good in cờ gánh: men counted with unequal weights, and eight features as a weighted sum.

`material` is a * mine - b * theirs with (a, b) = (1, 1). Its variants `material_a_b` count as the player does who has
just moved, with `a` for that player's own men: the value for the side to move is b * mine - a * theirs. So a search
to one ply, and to any odd number of plies, judges by a * mine - b * theirs for the player who searches; to an even
number of plies the weights are exchanged. Being one function of the position, it is searched exactly, although two
players who both judge by it may both believe that they are ahead.
"""

from __future__ import annotations

from typing import Any

from games.co_ganh import FULL, CoGanh, Position
from games.co_ganh.board import NEIGHBOURS, PAIRS, bits_of, neighbours_of
from rules.heuristics import Depths, Heuristic
from rules.turns import cells_of

PAIRS_OF_WEIGHTS = ((1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2))
"""(a, b) of the variants of `material`: weights of own men and enemy men."""
LINES_AT = tuple((len(PAIRS[cell]), NEIGHBOURS[cell].bit_count()) for cell in range(25))
LINES = tuple(neighbours - pairs for pairs, neighbours in LINES_AT)
"""Number of drawn lines through each point: a line gives it two neighbours, or one at its end."""
CENTRE = bits_of(row * 5 + column for row in (1, 2, 3) for column in (1, 2, 3))
"""The nine points within the edge."""
WEIGHTS = {
    "lines": 1,
    "centre": 3,
    "facing": 4,
    "pairs": 1,
    "mobility": 2,
    "scored": 100,
    "turn": 5,
    "majority": 20,
}
"""Weights of the features in hundredths of a man; our own, as none are published."""


def lines(game: CoGanh, position: Position, side: int) -> int:
    """Number of drawn lines through the side's men, two to four per man."""
    return sum(LINES[cell] for cell in cells_of(position.men[side]))


def centre(game: CoGanh, position: Position, side: int) -> int:
    """The side's men on the nine points within the edge."""
    return (position.men[side] & CENTRE).bit_count()


def facing(game: CoGanh, position: Position, side: int) -> int:
    """Minus the side's men that stand beside an enemy man on a line while it is the enemy's turn, else 0."""
    if position.side == side:
        return 0
    return -(position.men[side] & neighbours_of(position.men[1 - side])).bit_count()


def pairs(game: CoGanh, position: Position, side: int) -> int:
    """Number of pairs of the side's men that are neighbours on a line."""
    men = position.men[side]
    return sum((NEIGHBOURS[cell] & men).bit_count() for cell in cells_of(men)) // 2


def mobility(game: CoGanh, position: Position, side: int) -> int:
    """Steps that the side's men could make if it were its turn; jumps and forced entries are ignored."""
    empty = FULL & ~(position.men[0] | position.men[1])
    return sum((NEIGHBOURS[cell] & empty).bit_count() for cell in cells_of(position.men[side]))


def scored(game: CoGanh, position: Position, side: int) -> int:
    """The side's men: each capture scores by removing an enemy man or by turning one over."""
    return position.men[side].bit_count()


def turn(game: CoGanh, position: Position, side: int) -> int:
    """1 for the side to move, else 0."""
    return int(position.side == side)


def majority(game: CoGanh, position: Position, side: int) -> int:
    """1 for the side with more men, else 0."""
    return int(position.men[side].bit_count() > position.men[1 - side].bit_count())


FEATURES = {
    function.__name__: function for function in (lines, centre, facing, pairs, mobility, scored, turn, majority)
}
"""The features by name, each `(game, position, side)` to a number, higher being better for that side."""


def features(game: CoGanh, position: Position, last: Any) -> int:
    """The weighted sum of all features, mine minus the enemy's."""
    mine, theirs = position.side, 1 - position.side
    return sum(
        WEIGHTS[name] * (feature(game, position, mine) - feature(game, position, theirs))
        for name, feature in FEATURES.items()
    )


def weighted_material(own: int, enemy: int) -> Heuristic:
    """own * men - enemy * enemy men from the view of the player who has just moved, negated for the side to move."""

    def count(game: CoGanh, position: Position, last: Any) -> int:
        mine, theirs = position.men[position.side].bit_count(), position.men[1 - position.side].bit_count()
        return enemy * mine - own * theirs

    count.__doc__ = f"{own} a man of the player who has just moved, -{enemy} a man of the side to move; turned round."
    return count


DEPTHS = Depths(usual=1, measured=3, opening=8)
"""The original program searches 1, 2 or 3 plies (docs/results.md)."""
HEURISTICS: dict[str, Heuristic] = {
    "material": weighted_material(1, 1),
    "features": features,
    **{f"material_{own}_{enemy}": weighted_material(own, enemy) for own, enemy in PAIRS_OF_WEIGHTS},
}
