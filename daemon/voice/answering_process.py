"""A process that answers JSON lines, one at a time: started on demand, killed if it hangs, restarted within limits."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from daemon.supervision.restarts import RestartLimit
from daemon.voice import STOP_S, VoiceError
from system.processes import LineProcess

_log = logging.getLogger(__name__)

START_S = 20.0
"""Seconds to import, load and warm up its library on a small computer."""
SHORT_S = 3.0
"""Seconds that a request waits until a failed process may restart; if it takes longer, the request fails."""


class AnsweringProcess:
    """A process that writes `{"ready": true}`, then an answer with the same `id` for each request.

    Used by one thread.
    """

    def __init__(self, what: str, command: Sequence[str]) -> None:
        """`what` names it in errors.

        It inherits an anonymous file in memory, named by `--file`: nothing remains of it, whichever process is killed.
        """
        self.starts = 0
        self.file = os.memfd_create(f"kibitzer-{what}")
        """The descriptor of that file; -1 once it is closed."""
        self._what = what
        self._command = (*command, "--file", f"/proc/self/fd/{self.file}")
        self._process: LineProcess | None = None
        self._limit = RestartLimit()
        self._request = 0

    def ask(self, fields: Mapping[str, object], wait_s: float, stop: threading.Event) -> dict[str, Any]:
        """The answer to a request. Raises VoiceError; also if `stop` is set meanwhile."""
        process = self._process or self._start(stop)
        self._request += 1
        try:
            process.say(json.dumps({"id": self._request, **fields}))
            answer = self._answer(process, time.monotonic() + wait_s, stop)
            if answer.get("id") != self._request:
                raise VoiceError(f"it answered {answer} to request {self._request}")
        except (VoiceError, OSError) as error:
            self._kill()
            raise VoiceError(f"the {self._what} was stopped: {error}") from error
        return answer

    def close(self) -> None:
        self._kill()
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _start(self, stop: threading.Event) -> LineProcess:
        wait_s = self._limit.wait_s(time.monotonic())
        if wait_s > SHORT_S:
            raise VoiceError(f"the {self._what} failed too often; it is tried again in {wait_s:.0f} s")
        if stop.wait(wait_s):
            raise VoiceError("closing")
        self._limit.started(time.monotonic())
        self.starts += 1
        try:
            process = LineProcess(self._command, pass_fds=[self.file])
            self._process = process
            answer = self._answer(process, time.monotonic() + START_S, stop)
        except (VoiceError, OSError) as error:
            self._kill()
            raise VoiceError(f"the {self._what} does not start: {error}") from error
        if not answer.get("ready"):
            self._kill()
            raise VoiceError(f"there is no {self._what} on this computer: {answer.get('error')}", lasting=True)
        if answer.get("warning"):
            _log.warning("%s", answer["warning"])
        return process

    def _answer(self, process: LineProcess, deadline_s: float, stop: threading.Event) -> dict[str, Any]:
        """The next line the process writes. Raises VoiceError if none arrives in time."""
        try:
            while (line := process.hear(STOP_S)) is None:
                if stop.is_set():
                    raise VoiceError("closing")
                if time.monotonic() > deadline_s:
                    raise VoiceError("it hangs")
        except EOFError:
            raise VoiceError("it has died") from None
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise VoiceError("it writes rubbish")
        return answer
