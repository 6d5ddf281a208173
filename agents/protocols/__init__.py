"""Line protocols that managers and engines speak over pipes; here we are the engine.

`gomocup` (gomoku), `gtp` (gomoku, reversi), `nboard` (reversi) and `uci` (chess, and morris as Sanmill speaks it).
A module of this folder named after a protocol has `GAMES`, those it is for, and a `Session` of that `protocol` that any
of our players can use; a game whose package has a module of that name speaks the protocol, too.
`agents.engines` uses the same protocols the other way round, to ask external engines.
"""

from __future__ import annotations

import importlib
from typing import Any

import games
from agents.agent import AgentError
from agents.players import PlayerSpec
from agents.protocols.session import Say, Session
from rules import AnyGame
from system.release import release

NAMES = ("gomocup", "gtp", "nboard", "uci")
ENGINE_NAME = "Kibitzer"
VERSION = release()
MAX_LINE_LENGTH = 65536
"""Bytes read of a line; longer lines are cut."""


def games_of(protocol: str) -> tuple[str, ...]:
    spoken: tuple[str, ...] = _module(protocol).GAMES
    return spoken + tuple(name for name in games.names() if games.part_of(name, protocol) is not None)


def usual_game(protocol: str) -> str:
    """The game that is meant where none is named; empty where one must be. Raises AgentError."""
    spoken: tuple[str, ...] = _module(protocol).GAMES
    return spoken[0] if len(spoken) == 1 else ""


def open_session(protocol: str, game: AnyGame, player: PlayerSpec, say: Say) -> Session:
    spoken = games_of(protocol)
    if game.name not in spoken:
        raise AgentError(f"{protocol} is spoken for {' and '.join(spoken)}, not for {game.name}")
    return next(kind for kind in Session.__subclasses__() if kind.protocol == protocol)(game, player, say)


def _module(protocol: str) -> Any:
    if protocol not in NAMES:
        raise AgentError(f"there is no protocol {protocol!r}; the protocols are {', '.join(NAMES)}")
    return importlib.import_module(f"agents.protocols.{protocol}")
