"""The agent `external` runs any engine that speaks a supported protocol; installed ones are agents by their own names.

The latter are those of `agents.engines.known`, each with eight levels.

If the engine dies, falls silent, plays an illegal move or sends nonsense, it is killed, restarted and asked once more;
if that fails too, an error names the engine. After MAX_FAILURES failures in a row it is not restarted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import math
import threading
import time
from typing import Any

from agents import engines, protocols
from agents.agent import AgentError, Answer, GameAgent, Limits
from agents.engines import Engine, engine_protocols
from agents.engines.engine_protocols import Question
from agents.engines.known import KnownEngine, known
from agents.engines.process import EngineError, EngineProcess, EngineSilent, EngineStopped
from agents.engines.uci import Found
from agents.move_request import MoveRequest
from rules import AnyGame, MoveError
from rules.options import rule

_log = logging.getLogger(__name__)

ATTEMPTS = 2
MAX_FAILURES = 6
THINK_S = 1.0
REHEARSAL = Limits(time_s=0.02, depth=1)
STILL_S = 0.2
"""Seconds without any processor time after which an engine has nothing more to do; a busy machine lets it wait less."""
NONSENSE = (KeyError, IndexError, TypeError, OverflowError)
"""What reading an answer raises that was no protocol."""


@dataclasses.dataclass(frozen=True)
class ExternalOptions:
    engine: str = rule("", "name of the engine, as in its table [engines.NAME]; empty is the only one for the game")


class External(GameAgent):
    name = "external"
    Options: type[Any] = ExternalOptions

    def __init__(self, game: AnyGame, options: Any = None) -> None:
        super().__init__(game, options)
        self._engine = self._choice()
        self._process: EngineProcess | None = None
        self._protocol = engine_protocols.PROTOCOLS[self._engine.protocol]()
        self.coarseness = self._protocol.coarseness
        self._failures = 0
        self._before_s = self._start_s = 0.0
        """Processor time of earlier processes without their start, and of this one's start."""

    def _choice(self) -> Engine:
        return _find(self.game, self.options.engine)

    @classmethod
    def plays(cls, game: AnyGame) -> bool:
        """Where a configured engine can play it. Raises AgentError if the configuration is wrong."""
        return any(not engine_protocols.obstacle(engine, game) for engine in engines.load().values())

    @classmethod
    def refusal(cls, game: AnyGame) -> str:
        if not engines.load():
            return f"no engine is known; --engines or {engines.FILE_VARIABLE} names a file with tables [engines.NAME]"
        ours = (engine for engine in engines.load().values() if engine.game == game.name)
        return "; ".join(engine_protocols.obstacle(engine, game) for engine in ours)

    def prepare(self, stop: threading.Event) -> None:
        if not self._failures and not stop.is_set():
            with contextlib.suppress(EngineError, *NONSENSE):  # `choose` tells it, and tries again
                self._started()
                self._protocol.rest()

    def rehearse(self, position: Any, stop: threading.Event) -> None:
        """Asks a program that has just started for a move at once, and waits until it is idle before and after."""
        try:
            self._settle(stop)
            self._protocol.rehearse(self._question(position, REHEARSAL, stop))
            self._settle(stop)
            self._start_s = self._started().processor_s
            self._protocol.rest()
        except (EngineError, EngineStopped, *NONSENSE):  # `choose` tells it, and tries again
            self.close()

    def _settle(self, stop: threading.Event) -> None:
        process, before_s = self._started(), math.nan
        deadline_s = engine_protocols.deadline_in(self._engine.timeout_s)
        while (used_s := process.processor_s) != before_s and time.monotonic() < deadline_s:
            before_s = used_s
            if stop.wait(STILL_S):
                raise EngineStopped

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """The engine's move; if `stop` comes first, the first legal move.

        Raises ValueError where the game is over, AgentError if the engine fails.
        """
        request = MoveRequest(self.game, position)
        trouble = ""
        for _ in range(ATTEMPTS):
            if self._failures >= MAX_FAILURES:
                break
            try:
                try:
                    answer = self._ask(position, limits, stop)
                except NONSENSE as error:
                    raise EngineError(f"spoke nonsense: {type(error).__name__} {error}") from None
                move = self._read(position, answer)
            except EngineStopped:
                self.close()
                return request.answer(request.moves[0], nodes=0)
            except EngineError as error:
                self._failures += 1
                trouble = f"engine {self._engine.name} {error}"
                _log.warning("%s (failure %d in a row)", trouble, self._failures)
                self.close()
                continue
            self._failures = 0
            return request.answer(move, answer.score, answer.nodes, answer.depth)
        given_up = f"it failed {self._failures} times in a row and is not started any more"
        raise AgentError(trouble or f"engine {self._engine.name}: {given_up}")

    def processor_s(self) -> float:
        """The engine's own, without that of starting it."""
        running_s = 0.0 if self._process is None else self._process.processor_s - self._start_s
        return self._before_s + max(0.0, running_s)

    def close(self) -> None:
        if self._process is not None:
            self._before_s = self.processor_s()
            self._process.close()
            self._process = None

    def _ask(self, position: Any, limits: Limits, stop: threading.Event) -> Found:
        if stop.is_set():
            raise EngineStopped
        return self._protocol.ask(self._question(position, limits, stop))

    def _question(self, position: Any, limits: Limits, stop: threading.Event) -> Question:
        """For the running engine, which is started if there is none. Raises EngineError."""
        process = self._started()
        timeout_s = self._engine.timeout_s
        think_s = min(limits.time_s or THINK_S, timeout_s)
        wait_s = min(think_s + self._engine.grace_s, timeout_s) if limits.time_s else timeout_s
        return Question(process, self.game, position, limits, think_s, wait_s, stop)

    def _started(self) -> EngineProcess:
        """The running engine, greeted. Raises EngineError."""
        if self._process is not None and not self._process.runs:
            self.close()
        if self._process is None:
            process = EngineProcess(self._engine.command)
            deadline_s = engine_protocols.deadline_in(self._engine.timeout_s)
            try:
                self._protocol.greet(process, self.game, self._engine.options, deadline_s)
            except Exception as error:
                process.close()
                if not isinstance(error, EngineSilent):
                    raise
                raise EngineError(f"does not greet as an engine for {self._engine.protocol} does: {error}") from None
            self._process, self._start_s = process, process.processor_s
        return self._process

    def _read(self, position: Any, answer: Found) -> Any:
        try:
            return self.game.parse_move(position, answer.move)
        except MoveError as error:
            raise EngineError(f"played {answer.move[:40]!r}, which is refused ({error.rule}): {error}") from None


