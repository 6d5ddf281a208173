"""How the board and its surroundings look with nothing over them: what differs is a man, a hand, or a thing put down.

Every place is as old as need be, and may still be unknown: no picture has to be free as a whole.
"""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.watching.cover import BRIDGE, Flags, things_over
from vision.watching.differences import Differences, pair, wider, with_part
from vision.watching.light import FloatImage, LightChange, expected
from vision.watching.surroundings import Surroundings, reaching_in


@dataclasses.dataclass(frozen=True, eq=False)
class Unlike:
    """What of one picture differs from the free view."""

    differs: Flags
    """(height, width) True where it does, or the free view is unknown."""
    labels: NDArray[np.int32]
    """(height, width) number of the blob to which each place belongs; 0 for none."""
    since_s: NDArray[np.float64]
    """(blobs,) when any part of each blob last changed; the first entry stands for no blob."""
    rooted: NDArray[np.bool_]
    """(blobs,) whether each reaches the end of the picture, as an arm does."""
    things: Flags
    """(height, width) where something reaches over the board from outside."""
    blurrier: bool = False
    """Whether the picture is blurrier than the free view; False while that is not known."""
    light: LightChange | None = None
    """The change of light since; None while nothing is known."""

    def without_things(self) -> Unlike:
        """The same, if nothing reaches in after all."""
        return dataclasses.replace(self, things=np.zeros_like(self.things), rooted=np.zeros_like(self.rooted))


class FreeView:
    """A composite of pictures of the free board."""

    def __init__(self, around: Surroundings, known: Flags) -> None:
        self._picture: FloatImage = around.picture
        self.known = known
        """(height, width) where it is known."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Height, width and channels."""
        return self._picture.shape

    def renew(self, around: Surroundings, new: Flags, unlike: Unlike) -> None:
        """Takes part of a picture, which differs from the free view as `unlike` says."""
        before = self._picture if unlike.light is None else expected(self._picture, unlike.light)
        self._picture, self.known = with_part(before, around.picture, new), self.known | new

    def unlike(self, around: Surroundings, since_s: NDArray[np.float64], differences: Differences) -> Unlike:
        """Compares a picture; `since_s` is (height, width) when each place last changed."""
        nothing = np.zeros_like(self.known)
        if not self.known.any():
            none, no_blob = np.zeros(nothing.shape, np.int32), np.array([-np.inf])
            return Unlike(~self.known, none, no_blob, np.zeros(1, np.bool_), nothing)
        seen = pair(self._picture, around.picture)
        mask = np.where(wider(around.unseen | ~self.known), 0, differences.mask(seen)).astype(np.uint8)
        differs = differences.large(mask, around, margin=False)
        joined = cv2.morphologyEx(differs.astype(np.uint8), cv2.MORPH_CLOSE, BRIDGE)
        count, found = cv2.connectedComponents(np.asarray(joined, dtype=np.uint8))
        labels = np.asarray(found, dtype=np.int32)
        newest_s, inside = np.full(count, -np.inf), labels > 0
        np.maximum.at(newest_s, labels[inside], since_s[inside])
        edge = around.unseen.copy()
        edge[:1] = edge[-1:] = edge[:, :1] = edge[:, -1:] = True
        rooted = np.zeros(count, dtype=np.bool_)
        rooted[labels[wider(wider(edge))]] = True
        rooted[0] = False
        things, least_px = nothing, differences.least_px(around)
        for one in things_over(seen.before, seen.after, mask, seen.light, around.places, 2 * least_px, around.unseen):
            things = things | reaching_in(one, around, 2 * least_px, 6 * least_px)
        blurrier = seen.blur_px > 0 and bool((self.known | around.unseen).all())
        return Unlike(differs | ~self.known, labels, newest_s, rooted, things, blurrier, seen.light)
