"""How much is spoken. Everything is also written, and whatever a player must act on is always spoken."""

from __future__ import annotations

from typing import Literal

from daemon.game.effects import Announcement

Verbosity = Literal["moves", "normal", "coach"]
"""`moves`: moves, and whatever needs action; `normal`: everything; `coach`: also advice.

The advice says who stands better and the best move, whenever a person is to move.
"""
CHATTER = frozenset(
    {"start", "resumed", "board_found", "cleared", "left", "corrected", "new_game", "continued", "pace", "best"}
)
"""Codes of announcements that contain no move and need no action."""


def is_spoken(announcement: Announcement, verbosity: Verbosity) -> bool:
    return bool(announcement.said) and (announcement.urgent or verbosity != "moves" or announcement.code not in CHATTER)


def wants_advice(announcement: Announcement, verbosity: Verbosity) -> bool:
    """Whether the coach should speak after it, if a person is to move."""
    return verbosity == "coach" and announcement.code in ("move", "pass")
