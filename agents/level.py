"""The agents `level-1` to `level-8`: named strengths; the same on every machine if set by depth or nodes."""

from __future__ import annotations

import dataclasses
import threading
import time
from typing import Any

from agents import levels, registry
from agents.agent import Agent, Answer, Limits
from rules import AnyGame
from rules.options import rule


@dataclasses.dataclass(frozen=True)
class LevelOptions:
    """The agents' options."""

    seed: int = rule(0, "the seed of the player behind the level", minimum=0, maximum=2**31)
    book: bool = rule(True, "answers from the opening book where it knows the position and nothing limits the depth")


class _Level:
    """Plays as `levels/<game>.toml` says, under its own or the given limits, whichever are stricter."""

    name: str
    number: int
    Options = LevelOptions

    def __init__(self, game: AnyGame, options: LevelOptions | None = None) -> None:
        """Raises AgentError if the file names no player of the game."""
        self.spec = levels.player(game, self.number)
        chosen, given = dict(self.spec.options), options or LevelOptions()
        taken = {field.name for field in dataclasses.fields(registry.find(self.spec.agent).Options)}
        if given.seed and "seed" in taken:
            chosen["seed"] = str(given.seed)
        if not given.book and "book" in taken:
            chosen["book"] = "false"
        self._player: Agent = registry.load_agent(self.spec.agent, game, chosen)

    @classmethod
    def plays(cls, game: AnyGame) -> bool:
        """Where the level's player plays it."""
        return registry.find(levels.of(game.name)[cls.number - 1].agent).plays(game)

    @classmethod
    def warm_up(cls, game: AnyGame) -> None:
        """Warms up the level's player."""
        registry.find(levels.of(game.name)[cls.number - 1].agent).warm_up(game)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """The answer of the level's player.

        A given time limit only interrupts its thinking. It is not passed on, because a depth search with a time limit
        no longer gives plain minimax's scores.
        """
        if (prepare := getattr(self._player, "prepare", None)) is not None:
            prepare(stop)
        own = self.spec.limits
        allowed = Limits(own.time_s, _least(own.depth, limits.depth), _least(own.nodes, limits.nodes))
        if own.time_s is not None and limits.time_s is not None:
            allowed = dataclasses.replace(allowed, time_s=min(own.time_s, limits.time_s))
        return self._player.choose(position, allowed, stop if limits.time_s is None else _Deadline(stop, limits.time_s))


def _least(own: int | None, given: int | None) -> int | None:
    return given if own is None else own if given is None else min(own, given)


class _Deadline(threading.Event):
    """Set when another event is set or a time has passed."""

    def __init__(self, stop: threading.Event, time_s: float) -> None:
        super().__init__()
        self._stop, self._end_s = stop, time.monotonic() + time_s

    def is_set(self) -> bool:
        """Whether to stop."""
        return self._stop.is_set() or time.monotonic() >= self._end_s


def _level(number: int) -> type[_Level]:
    return type(f"Level{number}", (_Level,), {"name": f"level-{number}", "number": number})


AGENTS = tuple(_level(number) for number in levels.NUMBERS)
