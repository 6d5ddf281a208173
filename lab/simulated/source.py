"""The simulated table as a frame source, and a daemon's state followed for the agent's moves."""

from __future__ import annotations

import http.client
import json
import logging
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable

from lab.simulated.phone import Phone
from lab.simulated.table import SimulatedTable
from vision.frame import Frame, SourceEnded


class SimulatedSource:
    """Frames of a simulated table: each read advances its time by one frame.

    With `real_time` the reads are paced by the clock, and frames carry its time; a late reader skips frames, as with a
    camera.
    """

    def __init__(
        self,
        table: SimulatedTable,
        rate_hz: float = 15.0,
        real_time: bool = False,
        on_frame: Callable[[Frame], None] | None = None,
        phone: Phone | None = None,
    ) -> None:
        """`phone` films the table, if the camera does more than stay still."""
        if not rate_hz > 0:
            raise ValueError(f"rate_hz is greater than 0, not {rate_hz}")
        self.live = real_time
        self.table = table
        self._step_s = 1 / rate_hz
        self._on_frame = on_frame
        self._phone = phone
        self._index = 0
        self._due_s: float | None = None
        self._closed = False
        if real_time:
            table.prepare()

    def read(self, timeout_s: float) -> Frame | None:
        """The next frame; None if it is not due in time. Raises SourceEnded after `close`."""
        if self._closed:
            raise SourceEnded
        passed_s = self._step_s
        if self.live:
            waited_s = self._wait(timeout_s)
            if waited_s is None:
                return None
            passed_s = waited_s
        self.table.advance(passed_s)
        time_s = time.monotonic() if self.live else self.table.time_s
        image = self.table.render()
        if self._phone is not None:
            image = self._phone.send(self._phone.look(image, self.table.time_s))
        frame = Frame(image, time_s, self._index)
        self._index += 1
        if self._on_frame is not None:
            self._on_frame(frame)
        return frame

    def close(self) -> None:
        self._closed = True

    def _wait(self, timeout_s: float) -> float | None:
        """Simulated seconds that have become due; None if the next frame is due after the timeout."""
        now_s = time.monotonic()
        if self._due_s is None:
            self._due_s = now_s
        if self._due_s - now_s > timeout_s:
            time.sleep(max(timeout_s, 0.0))
            return None
        time.sleep(max(self._due_s - now_s, 0.0))
        behind = int(max(time.monotonic() - self._due_s, 0.0) / self._step_s)
        # After a long pause the table does not jump ahead: its time has stopped meanwhile.
        frames = 1 + min(behind, 15)
        self._due_s = self._due_s + frames * self._step_s if behind <= 15 else time.monotonic() + self._step_s
        return frames * self._step_s


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
