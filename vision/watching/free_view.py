"""How the board and its surroundings look with nothing over them: what differs is a man, a hand, or a thing put down.

Every place is as old as need be, and may still be unknown: no picture has to be free as a whole.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Flags, FloatArray
from vision.watching.cover import BRIDGE, things_over
from vision.watching.differences import Differences, pair, wider
from vision.watching.light import FloatImage, expected
from vision.watching.surroundings import Surroundings, reaching_in


@dataclasses.dataclass(frozen=True, eq=False)
class Blobs:
    labels: NDArray[np.int32]
    """(height, width) number of the blob to which each place belongs; 0 for none."""
    since_s: FloatArray
    """(blobs,) when any part of each blob last changed; the first entry stands for no blob."""

    @classmethod
    def of(cls, joined: Flags, since_s: FloatArray) -> Blobs:
        """The blobs of a mask; `since_s` is (height, width) when each place last changed."""
        count, labels = cv2.connectedComponents(joined.astype(np.uint8))
        return cls(np.asarray(labels, dtype=np.int32), np.full(count, -np.inf)).followed(since_s)

    def followed(self, since_s: FloatArray) -> Blobs:
        """The same places later."""
        newest_s, inside = np.full_like(self.since_s, -np.inf), self.labels > 0
        np.maximum.at(newest_s, self.labels[inside], since_s[inside])
        return Blobs(self.labels, newest_s)


@dataclasses.dataclass(frozen=True, eq=False)
class Unlike:
    """What of one picture differs from the free view."""

    differs: Flags
    """(height, width) True where it does, or the free view is unknown."""
    blobs: Blobs
    rooted: Flags
    """(blobs,) whether each reaches the end of the picture, as an arm does."""
    things: Flags
    """(height, width) where something reaches over the board from outside."""
    blurrier: bool = False
    """Whether the picture is blurrier than the free view; False while that is not known."""
    light: FloatImage | None = None
    """The change of light since; None while nothing is known."""


class FreeView:
    """A composite of pictures of the free board."""

    def __init__(self, around: Surroundings, known: Flags) -> None:
        self._picture: FloatImage = around.picture
        self.known = known
        """(height, width) where it is known."""
        self._blobs = Blobs(np.zeros(known.shape, np.int32), np.array([-np.inf]))
        self._votes: NDArray[np.float32] = np.zeros(known.shape, np.float32)
        """(height, width) pictures since its blob last changed that showed something reaching over each place, less the
        others."""

    @property
    def shape(self) -> tuple[int, ...]:
        return self._picture.shape

    def renew(self, around: Surroundings, new: Flags, unlike: Unlike) -> None:
        """Takes part of a picture, which differs from the free view as `unlike` says."""
        before = self._picture if unlike.light is None else expected(self._picture, unlike.light)
        self._picture, self.known = np.where(new[..., None], around.picture, before), self.known | new

    def unlike(self, around: Surroundings, since_s: FloatArray, differences: Differences) -> Unlike:
        """Compares a picture; `since_s` is (height, width) when each place last changed."""
        nothing = np.zeros_like(self.known)
        if not self.known.any():
            return Unlike(~self.known, Blobs.of(nothing, since_s), np.zeros(1, np.bool_), nothing)
        seen = pair(self._picture, around.picture)
        mask = np.where(wider(around.unseen | ~self.known), 0, differences.mask(seen)).astype(np.uint8)
        differs = differences.large(mask, around, margin=False)
        joined = cv2.morphologyEx(differs.astype(np.uint8), cv2.MORPH_CLOSE, BRIDGE)
        blobs = Blobs.of(np.asarray(joined > 0), since_s)
        edge = around.unseen.copy()
        edge[:1] = edge[-1:] = edge[:, :1] = edge[:, -1:] = True
        rooted = np.zeros(len(blobs.since_s), dtype=np.bool_)
        rooted[blobs.labels[wider(wider(edge))]] = True
        rooted[0] = False
        things, least_px = nothing, differences.least_px(around)
        for one in things_over(seen.before, seen.after, mask, seen.light, around.places, 2 * least_px, around.unseen):
            things = things | reaching_in(one, around, 2 * least_px, 6 * least_px)
        things = self._agreed(things, blobs, since_s)
        blurrier = seen.blur_px > 0 and bool((self.known | around.unseen).all())
        return Unlike(differs | ~self.known, blobs, rooted, things, blurrier, seen.light)

    def without_things(self, unlike: Unlike) -> Unlike:
        """The same, if nothing reaches in after all; that holds until its blobs change."""
        self._votes[:] = -np.inf
        return dataclasses.replace(unlike, things=np.zeros_like(unlike.things), rooted=np.zeros_like(unlike.rooted))

    def _agreed(self, things: Flags, blobs: Blobs, since_s: FloatArray) -> Flags:
        """Where most pictures of a blob since it last changed show that it reaches in: one may be mistaken."""
        before, self._blobs = self._blobs, blobs
        changed = before.followed(since_s).since_s != before.since_s
        same = ~changed[before.labels] & (blobs.since_s[blobs.labels] == before.since_s[before.labels])
        self._votes = np.where(same, self._votes, 0) + np.where(things, np.float32(1), np.float32(-1))
        return np.asarray(self._votes > 0)
