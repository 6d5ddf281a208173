"""The service that listens: utterances from microphones, written down one after the other by a thread.

What waits too long is thrown away: a command that is carried out late surprises everybody.
"""

from __future__ import annotations

import collections
import logging
import threading
import time
from collections.abc import Sequence

from daemon.voice import VoiceError
from daemon.voice.listening.recognisers import Recogniser
from daemon.words.translation import worded

_log = logging.getLogger(__name__)

MAX_WAITING = 2
"""Most utterances waiting; beyond that the oldest is dropped."""
MAX_TEXTS = 4
"""Most texts that wait for the loop."""
OLD_S = 5.0
"""Seconds after its end at which an utterance is too old to be carried out."""
CLOSE_S = 3.0


class Listening:
    """Every method is thread-safe, and none but `close` blocks."""

    def __init__(self, recogniser: Recogniser, wake: str) -> None:
        """Starts the thread. `wake` is the call with which commands begin."""
        self.wake = wake
        self._recogniser = recogniser
        self._phrases: Sequence[str] = ()
        self._waiting: collections.deque[tuple[float, bytes]] = collections.deque(maxlen=MAX_WAITING)
        self._texts: collections.deque[tuple[float, str]] = collections.deque(maxlen=MAX_TEXTS)
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._heard = self._failed = self._dropped = 0
        self._trouble = ""
        self.microphones = 0
        self._thread = threading.Thread(target=self._serve, name="listening", daemon=True)
        self._thread.start()

    def expect(self, phrases: Sequence[str]) -> None:
        self._phrases = tuple(phrases)

    def hear(self, utterance: bytes) -> None:
        """Queues an utterance: 16 kHz, 16 bits, one channel."""
        with self._changed:
            self._dropped += len(self._waiting) == MAX_WAITING
            self._waiting.append((time.monotonic(), utterance))
            self._changed.notify_all()

    def texts(self) -> list[str]:
        """What was said since the last call, and is not too old."""
        with self._changed:
            taken = [text for ended_s, text in self._texts if time.monotonic() - ended_s < OLD_S]
            self._texts.clear()
        return taken

    def status(self) -> dict[str, object]:
        with self._changed:
            text = self._trouble or (worded("hears") if self.microphones else worded("no microphone is on"))
            figures = {"heard": self._heard, "failed": self._failed, "dropped": self._dropped}
            return {"ok": not self._trouble, "text": text, "microphones": self.microphones, **figures}

    def close(self) -> None:
        self._stop.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(CLOSE_S)

    def _serve(self) -> None:
        try:
            while (taken := self._next()) is not None:
                self._write_down(*taken)
        except Exception as error:  # noqa: BLE001 - the top of the thread
            _log.exception("listening has stopped")
            self._trouble = f"listening has stopped: {error}"
        finally:
            self._recogniser.close()

    def _next(self) -> tuple[float, bytes] | None:
        """Waits for the next utterance; None when closing."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._stop.is_set())
            return None if self._stop.is_set() else self._waiting.popleft()

    def _write_down(self, ended_s: float, utterance: bytes) -> None:
        trouble, text = "", ""
        try:
            text = self._recogniser.text(utterance, self._phrases, self._stop)
        except VoiceError as error:
            trouble = str(error)
        if self._stop.is_set():
            return
        if trouble != self._trouble:
            _log.warning("nothing is understood: %s", trouble) if trouble else _log.warning(
                "what is said is heard again"
            )
        with self._changed:
            self._trouble = trouble
            self._failed, self._heard = self._failed + bool(trouble), self._heard + bool(text)
            if text:
                self._texts.append((ended_s, text))
