"""Evaluation weights of each named heuristic and of the engine's own evaluation.

Each evaluation by features has weights for four phases: nine or more men still to lay, fewer, all laid, both flying.
On the board without diagonals the engine judges by learnt patterns instead.
"""

from __future__ import annotations

from typing import NamedTuple

from games.nine_mens_morris import heuristics as named

PATTERNS = "morris_patterns"


class Weights(NamedTuple):
    """Weight of one unit of each feature; features are mine minus the enemy's, except the last two."""

    last: int = 0
    mills: int = 0
    blocked: int = 0
    men: int = 0
    two: int = 0
    double: int = 0
    three: int = 0
    mill_men: int = 0
    """`games.nine_mens_morris.heuristics` defines this feature and the seven before it."""
    mobility: int = 0
    """A free neighbour of a man."""
    reach: int = 0
    """Each mill that one step would close."""
    running: int = 0
    """Each closed mill that has a man able to step aside."""
    threat: int = 0
    """The side to move can close a mill at once."""
    tempo: int = 0
    """Being the side to move."""


Phases = tuple[Weights, Weights, Weights, Weights]


def _of(weights: named.Weights) -> Weights:
    return Weights(*weights[:8])


def _always(weights: Weights) -> Phases:
    return (weights, weights, weights, weights)


NAMED: dict[str, Phases] = {
    "best": (_of(named.LAYING), _of(named.LAYING), _of(named.MOVING), _of(named.FLYING)),
    "last_move_mill": _always(Weights(last=1)),
    "closed_mills": _always(Weights(mills=1)),
    "blocked_men": _always(Weights(blocked=1)),
    "mill_men": _always(Weights(mill_men=1)),
    "two_configurations": _always(Weights(two=1)),
    "double_mills": _always(Weights(double=1)),
    "winning": _always(Weights()),
}
"""Weights by heuristic. The search itself scores a won game, so the weights of `winning` are all zero."""
OWN: Phases = (
    Weights(0, 21, 14, -33, 14, 34, 67, 30, mobility=29, reach=12, running=42, threat=93, tempo=13),
    Weights(0, 29, 10, -46, 70, 54, 13, 34, mobility=23, reach=16, running=52, threat=62, tempo=31),
    Weights(0, 3, 6, 115, 11, 12, 11, -2, mobility=10, reach=123, running=96, threat=79, tempo=16),
    Weights(last=48, two=30, three=3),
)
"""Hundredths of a logit of winning: the engine's own weights, fitted by logistic regression to 66,207 positions of
2,000 games that the engine played against itself with `best`, searching 2,000 positions a move, after two to ten random
plies. The negative weights of a man while laying only offset his mobility. With both flying: `best` times three.

An earlier version of the recipe `kibitzer train evaluation --game nine_mens_morris` made them; its output differs."""
