"""Speech: phrases in order, spoken if the machine can, and always available as text.

`Speaker.say` puts a phrase in a short queue and returns. One thread has the voice create the sound and the player play
it, each in a process that is killed if it hangs. Without a voice or a sound card the game continues: one message says
so, and the phrases appear in the log, in the state and on the overlay.
"""

from __future__ import annotations

import collections
import logging
import threading
import time
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

from daemon.config.settings import SpeechSection
from daemon.voice import VoiceError, player, voice
from daemon.voice.spelling import spelled
from daemon.words.translation import worded

_log = logging.getLogger(__name__)

MAX_WAITING = 8
"""Most phrases waiting; beyond that the oldest that is not urgent is dropped."""
MAX_LENGTH = 300
"""Characters in one phrase."""
CLOSE_S = 3.0
AGAIN_S = 60.0
"""Seconds before retrying a voice with a lasting fault of the machine, which somebody may have fixed."""


def clean(text: str) -> str:
    """The text without control and formatting characters, on one line, of at most `MAX_LENGTH` in whole words."""
    visible = "".join(" " if unicodedata.category(letter)[0] in "CZ" else letter for letter in text[: 20 * MAX_LENGTH])
    words = " ".join(visible.split())
    if len(words) <= MAX_LENGTH:
        return words
    return words[: MAX_LENGTH + 1].rpartition(" ")[0] or words[:MAX_LENGTH]


def in_phrases(sentences: Iterable[str]) -> list[str]:
    """The sentences in as few phrases as are spoken whole."""
    found: list[str] = []
    for one in filter(None, sentences):
        if found and len(found[-1]) + 1 + len(one) <= MAX_LENGTH:
            found[-1] += f" {one}"
        else:
            found.append(one)
    return found


class Speaker:
    """Speaks phrases one after the other. Every method is thread-safe, and `say` never blocks."""

    def __init__(
        self,
        speech: SpeechSection,
        render_to: Path | None = None,
        voice_process: Sequence[str] = voice.PROCESS,
        player_process: Sequence[str] = player.APLAY,
    ) -> None:
        """Starts the thread; the voice's process starts with the first phrase.

        With `render_to` every phrase is written to a numbered wave file in that folder and none is played. If speech is
        not enabled, phrases are only kept as the last text.
        """
        self._device, self._folder, self._enabled = speech.device or None, render_to, speech.enabled
        self._player_process = player_process
        self._voice = voice.voice_of(speech, voice_process)
        self._waiting: collections.deque[tuple[bool, str]] = collections.deque()
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._busy = False
        self._spoken = self._dropped = self._failed = 0
        self._reason = "" if speech.enabled else worded("switched off in the configuration")
        self._lasting = not speech.enabled
        self._again_s = float("inf")
        self._last = ""
        self._thread = threading.Thread(target=self._serve, name="speech", daemon=True)
        self._thread.start()

    def say(self, text: str, urgent: bool = False) -> None:
        """Queues a phrase; an urgent one goes before those that are not, behind other urgent ones."""
        phrase = clean(text)
        if not phrase:
            return
        with self._changed:
            self._last = phrase
            if (self._lasting and time.monotonic() < self._again_s) or self._stop.is_set():
                return
            ahead = sum(waiting for waiting, _ in self._waiting) if urgent else len(self._waiting)
            self._waiting.insert(ahead, (urgent, phrase))
            if len(self._waiting) > MAX_WAITING:
                self._drop()
            self._changed.notify_all()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def is_talking(self) -> bool:
        return self._busy or bool(self._waiting)

    def status(self) -> dict[str, object]:
        """`ok`, `state` (`on`, `written_only`, `off`), `text` with the reason, and figures.

        The figures: `spoken`, `failed`, `dropped`, `waiting`, `restarts`, and `last`, the last text.
        """
        with self._changed:
            state = "off" if not self._enabled else "written_only" if self._reason else "on"
            return {
                "ok": state != "written_only",
                "state": state,
                "text": self._reason or self._other_voice() or worded("speaks"),
                "spoken": self._spoken,
                "failed": self._failed,
                "dropped": self._dropped,
                "waiting": len(self._waiting),
                "restarts": max(0, self._voice.starts - 1),
                "last": self._last,
            }

    def _other_voice(self) -> str:
        """Status text about a failing other voice; empty if there is none, or it works."""
        trouble = self._voice.trouble if isinstance(self._voice, voice.FallbackVoice) else ""
        return trouble and worded("speaks with espeak-ng: {why}", why=trouble)

    def wait_until_silent(self, timeout_s: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not (self._waiting or self._busy), timeout_s)

    def close(self) -> None:
        """Stops speaking at once, even mid-phrase, and ends the processes; may be called twice."""
        self._stop.set()
        with self._changed:
            self._dropped += len(self._waiting)
            self._waiting.clear()
            self._changed.notify_all()
        self._thread.join(CLOSE_S)

    def _drop(self) -> None:
        places = [place for place, (urgent, _) in enumerate(self._waiting) if not urgent]
        del self._waiting[places[0] if places else 0]
        self._dropped += 1

    def _serve(self) -> None:
        try:
            while (phrase := self._next()) is not None:
                begun_s = time.monotonic()
                fault = self._speak(phrase)
                self._note(phrase, fault, time.monotonic() - begun_s)
        except Exception as error:  # noqa: BLE001 - the top of the thread
            _log.exception("speech has stopped")
            self._note("", VoiceError(f"speech has stopped: {error}", lasting=True), 0.0)
        finally:
            self._voice.close()

    def _next(self) -> str | None:
        """Waits for the next phrase; None when closing."""
        with self._changed:
            self._busy = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._waiting or self._stop.is_set())
            if self._stop.is_set():
                return None
            self._busy = True
            return self._waiting.popleft()[1]

    def _speak(self, phrase: str) -> VoiceError | None:
        """Why a phrase was not heard; None if it was."""
        try:
            sound = self._voice.render(spelled(phrase), self._stop)
            if not sound:  # the command has played it itself
                return None
            if self._folder is not None:
                _write(self._folder, sound)
            else:
                player.play(sound, self._device, self._stop, self._player_process)
        except VoiceError as error:
            return error
        except OSError as error:
            return VoiceError(f"{self._folder}: {error.strerror}")
        return None

    def _note(self, phrase: str, fault: VoiceError | None, seconds: float) -> None:
        reason, lasting = ("", False) if fault is None else (str(fault), fault.lasting)
        with self._changed:
            if self._stop.is_set():
                return
            self._spoken += not reason
            self._failed += bool(reason)
            before, self._reason, self._lasting = self._reason, "" if fault is None else fault.shown, lasting
            if lasting:
                self._again_s = time.monotonic() + AGAIN_S
                self._dropped += len(self._waiting)
                self._waiting.clear()
        if reason and not before:
            _log.warning("written only, not spoken: %s", reason)
        elif before and not reason:
            _log.warning("speech works again")
        _log.debug("%.2f s for %r: %s", seconds, phrase, reason or "spoken")


def _write(folder: Path, sound: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    number = max((int(path.stem) for path in folder.glob("[0-9]*.wav") if path.stem.isdigit()), default=0) + 1
    part = folder / f"{number:04d}.part"
    part.write_bytes(sound)
    part.rename(folder / f"{number:04d}.wav")
