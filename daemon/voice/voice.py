"""The voices: espeak-ng in a process of its own, and as the fallback of a command or of a Wyoming server."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from daemon.config.settings import SpeechSection, wyoming_address
from daemon.voice import VoiceError
from daemon.voice.answering_process import AnsweringProcess
from daemon.voice.command_voice import CommandVoice
from daemon.voice.wyoming_voice import WyomingVoice
from daemon.words.translation import worded

_log = logging.getLogger(__name__)

RENDER_S = 5.0
RENDER_S_PER_CHARACTER = 0.05
PROCESS = (sys.executable, "-I", str(Path(__file__).with_name("speech_process.py")))
AGAIN_S = 60.0
"""Seconds before a failed voice is tried again."""


class Renders(Protocol):
    """Interface of voices: makes a phrase audible. Used by one thread."""

    @property
    def starts(self) -> int:
        """How often its process was started."""

    def render(self, text: str, stop: threading.Event) -> bytes:
        """The wave file of a phrase; empty if it was played already. Raises VoiceError; also if `stop` is set."""

    def close(self) -> None:
        """Ends its process; may be called twice."""


class Voice(AnsweringProcess):
    """espeak-ng, which renders phrases in its process."""

    def __init__(self, language: str, rate_wpm: int, process: Sequence[str] = PROCESS) -> None:
        super().__init__("voice", [*process, "--language", language, "--rate", str(rate_wpm)])

    def render(self, text: str, stop: threading.Event) -> bytes:
        answer = self.ask({"text": text}, RENDER_S + RENDER_S_PER_CHARACTER * len(text), stop)
        if not answer.get("ok"):
            raise VoiceError(f"the voice cannot say {text!r}: {answer.get('error')}")
        return os.pread(self.file, os.fstat(self.file).st_size, 0)


class FallbackVoice:
    """Uses the first voice while it works, else the second; whichever speaks then mentions a change once."""

    def __init__(self, first: Renders, second: Renders, clock: Callable[[], float] = time.monotonic) -> None:
        self._first, self._second, self._clock = first, second, clock
        self._again_s = float("-inf")
        self.trouble = ""
        """Why the first voice does not speak; empty if it does."""

    @property
    def starts(self) -> int:
        """Starts of the second voice: the first starts anew for every phrase."""
        return self._second.starts

    def render(self, text: str, stop: threading.Event) -> bytes:
        if self._clock() >= self._again_s:
            back = worded("I have my own voice back.") if self.trouble else ""
            try:
                sound = self._first.render(f"{back} {text}".strip(), stop)
            except VoiceError as error:
                if stop.is_set():
                    raise
                if not self.trouble:
                    text = f"{worded('My other voice does not work, so I speak with this one.')} {text}"
                self.trouble, self._again_s = str(error), self._clock() + AGAIN_S
                _log.warning("the other voice fails, espeak-ng speaks: %s", error)
            else:
                if self.trouble:
                    _log.warning("the other voice works again")
                self.trouble = ""
                return sound
        return self._second.render(text, stop)

    def close(self) -> None:
        self._first.close()
        self._second.close()


def voice_of(speech: SpeechSection, process: Sequence[str] = PROCESS) -> Renders:
    """The voice of the settings' command, else of their Wyoming server, else of espeak-ng in `process`."""
    own = Voice(speech.language, speech.rate_wpm, process)
    if speech.command:
        return FallbackVoice(CommandVoice(speech.command, speech.command_s), own)
    if speech.voice:
        return FallbackVoice(WyomingVoice(wyoming_address(speech.voice), speech.language, speech.voice_s), own)
    return own
