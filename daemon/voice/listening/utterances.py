"""Cuts a microphone's sound into utterances by its loudness. Long ones are talk, and are thrown away."""

from __future__ import annotations

import collections

import numpy as np

RATE_HZ = 16_000
"""Samples a second, 16 bits each, one channel."""
FRAME_S = 0.02
FRAME_BYTES = 2 * int(RATE_HZ * FRAME_S)
QUIETEST = 150.0
"""Root mean square of 16-bit samples below which nothing is speech, however quiet the room is."""
ABOVE_NOISE = 2.5
"""Speech is so many times louder than the room."""
FORGETS_S = 3.0
"""Seconds in which a room that has become louder counts as that loud."""
BEFORE_S = 0.3
"""Seconds kept from before an utterance is noticed: words begin softly."""
PAUSE_S = 0.7
"""Seconds of rest that end an utterance."""
SHORTEST_S = 0.2
LONGEST_S = 8.0
"""Seconds of an utterance, pauses included; commands of three cells take five."""


class Utterances:
    def __init__(self) -> None:
        self._rest = b""
        self._before: collections.deque[bytes] = collections.deque(maxlen=int(BEFORE_S / FRAME_S))
        self._noise = QUIETEST / ABOVE_NOISE
        self.reset()

    def reset(self) -> None:
        self._frames: list[bytes] = []
        self._loud = self._quiet = 0
        self._before.clear()

    def feed(self, sound: bytes) -> list[bytes]:
        """The utterances that have ended with this piece of sound, any length of it."""
        data, ended = self._rest + sound, []
        whole = len(data) - len(data) % FRAME_BYTES
        self._rest = data[whole:]
        for place in range(0, whole, FRAME_BYTES):
            utterance = self._take(data[place : place + FRAME_BYTES])
            if utterance:
                ended.append(utterance)
        return ended

    def _take(self, frame: bytes) -> bytes:
        """The utterance that ends with this frame; empty if none does."""
        loudness = float(np.sqrt(np.mean(np.frombuffer(frame, np.int16).astype(np.float32) ** 2)))
        loud = loudness > max(QUIETEST, ABOVE_NOISE * self._noise)
        faster = loudness < self._noise
        self._noise += (loudness - self._noise) * (0.2 if faster else FRAME_S / FORGETS_S * (0.1 if loud else 1.0))
        if not (loud or self._frames):
            self._before.append(frame)
            return b""
        if not self._frames:
            self._frames = list(self._before)
        if len(self._frames) * FRAME_S <= LONGEST_S + PAUSE_S:  # of a longer one only its end matters
            self._frames.append(frame)
        self._loud, self._quiet = self._loud + loud, 0 if loud else self._quiet + 1
        if self._quiet * FRAME_S < PAUSE_S:
            return b""
        frames, is_speech = self._frames, self._loud * FRAME_S >= SHORTEST_S
        self.reset()
        return b"".join(frames) if is_speech and len(frames) * FRAME_S <= LONGEST_S else b""
