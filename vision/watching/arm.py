"""Tells from which side of the board an arm reached in, by what is seen between two settled pictures."""

from __future__ import annotations

import dataclasses
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.watching.cover import Flags, outside
from vision.watching.gate import GateState
from vision.watching.light import BLACK, FloatImage

Side = Literal["top", "right", "bottom", "left"]
SIDES: Final[tuple[Side, ...]] = ("top", "right", "bottom", "left")

STRIDE: Final = 2
"""Of the gate's pictures every second row and column is enough."""
STEP: Final = 20.0
"""Grey values by which an arm differs from the board at least."""
SHADE_TINT: Final = 1.18
"""Greatest ratio between the channels' gains in a shadow."""
SHADE_DEPTH: Final = 0.35
"""Least gain in a shadow."""
MIN_ARM: Final = 0.012
"""Least share of the picture that an arm covers."""
SHORT: Final = 0.25
"""An arm that is shorter, as a share of the picture's side, has no direction: the place tells where it comes from."""
CLEAR: Final = 0.6
"""Share of the votes that a side needs."""
UNSHADED: Final = 0.4
"""Share of what changed that must be no shadow, to be trusted against the rest."""
MIN_FRAMES: Final = 2
"""Frames in which an arm must be seen; and frames without one after which the next is another visit."""


@dataclasses.dataclass
class _Visit:
    """One arm, or several at once, from its coming to its going."""

    frames: int = 0
    free_frames: int = 0
    """Frames without an arm since."""
    votes: NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.zeros(4))
    """For the sides in their order, the roots of areas."""
    shaded_votes: NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.zeros(4))
    """The same with shadows counted as arms: for skin that has the colour of the board in shadow."""

    def side(self) -> Side | None:
        """The one from which it came; None where that is not clear."""
        if self.frames < MIN_FRAMES:
            return None
        plain, shaded = _winner(self.votes, CLEAR), _winner(self.shaded_votes, CLEAR)
        if self.votes.sum() < UNSHADED * self.shaded_votes.sum():
            return shaded if plain in (None, shaded) else None
        return plain or (shaded if shaded == _winner(self.votes, 0.0) else None)


class ArmWatch:
    """Give it each picture of the gate with its state; it tells a side with each picture that has freshly settled."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Starts over: the picture has another geometry now."""
        self._free: FloatImage | None = None
        self._visits: list[_Visit] = []
        self._side: Side | None = None

    def update(self, small: FloatImage, state: GateState) -> Side | None:
        """The side of the board's frame from which an arm came before the last settled picture.

        None where none was seen, several sides were, or it is not clear. It stays so until the next settled picture.
        `small` is the gate's picture. Well below a millisecond; next to nothing while the board rests.
        """
        if state.fresh:
            self._side = self._verdict()
            self._visits = []
        if state.settled:
            self._free = small
        elif self._free is not None and self._free.shape == small.shape and state.phase in ("moving", "occluded"):
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
    """The side with most votes, if it has that share of them."""
    return SIDES[int(votes.argmax())] if votes.any() and votes.max() >= share * votes.sum() else None


def _changes(before: FloatImage, after: FloatImage) -> tuple[Flags, Flags]:
    """Where the picture has changed, and where it may be no more than a shadow."""
    ratio = (after + BLACK) / (before + BLACK)
    ratio /= np.median(ratio[::2, ::2].reshape(-1, 3), axis=0)
    difference = np.abs(ratio - 1) * (before + BLACK)
    blue, green, red = cv2.split(ratio)
    most, least = cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red)
    shade = (most < 1) & (least > SHADE_DEPTH) & (most < SHADE_TINT * least)
    return np.asarray(difference.max(axis=2) > STEP), np.asarray(shade)


def _votes(mask: Flags, edge: Flags) -> NDArray[np.float64]:
    """(4,) for the sides in their order, the roots of the areas of what reaches in from there."""
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
    """Index of the side towards which a blob points from its tip, which is farthest from where it is `rooted`."""
    root = np.argwhere(rooted).mean(axis=0)
    places = np.argwhere(blob)
    towards = root - places[((places - root) ** 2).sum(axis=1).argmax()]
    if np.hypot(*towards) < SHORT * max(blob.shape):
        towards = root - (np.array(blob.shape) - 1) / 2
    down, right = towards
    if abs(right) > abs(down):
        return 1 if right > 0 else 3
    return 2 if down > 0 else 0
