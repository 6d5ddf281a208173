"""A camera picture, and the protocol of frame sources."""

from __future__ import annotations

import dataclasses
import zlib
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""uint8 (height, width, 3) BGR."""
Preview = NDArray[np.uint8]
"""uint8 (height / 8, width / 8) grey: enough to see whether anything moves."""

PREVIEW_SHRINK = 8


class SourceError(OSError):
    """A frame source that cannot be opened, or is gone for good; the message says what to do."""


class SourceEnded(Exception):
    """The last frame of a file or folder has been delivered: a normal end, not a fault."""


@dataclasses.dataclass(frozen=True, eq=False)
class Frame:
    image: Image
    time_s: float
    """Seconds on the source's own clock: monotonic time of a live source, position in a file, simulated time."""
    index: int
    """Number of the frame in its source, from 0."""
    name: str = ""
    """The photo's file name, in a folder of photos."""

    @property
    def preview(self) -> Preview:
        """The picture in grey, an eighth as wide and high; cheap, and possibly computed anew on each access."""
        height, width = self.image.shape[:2]
        size = max(1, width // PREVIEW_SHRINK), max(1, height // PREVIEW_SHRINK)
        # Every fourth row is enough and takes a third of the time.
        small = cv2.resize(self.image[::4], size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY) if small.ndim == 3 else small, dtype=np.uint8)

    @property
    def checksum(self) -> int:
        """A number that differs between pictures unless they differ in a few pixels only."""
        return zlib.crc32(self.image[::4, ::4].tobytes())


class FrameSource(Protocol):
    live: bool
    """True where frames come in real time and an unread one goes stale; False where every frame waits to be read."""

    def read(self, timeout_s: float) -> Frame | None:
        """The next frame; None where none came in time. Raises SourceEnded, SourceError."""

    def close(self) -> None:
        """Releases the device, file or connection; may be called twice."""
