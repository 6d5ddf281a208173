"""A voice by an external command such as piper, set in the configuration, and espeak-ng as the fallback of any.

The command receives a phrase on its standard input, in UTF-8, then end of file. Its standard output is the sound, a
wave file, which is played as any other; if it writes nothing, it is assumed to have played the phrase itself.
It is killed if it takes too long.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from collections.abc import Callable, Sequence
from subprocess import DEVNULL, PIPE, TimeoutExpired
from typing import Protocol

from daemon.config.settings import wyoming_address
from daemon.voice.answering_process import STOP_S
from daemon.voice.player import PlayError, seconds
from daemon.voice.voice import PROCESS, Voice, VoiceError
from daemon.voice.wyoming_voice import WyomingVoice
from daemon.words.translation import worded
from processes import Process

_log = logging.getLogger(__name__)

MAX_BYTES = 64_000_000
"""Bytes: no phrase makes more sound."""
AGAIN_S = 60.0
"""Seconds before a failed command is tried again."""


class Renders(Protocol):
    """Interface of voices: makes a phrase audible. Used by one thread."""

    @property
    def starts(self) -> int:
        """How often its process was started."""

    def render(self, text: str, stop: threading.Event) -> bytes:
        """The wave file of a phrase; empty if it was played already. Raises VoiceError."""

    def close(self) -> None:
        """Ends its process; may be called twice."""


class CommandVoice:
    """Runs a command for every phrase, without a shell."""

    def __init__(self, command: Sequence[str], deadline_s: float) -> None:
        self.starts = 0
        self._command, self._deadline_s = tuple(command), deadline_s
        self._process: Process | None = None

    def render(self, text: str, stop: threading.Event) -> bytes:
        """The command's output for the phrase. Raises VoiceError if it fails or takes too long."""
        self.starts += 1
        try:
            self._process = process = Process(self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
        except OSError as error:
            raise VoiceError(f"{self._command[0]} cannot be run ({error.strerror})") from error
        try:
            taken, sound = self._sound(process, text, stop)
            status = process.wait(max(STOP_S, self._deadline_s))
        except (OSError, TimeoutExpired) as error:
            raise VoiceError(f"{self._command[0]} does not take the phrase: {error}") from error
        finally:
            self.close()
        if status:
            raise VoiceError(f"{self._command[0]} ended with status {status}")
        if not (taken or sound):
            raise VoiceError(f"{self._command[0]} does not take the phrase: it ended first")
        if sound:
            try:
                seconds(sound)
            except PlayError as error:
                raise VoiceError(f"{self._command[0]} wrote what is no wave file") from error
        return sound

    def close(self) -> None:
        """Kills the command, and what it has started, if it is running."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _sound(self, process: Process, text: str, stop: threading.Event) -> tuple[bool, bytes]:
        """Sends the phrase and collects the output until the command closes it, or has ended, or the time is up.

        Returns whether the command took the phrase, and the output.
        """
        assert process.stdin is not None and process.stdout is not None
        deadline_s = time.monotonic() + self._deadline_s
        taken = True
        try:
            process.stdin.write(text.encode() + b"\n")  # a phrase fits into the pipe's buffer
            process.stdin.close()
        except BrokenPipeError:
            taken = False  # it has ended: its status or its output tells why
        parts: list[bytes] = []
        size = 0
        while True:
            if stop.is_set():
                raise VoiceError("closing")
            if time.monotonic() > deadline_s:
                raise VoiceError(f"{self._command[0]} takes longer than {self._deadline_s:g} s")
            ended = process.poll() is not None  # what it has started may still hold the output open
            if not select.select([process.stdout], [], [], 0.0 if ended else STOP_S)[0]:
                if ended:
                    return taken, b"".join(parts)
                continue
            part = os.read(process.stdout.fileno(), 1 << 16)
            if not part:
                return taken, b"".join(parts)
            parts.append(part)
            size += len(part)
            if size > MAX_BYTES:
                raise VoiceError(f"{self._command[0]} writes without an end")


class FallbackVoice:
    """Uses the first voice while it works, else the second; whichever speaks then mentions a change once."""

    def __init__(
        self,
        first: Renders,
        second: Renders,
        told: Callable[[], str],
        back: Callable[[], str] = str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`told` returns the sentence with which the second voice mentions the problem, `back` the first its end."""
        self._first, self._second, self._told, self._back, self._clock = first, second, told, back, clock
        self._again_s = float("-inf")
        self.trouble = ""
        """Why the first voice does not speak; empty if it does."""

    @property
    def starts(self) -> int:
        """Starts of the second voice: the first starts anew for every phrase."""
        return self._second.starts

    def render(self, text: str, stop: threading.Event) -> bytes:
        """The phrase, preceded by a sentence about a new problem. Raises VoiceError if neither voice works."""
        new = False
        if self._clock() >= self._again_s:
            try:
                sound = self._first.render(f"{self._back()} {text}".strip() if self.trouble else text, stop)
            except VoiceError as error:
                if stop.is_set():
                    raise
                new, self.trouble = not self.trouble, str(error)
                self._again_s = self._clock() + AGAIN_S
                _log.warning("the other voice fails, espeak-ng speaks: %s", error)
            else:
                if self.trouble:
                    _log.warning("the other voice works again")
                self.trouble = ""
                return sound
        return self._second.render(f"{self._told()} {text}" if new else text, stop)

    def close(self) -> None:
        self._first.close()
        self._second.close()


def voice_of(
    language: str,
    rate_wpm: int,
    process: Sequence[str] = PROCESS,
    command: Sequence[str] = (),
    command_s: float = 20.0,
    server: str = "",
    server_s: float = 5.0,
) -> Renders:
    """The voice of `command`, else of the Wyoming server at the address `server`, else of espeak-ng in `process`.

    A command and a server have so many seconds for a phrase. Raises ValueError if `server` is no address.
    """
    own: Renders = Voice(language, rate_wpm, process)
    if command:
        return FallbackVoice(CommandVoice(command, command_s), own, _changed, _back)
    if server:
        return FallbackVoice(WyomingVoice(wyoming_address(server), language, server_s), own, _changed, _back)
    return own


def _changed() -> str:
    """The sentence of the second voice when the first one fails."""
    return worded("My other voice does not work, so I speak with this one.")


def _back() -> str:
    """The sentence of the first voice when it works again."""
    return worded("I have my own voice back.")
