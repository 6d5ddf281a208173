"""What all protocols share: a conversation by commands, and thinking in a thread of its own meanwhile."""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, ClassVar

from agents import loading, registry
from agents.agent import AgentError, GameAgent, Limits
from agents.players import PlayerSpec
from rules import AnyGame

_log = logging.getLogger(__name__)

Say = Callable[[str], None]
"""Writes one line to the other side at once; callable from any thread."""
SHARE, RESERVE_S, MIN_S = 0.75, 0.05, 0.02
"""Share of a move's time to use on a machine that may be busy, and the seconds kept back for transmission."""
MOVES_LEFT = 20
"""Moves that the time of a whole game must last for."""
READY_S = 25.0
"""Seconds that a greeting without a deadline of its own waits for code to compile (isready exists for such waits)."""
LOADING_S = 5.0
"""Seconds that the start of a game waits for the engine's code, which may have to be compiled."""
MAX_ERROR_LENGTH = 200
LOOK_S = 0.05
"""Seconds between looks at the stop event while the code is waited for."""
LATE_LOADING_S = 0.2
"""Seconds that a move waits for the code later, before it is searched without."""


class Thinking:
    """Our player in one game, with one line of thought at a time."""

    def __init__(
        self,
        game: AnyGame,
        spec: PlayerSpec,
        on_error: Callable[[str], None],
        tell: Callable[[str], None],
    ) -> None:
        """`on_error` gets a sentence if thinking fails, `tell` what the player has to say besides its move.

        Starts to load the engine's code in the background. Raises AgentError if the agent does not play the game.
        """
        self._spec, self._on_error, self._tell = spec, on_error, tell
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.agent = self._loaded(game, dict(spec.options))
        loading.answer_within(LATE_LOADING_S)
        self._warming = threading.Thread(
            target=registry.find(spec.agent).warm_up, args=(game,), name="warm up", daemon=True
        )
        self._warming.start()

    @property
    def busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def wait_for_code(self, patience_s: float = LOADING_S, stop: threading.Event | None = None) -> None:
        """Waits until the engine's code is loaded, the patience has ended or `stop` is set."""
        end_s = time.monotonic() + patience_s
        while self._warming.is_alive() and time.monotonic() < end_s and not (stop and stop.is_set()):
            self._warming.join(LOOK_S)

    def forget(self, game: AnyGame, **options: str) -> None:
        """Starts a new game: a fresh player, with some options changed. Raises AgentError."""
        self.stop()
        self.leave()
        self.agent = self._loaded(game, dict(self._spec.options) | options)

    def leave(self) -> None:
        if (close := getattr(self.agent, "close", None)) is not None:
            close()

    def _loaded(self, game: AnyGame, options: dict[str, str]) -> GameAgent:
        agent = registry.load_agent(self._spec.agent, game, options)
        if hasattr(agent, "tell"):
            agent.tell = self._tell
        return agent

    def begin(self, work: Callable[[threading.Event], None]) -> None:
        """Runs `work` in the background after the current thinking; `work` must end soon once its event is set."""
        self.finish()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(work, self._stop), name="thinking", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stops the thinking, which ends with its best result so far."""
        self._stop.set()
        self.finish()

    def finish(self) -> None:
        """Waits until the thinking ends by itself."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _serve(self, work: Callable[[threading.Event], None], stop: threading.Event) -> None:
        try:
            work(stop)
        except Exception as error:  # noqa: BLE001 - the top of the thread
            _log.debug("thinking failed", exc_info=True)
            # One line, because the protocols send single lines.
            self._on_error(" ".join(str(error).split())[:MAX_ERROR_LENGTH] or type(error).__name__)


class Session:
    """Our side of a conversation, used by the thread that reads the other side's lines.

    The method `do_NAME` of a protocol executes the command NAME, given what stands after it; it raises ValueError
    where that is impossible.
    """

    protocol: str
    ends: ClassVar[tuple[str, ...]] = ("quit",)
    """Commands that end the conversation."""

    def __init__(self, game: Any, player: PlayerSpec, say: Say) -> None:
        """Raises AgentError where a turn of gomoku may be something else than a stone: no protocol has words for it."""
        for option, value in (("swap2", True), ("opening", "swap")):
            if getattr(game.rules, option, None) == value:
                raise AgentError(f"{self.protocol} has no words for the choices of {option}={str(value).lower()}")
        self._game, self._spec, self._say = game, player, say
        self._thinking = Thinking(game, player, self._fail, self._tell)

    @classmethod
    def commands(cls) -> tuple[str, ...]:
        return tuple(sorted(name.removeprefix("do_") for name in dir(cls) if name.startswith("do_")))

    def hear(self, line: str) -> bool:
        """Executes one line; False ends the session. Errors are answered in the protocol's own terms."""
        word, _, rest = line.strip().partition(" ")
        name = self._name_of(word)
        if name in self.ends:
            self._thinking.stop()
            self._thinking.leave()
            return False
        try:
            self._obey(name, rest.strip(), line.strip())
        except ValueError as error:
            self._refuse(str(error))
        return True

    def close(self) -> None:
        """End of input: pending questions are answered, and endless thinking ends."""
        self._thinking.finish()
        self._thinking.leave()

    def _name_of(self, word: str) -> str:
        return word.lower()

    def _obey(self, name: str, rest: str, line: str) -> None:
        if name in self.commands():
            getattr(self, f"do_{name}")(rest)
        elif line:
            self._unknown(line.partition(" ")[0])

    def _unknown(self, word: str) -> None:
        raise ValueError(f"unknown command {word[:40]!r}")

    def _refuse(self, text: str) -> None:
        """Answers a command that cannot be executed."""
        raise NotImplementedError

    def _fail(self, text: str) -> None:
        self._refuse(text)

    def _tell(self, text: str) -> None:
        """Says what the player has to say besides its move."""
        _log.warning("%s", text)

    def _within(self, *allowed_s: float | None) -> Limits:
        """The player's own limits, with no more time than the other side allows."""
        own = self._spec.limits
        known = [time_s for time_s in (own.time_s, *allowed_s) if time_s is not None]
        return dataclasses.replace(own, time_s=min(known, default=None))


def usable(turn_s: float) -> float:
    """The seconds of a turn that may be thought."""
    return max(min(turn_s * SHARE, turn_s - RESERVE_S), MIN_S)


def whole(text: str, command: str, digits: int = 15) -> int:
    if not text.strip().isdigit() or len(text) > digits:
        raise ValueError(f"{command} takes a whole number, not {text[:40]!r}")
    return int(text)
