"""Recognisers: the sound of an utterance in, its text out."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from daemon.commands.spoken.words import ALPHABET, LETTERS, words_of
from daemon.voice.answering_process import AnsweringProcess
from daemon.voice.listening.utterances import RATE_HZ
from daemon.voice.wyoming import Address, Connection

MAX_TEXT = 300
"""Characters of a text; a command is shorter."""
SOUND = {"rate": RATE_HZ, "width": 2, "channels": 1}
CHUNK_BYTES = 8192
TEXT_S = 10.0
"""Seconds for an utterance: a fast core takes a tenth of its length, a small one as long as it lasts."""
PROCESS = (sys.executable, "-I", str(Path(__file__).with_name("embedded_process.py")))


class Recogniser(Protocol):
    """Writes down utterances. Used by one thread."""

    def text(self, sound: bytes, phrases: Sequence[str], stop: threading.Event) -> str:
        """The text of an utterance; `phrases` are all that may follow a call. Raises VoiceError."""

    def close(self) -> None:
        """Ends its process; may be called twice."""


class WyomingRecogniser:
    """A Wyoming speech-to-text server, such as `wyoming-faster-whisper`, asked over a connection for each utterance."""

    def __init__(self, address: Address, language: str, deadline_s: float) -> None:
        self._address, self._language, self._deadline_s = address, language.partition("-")[0], deadline_s

    def text(self, sound: bytes, phrases: Sequence[str], stop: threading.Event) -> str:
        """What the server writes; `phrases` are not needed. Raises VoiceError."""
        with Connection(self._address, self._deadline_s, stop) as server:
            server.send("transcribe", {"language": self._language})
            server.send("audio-start", SOUND)
            for place in range(0, len(sound), CHUNK_BYTES):
                server.send("audio-chunk", SOUND, sound[place : place + CHUNK_BYTES])
            server.send("audio-stop", {})
            while (event := server.receive()).type != "transcript":
                pass
        return str(event.data.get("text", ""))[:MAX_TEXT]

    def close(self) -> None:
        """Nothing is open between utterances."""


class EmbeddedRecogniser(AnsweringProcess):
    """Hears only what may be said now."""

    def __init__(self, wake: str, process: Sequence[str] = PROCESS) -> None:
        super().__init__("recogniser", [*process, "--wake", wake])

    def text(self, sound: bytes, phrases: Sequence[str], stop: threading.Event) -> str:
        """The call and a phrase, or nothing. Raises VoiceError."""
        os.ftruncate(self.file, 0)
        os.pwrite(self.file, json.dumps([in_english(one) for one in phrases]).encode() + b"\n" + sound, 0)
        return str(self.ask({}, TEXT_S, stop).get("text", ""))


def in_english(phrase: str) -> str:
    """A phrase as part of a grammar: letters by their own name or the alphabet's, numbers in words."""
    return " ".join(NAMES.get(word, word) for word in phrase.split())


def _names() -> dict[str, str]:
    words = words_of("en")
    names = {
        letter: f"({letter} | {name.partition('/')[0]})" for letter, name in zip(LETTERS, ALPHABET.split(), strict=True)
    }
    return names | {number: name for name, number in words.counts.items() if not name.isdigit()}


NAMES = _names()
