"""The registry of agents: modules of this folder that name their class `AGENT`, or several `AGENTS`.

Installed packages add such modules as entry points of the group `kibitzer.agents`.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import agents
import games
from agents.agent import ENTRY_POINTS, Agent, AgentError
from rules import AnyGame, RuleError
from rules.options import parse_options


class AgentClass(Protocol):
    """Type of a module's `AGENT` and of each of its `AGENTS`: given a game and its `Options`, makes an `Agent`."""

    name: str
    """Name used in the configuration."""
    Options: type[Any]
    """A frozen dataclass of `rules.options.rule` fields."""

    def __call__(self, game: Any, options: Any) -> Agent:
        """Creates a player of that game."""

    def plays(self, game: Any) -> bool:
        """Whether it can play that game under its rules."""

    def warm_up(self, game: Any) -> None:
        """Prepares in advance what would slow the first move in that game; may take seconds."""


NAMED = re.compile(r"^AGENTS?\b", re.MULTILINE)


def _modules() -> list[str]:
    """Files that name an agent, found by their text: importing every file could load kernels that are not needed."""
    return [
        module.name
        for module in pkgutil.iter_modules(agents.__path__)
        if not module.ispkg and NAMED.search((Path(agents.__path__[0]) / f"{module.name}.py").read_text("utf-8"))
    ]


@functools.cache
def _classes() -> dict[str, AgentClass]:
    """All agents by name. An import error in one of our modules is fatal: better no worker than an incomplete one."""
    found: dict[str, AgentClass] = {}
    ours = [importlib.import_module(f"agents.{name}") for name in _modules()]
    for imported in (*games.installed(ENTRY_POINTS).values(), *ours):
        alone: AgentClass | None = getattr(imported, "AGENT", None)
        several: tuple[AgentClass, ...] = getattr(imported, "AGENTS", ())
        found |= {agent.name: agent for agent in (*several, *((alone,) if alone else ()))}
    return found


def names() -> tuple[str, ...]:
    """The names of all agents, sorted."""
    return tuple(sorted(_classes()))


def find(name: str) -> AgentClass:
    """The class of the agent. Raises AgentError."""
    if name not in _classes():
        raise AgentError(f"there is no agent {name!r}; the agents are {', '.join(names())}")
    return _classes()[name]


def games_of(name: str) -> tuple[str, ...]:
    """Games that the agent plays under their default rules. Raises AgentError."""
    agent = find(name)
    return tuple(game for game in games.names() if agent.plays(games.load(game)))


def load_agent(name: str, game: AnyGame, options: Mapping[str, object] | None = None) -> Agent:
    """Creates a player of the game. Raises AgentError naming the agent, the game, or the option and its values."""
    agent = find(name)
    if not agent.plays(game):
        reason = agent.refusal(game) if hasattr(agent, "refusal") else ""
        raise AgentError(f"{name} does not play {game.title} under these rules{reason and f': {reason}'}")
    try:
        chosen = parse_options(agent.Options, options or {}, name, "option")
    except RuleError as error:
        raise AgentError(str(error)) from None
    return agent(game, chosen)
