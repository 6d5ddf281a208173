"""How every place looked when it last changed, and when that was; slow movement adds up until it shows."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray
from vision.watching.differences import Differences, pair, with_part
from vision.watching.light import expected
from vision.watching.surroundings import Surroundings


class Anchor:
    """A composite of the pictures so far; all of it in the light of the newest change."""

    def __init__(self, around: Surroundings, time_s: float) -> None:
        self.since_s: FloatArray = np.full(around.places.shape, time_s)
        """(height, width) when each place last changed."""
        self.begun_s = time_s
        self._picture = around.picture

    def follow(self, around: Surroundings, time_s: float, differences: Differences) -> float:
        """Takes the next picture; returns the share of it that has changed."""
        seen = pair(self._picture, around.picture)
        moved = differences.large(differences.mask(seen), around)
        if not moved.any():
            differences.learn_noise(seen)
            return 0.0
        self._picture = with_part(expected(self._picture, seen.light), around.picture, moved)
        self.since_s[moved] = time_s
        return float(moved.mean())
