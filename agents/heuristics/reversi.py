"""What looks good in reversi: five features as percentages, and three strategies made of them or of a table.

A feature is `100 * (mine - theirs) / (mine + theirs)` in whole numbers, rounded toward zero, 0 where both are 0. A
strategy is the sum of its features times their weights; it is not divided again, so that nothing is lost by rounding.
"""

from __future__ import annotations

from collections.abc import Mapping

from agents.heuristics import Depths, Heuristic
from games.reversi import CELLS, Position, Reversi
from games.reversi.bitboard import FULL, SIZE, cells_of

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
"""Worth of a disc by its cell, from a1 along the rows."""

Weights = Mapping[str, int]

STABLE_WEIGHTS: Weights = {"corners": 30, "mobility": 5, "coin_parity": 25, "edges": 10, "stability": 25}
"""After Sannidhanam and Muthukaruppan, An Analysis of Heuristics in Othello."""
OPENING_DISCS, MIDDLE_DISCS = 20, 50
"""With fewer discs on the board it is the opening; with fewer of the second, the middle of the game."""
OPENING: Weights = {"corners": 15, "mobility": 15, "coin_parity": 30, "edges": 10, "stability": 5}
MIDDLE: Weights = {"corners": 20, "mobility": 20, "coin_parity": 20, "edges": 15, "stability": 25}
END: Weights = {"corners": 35, "mobility": 10, "coin_parity": 20, "edges": 10, "stability": 25}


def percentage(mine: int, theirs: int) -> int:
    """How far I am ahead of them, from -100 to 100, rounded toward zero."""
    if mine == theirs:
        return 0
    size = 100 * abs(mine - theirs) // (mine + theirs)
    return size if mine > theirs else -size


def neighbourhood(discs: int) -> int:
    """All cells beside one of the discs, upright, level or slanting, as a bit set."""
    level = discs << 1 & WITHOUT_A | discs >> 1 & WITHOUT_H | discs
    return (level << SIZE | level >> SIZE | level) & FULL


def quiet(mine: int, theirs: int) -> int:
    """My discs that count as stable by the simple measure: on a corner, on one of EDGES, or beside no enemy disc."""
    return mine & (CORNERS | EDGES | ~neighbourhood(theirs))


STEPS = ((0, 1), (1, 0), (1, -1), (1, 1))
"""One cell along a line of each direction: rows, columns."""


def _line(row: int, column: int, step: tuple[int, int]) -> int:
    """The whole line in that direction through a cell, as a bit set."""
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
    """My discs that can never be turned over any more, as far as the usual argument shows it.

    Such a disc has, in each of the four directions, a full line, the edge of the board on one side, or on one side a
    disc of mine that is such a disc itself.
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
    """Corners taken."""
    mine, theirs = _discs(position)
    return percentage((mine & CORNERS).bit_count(), (theirs & CORNERS).bit_count())


def edges(game: Reversi, position: Position, last: object) -> int:
    """Discs on the sixteen squares 3 to 6 of the four sides."""
    mine, theirs = _discs(position)
    return percentage((mine & EDGES).bit_count(), (theirs & EDGES).bit_count())


def coin_parity(game: Reversi, position: Position, last: object) -> int:
    """Discs on the board."""
    mine, theirs = _discs(position)
    return percentage(mine.bit_count(), theirs.bit_count())


def mobility(game: Reversi, position: Position, last: object) -> int:
    """Cells on which a disc may be laid, were it one's turn."""
    side = position.side
    return percentage(game.places(position, side).bit_count(), game.places(position, 1 - side).bit_count())


def stability(game: Reversi, position: Position, last: object) -> int:
    """Discs that count as stable by the simple measure of `quiet`."""
    mine, theirs = _discs(position)
    return percentage(quiet(mine, theirs).bit_count(), quiet(theirs, mine).bit_count())


def true_stability(game: Reversi, position: Position, last: object) -> int:
    """Discs that can never be turned over any more, by `never_turned`."""
    mine, theirs = _discs(position)
    return percentage(never_turned(mine, theirs).bit_count(), never_turned(theirs, mine).bit_count())


def static(game: Reversi, position: Position, last: object) -> int:
    """The worth of my discs by TABLE, less that of theirs."""
    mine, theirs = _discs(position)
    return sum(TABLE[cell] for cell in cells_of(mine)) - sum(TABLE[cell] for cell in cells_of(theirs))


def stable(game: Reversi, position: Position, last: object) -> int:
    """The five features by STABLE_WEIGHTS, the same during the whole game."""
    return _weighted(game, position, STABLE_WEIGHTS)


def adaptive(game: Reversi, position: Position, last: object) -> int:
    """The five features by weights that change with the number of discs on the board."""
    discs = (position.discs[0] | position.discs[1]).bit_count()
    return _weighted(game, position, OPENING if discs < OPENING_DISCS else MIDDLE if discs < MIDDLE_DISCS else END)


def _discs(position: Position) -> tuple[int, int]:
    """The mover's discs and the enemy's."""
    return position.discs[position.side], position.discs[1 - position.side]


def _weighted(game: Reversi, position: Position, weights: Weights) -> int:
    return sum(weight * HEURISTICS[name](game, position, None) for name, weight in weights.items())


DEPTHS = Depths(usual=4, measured=4, opening=16)
"""The seed's depth."""
HEURISTICS: dict[str, Heuristic] = {
    "adaptive": adaptive,
    "stable": stable,
    "static": static,
    "corners": corners,
    "edges": edges,
    "coin_parity": coin_parity,
    "mobility": mobility,
    "stability": stability,
    "true_stability": true_stability,
}
"""By name, the usual one first."""

assert len(TABLE) == len(CELLS)
