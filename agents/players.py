"""A player in one word: an agent with its options and limits, as in the arena, the levels and on command lines.

`alphabeta`, `alphabeta:depth=3,heuristic=best`, `mcts:simulations=100,time_s=2`, `level-5`. Names of limits are limits;
everything else is an option of the agent. `processor_s` is a limit too: the processor time of a move, in the mean.
"""

from __future__ import annotations

import dataclasses
import math
import threading
import time
from typing import Any

from agents import registry
from agents.agent import AgentError, Answer, GameAgent, Limits
from agents.pace import Pace
from rules import AnyGame

PROCESSOR = "processor_s"


@dataclasses.dataclass(frozen=True)
class PlayerSpec:
    agent: str
    options: tuple[tuple[str, str], ...] = ()
    limits: Limits = dataclasses.field(default_factory=Limits)
    processor_s: float | None = None
    """Seconds of processor time a move, in the mean, for programs that can only be told seconds of a clock."""

    @property
    def text(self) -> str:
        """The text that `parse` reads as this player."""
        limited = {**vars(self.limits), PROCESSOR: self.processor_s}
        limits = [(name, f"{value:g}") for name, value in limited.items() if value is not None]
        words = [f"{name}={value}" for name, value in (*self.options, *limits)]
        return f"{self.agent}:{','.join(words)}" if words else self.agent


def parse(text: str) -> PlayerSpec:
    agent, _, rest = text.strip().partition(":")
    registry.find(agent)
    options, limits, processor_s = [], Limits(), None
    for word in (part.strip() for part in rest.split(",") if part.strip()):
        name, sign, value = (part.strip() for part in word.partition("="))
        if not sign or not name or not value:
            raise AgentError(f"{text!r}: after the colon stand name=value, such as depth=3, not {word!r}")
        if name == PROCESSOR:
            processor_s = _number(name, value)
        elif name in vars(limits):
            found: Any = _number(name, value)
            limits = dataclasses.replace(limits, **{name: found if name == "time_s" else int(found)})
        else:
            options.append((name, value))
    if processor_s is not None and limits.time_s is not None:
        raise AgentError(f"{text!r}: give time_s or {PROCESSOR}, not both")
    return PlayerSpec(agent, tuple(options), limits, processor_s)


def _number(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    whole = name not in ("time_s", PROCESSOR)
    if not (math.isfinite(number) and number > 0 and (number.is_integer() or not whole)):
        raise AgentError(f"{name} is a {'whole ' if whole else ''}number above 0, not {value!r}")
    return number


class Player:
    """An agent playing one game under its limits. Create one per game played.

    With a pace, which all its games share, it keeps to its processor time in the mean of all moves; without one, in
    every move that takes what it is given.
    """

    def __init__(self, spec: PlayerSpec, game: AnyGame, pace: Pace | None = None) -> None:
        self.spec, self._pace = spec, pace
        self._agent: GameAgent = registry.load_agent(spec.agent, game, dict(spec.options))
        # A package's agent need not be a GameAgent, and may lack all of them.
        self._prepare = getattr(self._agent, "prepare", lambda _: None)
        self._rehearse = getattr(self._agent, "rehearse", lambda _position, _stop: None)
        self._clock = getattr(self._agent, "processor_s", lambda: GameAgent.processor_s(self._agent))
        self.coarseness: int = getattr(self._agent, "coarseness", 0)
        self.seconds = self.processor_s = 0.0
        """Time and processor time of the last move, without what had to be prepared."""
        self._account = pace or Pace(spec.processor_s or 0.0)
        self._ended_s: float | None = None
        """The clock after the last move."""

    def choose(self, position: Any, stop: threading.Event | None = None) -> Answer:
        limits, asked_s = self.spec.limits, self.spec.processor_s
        if asked_s is not None:
            asked_s = asked_s if self._pace is None else self._pace.next_s()
            limits = dataclasses.replace(limits, time_s=asked_s / self._account.share())
        stop = stop or threading.Event()
        self._prepare(stop)
        if asked_s is not None and self._ended_s is None:
            self._rehearse(position, stop)
        # A program may think in the other's time, too; what this process does then is not its player's.
        before_s = self._clock() if self._ended_s is None or not self.coarseness else self._ended_s
        began_s = time.perf_counter()
        answer = self._agent.choose(position, limits, stop)
        self.seconds, self._ended_s = time.perf_counter() - began_s, self._clock()
        self.processor_s = max(0.0, self._ended_s - before_s)
        if limits.time_s is not None and self.seconds > limits.time_s / 2:
            self._account.recent.append((self.processor_s, self.seconds))
        if self._pace is not None and asked_s is not None:
            self._pace.count(asked_s, self.processor_s)
        return answer
