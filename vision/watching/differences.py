"""Compares two small pictures apart from light and focus."""

from __future__ import annotations

import dataclasses
from typing import Final

import cv2
import numpy as np

from vision.watching.cover import Mask
from vision.watching.focus import as_sharp
from vision.watching.light import FloatImage, LightChange, changed, light_change, noise_level

MIN_STEP: Final = 9.0
MAX_STEP: Final = 40.0
"""Least and greatest threshold, in grey values, for a change; between them the noise decides."""
NOISE_FACTOR: Final = 5.0


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
