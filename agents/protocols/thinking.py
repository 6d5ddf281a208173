"""Thinks in its own thread, so that the owner can keep listening."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from agents import loading, registry
from agents.agent import Agent
from agents.players import PlayerSpec
from rules import AnyGame

_log = logging.getLogger(__name__)

READY_S = 25.0
"""Seconds that a greeting without a deadline of its own waits for code to compile (isready exists for such waits)."""
LOADING_S = 5.0
"""Seconds that the start of a game waits for the engine's code, which may have to be compiled."""
MAX_ERROR_LENGTH = 200
"""Characters of an error that are reported."""
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
        tell: Callable[[str], None] | None = None,
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
        """Whether thinking is still in progress."""
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
        """Lets a player go that holds something open."""
        if (close := getattr(self.agent, "close", None)) is not None:
            close()

    def _loaded(self, game: AnyGame, options: dict[str, str]) -> Agent:
        agent = registry.load_agent(self._spec.agent, game, options)
        if self._tell is not None and hasattr(agent, "tell"):
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