def _find(game: AnyGame, name: str) -> Engine:
    """The engine of that name, or the only one that plays the game. Raises AgentError."""
    known = engines.load()
    obstacles = {engine.name: engine_protocols.obstacle(engine, game) for engine in known.values()}
    fitting = [engine for engine in known.values() if not obstacles[engine.name]]
    if name and name not in known:
        raise AgentError(f"external: there is no engine {name!r}; there are {', '.join(known) or 'none'}")
    if name:
        if obstacles[name]:
            raise AgentError(f"external: engine {name} does not play {game.title} under these rules: {obstacles[name]}")
        return known[name]
    if len(fitting) != 1:
        names = ", ".join(engine.name for engine in fitting) or "none"
        raise AgentError(f"external: say which engine plays {game.title} (option engine): {names}")
    return fitting[0]


@dataclasses.dataclass(frozen=True)
class KnownOptions:
    level: int = rule(5, "how strong, between the engine's weakest setting and its strongest", minimum=1, maximum=8)


class _Installed(External):
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

    def _choice(self) -> Engine:
        try:
            return self.engine.at(self.options.level)
        except FileNotFoundError as error:
            raise AgentError(str(error)) from None


AGENTS = (External, *(type(one.name, (_Installed,), {"name": one.name, "engine": one}) for one in known()))
