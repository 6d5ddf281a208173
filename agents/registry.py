"""The registry of agents: modules of this folder that name their class `AGENT`, or several `AGENTS`.

Installed packages add such modules as entry points of the group `kibitzer.agents`.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pkgutil
import re
from collections.abc import Mapping
from pathlib import Path

import agents
import games
from agents.agent import ENTRY_POINTS, AgentError, GameAgent
from rules import AnyGame, RuleError
from rules.options import parse_options

NAMED = re.compile(r"^AGENTS?\b", re.MULTILINE)


def _modules() -> list[str]:
    """Files that name an agent, found by their text: importing every file could load kernels that are not needed."""
    return [
        module.name
        for module in pkgutil.iter_modules(agents.__path__)
        if not module.ispkg and NAMED.search((Path(agents.__path__[0]) / f"{module.name}.py").read_text("utf-8"))
    ]


@functools.cache
def _classes() -> dict[str, type[GameAgent]]:
    """All agents by name. An import error in one of our modules is fatal: better no worker than an incomplete one."""
    found: dict[str, type[GameAgent]] = {}
    ours = [importlib.import_module(f"agents.{name}") for name in _modules()]
    for imported in (*games.installed(ENTRY_POINTS).values(), *ours):
        alone: type[GameAgent] | None = getattr(imported, "AGENT", None)
        several: tuple[type[GameAgent], ...] = getattr(imported, "AGENTS", ())
        found |= {agent.name: agent for agent in (*several, *((alone,) if alone else ()))}
    return found


def names() -> tuple[str, ...]:
    return tuple(sorted(_classes()))


def find(name: str) -> type[GameAgent]:
    if name not in _classes():
        raise AgentError(f"there is no agent {name!r}; the agents are {', '.join(names())}")
    return _classes()[name]


def options_of(name: str) -> set[str]:
    return {field.name for field in dataclasses.fields(find(name).Options)}


def games_of(name: str) -> tuple[str, ...]:
    agent = find(name)
    return tuple(game for game in games.names() if agent.plays(games.load(game)))


def load_agent(name: str, game: AnyGame, options: Mapping[str, object] | None = None) -> GameAgent:
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
