"""The last seconds of what the pipeline was given, bounded in time and in bytes."""

from __future__ import annotations

import collections
import dataclasses
import threading
from collections.abc import Sequence

from daemon.bundles.bundle import MAX_FRAMES, GameState, Said
from daemon.commands.command import Command
from vision.pose import BoardPose

LEAD_S = 8.0
"""So much longer than asked is kept, to find a settled picture to begin at."""
REST_S = 0.4
"""How long beyond the settling time a board must rest for a bundle to begin there: fresh eyes see it at rest, too."""


@dataclasses.dataclass(eq=False)
class Kept:
    """One picture that the pipeline was given, and what came of it."""

    time_s: float
    name: str
    before: GameState
    """What the referee believed when the picture came..."""
    after: GameState
    """...and when it was judged; one and the same object where nothing changed."""
    said: tuple[Said, ...]
    standing: Said | None
    """The complaint that stood before it."""
    settled: bool
    pose: BoardPose | None
    plain: bool
    """Whether `before` says all that it was judged by."""
    commands: tuple[Command, ...]
    """What people said since the picture before."""
    jpeg: bytes | None
    """None until it is encoded, and where it could not be."""
    encoded_here: bool = False


class SceneRing:
    """Written by the thread that judges, copied by any."""

    def __init__(self, seconds: float, most_bytes: int, settle_s: float = 0.4) -> None:
        """Keeps at least the last `seconds` of pictures where `most_bytes` of JPEG allow it.

        `settle_s` is how long the pipeline wants a picture to be still.
        """
        self.left_out = 0
        """Pictures that could not be kept."""
        self._seconds, self._most_bytes, self._settle_s = seconds, most_bytes, settle_s
        self._frames: collections.deque[Kept] = collections.deque(maxlen=MAX_FRAMES)
        self._bytes = 0
        self._lock = threading.Lock()

    def add(self, kept: Kept) -> None:
        """The next picture; the oldest go."""
        with self._lock:
            if self._frames and kept.time_s < self._frames[-1].time_s:
                self._clear()  # the clock of another source
            if len(self._frames) == MAX_FRAMES:
                self._drop()
            self._frames.append(kept)
            self._bytes += len(kept.jpeg or b"")
            self._trim()

    def encoded(self, kept: Kept, jpeg: bytes | None) -> None:
        """The picture of a frame that was added without one; None where it cannot be kept."""
        with self._lock:
            if jpeg is None:
                self.left_out += 1
            elif self._frames and kept.time_s >= self._frames[0].time_s:
                kept.jpeg = jpeg
                self._bytes += len(jpeg)
                self._trim()

    def last(self, seconds: float) -> list[Kept]:
        """The last seconds and what came before them back to a settled picture, oldest first; empty before the first.

        What they begin with is told in `beginning`.
        """
        with self._lock:
            frames = [one for one in self._frames if one.jpeg is not None]
        return frames[beginning(frames, seconds, self._settle_s) :]

    @property
    def bytes(self) -> int:
        """Bytes of the pictures that are kept."""
        return self._bytes

    @property
    def seconds(self) -> float:
        """How far back it reaches."""
        with self._lock:
            return self._frames[-1].time_s - self._frames[0].time_s if self._frames else 0.0

    def _trim(self) -> None:
        newest_s = self._frames[-1].time_s
        while len(self._frames) > 1 and (
            self._bytes > self._most_bytes or newest_s - self._frames[0].time_s > self._seconds + LEAD_S
        ):
            self._drop()

    def _drop(self) -> None:
        self._bytes -= len(self._frames.popleft().jpeg or b"")

    def _clear(self) -> None:
        self._frames.clear()
        self._bytes = 0


def beginning(frames: Sequence[Kept], seconds: float, settle_s: float) -> int:
    """The index at which the last `seconds` are to begin: the newest place of rest before them.

    A place of rest is a settled picture after which the board rests for as long as fresh eyes need to see that. Where
    there is none as far back as is kept, they begin anywhere.
    """
    if not frames:
        return 0
    since_s = frames[-1].time_s - seconds
    inside = next((index for index, one in enumerate(frames) if one.time_s >= since_s), 0)
    return max((index for index in rests(frames, settle_s + REST_S) if index <= inside), default=inside)


def rests(frames: Sequence[Kept], at_least_s: float) -> list[int]:
    """Indices of the plain pictures with which the board was at rest and stayed so for `at_least_s`."""
    found = []
    until_s = float("-inf")
    for index in range(len(frames) - 1, -1, -1):
        one = frames[index]
        if not one.settled or one.pose is None:
            until_s = float("-inf")
            continue
        until_s = max(until_s, one.time_s)
        if until_s - one.time_s >= at_least_s and one.plain:
            found.append(index)
    return found[::-1]
