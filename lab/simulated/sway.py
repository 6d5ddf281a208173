"""Sway of a hand-held camera: random, endless, with the spectrum of a recorded one.

The recording is the motion of a hand-held phone's picture of a still board over 9.2 s at 30 pictures a second: one
homography of the unit square per picture. About the picture's middle each is a shift, a turn, an enlargement and a
perspective; the rest (shear, unequal height and width) is 0.2 % and is omitted. Frames 8 to 265 were mirrored in time,
so that the end meets the beginning, and their power was summed by octaves: the square roots are `SPECTRUM`. The tests
measure it again where the recording is available, and measure random motion against it.

Above 3 Hz what looks like perspective is mostly the recording's own error. It moves the corners of a board that fills
two thirds of the picture by 0.1 % of its side, and is kept, as it is in films made with the recording.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

PARTS = ("shift_x", "shift_y", "turn", "growth", "tilt_x", "tilt_y")
"""Parts of the motion.

Shifts are in sides of the picture, the turn in radians, the enlargement as its logarithm, and tilts as the third row
of the homography per side.
"""
EDGES_HZ = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 15.0)
SPECTRUM: FloatArray = 1e-5 * np.array(
    [
        [272, 187, 2478, 160, 36, 28],
        [364, 261, 1430, 237, 38, 106],
        [318, 247, 201, 176, 47, 165],
        [108, 221, 120, 216, 115, 47],
        [55, 143, 34, 88, 134, 134],
        [18, 57, 48, 71, 217, 155],
        [24, 37, 118, 71, 256, 207],
        [36, 50, 152, 119, 363, 348],
    ]
)
"""Root mean square of each part (column) in each octave (row)."""
WAVES = 6
"""Number of sines for each part and octave, enough to show no beats."""


class RandomWay:
    """Random motion of the picture from its place at rest. The same seed gives the same motion."""

    def __init__(self, seed: int, share: float = 1.0) -> None:
        """`share` is the strength relative to the recorded one: about 0.2 for a phone that leans on a glass."""
        self.share = share
        chance = np.random.default_rng([seed, 12])
        low, high = (np.log(edges)[:, None, None] for edges in (EDGES_HZ[:-1], EDGES_HZ[1:]))
        shape = (*SPECTRUM.shape, WAVES)
        self._rates = 2 * np.pi * np.exp(chance.uniform(low, high, shape))
        self._phases = chance.uniform(0, 2 * np.pi, shape)
        self._heights = SPECTRUM[..., None] * np.sqrt(2 / WAVES)

    def parts(self, time_s: float) -> FloatArray:
        """(6,) the parts at that time, in the order of `PARTS`."""
        waves = self._heights * np.sin(self._rates * time_s + self._phases)
        return np.asarray(self.share * waves.sum(axis=(0, 2)), dtype=np.float64)

    def picture_from_rest(self, time_s: float, size: tuple[int, int]) -> FloatArray:
        """(3, 3) homography from pixels of the picture at rest to pixels at that time; `size` is (width, height)."""
        x, y, turn, growth, *tilt = self.parts(time_s)
        cosine, sine = np.exp(growth) * np.cos(turn), np.exp(growth) * np.sin(turn)
        moved = np.array([[cosine, -sine, x], [sine, cosine, y], [0, 0, 0]])
        moved += np.outer((x, y, 1), (*tilt, 0)) + np.diag((0.0, 0, 1))
        # The unit is the longer side, for both axes, so that a turn remains a turn.
        side, middle = max(size), (np.array(size) - 1) / 2
        unit = np.array([[1 / side, 0, -middle[0] / side], [0, 1 / side, -middle[1] / side], [0, 0, 1]])
        return np.asarray(np.linalg.inv(unit) @ moved @ unit, dtype=np.float64)
