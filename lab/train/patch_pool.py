"""Pools of labelled patches: drawn, or cut from photographs of stones."""

from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.simulated.arrays import Float32Array, FloatArray, Rng
from lab.train.patches import CLASSES, DARK, EMPTY, LIGHT, PATCH_PX, PatchMaker
from vision.frame import Image
from vision.reading.cells import cut_patch

log = logging.getLogger(__name__)
LOG_EVERY = 5000
COLUMNS = 20
"""Patches side by side on a sheet."""


@dataclasses.dataclass(frozen=True, eq=False)
class Pool:
    images: NDArray[np.uint8]
    """(n, 48, 48, 3) BGR."""
    labels: NDArray[np.int64]
    """(n,) indices into the classes."""

    @classmethod
    def joined(cls, pools: Sequence[Self]) -> Self:
        names = [field.name for field in dataclasses.fields(cls)]
        return cls(*(np.concatenate([getattr(pool, name) for pool in pools]) for name in names))

    def rows(self, rows: NDArray[np.intp] | slice) -> Self:
        return type(self)(*(array[rows] for array in vars(self).values()))

    @classmethod
    def drawn(cls, path: Path, draw: Callable[[int, int], Self], count: int, seed: int, shard: int) -> Self:
        """`count` drawn, at most `shard` from a seed; archives whose names begin with `path` keep them."""
        sizes = [min(shard, count - start) for start in range(0, count, shard)]
        return cls.joined(
            [
                cls.kept(path.with_name(f"{path.name}_{own_seed}_{size}.npz"), functools.partial(draw, size, own_seed))
                for own_seed, size in enumerate(sizes, seed)
            ]
        )

    @classmethod
    def kept(cls, path: Path, make: Callable[[], Self]) -> Self:
        """The pool that an earlier run kept in that archive; else a new one, which is kept there."""
        if path.is_file():
            with np.load(path, allow_pickle=False) as data:
                return cls(**data)
        pool = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, **vars(pool))
        return pool


@dataclasses.dataclass(frozen=True, eq=False)
class PatchPool(Pool):
    colours: Float32Array
    """(n, 6) as in `patches.Patch`."""

    @classmethod
    def of(cls, cells: Iterable[tuple[NDArray[np.uint8], int]]) -> PatchPool:
        """Patches with their labels, whose colours are not known."""
        images, labels = list[NDArray[np.uint8]](), list[int]()
        for image, label in cells:
            images.append(image)
            labels.append(label)
        colours = np.full((len(labels), 6), np.nan, dtype=np.float32)
        stacked = np.array(images, dtype=np.uint8).reshape(-1, PATCH_PX, PATCH_PX, 3)
        return cls(stacked, np.array(labels, dtype=np.int64), colours)


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


MAN_SHARE = (0.55, 0.95)
"""Diameter of a piece as a share of the patch's side."""


def cut_photographs(folder: Path, split: str, seed: int, stones: int = 36) -> PatchPool:
    """Patches of the photographs of one split, `train` or `valid`; at most so many stones per photo."""
    pool = PatchPool.of(_all(folder, split, np.random.default_rng(seed), stones))
    log.info("%d patches cut from photographs (%s)", len(pool.labels), split)
    return pool


def _all(folder: Path, split: str, chance: Rng, stones: int) -> Iterator[tuple[NDArray[np.uint8], int]]:
    for path in sorted((folder / "go" / "stones_yolo" / split / "images").glob("*.jpg")):
        image = cv2.imread(str(path))
        boxes = path.parent.parent / "labels" / f"{path.stem}.txt"
        if image is not None and boxes.is_file():
            yield from _stones(np.asarray(image, dtype=np.uint8), _read_boxes(boxes, image.shape), chance, stones)


def _read_boxes(path: Path, shape: tuple[int, ...]) -> FloatArray:
    """(n, 5) class (0 black, 1 white), centre x and y, width and height in pixels."""
    rows = [[float(word) for word in line.split()[:5]] for line in path.read_text().splitlines() if line.strip()]
    return np.array(rows).reshape(-1, 5) * [1, shape[1], shape[0], shape[1], shape[0]]


def _stones(image: Image, boxes: FloatArray, chance: Rng, count: int) -> Iterator[tuple[NDArray[np.uint8], int]]:
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


def _cut(image: Image, x: float, y: float, side: float, chance: Rng) -> NDArray[np.uint8]:
    turn = chance.normal(0, 0.08) + np.pi / 2 * int(chance.integers(4))
    return cut_patch(image, x, y, side, PATCH_PX, float(turn))
