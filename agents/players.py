"""A player in one word: an agent with its options and limits, as in the arena, the levels and on command lines.

`alphabeta`, `alphabeta:depth=3,heuristic=best`, `mcts:simulations=100,time_s=2`, `level-5`. Names of limits are limits;
everything else is an option of the agent.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from typing import Any

from agents import registry
from agents.agent import AgentError, Answer, GameAgent, Limits
from rules import AnyGame


@dataclasses.dataclass(frozen=True)
class PlayerSpec:
    agent: str
    options: tuple[tuple[str, str], ...] = ()
    limits: Limits = dataclasses.field(default_factory=Limits)

    @property
    def text(self) -> str:
        """The text that `parse` reads as this player."""
        limits = [(name, f"{value:g}") for name, value in vars(self.limits).items() if value is not None]
        words = [f"{name}={value}" for name, value in (*self.options, *limits)]
        return f"{self.agent}:{','.join(words)}" if words else self.agent


def parse(text: str) -> PlayerSpec:
    agent, _, rest = text.strip().partition(":")
    registry.find(agent)
    options, limits = [], Limits()
    for word in (part.strip() for part in rest.split(",") if part.strip()):
        name, sign, value = (part.strip() for part in word.partition("="))
        if not sign or not name or not value:
            raise AgentError(f"{text!r}: after the colon stand name=value, such as depth=3, not {word!r}")
        if name in vars(limits):
            limits = _limited(limits, name, value)
        else:
            options.append((name, value))
    return PlayerSpec(agent, tuple(options), limits)


def _limited(limits: Limits, name: str, value: str) -> Limits:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0 and (name == "time_s" or number.is_integer())):
        raise AgentError(f"{name} is a {'' if name == 'time_s' else 'whole '}number above 0, not {value!r}")
    if name == "time_s":
        return dataclasses.replace(limits, time_s=number)
    return dataclasses.replace(limits, **{name: int(number)})


class Player:
    """An agent playing one game under its limits. Create one per game played."""

    def __init__(self, spec: PlayerSpec, game: AnyGame) -> None:
        self.spec = spec
        self._agent: GameAgent = registry.load_agent(spec.agent, game, dict(spec.options))

    def choose(self, position: Any, stop: threading.Event | None = None) -> Answer:
        return self._agent.choose(position, self.spec.limits, stop or threading.Event())
