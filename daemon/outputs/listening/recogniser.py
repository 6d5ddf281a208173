"""Recognisers: the sound of an utterance in, its text out."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

from daemon.outputs.listening.utterances import RATE_HZ
from daemon.outputs.wyoming import Address, Connection, WyomingError

MAX_TEXT = 300
"""Characters of a text; a command is shorter."""
SOUND = {"rate": RATE_HZ, "width": 2, "channels": 1}
CHUNK_BYTES = 8192


class RecogniserError(RuntimeError):
    """An utterance was not understood for a technical reason, which the message says."""


class Recogniser(Protocol):
    """Writes down utterances. Used by one thread."""

    def text(self, sound: bytes, phrases: Sequence[str], stop: threading.Event) -> str:
        """The text of an utterance; `phrases` are all that may follow a call. Raises RecogniserError."""

    def close(self) -> None:
        """Ends its process; may be called twice."""


class WyomingRecogniser:
    """A Wyoming speech-to-text server, such as `wyoming-faster-whisper`, asked over a connection for each utterance."""

    def __init__(self, address: Address, language: str, deadline_s: float) -> None:
        self._address, self._language, self._deadline_s = address, language.partition("-")[0], deadline_s

    def text(self, sound: bytes, phrases: Sequence[str], stop: threading.Event) -> str:
        """What the server writes; `phrases` are not needed. Raises RecogniserError."""
        try:
            with Connection(self._address, self._deadline_s, stop) as server:
                server.send("transcribe", {"language": self._language})
                server.send("audio-start", SOUND)
                for place in range(0, len(sound), CHUNK_BYTES):
                    server.send("audio-chunk", SOUND, sound[place : place + CHUNK_BYTES])
                server.send("audio-stop", {})
                while (event := server.receive()).type != "transcript":
                    pass
        except WyomingError as error:
            raise RecogniserError(str(error)) from error
        return str(event.data.get("text", ""))[:MAX_TEXT]

    def close(self) -> None:
        """Nothing is open between utterances."""
