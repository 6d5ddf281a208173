"""Evaluates reversi positions: five features as percentages, and three strategies built from them or from a table.

A feature is `100 * (mine - theirs) / (mine + theirs)` in whole numbers, rounded toward zero; 0 if both are 0. A
strategy is the sum of its features times their weights; it is not divided afterwards, so that rounding loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from games.reversi import CELLS, Position, Reversi
from games.reversi.bitboard import FULL, SIZE
from rules.heuristics import Depths, Heuristic
from rules.turns import cells_of

CORNERS = 0x8100000000000081
"""a1, h1, a8, h8."""
EDGES = 0x3C0081818181003C
"""The sixteen squares 3 to 6 of the four sides."""
WITHOUT_A = 0xFEFEFEFEFEFEFEFE
WITHOUT_H = 0x7F7F7F7F7F7F7F7F
TABLE = (
    *(4, -3, 2, 2, 2, 2, -3, 4),
    *(-3, -4, -1, -1, -1, -1, -4, -3),
    *(2, -1, 1, 0, 0, 1, -1, 2),
    *(2, -1, 0, 1, 1, 0, -1, 2),
    *(2, -1, 0, 1, 1, 0, -1, 2),
    *(2, -1, 1, 0, 0, 1, -1, 2),
    *(-3, -4, -1, -1, -1, -1, -4, -3),
    *(4, -3, 2, 2, 2, 2, -3, 4),
)
"""Value of a disc by its cell, from a1 along the rows."""

Weights = Mapping[str, int]

STABLE_WEIGHTS: Weights = {"corners": 30, "mobility": 5, "coin_parity": 25, "edges": 10, "stability": 25}
"""After Sannidhanam and Muthukaruppan, An Analysis of Heuristics in Othello."""
OPENING_DISCS, MIDDLE_DISCS = 20, 50
"""Discs on the board: below the first number it is the opening, below the second the middle game."""
OPENING: Weights = {"corners": 15, "mobility": 15, "coin_parity": 30, "edges": 10, "stability": 5}
MIDDLE: Weights = {"corners": 20, "mobility": 20, "coin_parity": 20, "edges": 15, "stability": 25}
END: Weights = {"corners": 35, "mobility": 10, "coin_parity": 20, "edges": 10, "stability": 25}


def percentage(mine: int, theirs: int) -> int:
    """My lead over them, from -100 to 100, rounded toward zero."""
    if mine == theirs:
        return 0
    size = 100 * abs(mine - theirs) // (mine + theirs)
    return size if mine > theirs else -size


def neighbourhood(discs: int) -> int:
    """All cells adjacent to one of the discs, vertically, horizontally or diagonally, as a bit set."""
    level = discs << 1 & WITHOUT_A | discs >> 1 & WITHOUT_H | discs
    return (level << SIZE | level >> SIZE | level) & FULL


def quiet(mine: int, theirs: int) -> int:
    """My discs that are stable by the simple measure: on a corner, on one of EDGES, or beside no enemy disc."""
    return mine & (CORNERS | EDGES | ~neighbourhood(theirs))


STEPS = ((0, 1), (1, 0), (1, -1), (1, 1))
"""Row and column steps to the next cell along a line of each direction."""


def _line(row: int, column: int, step: tuple[int, int]) -> int:
    """The whole line through a cell in that direction, as a bit set."""
    found = 0
    for way in range(1 - SIZE, SIZE):
        beside, across = row + way * step[0], column + way * step[1]
        if 0 <= beside < SIZE and 0 <= across < SIZE:
            found |= 1 << beside * SIZE + across
    return found


LINES = tuple(
    tuple(sorted({_line(row, column, step) for row in range(SIZE) for column in range(SIZE)})) for step in STEPS
)
"""All lines of the board in each of STEPS, as bit sets."""


def never_turned(mine: int, theirs: int) -> int:
    """My discs that can never be turned over again, as far as the usual argument proves it.

    In each of the four directions such a disc has a full line, the edge of the board on one side, or on one side
    another such disc of mine.
    """
    full = [sum(line for line in lines if line & ~(mine | theirs) == 0) for lines in LINES]
    stable, grown = 0, -1
    while grown != stable:
        grown = stable
        for cell in cells_of(mine & ~stable):
            if all(full[way] >> cell & 1 or _is_backed(cell, step, stable) for way, step in enumerate(STEPS)):
                stable |= 1 << cell
    return stable


def _is_backed(cell: int, step: tuple[int, int], stable: int) -> bool:
    row, column = divmod(cell, SIZE)
    for way in (1, -1):
        beside, across = row + way * step[0], column + way * step[1]
        if not (0 <= beside < SIZE and 0 <= across < SIZE) or stable >> beside * SIZE + across & 1:
            return True
    return False


def corners(game: Reversi, position: Position, last: object) -> int:
    """Corners taken, as a percentage."""
    mine, theirs = _discs(position)
    return percentage((mine & CORNERS).bit_count(), (theirs & CORNERS).bit_count())


def edges(game: Reversi, position: Position, last: object) -> int:
    """Discs on the sixteen squares 3 to 6 of the four sides, as a percentage."""
    mine, theirs = _discs(position)
    return percentage((mine & EDGES).bit_count(), (theirs & EDGES).bit_count())


def coin_parity(game: Reversi, position: Position, last: object) -> int:
    """Discs on the board, as a percentage."""
    mine, theirs = _discs(position)
    return percentage(mine.bit_count(), theirs.bit_count())


def mobility(game: Reversi, position: Position, last: object) -> int:
    """Cells where a disc could be laid if it were one's turn, as a percentage."""
    side = position.side
    return percentage(game.places(position, side).bit_count(), game.places(position, 1 - side).bit_count())


