"""The interface of the searches that alpha-beta drives: full searches of increasing depth."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

WIN = 1_000_000
"""Score of a game won at once; a win `n` plies away scores `n` less, a loss the negative of that."""
FORCED = WIN - 100_000
"""A score beyond it means a forced win."""
MAX_DEPTH = 100
"""Plies of the deepest search."""


@dataclasses.dataclass(frozen=True)
class Iteration:
    """Result of one search of a given depth, complete or interrupted."""

    whole: bool
    """False if the search was interrupted."""
    move: Any
    """The best root move; None if no root move was searched completely."""
    score: int
    """Score for the side to move; meaningless where `move` is None."""
    pv: tuple[Any, ...]
    """Expected moves, `move` first."""
    nodes: int
    """Positions visited since `begin`."""
    final: bool = False
    """Whether a deeper search cannot change the move or the score: proven, solved, or known from a table."""
    exact: bool = False
    """Whether the score is the position's own: solved, or known from a table."""


class Search(Protocol):
    """A search for one game, kept during it with what it has learnt. One thread uses it; any may call `interrupt`."""

    def begin(self, position: Any, nodes: int | None, exact: bool) -> None:
        """Sets a position where the game is not over; visits at most `nodes` positions from now on.

        `exact` requires plain minimax's exact score, whatever earlier searches have learnt.
        """

    def deepen(self, depth: int) -> Iteration:
        """Searches all lines to that depth, starting with the best move of the previous iteration."""

    def interrupt(self) -> None:
        """Makes a running `deepen`, and every later one until `begin`, return at once."""
