"""Parses what a page asks of a demo: to begin one beside the table, or to end the one that it shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import games
from daemon.commands.command import CommandError


@dataclasses.dataclass(frozen=True)
class DemoRequest:
    game: str = ""
    """Name of the game to show; empty for the one that is played."""
    end: bool = False


def parse_demo_request(words: object) -> DemoRequest:
    """Parses `{"game": "reversi"}`, `{"end": true}` or `{}`. Raises CommandError."""
    if not isinstance(words, Mapping) or set(words) - {"game", "end"}:
        raise CommandError("a demo is asked for by an object with a game, or ended by one with end")
    game, end = words.get("game", ""), words.get("end", False)
    if not isinstance(end, bool):
        raise CommandError("end is true or false")
    if game != "" and game not in games.names():
        raise CommandError(f"game is one of {', '.join(games.names())}")
    return DemoRequest(game, end)
