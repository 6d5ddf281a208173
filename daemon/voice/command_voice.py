"""A voice by an external command such as piper, set in the configuration.

The command receives a phrase on its standard input, in UTF-8, then end of file. Its standard output is the sound, a
wave file, which is played as any other; if it writes nothing, it is assumed to have played the phrase itself.
It is killed if it takes too long.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Sequence
from subprocess import DEVNULL, PIPE, TimeoutExpired

from daemon.voice import STOP_S, VoiceError
from daemon.voice.player import seconds
from system.processes import Process

MAX_BYTES = 64_000_000
"""Bytes: no phrase makes more sound."""


class CommandVoice:
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
            except VoiceError as error:
                raise VoiceError(f"{self._command[0]} wrote what is no wave file") from error
        return sound

    def close(self) -> None:
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
