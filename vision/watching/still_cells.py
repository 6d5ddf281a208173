"""Tells for each cell of the board how long it has looked the same, whatever moves elsewhere.

While a hand is over one part of the board, the rest of it may be read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.primitives.patch_changes import Patches, differing, light_gain


class StillCells:
    """Watches the patches of all cells; feed it every picture in order."""

    def __init__(self) -> None:
        self._last: Patches | None = None
        self._first = np.zeros((0, 0, 0, 3), dtype=np.uint8)
        """How each cell looked when it last changed."""
        self._gain = np.zeros((0, 3), dtype=np.float32)
        """By how much the light has changed since."""
        self._since_s = np.zeros(0)

    def reset(self) -> None:
        """Starts over after the geometry changed."""
        self._last = None

    def update(self, patches: Patches, time_s: float) -> NDArray[np.float64]:
        """(cells,) seconds for which each cell has looked the same but for overall light."""
        if self._last is None or self._last.shape != patches.shape:
            self._first, self._gain = patches.copy(), np.ones((len(patches), 3), dtype=np.float32)
            self._since_s = np.full(len(patches), time_s)
        else:
            self._gain = self._gain * light_gain(self._last, patches)
        self._last = patches
        changed = differing(self._first, patches, self._gain)
        self._first[changed], self._gain[changed], self._since_s[changed] = patches[changed], 1.0, time_s
        return np.asarray(time_s - self._since_s)
