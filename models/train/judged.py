"""What the recipe for judgements asks of a game: features to count, and a search that judges by given weights.

A judgement is whole weights, (groups, features): morris has other weights in each phase of the game, the others one
group. The value of a position for the side to move is its features times its group's weights.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from games import AnyGame

Weights = NDArray[np.int64]
"""(groups, features)"""
TABLE_MB = 8


class Counted(NamedTuple):
    """What a judgement counts in a position."""

    group: int
    features: NDArray[np.int64]
    """Mine minus the enemy's, as far as both have them."""


class Judgement(Protocol):
    """One game's judgement under its rules."""

    @property
    def game(self) -> AnyGame:
        """The rules."""

    groups: tuple[str, ...]
    features: tuple[str, ...]
    fewest: int
    """The least that a weight may be."""
    most: int
    games: int
    """Games that the recipe plays where nobody says how many."""
    nodes: int
    """Positions that each of their moves is searched for, likewise."""
    plies: int
    """A game that is not over by then counts as a draw."""
    opening: tuple[int, int]
    """Fewest and most random moves that begin a game."""
    astray: float
    """How often a move of the games is random."""
    starts_anew: bool
    """Whether a random move decides so much that only the positions after it have the game's result."""
    scale: int
    """Weight of a logit of winning."""
    strength: float
    """How little weights are drawn towards 0: scikit-learn's C, where features have the mean square 1."""
    finishing: int
    """Positions that `finish` looks at."""
    where: str
    """What to paste the weights over."""

    def shipped(self) -> Weights:
        """The weights that the kernel has now."""

    def search(self, weights: Weights, seed: int) -> Any:
        """A search that judges by these weights and knows no endgame tables."""

    def counted(self, position: Any) -> Counted | None:
        """What there is in a position that is not over; None where no search would judge it by these weights."""

    def random_moves(self, position: Any) -> Sequence[Any]:
        """Legal moves that are not quite without sense."""

    def finish(self, weights: Weights, positions: Sequence[Any], say: Callable[[int], object]) -> Weights:
        """The weights with what results do not show; `say` hears of every position that it looks at."""

    def text(self, weights: Weights) -> str:
        """As the kernel's module holds them."""


def wrapped(entries: Iterable[str], width: int = 110) -> str:
    """Entries of a display in indented lines of at most that width, each followed by a comma."""
    lines = [""]
    for entry in entries:
        if lines[-1] and len(lines[-1]) + len(entry) + 6 > width:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else ''}{entry},"
    return "\n".join(f"    {line}" for line in lines)


def drawn_move(judgement: Judgement, position: Any, draw: random.Random) -> Any:
    """One of the random moves."""
    return draw.choice(judgement.random_moves(position))
