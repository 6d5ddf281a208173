"""Ring buffer of the pipeline's last seconds of input, bounded in time and bytes."""

from __future__ import annotations

import collections
import dataclasses
import threading
from collections.abc import Sequence

from daemon.bundles.bundle import MAX_FRAMES, GameState, SavedAnnouncement
from daemon.commands.command import Command
from vision.pose import BoardPose

LEAD_S = 8.0
"""Seconds kept beyond the requested time, to find a settled picture to begin at."""
REST_S = 0.4
"""Seconds beyond the settling time that a board must rest for a bundle to begin there, so that a fresh tracker
sees it at rest, too."""


@dataclasses.dataclass(eq=False)
class KeptFrame:
    time_s: float
    name: str
    before: GameState
    after: GameState
    """The referee's belief afterwards; the same object as `before` if nothing changed."""
    said: tuple[SavedAnnouncement, ...]
    standing: SavedAnnouncement | None
    """The complaint in force before the picture."""
    settled: bool
    pose: BoardPose | None
    plain: bool
    """Whether `before` holds everything the picture was judged by."""
    commands: tuple[Command, ...]
    jpeg: bytes | None
    """The encoded picture; None until it is encoded, or if it could not be."""
    encoded_here: bool = False


class SceneRing:
    """Thread-safe: the judging thread adds pictures, any thread may copy them."""

    def __init__(self, seconds: float, most_bytes: int, settle_s: float = 0.4) -> None:
        """Keeps at least the last `seconds` of pictures, if they fit into `most_bytes` of JPEG.

        `settle_s` is how long, in seconds, the pipeline requires a picture to be still.
        """
        self.left_out = 0
        self._seconds, self._most_bytes, self._settle_s = seconds, most_bytes, settle_s
        self._frames: collections.deque[KeptFrame] = collections.deque(maxlen=MAX_FRAMES)
        self.bytes = 0
        """Bytes of JPEG kept."""
        self._lock = threading.Lock()

    def add(self, kept: KeptFrame) -> None:
        with self._lock:
            if self._frames and kept.time_s < self._frames[-1].time_s:
                self._frames.clear()  # time went backwards: another source's clock
                self.bytes = 0
            if len(self._frames) == MAX_FRAMES:
                self._drop()
            self._frames.append(kept)
            self.bytes += len(kept.jpeg or b"")
            self._trim()

    def encoded(self, kept: KeptFrame, jpeg: bytes | None) -> None:
        """Supplies the JPEG of a picture added without one; None if it cannot be kept."""
        with self._lock:
            if jpeg is None:
                self.left_out += 1
            elif self._frames and kept.time_s >= self._frames[0].time_s:
                kept.jpeg = jpeg
                self.bytes += len(jpeg)
                self._trim()

    def last(self, seconds: float) -> list[KeptFrame]:
        """The last `seconds`, extended back to a settled picture, oldest first; empty before the first picture.

        `beginning` chooses the first picture.
        """
        with self._lock:
            frames = [one for one in self._frames if one.jpeg is not None]
        return frames[beginning(frames, seconds, self._settle_s) :]

    @property
    def seconds(self) -> float:
        """Seconds between the oldest and the newest picture kept."""
        with self._lock:
            return self._frames[-1].time_s - self._frames[0].time_s if self._frames else 0.0

    def _trim(self) -> None:
        newest_s = self._frames[-1].time_s
        while len(self._frames) > 1 and (
            self.bytes > self._most_bytes or newest_s - self._frames[0].time_s > self._seconds + LEAD_S
        ):
            self._drop()

    def _drop(self) -> None:
        self.bytes -= len(self._frames.popleft().jpeg or b"")


def beginning(frames: Sequence[KeptFrame], seconds: float, settle_s: float) -> int:
    """Index of the picture at which the last `seconds` should begin: the newest resting point before them.

    A resting point is a settled picture after which the board rests for as long as a fresh tracker needs to notice.
    If none is kept, returns the index of the first picture within the last `seconds`.
    """
    if not frames:
        return 0
    since_s = frames[-1].time_s - seconds
    inside = next((index for index, one in enumerate(frames) if one.time_s >= since_s), 0)
    return max((index for index in rests(frames, settle_s + REST_S) if index <= inside), default=inside)


def rests(frames: Sequence[KeptFrame], at_least_s: float) -> list[int]:
    """Indices of the plain pictures at which the board was at rest and stayed so for `at_least_s` seconds."""
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
