"""Plays a wave file through ALSA's `aplay`, a separate program that can be killed."""

from __future__ import annotations

import io
import os
import threading
import time
import wave
from collections.abc import Sequence
from subprocess import DEVNULL

from daemon.voice import STOP_S, VoiceError
from daemon.words.translation import worded
from system.processes import Process

APLAY = ("aplay", "-q")
GRACE_S = 5.0
"""Seconds beyond the sound's duration for opening the device and emptying its buffer."""


def seconds(sound: bytes) -> float:
    """Duration of a wave file in seconds. Raises VoiceError if it is not one."""
    try:
        with wave.open(io.BytesIO(sound), "rb") as reader:
            return reader.getnframes() / reader.getframerate()
    except (wave.Error, EOFError, ZeroDivisionError) as error:
        raise VoiceError(f"the voice made no sound: {error}") from error


def play(sound: bytes, device: str | None, stop: threading.Event, player: Sequence[str] = APLAY) -> None:
    """Plays a wave file to its end, on ALSA's default device if `device` is None.

    Raises VoiceError if it does not finish in time, or `stop` is set.
    """
    deadline_s = time.monotonic() + seconds(sound) * 1.5 + GRACE_S
    command = [*player, *(["-D", device] if device else []), "-"]
    with _in_memory(sound) as source, _in_memory(b"") as complaints:
        try:
            process = Process(command, stdin=source, stdout=DEVNULL, stderr=complaints)
        except OSError as error:
            shown = worded("the program that plays sounds is missing: install alsa-utils")
            detail = f"{command[0]} cannot be run ({error.strerror}): install alsa-utils"
            raise VoiceError(detail, shown=shown) from error
        try:
            while process.poll() is None:
                if stop.wait(STOP_S / 5):
                    raise VoiceError("closing")
                if time.monotonic() > deadline_s:
                    raise VoiceError(f"{command[0]} hangs on the sound device {device or 'default'}")
        finally:
            process.end()
        if process.returncode:
            complaints.seek(0)
            lines = complaints.read(4000).decode(errors="replace").strip().splitlines()
            raise VoiceError(
                f"no sound from device {device or 'default'} ({lines[-1] if lines else process.returncode}): "
                "connect a sound card, or set the device to a name that `aplay -L` lists",
                shown=worded("no loudspeaker answers: connect one, or set another sound device"),
            )


def _in_memory(content: bytes) -> io.BufferedRandom:
    """An anonymous in-memory file, positioned at its start, that leaves nothing behind."""
    file = open(os.memfd_create("kibitzer-sound"), "w+b")  # noqa: PTH123, SIM115 - opens a descriptor, which the caller closes
    file.write(content)
    file.seek(0)
    return file
