"""A voice of a Wyoming text-to-speech server, such as `wyoming-piper`, which keeps its models loaded."""

from __future__ import annotations

import io
import threading
import wave

from daemon.voice import VoiceError
from daemon.voice.wyoming import Address, Connection, Event

MAX_S = 120.0
"""Seconds of sound: no phrase is as long at the slowest rate."""
RATES_HZ = range(8000, 48_001)
WIDTHS = range(1, 5)
"""Bytes of one sample."""
CHANNELS = range(1, 3)


class WyomingVoice:
    def __init__(self, address: Address, language: str, deadline_s: float) -> None:
        self.starts = 0
        self._address, self._language, self._deadline_s = address, language, deadline_s

    def render(self, text: str, stop: threading.Event) -> bytes:
        with Connection(self._address, self._deadline_s, stop) as server:
            server.send("synthesize", {"text": text, "voice": {"language": self._language}})
            return _heard(server)

    def close(self) -> None:
        """Nothing is open between phrases."""


def _heard(server: Connection) -> bytes:
    """The wave file of an answer: `audio-start`, chunks, `audio-stop`. Raises VoiceError."""
    start = server.receive()
    while start.type != "audio-start":
        start = server.receive()
    rate_hz, width, channels = _format(start)
    left = int(MAX_S * rate_hz) * width * channels
    sound = io.BytesIO()
    with wave.open(sound, "wb") as writer:
        writer.setparams((channels, width, rate_hz, 0, "NONE", ""))
        while (event := server.receive(left)).type != "audio-stop":
            left -= len(event.payload)
            writer.writeframesraw(event.payload if event.type == "audio-chunk" else b"")
        if not writer.tell():
            raise VoiceError("the server made no sound")
    return sound.getvalue()


def _format(start: Event) -> tuple[int, int, int]:
    """Samples a second, bytes of a sample, channels. Raises VoiceError if no sound has them."""
    rate_hz, width, channels = start.number("rate"), start.number("width"), start.number("channels")
    if rate_hz not in RATES_HZ or width not in WIDTHS or channels not in CHANNELS:
        raise VoiceError(f"the server sends sound of {rate_hz} Hz, {8 * width} bits, {channels} channels")
    return rate_hz, width, channels
