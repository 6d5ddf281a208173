"""The embedded recogniser: pocketsphinx, for English alone, in a process that is killed if it hangs."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from daemon.commands.spoken.words import ALPHABET, LETTERS, words_of
from daemon.outputs.line_process import LineProcess, ProcessError
from daemon.outputs.listening.recogniser import RecogniserError

START_S = 20.0
"""Seconds to load the model on a small computer."""
TEXT_S = 10.0
"""Seconds for an utterance: a fast core takes a tenth of its length, a small one as long as it lasts."""
PROCESS = (sys.executable, "-I", str(Path(__file__).with_name("embedded_process.py")))


class EmbeddedRecogniser:
    """Hears only what may be said now."""

    def __init__(self, wake: str, process: Sequence[str] = PROCESS) -> None:
        self._file = os.memfd_create("kibitzer-utterance")
        command = [*process, "--wake", wake, "--file", f"/proc/self/fd/{self._file}"]
        self._process = LineProcess("recogniser", command, START_S, self._file)

    def text(self, sound: bytes, phrases: Sequence[str], stop: threading.Event) -> str:
        """The call and a phrase, or nothing. Raises RecogniserError."""
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, json.dumps([in_english(one) for one in phrases]).encode() + b"\n" + sound, 0)
        try:
            return str(self._process.ask({}, TEXT_S, stop).get("text", ""))
        except ProcessError as error:
            raise RecogniserError(str(error)) from error

    def close(self) -> None:
        """Ends the process; may be called twice."""
        self._process.close()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


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
