"""Evaluates morris positions: seven features, and `best`, their sum by phase with Kukreja's coefficients.

All values are mine minus the enemy's, for the side to move. `last` is the move that led to the position, so the enemy
made it; None means unknown, and is treated as closing no mill.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

from games.nine_mens_morris import FULL, Move, NineMensMorris, Position
from rules import Side
from rules.heuristics import Depths, Heuristic
from rules.turns import cells_of


class Weights(NamedTuple):
    """Weights of `best` for one unit of each feature in one phase of the game."""

    last: int = 0
    """Weight of the mill closed by the last move."""
    mills: int = 0
    """Weight of a closed mill."""
    blocked: int = 0
    """Weight of an enemy man that cannot leave its point."""
    men: int = 0
    """Weight of a man on the board."""
    two: int = 0
    """Weight of a two-configuration: a line of two men and an empty point."""
    double: int = 0
    """Weight of two closed mills that share a man."""
    three: int = 0
    """Weight of a three-configuration: two two-configurations that share a man, so that two moves close a mill."""
    mill_men: int = 0
    """Weight of a man in a mill."""
    winning: int = 0
    """Weight of a won game."""


LAYING = Weights(last=18, mills=26, blocked=1, men=9, two=10, three=7)
"""Weights while either side has men to lay; coefficients as published by Kukreja, like the two below."""
MOVING = Weights(last=14, mills=43, blocked=10, men=11, double=8, winning=1086)
"""Weights once all men are laid."""
FLYING = Weights(last=16, two=10, three=1, winning=1190)
"""Weights when both sides fly."""


def last_move_mill(game: NineMensMorris, position: Position, last: Move | None) -> int:
    """-1 if the last move, the enemy's, closed a mill, else 0; never positive, as the mover did not make the last move.

    A removal shows that it closed a mill: a mill always takes a man in play, as nobody has three men before the enemy's
    first.
    """
    return -1 if last is not None and last.removed is not None else 0


def closed_mills(game: NineMensMorris, position: Position, last: Move | None) -> int:
    """Closed mills."""
    return len(_closed(game, position, position.side)) - len(_closed(game, position, 1 - position.side))


def blocked_men(game: NineMensMorris, position: Position, last: Move | None) -> int:
    """Men without a free neighbour, the enemy's minus mine; a flying side has none."""
    return _blocked(game, position, 1 - position.side) - _blocked(game, position, position.side)


def mill_men(game: NineMensMorris, position: Position, last: Move | None) -> int:
    """Men that stand in mills, each counted once."""
    return _in_mills(game, position, position.side) - _in_mills(game, position, 1 - position.side)


def two_configurations(game: NineMensMorris, position: Position, last: Move | None) -> int:
    """Lines with two men and an empty point."""
    return len(_open(game, position, position.side)) - len(_open(game, position, 1 - position.side))


def double_mills(game: NineMensMorris, position: Position, last: Move | None) -> int:
    """Pairs of closed mills that share a man."""
    return _pairs(game, position, position.side) - _pairs(game, position, 1 - position.side)


def three_configurations(game: NineMensMorris, position: Position, last: Move | None) -> int:
    """Pairs of two-configurations that share a man: a part of `best`, not a heuristic of its own."""
    return _threes(game, position, position.side) - _threes(game, position, 1 - position.side)


def winning(game: NineMensMorris, position: Position, last: Move | None) -> int:
    """1 if the game is won, -1 if lost, else 0."""
    outcome = game.outcome(position)
    if outcome is None or outcome.winner is None:
        return 0
    return 1 if outcome.winner == position.side else -1


def best(game: NineMensMorris, position: Position, last: Move | None) -> int:
    """The sum of features with the weights of the phase.

    The flying weights know neither men nor blocked men, so they are for two sides that fly; while one flies against
    more men, the moving weights go on: the men still decide. Three men that do not fly are moving.
    """
    weights = phase_weights(game, position)
    men = position.men[position.side].bit_count() - position.men[1 - position.side].bit_count()
    return (
        weights.last * last_move_mill(game, position, last)
        + weights.mills * closed_mills(game, position, last)
        + weights.blocked * blocked_men(game, position, last)
        + weights.men * men
        + weights.two * two_configurations(game, position, last)
        + weights.double * double_mills(game, position, last)
        + weights.three * three_configurations(game, position, last)
        + weights.winning * winning(game, position, last)
    )


def phase_weights(game: NineMensMorris, position: Position) -> Weights:
    """The weights of `best` for the position's phase."""
    if is_opening(game, position):
        return LAYING
    return FLYING if game.flies(position, 0) and game.flies(position, 1) else MOVING


def is_opening(game: NineMensMorris, position: Position) -> bool:
    """Whether men are still to be laid."""
    return any(position.hands)


def _closed(game: NineMensMorris, position: Position, side: Side) -> list[int]:
    """The closed mills of a side, as bit sets."""
    men = position.men[side]
    return [mill for mill in game.mills if mill & men == mill]


def _open(game: NineMensMorris, position: Position, side: Side) -> list[int]:
    """The lines with two men of a side and an empty point, as bit sets."""
    men, empty = position.men[side], FULL & ~(position.men[0] | position.men[1])
    return [mill for mill in game.mills if (mill & men).bit_count() == 2 and mill & empty]


def _in_mills(game: NineMensMorris, position: Position, side: Side) -> int:
    found = 0
    for mill in _closed(game, position, side):
        found |= mill
    return found.bit_count()


def _pairs(game: NineMensMorris, position: Position, side: Side) -> int:
    return sum(bool(a & b) for a, b in itertools.combinations(_closed(game, position, side), 2))


def _threes(game: NineMensMorris, position: Position, side: Side) -> int:
    men = position.men[side]
    return sum(bool(a & b & men) for a, b in itertools.combinations(_open(game, position, side), 2))


def _blocked(game: NineMensMorris, position: Position, side: Side) -> int:
    if game.flies(position, side):
        return 0
    empty = FULL & ~(position.men[0] | position.men[1])
    return sum(not game.neighbours[cell] & empty for cell in cells_of(position.men[side]))


DEPTHS = Depths(usual=3, measured=3, opening=10)
HEURISTICS: dict[str, Heuristic] = {
    "best": best,
    "last_move_mill": last_move_mill,
    "closed_mills": closed_mills,
    "blocked_men": blocked_men,
    "mill_men": mill_men,
    "two_configurations": two_configurations,
    "double_mills": double_mills,
    "winning": winning,
}
