"""Tells from which side of the board an arm reached in, from the pictures between two settled ones."""

from __future__ import annotations

import dataclasses
from typing import Final, Literal

import cv2
import numpy as np

from calibration.arrays import Flags, FloatArray
from vision.watching.differences import wider
from vision.watching.surroundings import Surroundings
from vision.watching.watcher import Sight

Side = Literal["top", "right", "bottom", "left"]
SIDES: Final[tuple[Side, ...]] = ("top", "right", "bottom", "left")

CLEAR: Final = 0.6
"""Share of the votes that a side needs."""
MIN_FRAMES: Final = 2
"""Pictures in which an arm must be seen, and pictures without one after which the next arm is another visit."""


@dataclasses.dataclass
class _Visit:
    """One arm, or several at once, from arrival to departure."""

    frames: int = 0
    free_frames: int = 0
    """Frames without an arm since the last one with it."""
    votes: FloatArray = dataclasses.field(default_factory=lambda: np.zeros(4))
    """(4,) in the order of `SIDES`."""

    def side(self) -> Side | None:
        """The side the arm came from; None where that is not clear."""
        clear = self.votes.max() >= CLEAR * self.votes.sum()
        return SIDES[int(self.votes.argmax())] if clear and self.frames >= MIN_FRAMES else None


class ArmWatch:
    """Takes what each picture shows; returns a new side with each freshly settled picture."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Starts over, for a picture with another geometry."""
        self._visits: list[_Visit] = []
        self._side: Side | None = None

    def update(self, around: Surroundings, sight: Sight) -> Side | None:
        """The side of the board's frame from which an arm came before the last settled picture.

        None where no arm was seen, several sides were, or it is not clear. Unchanged until the next settled picture.
        Well below a millisecond; next to nothing while the board rests.
        """
        if sight.fresh:
            sides = {visit.side() for visit in self._visits if visit.frames >= MIN_FRAMES}
            self._side = sides.pop() if len(sides) == 1 else None
            self._visits = []
        votes = np.zeros(4) if sight.settled else _votes(sight.things, around)
        if votes.any():
            if not self._visits or self._visits[-1].free_frames >= MIN_FRAMES:
                self._visits.append(_Visit())
            visit = self._visits[-1]
            visit.frames, visit.free_frames, visit.votes = visit.frames + 1, 0, visit.votes + votes
        elif self._visits:
            self._visits[-1].free_frames += 1
        return self._side


def _votes(things: Flags, around: Surroundings) -> FloatArray:
    """(4,) in the order of `SIDES`: sums of the square roots of the areas that reach in from there."""
    votes = np.zeros(4)
    if not things.any():
        return votes
    edge = around.unseen.copy()
    edge[:1] = edge[-1:] = edge[:, :1] = edge[:, -1:] = True
    edge = wider(wider(edge))
    count, labels = cv2.connectedComponents(wider(things).astype(np.uint8))
    for label in range(1, count):
        blob = things & (labels == label)
        if (rooted := blob & edge).any():
            votes[_side_of(blob, rooted)] += blob.sum() ** 0.5
    return votes


def _side_of(blob: Flags, rooted: Flags) -> int:
    """Index of the side to which a blob points from its tip, the point farthest from where it is `rooted`."""
    root = np.argwhere(rooted).mean(axis=0)
    places = np.argwhere(blob)
    down, right = root - places[((places - root) ** 2).sum(axis=1).argmax()]
    if abs(right) > abs(down):
        return 1 if right > 0 else 3
    return 2 if down > 0 else 0
