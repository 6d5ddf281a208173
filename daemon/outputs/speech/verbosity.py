"""How much is spoken. All is written in any case, and what a player must act on is always spoken."""

from __future__ import annotations

from typing import Literal

from daemon.game.effects import Announcement

Verbosity = Literal["moves", "normal", "coach"]
"""`moves`: moves, and what must be acted on; `normal`: all; `coach`: also who stands better and the best move,
whenever a person is to move."""
CHATTER = frozenset({"start", "resumed", "board_found", "cleared", "left", "corrected", "new_game", "continued"})
"""Announcements without a move, and without anything to do."""


def is_spoken(announcement: Announcement, verbosity: Verbosity) -> bool:
    """Whether an announcement is for the ear."""
    return bool(announcement.said) and (announcement.urgent or verbosity != "moves" or announcement.code not in CHATTER)


def wants_advice(announcement: Announcement, verbosity: Verbosity) -> bool:
    """Whether the coach is to speak after it, if a person is to move."""
    return verbosity == "coach" and announcement.code in ("move", "pass")
