"""Which men belong together: without a profile, the men of one board are told apart together and not one by one.

One man alone may be light or dark; it depends on the other side's men. But on one board there are two colours, so
every man's evidence counts for all men of its colour.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cells import Patches

FloatArray = NDArray[np.float64]

MAN = 0.6
"""Probability from which a cell takes part: something stands on it."""
CORE = 0.30
"""Side of the square in a patch's middle whose colour is the man's, as a share of the patch."""
APART = 3.0
"""Distance of the two colours, in units of their spread, from which there are two."""
LEAST_SPREAD = 6.0
"""Spread that light and noise alone give, in CIELAB units."""
SAME_NATS = 1.0
"""Two groups that are each thought to be the same side with such odds are one side in light and shadow..."""
PAINT = 12.0
"""...unless their hues are so far apart, in CIELAB's a and b: a shadow darkens, it does not paint."""
SURE_NATS = 6.0
"""Pooled evidence never says more than this for one man."""


def tell_sides_apart(patches: Patches, log_probabilities: FloatArray, letters: str) -> FloatArray:
    """(cells, classes) logarithms in which men of one colour share their evidence for light or dark.

    `letters` has an empty class and two sides; other games, and boards with fewer than two colours, come back as
    they are. The probability that a man stands on a cell stays what it was.
    """
    men = np.flatnonzero(1 - np.exp(log_probabilities[:, 0]) > MAN)
    if len(letters) != 3 or len(men) < 2:
        return log_probabilities
    colours = _colours(patches[men])
    second = _two_groups(colours)
    if second is None:
        return log_probabilities
    odds = log_probabilities[men, 1] - log_probabilities[men, 2]
    one, two = float(odds[~second].mean()), float(odds[second].mean())
    apart = colours[second].mean(axis=0) - colours[~second].mean(axis=0)
    if one * two > 0 and min(abs(one), abs(two)) > SAME_NATS and np.hypot(apart[1], apart[2]) < PAINT:
        return log_probabilities
    # The evidence that group two is the first side, light, and group one the other: their odds, and who is lighter.
    pooled = float(np.clip(two - one, -SURE_NATS, SURE_NATS)) + float(np.clip(apart[0] / 10, -3, 3))
    first_side = np.where(second, pooled, -pooled)
    standing = np.logaddexp(log_probabilities[men, 1], log_probabilities[men, 2])
    told = log_probabilities.copy()
    told[men, 1] = standing - np.logaddexp(0, -first_side)
    told[men, 2] = standing - np.logaddexp(0, first_side)
    return told


def _colours(patches: Patches) -> FloatArray:
    """(n, 3) median CIELAB colour of the middle of every patch."""
    size = patches.shape[1]
    inset = round(size * (1 - CORE) / 2)
    cores = patches[:, inset : size - inset, inset : size - inset].astype(np.float32) / 255
    labs = [np.median(cv2.cvtColor(core, cv2.COLOR_BGR2LAB).reshape(-1, 3), axis=0) for core in cores]
    return np.array(labs, dtype=np.float64)


def _two_groups(colours: FloatArray) -> NDArray[np.bool_] | None:
    """(n,) membership in the second of two colour groups; None where there is only one colour.

    The best cut along the line of greatest variance (Otsu's criterion), the groups at least APART spreads apart.
    """
    centred = colours - colours.mean(axis=0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    along = centred @ axis
    order = np.sort(along)
    cuts = (order[1:] + order[:-1]) / 2
    within = [
        sum(float(part.var() * len(part)) for part in (order[: cut + 1], order[cut + 1 :])) for cut in range(len(cuts))
    ]
    second = along > cuts[int(np.argmin(within))]
    if second.all() or not second.any():
        return None
    spread = max(LEAST_SPREAD, float(np.sqrt(min(within) / len(order))))
    apart = float(np.linalg.norm(colours[second].mean(axis=0) - colours[~second].mean(axis=0)))
    return second if apart >= APART * spread else None
