"""Line protocols that managers and engines speak over pipes; here we are the engine.

`gomocup` (gomoku), `gtp` (gomoku, reversi), `nboard` (reversi) and `uci` (chess, and morris as Sanmill speaks it).
A module of this folder named after a protocol has `GAMES`, those it is for, and `SESSION`, a `Session` that any of our
players can use; `MORE_GAMES()` are those that speak it by a module of their own package.
`agents.engines` uses the same protocols the other way round, to ask external engines.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Protocol

from agents.agent import AgentError
from agents.players import PlayerSpec
from rules import AnyGame

NAMES = ("gomocup", "gtp", "nboard", "uci")
ENGINE_NAME = "Kibitzer"
VERSION = "1.0"
MAX_LINE_LENGTH = 65536
"""Bytes read of a line; longer lines are cut."""

Say = Callable[[str], None]
"""Writes one line to the other side at once; callable from any thread."""


class Session(Protocol):
    """Our side of a conversation, used by the thread that reads the other side's lines."""

    def hear(self, line: str) -> bool:
        """Executes one line; False ends the session. Errors are answered in the protocol's own terms."""

    def close(self) -> None:
        """End of input: pending questions are answered, and endless thinking ends."""


def games_of(protocol: str) -> tuple[str, ...]:
    """The games of the protocol. Raises AgentError if there is no such protocol."""
    module = _module(protocol)
    games: tuple[str, ...] = module.GAMES
    return games + (module.MORE_GAMES() if hasattr(module, "MORE_GAMES") else ())


def usual_game(protocol: str) -> str:
    """The game that is meant where none is named; empty where one must be. Raises AgentError."""
    games: tuple[str, ...] = _module(protocol).GAMES
    return games[0] if len(games) == 1 else ""


def open_session(protocol: str, game: AnyGame, player: PlayerSpec, say: Say) -> Session:
    """Opens a session of our engine. Raises AgentError for a wrong protocol, game or player."""
    module = _module(protocol)
    spoken = games_of(protocol)
    if game.name not in spoken:
        raise AgentError(f"{protocol} is spoken for {' and '.join(spoken)}, not for {game.name}")
    session: Session = module.SESSION(game, player, say)
    return session


def refuse_choices(protocol: str, game: AnyGame) -> None:
    """Raises AgentError where a turn of gomoku may be something else than a stone."""
    for option, value in (("swap2", True), ("opening", "swap")):
        if getattr(game.rules, option, None) == value:
            raise AgentError(f"{protocol} has no words for the choices of {option}={str(value).lower()}")


def _module(protocol: str) -> Any:
    if protocol not in NAMES:
        raise AgentError(f"there is no protocol {protocol!r}; the protocols are {', '.join(NAMES)}")
    return importlib.import_module(f"agents.protocols.{protocol}")
