"""Listens to a daemon's state over HTTP, as a player listens to its voice."""

from __future__ import annotations

import http.client
import json
import logging
import threading
import urllib.error
import urllib.request

log = logging.getLogger(__name__)

POLL_S = 0.2
ANSWER_S = 2.0
"""Seconds, longest wait for one answer."""
MAX_ANSWER_BYTES = 1 << 20
"""Most bytes of a state that are read."""


class StateFollower:
    """Polls a daemon's state in a thread and keeps the agent's move that waits to be carried out.

    It keeps asking a daemon that is gone, restarts or answers nonsense.
    """

    def __init__(self, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r}: an address begins with http:// or https://")
        self._url = url
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._waiting: tuple[int, str] | None = None
        self._reached = True
        self._thread = threading.Thread(target=self._run, name="state follower", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> tuple[int, str] | None:
        """Number (from 1) and text of the agent's ply to be carried out; None if there is none."""
        with self._lock:
            return self._waiting

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=ANSWER_S + 1)

    def _run(self) -> None:
        while not self._stop.wait(POLL_S):
            try:
                waiting, reached = self._ask(), True
            except (OSError, http.client.HTTPException, ValueError) as error:
                waiting, reached = None, False
                if self._reached:
                    log.warning("%s does not answer (%s); asking again", self._url, error)
            except Exception:
                log.exception("cannot follow %s", self._url)
                continue
            if reached and not self._reached:
                log.warning("%s answers again", self._url)
            with self._lock:
                self._waiting, self._reached = waiting, reached

    def _ask(self) -> tuple[int, str] | None:
        try:
            with urllib.request.urlopen(self._url, timeout=ANSWER_S) as response:
                data = response.read(MAX_ANSWER_BYTES)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 503:
                # The daemon is running, but no game has begun.
                return None
            raise
        return waiting_move(json.loads(data))


def waiting_move(state: object) -> tuple[int, str] | None:
    """Number (from 1) and text of the ply to be carried out, from a state message. Raises ValueError."""
    if not isinstance(state, dict):
        raise ValueError("a state is a JSON object")
    move, ply = state.get("agent_move"), state.get("ply")
    if state.get("awaiting") != "carry_out" or move is None:
        return None
    if not isinstance(move, str) or not isinstance(ply, int):
        raise ValueError(f"agent_move is a text and ply a number, not {move!r} and {ply!r}")
    return ply + 1, move
