"""The protocols by which each field's managers and engines talk over pipes, a line at a time; ours is the engine.

`gomocup` (gomoku), `nboard` (reversi) and `uci` as Sanmill speaks it (nine men's morris). A module of this folder named
as a protocol has `GAME`, the game it is spoken for, and `SESSION`, a `Session` over any of our players. What asks other
people's engines by the same protocols is `agents.engines`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Protocol

from agents.agent import AgentError
from agents.players import PlayerSpec
from games import AnyGame

NAMES = ("gomocup", "nboard", "uci")
ENGINE_NAME = "Kibitzer"
VERSION = "1.0"
LONGEST_LINE = 65536
"""Bytes of a line that are looked at; a longer one is cut."""

Say = Callable[[str], None]
"""Writes one line to the other side, at once; may be called by any thread."""


class Session(Protocol):
    """One side of a conversation, used by the thread that reads the other side's lines."""

    def hear(self, line: str) -> bool:
        """Obeys one line; False is the end. What cannot be obeyed is answered in the protocol's own words."""

    def close(self) -> None:
        """The other side says no more: what was asked is answered, and endless thinking ends."""


def game_of(protocol: str) -> str:
    """The game that the protocol is spoken for. Raises AgentError where there is no such protocol."""
    return str(_module(protocol).GAME)


def open_session(protocol: str, game: AnyGame, player: PlayerSpec, say: Say) -> Session:
    """A conversation of our engine. Raises AgentError for a wrong protocol, game or player."""
    module = _module(protocol)
    if game.name != module.GAME:
        raise AgentError(f"{protocol} is spoken for {module.GAME}, not for {game.name}")
    session: Session = module.SESSION(game, player, say)
    return session


def _module(protocol: str) -> Any:
    if protocol not in NAMES:
        raise AgentError(f"there is no protocol {protocol!r}; the protocols are {', '.join(NAMES)}")
    return importlib.import_module(f"agents.protocols.{protocol}")
