"""Compares two of the gate's pictures apart from light and focus: what changed, and which changes are a hand.

It cannot tell which of the two pictures has the hand.
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
"""Least and greatest threshold, in grey values, for a change; between them the noise decides."""
NOISE_FACTOR: Final = 5.0
MIN_HAND: Final = 12.0
"""An object that reaches in from outside is a hand from this multiple of the smallest change: about two men."""
ASKEW: Final = np.ones((5, 5), np.uint8)
"""How far an off-centre man reaches outside his place: two pixels to every side."""
SMOOTHED: Final = np.ones((5, 5), np.uint8)
"""How far the black beyond the camera's picture spreads into it: one pixel by shrinking, one by smoothing."""
MIN_MAN, MAX_MAN = 0.5, 1.6
"""Least area of a man, and greatest breadth with his shadow, as shares of the expected values."""


@dataclasses.dataclass(frozen=True, eq=False)
class Pair:
    """Two pictures, both as blurred as the blurrier one, and the change of light between them."""

    before: FloatImage
    after: FloatImage
    light: LightChange


def pair(before: FloatImage, after: FloatImage) -> Pair:
    """Prepares two pictures for comparison; 3 ms."""
    before, after = as_sharp(before, after)
    return Pair(before, after, light_change(before, after))


class Differences:
    """Compares pictures with a threshold adapted to the camera's noise."""

    def __init__(self, smallest_share: float, margin_share: float) -> None:
        """`smallest_share`: least share of the picture that counts; `margin_share`: share of the side off the board."""
        self._smallest_share = smallest_share
        self._margin_share = margin_share
        self._noise = 1.0

    def learn_noise(self, seen: Pair) -> None:
        """Learns the camera's noise from two pictures between which nothing has moved."""
        self._noise += 0.05 * (noise_level(seen.before, seen.after, seen.light) - self._noise)

    def mask(self, seen: Pair) -> Mask:
        """(height, width) 255 where the pictures differ by more than light and focus, else 0."""
        step = float(np.clip(NOISE_FACTOR * self._noise, MIN_STEP, MAX_STEP))
        mask = np.where(changed(seen.before, seen.after, seen.light) > step, 255, 0).astype(np.uint8)
        # Drawn lines jitter and overexpose; men and hands are broader than any line.
        return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)

    def counts(self, mask: Mask, of_px: int | None = None) -> bool:
        """Whether any connected part of a mask is large enough for a change, in a picture of `of_px` pixels."""
        count, _, stats, _ = cv2.connectedComponentsWithStats(mask)
        largest = int(stats[1:, cv2.CC_STAT_AREA].max()) if count > 1 else 0
        return largest > self._smallest_share * (mask.size if of_px is None else of_px)

    def is_same(self, before: FloatImage, after: FloatImage) -> bool:
        """Whether the pictures differ in light and focus only."""
        return not self.counts(self.mask(pair(before, after)))

    def is_same_around(self, before: Surroundings, after: Surroundings) -> bool:
        """The same as `is_same`, for the board with its surroundings."""
        mask = self._mask_around(pair(before.picture, after.picture), before, after)
        return not self.counts(mask, mask[after.window].size)

    def hands(self, before: FloatImage, after: FloatImage, unseen: Flags | None = None) -> Flags:
        """(height, width) where hands and sleeves reach over the board in one picture and not in the other.

        `unseen` is what lies beyond the camera's picture in either of them.
        """
        seen = pair(before, after)
        mask = self.mask(seen) if unseen is None else _within(self.mask(seen), unseen)
        margin_px = max(1, round(self._margin_share * min(mask.shape)))
        board, found = np.zeros(mask.shape, dtype=bool), np.zeros(mask.shape, dtype=bool)
        board[margin_px:-margin_px, margin_px:-margin_px] = True
        least_px = self._smallest_share * mask.size
        for things in things_over(seen.before, seen.after, mask, seen.light, board, 2 * least_px, unseen):
            if things.sum() > MIN_HAND * least_px:
                found |= things
        return found

    def hands_around(self, before: Surroundings, after: Surroundings) -> Flags:
        """Hands, within the board's picture, found by the surroundings: that picture alone may show too little."""
        found = np.zeros(after.places.shape, dtype=bool)
        least_px = self._least_px(after)
        for things in self._things_around(before, after, after.places):
            found |= reaching_in(things, after, 2 * least_px, MIN_HAND / 2 * least_px)
        return np.asarray(found[after.window])

    def over_the_rim(self, before: Surroundings, after: Surroundings) -> Flags:
        """(height, width) of the board's picture where anything reaches over its rim, even if it covers no place.

        A man at the end of the camera's picture does not count, though he seems to come from beyond it.
        """
        rim, found = np.zeros(after.places.shape, dtype=bool), np.zeros(after.places.shape, dtype=bool)
        rim[after.window] = True
        for things in self._things_around(before, after, rim):
            if things[after.window].sum() > self._least_px(after) and not self._is_man(things, before, after):
                found |= things
        return np.asarray(found[after.window])

    def _is_man(self, things: Flags, before: Surroundings, after: Surroundings) -> bool:
        """Whether everything that changed together with `things` is as large as a man and lies on the men's places."""
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
        """The pictures' mask, 0 where either lies beyond the camera's picture and so shows nothing."""
        return _within(self.mask(seen), before.unseen | after.unseen)

    def _least_px(self, around: Surroundings) -> float:
        return self._smallest_share * around.places[around.window].size


def _within(mask: Mask, unseen: Flags) -> Mask:
    """A mask without what lies beyond the camera's picture, or is smoothed with it."""
    return np.where(cv2.dilate(unseen.astype(np.uint8), SMOOTHED) > 0, 0, mask).astype(np.uint8)
