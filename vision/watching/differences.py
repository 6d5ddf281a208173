"""How two of the gate's pictures differ, whatever light and focus: what has changed, and which of it is a hand.

Which of the two pictures has the hand cannot be told.
"""

from __future__ import annotations

import dataclasses
from typing import Final

import cv2
import numpy as np

from vision.watching.cover import BRIDGE, Flags, Mask, things_over
from vision.watching.focus import as_sharp
from vision.watching.light import FloatImage, LightChange, changed, light_change, noise_level
from vision.watching.surroundings import Surroundings, reaching_in

MIN_STEP: Final = 9.0
MAX_STEP: Final = 40.0
"""Least and greatest difference, in grey values, that counts as a change; between them the noise decides."""
NOISE_FACTOR: Final = 5.0
MIN_HAND: Final = 12.0
"""A thing that reaches in from outside is a hand if it is so many times the smallest change, about two men."""
ASKEW: Final = np.ones((5, 5), np.uint8)
"""How far a man who stands askew reaches off his place: two pixels to every side."""
SMOOTHED: Final = np.ones((5, 5), np.uint8)
"""How far what lies beyond the camera's picture darkens it: a pixel by shrinking it, and one by smoothing it."""
MIN_MAN, MAX_MAN = 0.5, 1.6
"""A man's area, at least, and his breadth with his shadow, at most, as shares of what they should be."""


@dataclasses.dataclass(frozen=True, eq=False)
class Pair:
    """Two pictures, both as sharp as the blurrier one, and how the light went from one to the other."""

    before: FloatImage
    after: FloatImage
    light: LightChange


def pair(before: FloatImage, after: FloatImage) -> Pair:
    """Two pictures, made ready to be compared; 3 ms."""
    before, after = as_sharp(before, after)
    return Pair(before, after, light_change(before, after))


class Differences:
    """Compares pictures, as finely as the camera's noise allows."""

    def __init__(self, smallest_share: float, margin_share: float) -> None:
        """`smallest_share` of the picture must change to count; `margin_share` of its side lies outside the board."""
        self._smallest_share = smallest_share
        self._margin_share = margin_share
        self._noise = 1.0

    def learn_noise(self, seen: Pair) -> None:
        """Learns, from two pictures between which nothing has moved, how much the camera's noise changes."""
        self._noise += 0.05 * (noise_level(seen.before, seen.after, seen.light) - self._noise)

    def mask(self, seen: Pair) -> Mask:
        """(height, width) 255 where the pictures differ otherwise than by light and focus, else 0."""
        step = float(np.clip(NOISE_FACTOR * self._noise, MIN_STEP, MAX_STEP))
        mask = np.where(changed(seen.before, seen.after, seen.light) > step, 255, 0).astype(np.uint8)
        # Drawn lines shiver and overexpose; men and hands are broader than any of them.
        return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)

    def counts(self, mask: Mask, of_px: int | None = None) -> bool:
        """Whether any piece of a mask is as large as a change must be, in a picture of so many pixels."""
        count, _, stats, _ = cv2.connectedComponentsWithStats(mask)
        largest = int(stats[1:, cv2.CC_STAT_AREA].max()) if count > 1 else 0
        return largest > self._smallest_share * (mask.size if of_px is None else of_px)

    def is_same(self, before: FloatImage, after: FloatImage) -> bool:
        """Whether nothing differs but light and focus."""
        return not self.counts(self.mask(pair(before, after)))

    def is_same_around(self, before: Surroundings, after: Surroundings) -> bool:
        """The same for the board with what lies around it."""
        mask = self._mask_around(pair(before.picture, after.picture), before, after)
        return not self.counts(mask, mask[after.window].size)

    def hands(self, before: FloatImage, after: FloatImage) -> Flags:
        """(height, width) where hands and sleeves reach over the board in one picture and not in the other."""
        seen = pair(before, after)
        mask = self.mask(seen)
        margin_px = max(1, round(self._margin_share * min(mask.shape)))
        board, found = np.zeros(mask.shape, dtype=bool), np.zeros(mask.shape, dtype=bool)
        board[margin_px:-margin_px, margin_px:-margin_px] = True
        least_px = self._smallest_share * mask.size
        for things in things_over(seen.before, seen.after, mask, seen.light, board, 2 * least_px):
            if things.sum() > MIN_HAND * least_px:
                found |= things
        return found

    def hands_around(self, before: Surroundings, after: Surroundings) -> Flags:
        """The hands of which the board's picture may show too little, as far as it shows them."""
        found = np.zeros(after.places.shape, dtype=bool)
        least_px = self._least_px(after)
        for things in self._things_around(before, after, after.places):
            found |= reaching_in(things, after, 2 * least_px, MIN_HAND / 2 * least_px)
        return np.asarray(found[after.window])

    def over_the_rim(self, before: Surroundings, after: Surroundings) -> Flags:
        """(height, width) of the board's picture where anything reaches over its rim; it need not cover any place.

        A man who stands by the end of the camera's picture is none, though he seems to come from beyond it.
        """
        rim, found = np.zeros(after.places.shape, dtype=bool), np.zeros(after.places.shape, dtype=bool)
        rim[after.window] = True
        for things in self._things_around(before, after, rim):
            if things[after.window].sum() > self._least_px(after) and not self._is_man(things, before, after):
                found |= things
        return np.asarray(found[after.window])

    def _is_man(self, things: Flags, before: Surroundings, after: Surroundings) -> bool:
        """Whether all that has changed along with the things is as large as a man, and lies on the men's places."""
        mask = self._mask_around(pair(before.picture, after.picture), before, after)
        joined = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, BRIDGE)
        labels = np.asarray(cv2.connectedComponents(joined)[1])
        blob = np.isin(labels, np.unique(labels[things & (labels > 0)])) & (mask > 0)
        off = blob & (cv2.dilate(after.places.astype(np.uint8), ASKEW) == 0)
        if off.sum() > self._least_px(after) or blob.sum() < MIN_MAN * np.pi / 4 * after.man_px**2:
            return False
        return bool(max(np.ptp(axis) + 1 for axis in np.nonzero(blob)) <= MAX_MAN * after.man_px)

    def _things_around(self, before: Surroundings, after: Surroundings, board: Flags) -> list[Flags]:
        seen = pair(before.picture, after.picture)
        least_px, unseen = 2 * self._least_px(after), before.unseen | after.unseen
        mask = self._mask_around(seen, before, after)
        return things_over(seen.before, seen.after, mask, seen.light, board, least_px, unseen)

    def _mask_around(self, seen: Pair, before: Surroundings, after: Surroundings) -> Mask:
        """The mask of two pictures, 0 where either is of what lies beyond the camera's picture, and shows nothing."""
        mask = self.mask(seen)
        mask[cv2.dilate((before.unseen | after.unseen).astype(np.uint8), SMOOTHED) > 0] = 0
        return mask

    def _least_px(self, around: Surroundings) -> float:
        return self._smallest_share * around.places[around.window].size
