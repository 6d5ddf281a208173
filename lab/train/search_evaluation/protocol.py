"""Interface of a game for the evaluation recipe: features to count, and a search that evaluates by given weights.

An evaluation is an integer matrix of weights, (groups, features): morris has other weights in each phase of the game,
the others one group. The value of a position for the side to move is its features times its group's weights.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rules import AnyGame

Weights = NDArray[np.int64]
"""(groups, features)"""
TABLE_MB = 8


class Counted(NamedTuple):
    group: int
    features: NDArray[np.int64]
    """The mover's count minus the enemy's, for features that both sides have."""


class Evaluation(Protocol):
    @property
    def game(self) -> AnyGame:
        """The game with its rules."""

    groups: tuple[str, ...]
    features: tuple[str, ...]
    fewest: int
    """Least value of a weight."""
    most: int
    games: int
    """Default number of games that the recipe plays."""
    nodes: int
    """Default number of positions searched for each of their moves."""
    plies: int
    """Plies after which an unfinished game counts as a draw."""
    opening: tuple[int, int]
    """Fewest and most random moves at the start of a game."""
    astray: float
    """Share of the games' moves that are random."""
    starts_anew: bool
    """Whether a random move decides so much that only the positions after it get the game's result."""
    scale: int
    """Weight of one logit of winning."""
    strength: float
    """scikit-learn's C, for features of mean square 1: the greater, the less the weights are drawn towards 0."""
    where: str
    """The source to paste the weights over."""

    def shipped(self) -> Weights:
        """The kernel's present weights."""

    def search(self, weights: Weights, seed: int) -> Any:
        """A search that judges by these weights and uses no endgame tables."""

    def counted(self, position: Any) -> Counted | None:
        """The features of a position that is not over; None if no search would judge it by these weights."""

    def random_moves(self, position: Any) -> Sequence[Any]:
        """Legal moves that are not obviously senseless."""

    def text(self, weights: Weights) -> str:
        """The weights as source text for the kernel's module."""


def wrapped(entries: Iterable[str], width: int = 110) -> str:
    """The entries in indented lines of at most that width, each followed by a comma."""
    lines = [""]
    for entry in entries:
        if lines[-1] and len(lines[-1]) + len(entry) + 6 > width:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else ''}{entry},"
    return "\n".join(f"    {line}" for line in lines)


def drawn_move(evaluation: Evaluation, position: Any, draw: random.Random) -> Any:
    return draw.choice(evaluation.random_moves(position))
