"""What an agent takes a position for that it does not see whole: nobody searches the other's hand."""

from __future__ import annotations

from typing import Any

from games import AnyGame

DEALS = 8
"""Deals tried until one is found in which the game goes on."""


def imagined(game: AnyGame, position: Any, seed: int) -> Any:
    """The position as the side to move knows it, everything hidden dealt at random; itself where nothing is hidden.

    The same seed deals the same. A mover whose own hand is hidden too is dealt one as well. Of a position in which
    the game goes on, one in which it does: where every deal ends it, what is hidden stays so.
    """
    known = game.view(position, game.to_move(position))
    if not game.hides:
        return known
    deals = (game.deal(known, seed + more) for more in range(DEALS))
    return next((dealt for dealt in deals if game.outcome(dealt) is None), known)


def as_seen(game: AnyGame, position: Any, world: Any, move: Any) -> Any:
    """The move of the imagined position as one of the real position: who hides a hand does not name a discard."""
    legal = game.legal_moves(position)
    if move in legal:
        return move
    steps = game.steps(world, move)
    return next(other for other in legal if game.steps(position, other) == steps)
