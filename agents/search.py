"""What alpha-beta drives: one whole-tree search of a given depth after the other."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

WIN = 1_000_000
"""Score of a game won at once; a win `n` plies away is worth `n` less, a loss the same with a minus."""
MAX_DEPTH = 100
"""Deepest search, in plies."""


@dataclasses.dataclass(frozen=True)
class Iteration:
    """What one search of a given depth found, or found until it was interrupted."""

    whole: bool
    """False where it was interrupted."""
    move: Any
    """The best root move; None where none was searched to the end."""
    score: int
    """For the side to move; without meaning where `move` is None."""
    pv: tuple[Any, ...]
    """Expected moves, `move` first."""
    nodes: int
    """Positions visited since `begin`."""
    final: bool = False
    """Whether nothing deeper can change the move or the score: proven, solved, or known from a table."""


class Search(Protocol):
    """A search of one game, kept during the game with what it learnt. Used by one thread; `interrupt` by any."""

    def begin(self, position: Any, nodes: int | None, exact: bool) -> None:
        """Turns to a position where the game is not over; visits at most `nodes` positions from now on.

        `exact` asks for the very score of plain minimax, whatever earlier searches have learnt.
        """

    def deepen(self, depth: int) -> Iteration:
        """Searches all lines to that depth; the best move of the iteration before is tried first."""

    def interrupt(self) -> None:
        """Makes a running `deepen`, and every later one until `begin`, return at once."""
