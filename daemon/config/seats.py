"""The players of the two sides of a match, and their names in the record and its ranking."""

from __future__ import annotations

import dataclasses

from agents.messages import LimitsPart
from daemon.config.settings import PlayerSection

PERSON = "person"
"""Name of a person whose name is not set."""


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


def player_name(player: PlayerSection) -> str:
    """The player's own name; else the agent with all its non-default settings; else `person`.

    `alphabeta:depth=3,heuristic=best` counts as another player than `alphabeta`, so that each has its own rating.
    """
    if player.name or not player.agent:
        return player.name or PERSON
    usual = PlayerSection()
    limits = {name: f"{getattr(player, name):g}" for name in ("time_s", "depth", "nodes")}
    said = {name: value for name, value in limits.items() if float(value) != getattr(usual, name)}
    words = [f"{name}={str(value).lower()}" for name, value in (*sorted(player.options.items()), *said.items())]
    return f"{player.agent}:{','.join(words)}" if words else player.agent
