"""Player names in the record, and so in the ranking."""

from __future__ import annotations

from daemon.config.settings import PlayerSection

PERSON = "person"
"""Name of a person whose name is not set."""


def player_name(player: PlayerSection) -> str:
    """An agent with all its non-default settings; a person's own name, or `person`.

    `alphabeta:depth=3,heuristic=best` counts as another player than `alphabeta`, so that each has its own rating. Only
    people have names of their own: the name of the person who sat there before is no agent's.
    """
    if not player.agent:
        return player.name or PERSON
    usual = PlayerSection()
    limits = {name: f"{getattr(player, name):g}" for name in ("time_s", "depth", "nodes")}
    said = {name: value for name, value in limits.items() if float(value) != getattr(usual, name)}
    words = [f"{name}={str(value).lower()}" for name, value in (*sorted(player.options.items()), *said.items())]
    return f"{player.agent}:{','.join(words)}" if words else player.agent
