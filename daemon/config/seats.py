"""The players of the two sides of a match."""

from __future__ import annotations

import dataclasses
import re

from agents.messages import LimitsPart
from daemon.config.settings import JOINS, PlayerSection, PlayersSection

STAND_IN_LEVEL = 5


@dataclasses.dataclass(frozen=True)
class Seat:
    agent: str | None = None
    options: dict[str, str] = dataclasses.field(default_factory=dict)
    limits: LimitsPart = dataclasses.field(default_factory=LimitsPart)
    place: str = ""
    """Side of the board's frame at which the player sits: top, right, bottom or left; empty if unknown."""
    joins: bool = False
    """Whether the agent joins from the bus by itself; the table's own worker plays all others."""

    @property
    def shown(self) -> str:
        return self.options.get("engine") or self.agent or ""


def seat(player: PlayerSection) -> Seat:
    limits = LimitsPart(time_s=player.time_s, depth=player.depth or None, nodes=player.nodes or None)
    options = {name: str(value).lower() for name, value in player.options.items()}
    agent = player.agent.removeprefix(JOINS) or None
    return Seat(agent, options, limits if agent else LimitsPart(), player.seat, player.agent.startswith(JOINS))


def seats_of(players: PlayersSection) -> tuple[Seat, Seat]:
    return seat(players.first), seat(players.second)


def own_agents(seats: tuple[Seat, Seat]) -> tuple[str, ...]:
    return tuple(one.agent for one in seats if one.agent and not one.joins)


def level_of(seat: Seat) -> int | None:
    said = re.fullmatch(r"level-([1-8])", seat.agent or "") or re.fullmatch(r"([1-8])", seat.options.get("level", ""))
    return None if said is None else int(said[1])


def stand_in(seat: Seat) -> Seat | None:
    """Kibitzer's own player for a seat whose agent fails; None for a person, and where level 1 has failed itself.

    It is of the agent's level where that is known. For a level that fails it is the one below.
    """
    if seat.agent is None:
        return None
    number = level_of(seat) or STAND_IN_LEVEL
    if seat.agent.startswith("level-"):
        number -= 1
    return Seat(f"level-{number}", {}, seat.limits, seat.place) if number else None
