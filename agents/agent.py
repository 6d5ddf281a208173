"""What an agent is: a position and limits in, a move and how it was found out."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any, Protocol

ENTRY_POINTS = "kibitzer.agents"
"""The group of entry points by which installed packages bring agents: each names a module like those of this folder."""


class AgentError(ValueError):
    """An agent that does not exist, an option it does not have, or a game it does not play."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """When to stop thinking; whichever comes first. All None: the agent's own default."""

    time_s: float | None = None
    """Seconds of thinking."""
    depth: int | None = None
    """Plies of full-width search."""
    nodes: int | None = None
    """Positions visited."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """A move and what was done to find it."""

    move: Any
    """A move of the game."""
    score: float | None
    """The agent's own scale, positive is good for the side to move; None where it has no opinion."""
    nodes: int
    """Positions visited."""
    depth: int
    """Plies of the last whole iteration; 0 without search."""
    seconds: float
    """Seconds of thinking."""
    pv: tuple[str, ...]
    """The expected line of play as move texts, `move` first."""
    masked: int = 0
    """Illegal choices that the agent liked better, and that were passed over; networks alone have any."""


class Agent(Protocol):
    """A player of one game. Made once per game and kept, so that it may keep its table between moves."""

    name: str

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """An answer for the side to move; `stop` asks it to answer at once with the best move so far.

        Raises ValueError where the game is over.
        """
