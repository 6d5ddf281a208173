"""A pool of drawn patches of domino halves, in shards on disk so that a second run need not draw them."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.train.domino_scene import SceneMaker

log = logging.getLogger(__name__)
SHARD = 20_000
"""Patches drawn from one seed."""


@dataclasses.dataclass(frozen=True, eq=False)
class HalvesPool:
    images: NDArray[np.uint8]
    """(n, 48, 48, 3) BGR."""
    labels: NDArray[np.int64]
    """(n,) indices into `domino_scene.CLASSES`."""
    partners: NDArray[np.int64]
    """(n,) directions of the other half."""


def draw_halves(count: int, seed: int) -> HalvesPool:
    """`count` newly drawn patches."""
    cv2.setNumThreads(1)
    maker, scenes, drawn = SceneMaker(seed), [], 0
    while drawn < count:
        scenes.append(maker.draw())
        drawn += len(scenes[-1][1])
    images, labels, partners = (np.concatenate(parts)[:count] for parts in zip(*scenes, strict=True))
    return HalvesPool(images, labels, partners)


def shards_of_halves(work: Path, count: int, seed: int) -> HalvesPool:
    """`count` patches, newly drawn or kept by an earlier run."""
    parts = [_shard(work, min(SHARD, count - start), seed + start // SHARD) for start in range(0, count, SHARD)]
    return HalvesPool(
        np.concatenate([part.images for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.partners for part in parts]),
    )


def _shard(work: Path, count: int, seed: int) -> HalvesPool:
    path = work / f"halves_{seed}_{count}.npz"
    if path.is_file():
        with np.load(path, allow_pickle=False) as data:
            return HalvesPool(data["images"], data["labels"], data["partners"])
    pool = draw_halves(count, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, images=pool.images, labels=pool.labels, partners=pool.partners)
    log.info("%d patches drawn", count)
    return pool
