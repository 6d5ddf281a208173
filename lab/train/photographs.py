"""Patches cut from real photographs whose licence allows training: go stones on many boards, in many lights.

`go/stones_yolo` is "Stone Detection" by hubbleunit on Roboflow Universe (CC BY 4.0): a box for every black and white
stone. It is skipped if the folder is absent.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.train.patch_pool import PatchPool
from lab.train.patches import DARK, EMPTY, LIGHT, PATCH_PX
from vision.frame import Image
from vision.reading.cells import cut_patch

FloatArray = NDArray[np.float64]

log = logging.getLogger(__name__)

MAN_SHARE = (0.55, 0.95)
"""Diameter of a piece as a share of the patch's side."""


def cut_photographs(folder: Path, split: str, seed: int, stones: int = 36) -> PatchPool:
    """Patches of the photographs of one split, `train` or `valid`; at most so many stones per photo."""
    chance = np.random.default_rng(seed)
    images: list[NDArray[np.uint8]] = []
    labels: list[int] = []
    for image, label in _all(folder, split, chance, stones):
        images.append(image)
        labels.append(label)
    log.info("%d patches cut from photographs (%s)", len(images), split)
    if not images:
        shape = (0, PATCH_PX, PATCH_PX, 3)
        return PatchPool(
            np.zeros(shape, dtype=np.uint8), np.zeros(0, dtype=np.int64), np.zeros((0, 6), dtype=np.float32)
        )
    colours = np.full((len(images), 6), np.nan, dtype=np.float32)
    return PatchPool(np.stack(images), np.array(labels, dtype=np.int64), colours)


def _all(folder: Path, split: str, chance: np.random.Generator, stones: int) -> Iterator[tuple[NDArray[np.uint8], int]]:
    for path in sorted((folder / "go" / "stones_yolo" / split / "images").glob("*.jpg")):
        image = cv2.imread(str(path))
        boxes = path.parent.parent / "labels" / f"{path.stem}.txt"
        if image is not None and boxes.is_file():
            yield from _stones(np.asarray(image, dtype=np.uint8), _read_boxes(boxes, image.shape), chance, stones)


def _read_boxes(path: Path, shape: tuple[int, ...]) -> FloatArray:
    """(n, 5) class (0 black, 1 white), centre x and y, width and height in pixels."""
    rows = [[float(word) for word in line.split()[:5]] for line in path.read_text().splitlines() if line.strip()]
    return np.array(rows).reshape(-1, 5) * [1, shape[1], shape[0], shape[1], shape[0]]


def _stones(
    image: Image, boxes: FloatArray, chance: np.random.Generator, count: int
) -> Iterator[tuple[NDArray[np.uint8], int]]:
    if len(boxes) < 5:
        return
    size = float(np.median(boxes[:, 3:]))
    for row in chance.permutation(len(boxes))[:count]:
        kind, x, y, width, height = boxes[row]
        side = max(width, height) / chance.uniform(*MAN_SHARE)
        shift = chance.normal(0, 0.05, 2) * side
        yield _cut(image, x + shift[0], y + shift[1], side, chance), LIGHT if kind == 1 else DARK
    low, high = boxes[:, 1:3].min(axis=0), boxes[:, 1:3].max(axis=0)
    found = 0
    for _ in range(count * 6):
        place = chance.uniform(low, high)
        if found < count // 2 and np.abs(boxes[:, 1:3] - place).max(axis=1).min() > size * 0.9:
            found += 1
            yield _cut(image, place[0], place[1], size / chance.uniform(*MAN_SHARE), chance), EMPTY


def _cut(image: Image, x: float, y: float, side: float, chance: np.random.Generator) -> NDArray[np.uint8]:
    turn = chance.normal(0, 0.08) + np.pi / 2 * int(chance.integers(4))
    return cut_patch(image, x, y, side, PATCH_PX, float(turn))
