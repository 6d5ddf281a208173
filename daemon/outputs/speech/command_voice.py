"""A voice that somebody else wrote, such as piper: a command of the settings, and espeak-ng where it fails.

The command gets a phrase on its standard input, in UTF-8, and the end of it. What it writes to standard output is
the sound, a wave file, which is played as any other; a command that writes nothing is taken to have played it itself.
It is killed where it takes too long.
"""

from __future__ import annotations

import logging
import os
import select
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from daemon.outputs.speech.player import PlayError, seconds
from daemon.outputs.speech.voice import STOP_S, VoiceError

_log = logging.getLogger(__name__)

MAX_BYTES = 64_000_000
"""More sound is no phrase."""
AGAIN_S = 60.0
"""So long a command that failed is left alone."""


class Renders(Protocol):
    """Whatever makes a phrase audible. Used by one thread."""

    @property
    def starts(self) -> int:
        """Times its process was started."""

    def render(self, text: str, stop: threading.Event) -> bytes:
        """The wave file of a phrase; empty where it was played already. Raises VoiceError."""

    def close(self) -> None:
        """Ends its process; may be called twice."""


class CommandVoice:
    """Runs a command for every phrase; no shell reads it."""

    def __init__(self, command: Sequence[str], deadline_s: float) -> None:
        self.starts = 0
        self._command, self._deadline_s = tuple(command), deadline_s
        self._process: subprocess.Popen[bytes] | None = None

    def render(self, text: str, stop: threading.Event) -> bytes:
        """What the command writes for the phrase. Raises VoiceError where it fails, or takes too long."""
        self.starts += 1
        try:
            self._process = process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise VoiceError(f"{self._command[0]} cannot be run ({error.strerror})") from error
        try:
            sound = self._sound(process, text, stop)
            status = process.wait(max(STOP_S, self._deadline_s))
        except (OSError, subprocess.TimeoutExpired) as error:
            raise VoiceError(f"{self._command[0]} does not take the phrase: {error}") from error
        finally:
            self.close()
        if status:
            raise VoiceError(f"{self._command[0]} ended with status {status}")
        if sound:
            try:
                seconds(sound)
            except PlayError as error:
                raise VoiceError(f"{self._command[0]} wrote what is no wave file") from error
        return sound

    def close(self) -> None:
        """Kills the command, if it runs."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what it did not read any more
                    _log.debug("%s did not read its phrase", self._command[0])
        process.wait()

    def _sound(self, process: subprocess.Popen[bytes], text: str, stop: threading.Event) -> bytes:
        """Hands the phrase over and gathers what comes, until the command closes its output or the time is up."""
        assert process.stdin is not None and process.stdout is not None
        deadline_s = time.monotonic() + self._deadline_s
        process.stdin.write(text.encode() + b"\n")  # a phrase is shorter than a pipe holds
        process.stdin.close()
        parts: list[bytes] = []
        size = 0
        while True:
            if stop.is_set():
                raise VoiceError("closing")
            if time.monotonic() > deadline_s:
                raise VoiceError(f"{self._command[0]} takes longer than {self._deadline_s:g} s")
            if not select.select([process.stdout], [], [], STOP_S)[0]:
                continue
            part = os.read(process.stdout.fileno(), 1 << 16)
            if not part:
                return b"".join(parts)
            parts.append(part)
            size += len(part)
            if size > MAX_BYTES:
                raise VoiceError(f"{self._command[0]} writes without an end")


class FallbackVoice:
    """The first voice while it works, else the second, which says so once before it goes on."""

    def __init__(
        self,
        first: Renders,
        second: Renders,
        told: Callable[[], str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`told` gives the sentence by which the second voice tells of the trouble."""
        self._first, self._second, self._told, self._clock = first, second, told, clock
        self._again_s = float("-inf")
        self.trouble = ""
        """Why the first voice does not speak; empty where it does."""

    @property
    def starts(self) -> int:
        """Of the second voice: the first starts for every phrase."""
        return self._second.starts

    def render(self, text: str, stop: threading.Event) -> bytes:
        """The phrase, with a word about the trouble where that is new. Raises VoiceError where neither voice works."""
        new = False
        if self._clock() >= self._again_s:
            try:
                sound = self._first.render(text, stop)
            except VoiceError as error:
                if stop.is_set():
                    raise
                new, self.trouble = not self.trouble, str(error)
                self._again_s = self._clock() + AGAIN_S
                _log.warning("the voice command fails, espeak-ng speaks: %s", error)
            else:
                if self.trouble:
                    _log.warning("the voice command works again")
                self.trouble = ""
                return sound
        return self._second.render(f"{self._told()} {text}" if new else text, stop)

    def close(self) -> None:
        """Ends both."""
        self._first.close()
        self._second.close()
