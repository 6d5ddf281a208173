"""Replaces hidden information by random deals, so that no agent searches the other side's real hand."""

from __future__ import annotations

from typing import Any

from rules import AnyGame, HiddenHands

DEALS = 8
"""Deals tried to find one in which the game is not over."""


def imagined(game: AnyGame, position: Any, seed: int) -> Any:
    """The position as the side to move knows it, with hidden tiles dealt at random; as is where nothing is hidden.

    The same seed gives the same deal. If the mover's own hand is hidden, it is dealt too. Deals that end the game are
    skipped; if all do, the hidden tiles stay hidden.
    """
    if not isinstance(game, HiddenHands):
        return position
    known = game.view(position, game.to_move(position))
    deals = (game.deal(known, seed + more) for more in range(DEALS))
    return next((dealt for dealt in deals if game.outcome(dealt) is None), known)


def as_seen(game: AnyGame, position: Any, world: Any, move: Any) -> Any:
    """Translates a move of the imagined position to the real one, where a hidden hand names no discard."""
    legal = game.legal_moves(position)
    if move in legal:
        return move
    steps = game.steps(world, move)
    return next(other for other in legal if game.steps(position, other) == steps)
