"""Tells from which side of the board an arm reached in, from the pictures between two settled ones."""

from __future__ import annotations

import dataclasses
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.watching.cover import Flags, outside
from vision.watching.light import BLACK, FloatImage
from vision.watching.watcher import Phase

Side = Literal["top", "right", "bottom", "left"]
SIDES: Final[tuple[Side, ...]] = ("top", "right", "bottom", "left")

STRIDE: Final = 2
"""Every second row and column of the gate's pictures is enough."""
STEP: Final = 20.0
"""Grey values by which an arm differs from the board at least."""
SHADE_TINT: Final = 1.18
"""Greatest ratio between the channels' gains in a shadow."""
SHADE_DEPTH: Final = 0.35
"""Least gain in a shadow."""
MIN_ARM: Final = 0.012
"""Least share of the picture that an arm covers."""
SHORT: Final = 0.25
"""Length, as a share of the picture's side, below which an arm has no direction and its place decides the side."""
CLEAR: Final = 0.6
"""Share of the votes that a side needs."""
UNSHADED: Final = 0.4
"""Share of the change that must be no shadow for it to decide against the votes with shadows."""
MIN_FRAMES: Final = 2
"""Frames in which an arm must be seen, and frames without one after which the next arm is another visit."""


@dataclasses.dataclass
class _Visit:
    """One arm, or several at once, from arrival to departure."""

    frames: int = 0
    free_frames: int = 0
    """Frames without an arm since the last one with it."""
    votes: NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.zeros(4))
    """(4,) in the order of `SIDES`: sums of square roots of areas."""
    shaded_votes: NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.zeros(4))
    """The same with shadows counted as arms: for skin that has the colour of the board in shadow."""

    def side(self) -> Side | None:
        """The side the arm came from; None where that is not clear."""
        if self.frames < MIN_FRAMES:
            return None
        plain, shaded = _winner(self.votes, CLEAR), _winner(self.shaded_votes, CLEAR)
        if self.votes.sum() < UNSHADED * self.shaded_votes.sum():
            return shaded if plain in (None, shaded) else None
        return plain or (shaded if shaded == _winner(self.votes, 0.0) else None)


class ArmWatch:
    """Takes each small picture of the board with its phase; returns a new side with each freshly settled picture."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Starts over, for a picture with another geometry."""
        self._free: FloatImage | None = None
        self._visits: list[_Visit] = []
        self._side: Side | None = None

    def update(self, small: FloatImage, phase: Phase, *, fresh: bool) -> Side | None:
        """The side of the board's frame from which an arm came before the last settled picture.

        None where no arm was seen, several sides were, or it is not clear. Unchanged until the next settled picture.
        Well below a millisecond; next to nothing while the board rests.
        """
        if fresh:
            self._side = self._verdict()
            self._visits = []
        if phase == "settled":
            self._free = small
        elif self._free is not None and self._free.shape == small.shape and phase in ("moving", "occluded"):
            self._watch(self._free, small)
        return self._side

    def _verdict(self) -> Side | None:
        sides = {visit.side() for visit in self._visits if visit.frames >= MIN_FRAMES}
        return sides.pop() if len(sides) == 1 else None

    def _watch(self, free: FloatImage, small: FloatImage) -> None:
        before = np.ascontiguousarray(free[::STRIDE, ::STRIDE])
        after = np.ascontiguousarray(small[::STRIDE, ::STRIDE])
        changed, shade = _changes(before, after)
        votes = shaded = np.zeros(4)
        if changed.mean() > MIN_ARM:
            edge = outside(before, after)
            votes, shaded = _votes(changed & ~shade, edge), _votes(changed, edge)
        if not shaded.any():
            if self._visits:
                self._visits[-1].free_frames += 1
            return
        if not self._visits or self._visits[-1].free_frames >= MIN_FRAMES:
            self._visits.append(_Visit())
        visit = self._visits[-1]
        visit.frames += 1
        visit.free_frames = 0
        visit.votes += votes
        visit.shaded_votes += shaded


def _winner(votes: NDArray[np.float64], share: float) -> Side | None:
    """The side with most votes, if it has at least that share of them."""
    return SIDES[int(votes.argmax())] if votes.any() and votes.max() >= share * votes.sum() else None


def _changes(before: FloatImage, after: FloatImage) -> tuple[Flags, Flags]:
    """Where the picture has changed, and where the change may be only a shadow."""
    ratio = (after + BLACK) / (before + BLACK)
    ratio /= np.median(ratio[::2, ::2].reshape(-1, 3), axis=0)
    difference = np.abs(ratio - 1) * (before + BLACK)
    blue, green, red = cv2.split(ratio)
    most, least = cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red)
    shade = (most < 1) & (least > SHADE_DEPTH) & (most < SHADE_TINT * least)
    return np.asarray(difference.max(axis=2) > STEP), np.asarray(shade)


def _votes(mask: Flags, edge: Flags) -> NDArray[np.float64]:
    """(4,) in the order of `SIDES`: sums of the square roots of the areas that reach in from there."""
    votes = np.zeros(4)
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed)
    for label in range(1, count):
        area = int(stats[label, cv2.CC_STAT_AREA])
        if area < MIN_ARM * mask.size:
            continue
        blob = labels == label
        if (rooted := blob & edge).any():
            votes[_side_of(blob, rooted)] += area**0.5
    return votes


def _side_of(blob: Flags, rooted: Flags) -> int:
    """Index of the side to which a blob points from its tip, the point farthest from where it is `rooted`."""
    root = np.argwhere(rooted).mean(axis=0)
    places = np.argwhere(blob)
    towards = root - places[((places - root) ** 2).sum(axis=1).argmax()]
    if np.hypot(*towards) < SHORT * max(blob.shape):
        towards = root - (np.array(blob.shape) - 1) / 2
    down, right = towards
    if abs(right) > abs(down):
        return 1 if right > 0 else 3
    return 2 if down > 0 else 0
