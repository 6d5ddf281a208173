"""The daemon's side of the voice's process: text in, wave file out; kills the process if it hangs."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import select
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

from daemon.supervision.restarts import RestartLimit
from processes import Process

_log = logging.getLogger(__name__)

START_S = 20.0
"""Seconds to import, open and warm up the engine on a small computer."""
RENDER_S = 5.0
RENDER_S_PER_CHARACTER = 0.05
SHORT_S = 3.0
"""Seconds a phrase waits until a failed voice may restart; if it takes longer, the phrase is only written."""
STOP_S = 0.1
"""Seconds until a wait notices the stop signal."""
MAX_ANSWER_LENGTH = 65536
PROCESS = (sys.executable, "-I", str(Path(__file__).with_name("speech_process.py")))


class VoiceError(RuntimeError):
    """A phrase could not be spoken; `.lasting` if later ones cannot either until somebody changes the machine."""

    def __init__(self, text: str, lasting: bool = False) -> None:
        super().__init__(text)
        self.lasting = lasting


class Voice:
    """Renders phrases in a separate process, started on demand and restarted after a hang or crash.

    Used by one thread. The sound is in an anonymous in-memory file: nothing remains, whichever process is killed.
    """

    def __init__(self, language: str, rate_wpm: int, process: Sequence[str] = PROCESS) -> None:
        self.starts = 0
        """How often the process was started."""
        self._command = [*process, "--language", language, "--rate", str(rate_wpm)]
        self._sound = os.memfd_create("kibitzer-voice")
        self._process: Process | None = None
        self._unread = b""
        self._limit = RestartLimit()
        self._phrase = 0

    def render(self, text: str, stop: threading.Event) -> bytes:
        """The wave file of a phrase. Raises VoiceError; also if `stop` is set meanwhile."""
        process = self._process or self._start(stop)
        self._phrase += 1
        deadline_s = time.monotonic() + RENDER_S + RENDER_S_PER_CHARACTER * len(text)
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps({"id": self._phrase, "text": text}).encode() + b"\n")
            process.stdin.flush()
            answer = self._answer(process, deadline_s, stop)
            if answer.get("id") != self._phrase:
                raise VoiceError(f"it answered {answer} to phrase {self._phrase}")
        except (VoiceError, OSError) as error:
            self._kill()
            raise VoiceError(f"the voice was stopped: {error}") from error
        if not answer.get("ok"):
            raise VoiceError(f"the voice cannot say {text!r}: {answer.get('error')}")
        return _content(self._sound)

    def close(self) -> None:
        """Ends the process; may be called twice."""
        self._kill()
        if self._sound >= 0:
            os.close(self._sound)
            self._sound = -1

    def _start(self, stop: threading.Event) -> Process:
        wait_s = self._limit.wait_s(time.monotonic())
        if wait_s > SHORT_S:
            raise VoiceError(f"the voice failed too often; it is tried again in {wait_s:.0f} s")
        if stop.wait(wait_s):
            raise VoiceError("closing")
        self._limit.started(time.monotonic())
        self.starts += 1
        command = [*self._command, "--file", f"/proc/self/fd/{self._sound}"]
        self._unread = b""
        try:
            self._process = process = Process(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, pass_fds=[self._sound])
            answer = self._answer(process, time.monotonic() + START_S, stop)
        except (VoiceError, OSError) as error:
            self._kill()
            raise VoiceError(f"the voice does not start: {error}") from error
        if not answer.get("ready"):
            self._kill()
            raise VoiceError(f"there is no voice on this computer: {answer.get('error')}", lasting=True)
        if answer.get("warning"):
            _log.warning("%s", answer["warning"])
        return process

    def _answer(self, process: Process, deadline_s: float, stop: threading.Event) -> dict[str, Any]:
        """The next line the process writes. Raises VoiceError if none arrives in time."""
        assert process.stdout is not None
        while b"\n" not in self._unread:
            if stop.is_set():
                raise VoiceError("closing")
            if time.monotonic() > deadline_s:
                raise VoiceError("it hangs")
            if not select.select([process.stdout], [], [], STOP_S)[0]:
                continue
            data = os.read(process.stdout.fileno(), 4096)
            self._unread += data
            if not data:
                raise VoiceError("it has died")
            if len(self._unread) > MAX_ANSWER_LENGTH:
                raise VoiceError("it writes rubbish")
        line, _, self._unread = self._unread.partition(b"\n")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise VoiceError("it writes rubbish")
        return answer

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.end()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # input that it never read
                pipe.close()


def _content(file: int) -> bytes:
    """The whole content of a file that another process writes, regardless of this descriptor's position."""
    return os.pread(file, os.fstat(file).st_size, 0)
