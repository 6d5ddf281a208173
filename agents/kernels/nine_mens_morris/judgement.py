"""What the judgements count: the weights of each named heuristic, and of the engine's own.

A judgement is the weights of four phases: nine or more men still to lay, fewer, all laid, and both sides flying.
"""

from __future__ import annotations

from typing import NamedTuple

from agents.heuristics import nine_mens_morris as named


class Weights(NamedTuple):
    """What counts for one of each feature, mine minus the enemy's but for the last two."""

    last: int = 0
    mills: int = 0
    blocked: int = 0
    men: int = 0
    two: int = 0
    double: int = 0
    three: int = 0
    mill_men: int = 0
    """These eight as `agents.heuristics.nine_mens_morris` counts them."""
    mobility: int = 0
    """A free neighbour of a man."""
    reach: int = 0
    """A mill that one step would close."""
    running: int = 0
    """A closed mill of which a man can step aside."""
    threat: int = 0
    """That the side to move can close a mill at once."""
    tempo: int = 0
    """To be to move."""


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
"""By heuristic. A game that is won is scored by the search, so that `winning` and its weights count nothing."""
OWN: Phases = (
    Weights(0, 21, 14, -33, 14, 34, 67, 30, mobility=29, reach=12, running=42, threat=93, tempo=13),
    Weights(0, 29, 10, -46, 70, 54, 13, 34, mobility=23, reach=16, running=52, threat=62, tempo=31),
    Weights(0, 3, 6, 115, 11, 12, 11, -2, mobility=10, reach=123, running=96, threat=79, tempo=16),
    Weights(last=48, two=30, three=3),
)
"""The engine's own: a hundredth of a logit of winning, fitted by logistic regression to 66,207 positions of 2,000 games
that the engine played against itself with `best`, 2,000 positions a move, after two to ten random plies. A man on the
board counts less than nothing while laying only beside his mobility. Both flying is `best`, three times.

An earlier form of the recipe `kibitzer train judgement --game nine_mens_morris` made them; what that prints differs."""
