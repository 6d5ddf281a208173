"""The players of the two sides of a match."""

from __future__ import annotations

import dataclasses

from agents.messages import LimitsPart
from daemon.config.settings import JOINS, PlayerSection


@dataclasses.dataclass(frozen=True)
class Seat:
    """The player of one side."""

    agent: str | None = None
    """Name of the agent; None for a person."""
    options: dict[str, str] = dataclasses.field(default_factory=dict)
    limits: LimitsPart = dataclasses.field(default_factory=LimitsPart)
    place: str = ""
    """Side of the board's frame at which the player sits: top, right, bottom or left; empty if unknown."""
    joins: bool = False
    """Whether the agent joins from the bus by itself; the table's own worker plays all others."""


def seat(player: PlayerSection) -> Seat:
    """The seat described by a player's settings."""
    limits = LimitsPart(time_s=player.time_s, depth=player.depth or None, nodes=player.nodes or None)
    options = {name: str(value).lower() for name, value in player.options.items()}
    agent = player.agent.removeprefix(JOINS) or None
    return Seat(agent, options, limits if agent else LimitsPart(), player.seat, player.agent.startswith(JOINS))


def own_agents(seats: tuple[Seat, Seat]) -> tuple[str, ...]:
    """The agents that the table's own worker must offer."""
    return tuple(one.agent for one in seats if one.agent and not one.joins)
