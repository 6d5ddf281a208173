"""Pools of drawn patches on disk, so that they are drawn once and read several times; sheets of them to look at."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.train.patches import CLASSES, PATCH_PX, PatchMaker

log = logging.getLogger(__name__)
LOG_EVERY = 5000
COLUMNS = 20
"""Patches side by side on a sheet."""


@dataclasses.dataclass(frozen=True, eq=False)
class PatchPool:
    images: NDArray[np.uint8]
    """(n, 48, 48, 3) BGR."""
    labels: NDArray[np.int64]
    """(n,) indices into `patches.CLASSES`."""
    colours: NDArray[np.float32]
    """(n, 6) as in `patches.Patch`."""

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, images=self.images, labels=self.labels, colours=self.colours)

    def joined(self, other: PatchPool) -> PatchPool:
        return PatchPool(
            np.concatenate([self.images, other.images]),
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.colours, other.colours]),
        )


def empty_pool() -> PatchPool:
    images = np.empty((0, PATCH_PX, PATCH_PX, 3), dtype=np.uint8)
    return PatchPool(images, np.empty(0, dtype=np.int64), np.empty((0, 6), dtype=np.float32))


def load_pool(path: Path) -> PatchPool:
    """The pool of an archive that `PatchPool.save` wrote."""
    with np.load(path, allow_pickle=False) as data:
        return PatchPool(data["images"], data["labels"], data["colours"])


def draw_pool(count: int, seed: int) -> PatchPool:
    """`count` freshly drawn patches; about 3 ms each on one core."""
    cv2.setNumThreads(1)
    maker = PatchMaker(seed)
    images = np.empty((count, PATCH_PX, PATCH_PX, 3), dtype=np.uint8)
    labels = np.empty(count, dtype=np.int64)
    colours = np.empty((count, 6), dtype=np.float32)
    for index in range(count):
        patch = maker.draw()
        images[index], labels[index], colours[index] = patch.image, patch.label, patch.colours
        if index % LOG_EVERY == LOG_EVERY - 1:
            log.info("%d of %d patches drawn", index + 1, count)
    return PatchPool(images, labels, colours)


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
