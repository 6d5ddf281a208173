"""Compares two small pictures apart from light and focus."""

from __future__ import annotations

import dataclasses
from typing import Final

import cv2
import numpy as np

from calibration.arrays import Flags
from vision.watching.cover import Mask
from vision.watching.focus import blurred, clear_blur_px
from vision.watching.light import FloatImage, changed, greatest_of, light_change, noise_level
from vision.watching.surroundings import Surroundings

SMALLEST: Final = 0.0007
"""Least connected share of the board's picture that counts as a change: a sixth of a man."""
SMOOTHED: Final = np.ones((5, 5), np.uint8)
"""How far a change spreads by shrinking and smoothing: two pixels."""
MIN_STEP: Final = 9.0
MAX_STEP: Final = 40.0
"""Least and greatest threshold, in grey values, for a change; between them the noise decides."""
NOISE_FACTOR: Final = 5.0


@dataclasses.dataclass(frozen=True, eq=False)
class Pair:
    """Two pictures, both as blurred as the blurrier one, and the change of light between them."""

    before: FloatImage
    after: FloatImage
    light: FloatImage
    blur_px: float
    """How much blurrier the second was; 0 where that may be only noise."""


def pair(before: FloatImage, after: FloatImage) -> Pair:
    """Prepares two pictures for comparison; 3 ms."""
    blur_px = clear_blur_px(before, after)
    before, after = blurred(before, max(0.0, blur_px)), blurred(after, max(0.0, -blur_px))
    return Pair(before, after, light_change(before, after), blur_px)


class Differences:
    """Compares pictures with a threshold adapted to the camera's noise."""

    def __init__(self) -> None:
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

    def large(self, mask: Mask, around: Surroundings, *, margin: bool = True) -> Flags:
        """(height, width) the parts of a mask that are large enough for a change, with the `margin` smoothed with them.

        What lies beyond the camera's picture shows nothing.
        """
        _, labels, stats, _ = cv2.connectedComponentsWithStats(np.where(around.unseen, 0, mask).astype(np.uint8))
        large = stats[:, cv2.CC_STAT_AREA] > self.least_px(around)
        large[0] = False
        if not large.any():
            return np.zeros(mask.shape, dtype=np.bool_)
        found = np.asarray(large[labels])
        return wider(found) if margin else found

    @staticmethod
    def least_px(around: Surroundings) -> float:
        return SMALLEST * around.places[around.window].size


def is_blind(around: Surroundings) -> bool:
    """Whether a picture of the board is so dark that a change of MIN_STEP could not be told in it."""
    low, high = np.percentile(greatest_of(around.picture[around.window])[::2, ::2], (5, 95))
    return bool(high - low < 2 * MIN_STEP and high < MAX_STEP)


def wider(flags: Flags) -> Flags:
    """A mask with what is smoothed with it."""
    return np.asarray(cv2.dilate(flags.astype(np.uint8), SMOOTHED) > 0)
