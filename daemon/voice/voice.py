"""The daemon's side of the voice's process: text in, wave file out; kills the process if it hangs."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from daemon.voice.answering_process import AnsweringProcess, ProcessError

START_S = 20.0
"""Seconds to import, open and warm up the engine on a small computer."""
RENDER_S = 5.0
RENDER_S_PER_CHARACTER = 0.05
PROCESS = (sys.executable, "-I", str(Path(__file__).with_name("speech_process.py")))


class VoiceError(RuntimeError):
    """A phrase could not be spoken; `.lasting` if later ones cannot either until somebody changes the machine."""

    def __init__(self, text: str, lasting: bool = False) -> None:
        super().__init__(text)
        self.lasting = lasting


class Voice:
    """Renders phrases in a separate process, started on demand and restarted after a hang or crash.

    Used by one thread.
    """

    def __init__(self, language: str, rate_wpm: int, process: Sequence[str] = PROCESS) -> None:
        self._process = AnsweringProcess("voice", [*process, "--language", language, "--rate", str(rate_wpm)], START_S)

    @property
    def starts(self) -> int:
        return self._process.starts

    def render(self, text: str, stop: threading.Event) -> bytes:
        """The wave file of a phrase. Raises VoiceError; also if `stop` is set meanwhile."""
        wait_s = RENDER_S + RENDER_S_PER_CHARACTER * len(text)
        try:
            answer = self._process.ask({"text": text}, wait_s, stop)
        except ProcessError as error:
            raise VoiceError(str(error), error.lasting) from error
        if not answer.get("ok"):
            raise VoiceError(f"the voice cannot say {text!r}: {answer.get('error')}")
        return content(self._process.file)

    def close(self) -> None:
        self._process.close()


def content(file: int) -> bytes:
    """The whole content of a file that another process writes, regardless of this descriptor's position."""
    return os.pread(file, os.fstat(file).st_size, 0)
