"""A sheet of training patches for a person to look at."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from models.train.patch_pool import PatchPool
from models.train.patches import CLASSES, PATCH_PX

COLUMNS = 20


def write_sheet(pool: PatchPool, path: Path, each: int) -> None:
    """Writes rows of patches, class by class. Raises OSError if the picture cannot be written."""
    rows = []
    for label in range(len(CLASSES)):
        images = pool.images[pool.labels == label][:each]
        count = -(-each // COLUMNS) * COLUMNS
        padded = np.zeros((count, PATCH_PX, PATCH_PX, 3), dtype=np.uint8)
        padded[: len(images)] = images
        rows += [np.hstack(list(padded[start : start + COLUMNS])) for start in range(0, count, COLUMNS)]
    if not cv2.imwrite(str(path), np.vstack(rows)):
        raise OSError(f"{path}: cannot be written as a picture")
