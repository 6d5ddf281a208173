"""Agents named after engines that are installed on this computer, each with eight levels (`agents.engines.known`)."""

from __future__ import annotations

import dataclasses
from typing import Any

from agents import protocols
from agents.agent import AgentError
from agents.engines import Engine, engine_protocols
from agents.engines.known import KnownEngine, known
from agents.external import External
from rules import AnyGame
from rules.options import rule


@dataclasses.dataclass(frozen=True)
class KnownOptions:
    """The agents' options."""

    level: int = rule(5, "how strong, between the engine's weakest setting and its strongest", minimum=1, maximum=8)


class _Installed(External):
    """One engine of the list."""

    engine: KnownEngine
    Options = KnownOptions

    @classmethod
    def plays(cls, game: AnyGame) -> bool:
        """Its own game, where the program is installed and can be told the rules."""
        return game.name == cls.engine.game and cls.engine.path is not None and not cls.refusal(game)

    @classmethod
    def refusal(cls, game: AnyGame) -> str:
        """Why it does not play its game; empty for another."""
        if game.name != cls.engine.game:
            return ""
        if game.name not in protocols.games_of(cls.engine.protocol):
            return f"{cls.engine.protocol} is not spoken for {game.title} here"
        try:
            return engine_protocols.obstacle(cls.engine.at(1), game)
        except FileNotFoundError as error:
            return str(error)

    def _choice(self, game: AnyGame, options: Any) -> Engine:
        try:
            return self.engine.at((options or KnownOptions()).level)
        except FileNotFoundError as error:
            raise AgentError(str(error)) from None


AGENTS = tuple(type(one.name, (_Installed,), {"name": one.name, "engine": one}) for one in known())
