"""Player names in the record, and so in the ranking."""

from __future__ import annotations

from daemon.config.settings import PlayerSection
from wording.outside import clean

PERSON = "person"
MAX_NAME_LENGTH = 128
"""Most characters in a player's name; an agent's name with all its settings is longer than a person's."""


def recorded_name(text: str) -> str:
    """A name as the record has it, whoever wrote it: without control characters, and never empty."""
    return clean(text, MAX_NAME_LENGTH) or PERSON


def player_name(player: PlayerSection) -> str:
    """An agent with all its non-default settings; a person's own name, or `person`.

    `alphabeta:depth=3,heuristic=best` counts as another player than `alphabeta`, so that each has its own rating. Only
    people have names of their own: the name of the person who sat there before is no agent's.
    """
    if not player.agent:
        return recorded_name(player.name)
    usual = PlayerSection()
    limits = {name: f"{getattr(player, name):g}" for name in ("time_s", "depth", "nodes")}
    said = {name: value for name, value in limits.items() if float(value) != getattr(usual, name)}
    words = [f"{name}={str(value).lower()}" for name, value in (*sorted(player.options.items()), *said.items())]
    return recorded_name(f"{player.agent}:{','.join(words)}" if words else player.agent)


def person_name(player: PlayerSection) -> str:
    """A person's own name, as the record has it; empty for an agent, and where none is set."""
    return "" if player.agent else clean(player.name, MAX_NAME_LENGTH)
