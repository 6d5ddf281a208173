"""A picture from a camera and the protocol of what delivers one."""

from __future__ import annotations

import dataclasses
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""uint8 (height, width, 3) BGR."""


class SourceError(OSError):
    """A frame source that cannot be opened, or is gone for good; the message says what to do."""


class SourceEnded(Exception):
    """The last frame of a file or folder has been delivered: ordinary, not a fault."""


@dataclasses.dataclass(frozen=True, eq=False)
class Frame:
    """One picture and when it was taken."""

    image: Image
    time_s: float
    """Seconds on the source's own clock: monotonic time of a live source, position in a file, simulated time."""
    index: int
    """Counts the frames the source delivered, from 0."""
    name: str = ""
    """The photo's file name, in a folder of photos."""


class FrameSource(Protocol):
    """Delivers frames, one reader at a time."""

    live: bool
    """True where frames come by the clock and an unread one is stale; False where every frame waits to be read."""

    def read(self, timeout_s: float) -> Frame | None:
        """The next frame; None where none came in time. Raises SourceEnded, SourceError."""

    def close(self) -> None:
        """Lets go of the device, file or connection; may be called twice."""
