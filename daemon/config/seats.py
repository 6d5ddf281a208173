"""The players of the two sides of a match."""

from __future__ import annotations

import dataclasses

from agents.messages import LimitsPart
from daemon.config.settings import PlayerSection


@dataclasses.dataclass(frozen=True)
class Seat:
    """The player of one side."""

    agent: str | None = None
    """Name of the agent; None for a person."""
    options: dict[str, str] = dataclasses.field(default_factory=dict)
    limits: LimitsPart = dataclasses.field(default_factory=LimitsPart)
    place: str = ""
    """Side of the board's frame at which the player sits: top, right, bottom or left; empty if unknown."""


def seat(player: PlayerSection) -> Seat:
    """The seat described by a player's settings."""
    limits = LimitsPart(time_s=player.time_s, depth=player.depth or None, nodes=player.nodes or None)
    options = {name: str(value).lower() for name, value in player.options.items()}
    return Seat(player.agent or None, options, limits if player.agent else LimitsPart(), player.seat)
