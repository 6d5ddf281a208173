"""Why a move is worth something, as far as the rules show: a mill closed, an open three, a corner given away.

A module per game, named after it, has `of(game, position, move)`, which gives some of `CODES`, the weightiest first.
Everything is tried out by the rules on the board itself, so that it holds under every rule option.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
from collections.abc import Sequence
from typing import Any

from rules import AnyGame, GameError, Step

CODES = (
    "wins_at_once",
    "five",
    "open_four",
    "four",
    "open_three",
    "blocks_five",
    "blocks_four",
    "closes_mill",
    "double_mill",
    "blocks_mill",
    "threatens_mills",
    "threatens_mill",
    "shuts_in",
    "takes_corner",
    "gives_corner",
    "carries",
    "captures",
    "saves",
    "exposes",
    "if_held",
)
"""Every reason; the daemon has words for them."""
MOST = 2
"""Reasons given for one move."""


def of(game: AnyGame, position: Any, move: Any) -> Sequence[str]:
    """The reasons for a legal move, at most `MOST`; empty for a game that has no module here."""
    if game.name not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return ()
    found: Sequence[str] = importlib.import_module(f"agents.reasons.{game.name}").of(game, position, move)
    return found[:MOST]


def if_moving(game: AnyGame, position: Any, side: int) -> Any | None:
    """The same board with that side to move; None where the rules do not allow it."""
    with contextlib.suppress(GameError, ValueError):
        turned = game.set_up(game.board(position), side, position)
        return turned if game.outcome(turned) is None else None
    return None


def steps_of(game: AnyGame, position: Any | None) -> list[tuple[Step, ...]]:
    """The steps of every legal move; empty for None."""
    if position is None:
        return []
    return [steps for move in game.legal_moves(position) if (steps := game.steps(position, move))]
