"""Names for arrays by their elements; shape, unit and frame stand where an array is used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]
Grey = NDArray[np.uint8]
Patches = NDArray[np.uint8]
"""uint8 (cells, side, side, 3) BGR."""
