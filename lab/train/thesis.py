"""Measures how Preda's thesis (docs/results.md) reads a frame: SIFT on the whole picture, ResNet-18 on every cell.

A separate program, so that a comparison with it need not load torch:

    python -m lab.train.thesis SCENE.npz [--processor-time] [STEP...]

It answers every line on its standard input with one round's milliseconds as a line of JSON, and ends with the input.
The steps are those of `STEPS`; unless named, the usual three. The scene holds `frame` and `reference` (uint8 BGR),
`rectified` (the board from above) and `game`. Untrained weights cost as much as trained ones. Everything runs on one
thread, so that processor time, which other programs disturb less, is time without waiting.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from calibration.arrays import Patches
from calibration.template import BoardTemplate, load_template
from lab.simulated.arrays import Float32Array, FloatArray
from lab.train.resnet import DEVIATION, MEAN
from lab.train.torchvision_import import import_torchvision
from vision.reading.cells import cut_patches

RATIO, REPROJECTION_PX = 0.75, 5.0
SIDE_PX, SMALL_SIDE_PX = 224, 48
"""Pixels on a side of a cell's picture: in torchvision's preprocessing, and for this program's own network."""
BATCH = 25


PROCESSOR_TIME = "--processor-time"
USUAL = ("sift_track", "resnet18_224_all_cells", "resnet18_48_all_cells")


class Thesis:
    def __init__(self, scene: dict[str, Any]) -> None:
        torch.set_num_threads(1)
        cv2.setNumThreads(1)
        torch.manual_seed(0)
        self._frame: NDArray[np.uint8] = scene["frame"]
        self._rectified: NDArray[np.uint8] = scene["rectified"]
        self._template: BoardTemplate = load_template(str(scene["game"]))
        self._sift = cv2.SIFT.create()
        self._matcher = cv2.BFMatcher.create(cv2.NORM_L2)
        self._points, self._descriptors = self._features(scene["reference"])
        self._network: nn.Module = import_torchvision().models.resnet18(weights=None).eval()

    def round(self, steps: Sequence[str] = USUAL, clock: Callable[[], float] = time.perf_counter) -> dict[str, float]:
        """Milliseconds of each step of `STEPS`, once, by a clock of seconds."""
        spent: dict[str, float] = {}
        for name in steps:
            began_s = clock()
            STEPS[name](self)
            spent[name] = 1000 * (clock() - began_s)
        return spent

    def track(self) -> FloatArray | None:
        """The homography of the reference to the frame; None if too little matches."""
        points, descriptors = self._features(self._frame)
        pairs = self._matcher.knnMatch(descriptors, self._descriptors, k=2)
        good = [
            one for one, other in (pair for pair in pairs if len(pair) == 2) if one.distance < RATIO * other.distance
        ]
        if len(good) < 4:
            return None
        here = self._points[[match.trainIdx for match in good]]
        there = points[[match.queryIdx for match in good]]
        matrix: Any = cv2.findHomography(here, there, cv2.RANSAC, REPROJECTION_PX)[0]
        return None if matrix is None else np.asarray(matrix, dtype=np.float64)

    def describe(self, side_px: int, batch: int = BATCH) -> Float32Array:
        """(cells, 1000) the network's outputs for every cell, cut out, scaled and normalised; `batch` cells at once."""
        patches = cut_patches(self._rectified, self._template)
        rows = []
        with torch.inference_mode():
            for start in range(0, len(patches), batch):
                rows.append(self._network(prepared(patches[start : start + batch], side_px)))
        return np.asarray(torch.cat(rows).numpy(), dtype=np.float32)

    def _features(self, image: NDArray[np.uint8]) -> tuple[Float32Array, Float32Array]:
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        features: tuple[Any, Any] = self._sift.detectAndCompute(grey, np.full(grey.shape, 255, np.uint8))
        keypoints, descriptors = features
        points = np.array([keypoint.pt for keypoint in keypoints], dtype=np.float32)
        return points, np.asarray(descriptors, dtype=np.float32)


def prepared(patches: Patches, side_px: int) -> torch.Tensor:
    """float32 (n, 3, side, side) RGB, the input of torchvision's networks."""
    large = [cv2.resize(patch, (side_px, side_px), interpolation=cv2.INTER_LINEAR)[:, :, ::-1] for patch in patches]
    scaled = (np.stack(large).astype(np.float32) / 255 - MEAN) / DEVIATION
    return torch.from_numpy(np.ascontiguousarray(scaled.transpose(0, 3, 1, 2)))


STEPS: dict[str, Callable[[Thesis], object]] = {
    "sift_track": Thesis.track,
    "resnet18_224_all_cells": lambda thesis: thesis.describe(SIDE_PX),
    "resnet18_48_all_cells": lambda thesis: thesis.describe(SMALL_SIDE_PX),
    "resnet18_224_cell_by_cell": lambda thesis: thesis.describe(SIDE_PX, 1),
    "resnet18_48_cell_by_cell": lambda thesis: thesis.describe(SMALL_SIDE_PX, 1),
}


def main() -> int:
    clock = time.process_time if PROCESSOR_TIME in sys.argv else time.perf_counter
    steps = [word for word in sys.argv[2:] if word != PROCESSOR_TIME] or USUAL
    with np.load(Path(sys.argv[1]), allow_pickle=False) as arrays:
        thesis = Thesis({name: arrays[name] for name in arrays.files})
    thesis.round(steps, clock)  # the first round allocates the buffers that later rounds reuse
    for _ in sys.stdin:
        sys.stdout.write(json.dumps(thesis.round(steps, clock)) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
