"""Describes patches as vectors: by a network (ResNet-18 unless the template names another) or by pixel functions.

The four pixel functions are those compared in Preda's thesis (docs/results.md), on which this program is based. They
need no weights.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Patches
from system import processes
from system.weights import MADE_HERE, MODELS, ROOT, WeightsError, find_weights
from vision.networks import open_network
from vision.reading.cells import PATCH_PX

Descriptors = NDArray[np.float32]
"""float32 (patches, length)."""

DEFAULT = "resnet18"
NETWORKS = (DEFAULT, "halves")
"""Learnt descriptors: for pieces on any board, and for halves of domino tiles."""
IMAGENET = "imagenet"
"""torchvision's published ResNet-18: not shipped; the command `MAKE_IMAGENET` makes it if it can fetch the weights."""
MAKE_IMAGENET = "./kibitzer train imagenet"
BATCH = 128
"""Patches per inference call, which bounds memory on boards of 361 cells."""


@dataclasses.dataclass(frozen=True, eq=False)
class Descriptor:
    """Describes patches by vectors in which similar cells are close together."""

    name: str
    length: int
    """Numbers per patch."""
    batches: Callable[[Patches], Descriptors]
    """Describes at most BATCH patches, and at least one."""
    sha256: str = ""
    """Digest of the weights; empty if there are none."""
    earlier: tuple[str, ...] = ()
    """Digests of earlier weights that give the same descriptors."""

    def describe(self, patches: Patches) -> Descriptors:
        """(patches, length), one row per patch."""
        rows = [self.batches(patches[start : start + BATCH]) for start in range(0, len(patches), BATCH)]
        return np.concatenate(rows) if rows else np.zeros((0, self.length), dtype=np.float32)


def load_network(name: str, folder: Path = MODELS) -> Descriptor:
    """The non-negative activations before the last layer of a network of `NETWORKS`, or of `IMAGENET`.

    ResNet-18 gives 512 numbers and takes about 1 ms a patch on one core; "halves" gives 96, ten times as fast.
    The network includes its preprocessing and takes patches unchanged. Raises WeightsError.
    """
    weights = find_weights(name, folder, MAKE_IMAGENET if name == IMAGENET else "")
    session = open_network(weights.path)

    def batches(patches: Patches) -> Descriptors:
        return np.asarray(session.run(["descriptors"], {"patches": np.ascontiguousarray(patches)})[0])

    return Descriptor(name, int(session.get_outputs()[0].shape[1]), batches, weights.known_as, weights.earlier)


def pixels(patch: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The patch scaled to 16 by 16, as one vector of values from 0 to 1."""
    small = cv2.resize(patch, (16, 16), interpolation=cv2.INTER_AREA)
    return np.asarray(small.reshape(-1) / np.float32(255), dtype=np.float32)


def grey_histogram(patch: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Share of the pixels in each of 32 brightness bins."""
    grey = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.calcHist([grey], [0], None, [32], [0, 256]).ravel() / grey.size, dtype=np.float32)


def rgb_histogram(patch: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Share of the pixels in each of 8 x 8 x 8 colour bins."""
    counts = cv2.calcHist([patch], [0, 1, 2], None, [8, 8, 8], [0, 256] * 3)
    return np.asarray(counts.ravel() * 3 / patch.size, dtype=np.float32)


def hog(patch: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Histograms of oriented gradients: 9 directions, 8-pixel cells, blocks of 2 by 2 cells."""
    machine = cv2.HOGDescriptor((PATCH_PX, PATCH_PX), (16, 16), (8, 8), (8, 8), 9)
    return np.asarray(machine.compute(patch), dtype=np.float32).ravel()


PIXEL_FUNCTIONS: dict[str, Callable[[NDArray[np.uint8]], NDArray[np.float32]]] = {
    "pixels": pixels,
    "grey_histogram": grey_histogram,
    "rgb_histogram": rgb_histogram,
    "hog": hog,
}
NAMES = (*NETWORKS, *PIXEL_FUNCTIONS)


@functools.lru_cache(maxsize=len(NAMES) + 1)
def load_descriptor(name: str = DEFAULT) -> Descriptor:
    """Loads the named descriptor, once per process. Raises ValueError for an unknown name, WeightsError."""
    if name in NETWORKS:
        return load_network(name)
    if name == IMAGENET:
        return load_network(name, MADE_HERE)
    if name not in PIXEL_FUNCTIONS:
        raise ValueError(f"there is no descriptor {name!r}; there are {', '.join((*NAMES, IMAGENET))}")
    function = PIXEL_FUNCTIONS[name]
    length = len(function(np.zeros((PATCH_PX, PATCH_PX, 3), dtype=np.uint8)))
    return Descriptor(name, length, lambda patches: np.stack([function(patch) for patch in patches]))


WEIGHTS_HELP = 'Fit to other weights: "imagenet", torchvision\'s published ResNet-18, fetched once (47 MB).'
COMMAND = (sys.executable, "-m", "daemon.cli", "train", "imagenet")
"""Run as a separate process because it needs torch; it reports its progress on standard error."""


def descriptor_for(weights: str) -> str | None:
    """The descriptor named by `--weights`, made first if absent (downloads 47 MB, takes some minutes).

    None for "": then the board's template names it. Raises ValueError for any other word, WeightsError.
    """
    if not weights:
        return None
    if weights != IMAGENET:
        raise ValueError(f'--weights is "{IMAGENET}" or left away, not {weights!r}')
    try:
        return load_descriptor(IMAGENET).name
    except WeightsError:
        if processes.run(COMMAND, cwd=ROOT).returncode:
            raise WeightsError(f"there are no ImageNet weights; {MAKE_IMAGENET} makes them, torch included") from None
    return load_descriptor(IMAGENET).name
