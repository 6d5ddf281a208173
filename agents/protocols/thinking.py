"""Thinks in a thread of its own, so that whoever owns it goes on listening."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from agents import loading, registry
from agents.agent import Agent
from agents.players import PlayerSpec
from games import AnyGame

_log = logging.getLogger(__name__)

LOADING_S = 5.0
"""How long the beginning of a game waits for the engine's machine code, which may have to be compiled."""
LONGEST_ERROR = 200
"""Characters of an error that are told."""
LATE_LOADING_S = 0.2
"""How long a move waits for it then, before it is found without."""


class Thinking:
    """Our player at one board, and the one thing that it thinks about."""

    def __init__(self, game: AnyGame, spec: PlayerSpec, on_error: Callable[[str], None]) -> None:
        """`on_error` gets a sentence where thinking failed. Raises AgentError where the agent does not play the game.

        Begins to load the engine's machine code in the background.
        """
        self._spec, self._on_error = spec, on_error
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.agent: Agent = registry.load_agent(spec.agent, game, dict(spec.options))
        loading.answer_within(LATE_LOADING_S)
        self._warming = threading.Thread(
            target=registry.find(spec.agent).warm_up, args=(game,), name="warm up", daemon=True
        )
        self._warming.start()

    @property
    def busy(self) -> bool:
        """Whether there is thinking that has not ended."""
        return self._thread is not None and self._thread.is_alive()

    def wait_for_code(self, patience_s: float = LOADING_S) -> None:
        """Returns when the engine's machine code is there, or patience has ended."""
        self._warming.join(patience_s)

    def forget(self, game: AnyGame, **options: str) -> None:
        """A new game: a player that has learnt nothing, with some options set anew. Raises AgentError."""
        self.stop()
        self.agent = registry.load_agent(self._spec.agent, game, dict(self._spec.options) | options)

    def begin(self, work: Callable[[threading.Event], None]) -> None:
        """Thinks about this, after what is thought about now; `work` ends soon once its event is set."""
        self.finish()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(work, self._stop), name="thinking", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the thinking with what it has found so far."""
        self._stop.set()
        self.finish()

    def finish(self) -> None:
        """Waits for the thinking to end by itself."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _serve(self, work: Callable[[threading.Event], None], stop: threading.Event) -> None:
        try:
            work(stop)
        except Exception as error:  # noqa: BLE001 - the top of the thread
            _log.debug("thinking failed", exc_info=True)
            # One line: protocols know no others.
            self._on_error(" ".join(str(error).split())[:LONGEST_ERROR] or type(error).__name__)