def stability(game: Reversi, position: Position, last: object) -> int:
    """Discs that are stable by the simple measure of `quiet`, as a percentage."""
    mine, theirs = _discs(position)
    return percentage(quiet(mine, theirs).bit_count(), quiet(theirs, mine).bit_count())


def true_stability(game: Reversi, position: Position, last: object) -> int:
    """Discs that can never be turned over again by `never_turned`, as a percentage."""
    mine, theirs = _discs(position)
    return percentage(never_turned(mine, theirs).bit_count(), never_turned(theirs, mine).bit_count())


def static(game: Reversi, position: Position, last: object) -> int:
    """Value of my discs by TABLE, minus theirs."""
    mine, theirs = _discs(position)
    return sum(TABLE[cell] for cell in cells_of(mine)) - sum(TABLE[cell] for cell in cells_of(theirs))


def stable(game: Reversi, position: Position, last: object) -> int:
    """The five features with STABLE_WEIGHTS, constant during the game."""
    return _weighted(game, position, STABLE_WEIGHTS)


def adaptive(game: Reversi, position: Position, last: object) -> int:
    """The five features with weights that change with the number of discs on the board."""
    return _weighted(game, position, weights_of(position))


def stable_truly(game: Reversi, position: Position, last: object) -> int:
    """`stable` with the discs that no move can turn over any more, as the original defines stability."""
    return _weighted(game, position, truly(STABLE_WEIGHTS))


def adaptive_truly(game: Reversi, position: Position, last: object) -> int:
    """`adaptive` with the discs that no move can turn over any more, as the original defines stability."""
    return _weighted(game, position, truly(weights_of(position)))


def truly(weights: Weights) -> Weights:
    """The weights with `true_stability` in the place of `stability`."""
    return {"true_stability" if name == "stability" else name: weight for name, weight in weights.items()}


def weights_of(position: Position) -> Weights:
    """The weights of `adaptive`."""
    discs = (position.discs[0] | position.discs[1]).bit_count()
    return OPENING if discs < OPENING_DISCS else MIDDLE if discs < MIDDLE_DISCS else END


def _discs(position: Position) -> tuple[int, int]:
    """The mover's discs and the enemy's."""
    return position.discs[position.side], position.discs[1 - position.side]


def _weighted(game: Reversi, position: Position, weights: Weights) -> int:
    return sum(weight * HEURISTICS[name](game, position, None) for name, weight in weights.items())


DEPTHS = Depths(usual=4, measured=4, opening=16)
"""As the original program searches (docs/results.md)."""
HEURISTICS: dict[str, Heuristic] = {
    "adaptive": adaptive,
    "stable": stable,
    "static": static,
    "adaptive_truly": adaptive_truly,
    "stable_truly": stable_truly,
    "corners": corners,
    "edges": edges,
    "coin_parity": coin_parity,
    "mobility": mobility,
    "stability": stability,
    "true_stability": true_stability,
}
"""Heuristics by name, the usual one first."""

assert len(TABLE) == len(CELLS)
