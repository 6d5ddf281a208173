"""Labelled patches of cells, cut from photos or simulated scenes exactly as the reader cuts them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.labels import Label
from calibration.template import BoardTemplate
from lab.simulated.scenes import random_scene
from vision.cli import load_photo
from vision.frame import Image
from vision.pose import rectify
from vision.reading.cells import Patches, cut_patches
from vision.reading.locate import PhotoReader

SIZES_PX = ((960, 720), (1280, 960))
"""Pixels of simulated pictures: the smaller size if the rectified picture is no larger than its height."""
Progress = Callable[[int, int], None]
"""Called with the number of pictures done and the total."""


@dataclasses.dataclass(frozen=True, eq=False)
class LabelledCells:
    patches: Patches
    labels: NDArray[np.str_]
    """(n,) class letter of each patch."""
    pictures: NDArray[np.intp]
    """(n,) index into `names` of the picture that each patch was cut from."""
    names: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    """Pictures in which no board was seen; none of their cells is counted."""


def cells_of_photos(
    photos: Sequence[Label], folder: Path, template: BoardTemplate, progress: Progress = lambda done, total: None
) -> LabelledCells:
    """The cells of labelled photos in the order of their names; boards without given corners are detected.

    Raises ValueError if a photo cannot be read as a picture, or no board is seen in any; WeightsError.
    """
    reader = PhotoReader(template)
    found: list[tuple[str, Patches, str]] = []
    left_out = []
    ordered = sorted(photos, key=lambda photo: in_natural_order(photo.name))
    for done, photo in enumerate(ordered, 1):
        image = load_photo(folder / photo.name)
        if image is None:
            raise ValueError(f"--photos: {folder / photo.name} is no picture that can be read")
        patches = _cut(reader, image, photo.corners_px)
        if patches is None:
            left_out.append(photo.name)
        else:
            found.append((photo.name, patches, photo.cells))
        progress(done, len(ordered))
    if not found:
        raise ValueError(f"--photos: no board was found in any of {len(ordered)} photos; give corners_px in the labels")
    return _joined(found, tuple(left_out))


def cells_of_scenes(
    count: int, seed: int, template: BoardTemplate, progress: Progress = lambda done, total: None
) -> LabelledCells:
    """The cells of so many simulated pictures, each with a new table, pieces and light; no hands, corners given."""
    reader = PhotoReader(template)
    size_px = SIZES_PX[template.rectified_px >= SIZES_PX[0][1]]
    found: list[tuple[str, Patches, str]] = []
    left_out = []
    for number in range(count):
        scene = random_scene(template, np.random.default_rng([seed, number]), size_px, hands=0.0)
        patches = _cut(reader, scene.image, scene.corners_px)
        name = f"scene {number + 1}"
        if patches is None:
            left_out.append(name)
        else:
            found.append((name, patches, scene.board))
        progress(number + 1, count)
    return _joined(found, tuple(left_out))


def in_natural_order(name: str) -> list[tuple[int, str]]:
    """A sort key that puts 1_2 before 1_10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _cut(reader: PhotoReader, image: Image, corners_px: NDArray[np.float64] | None) -> Patches | None:
    """The patches of the board in a picture; None if no board is seen."""
    read = reader.read(image, corners_px)
    return None if read is None else cut_patches(rectify(image, read.pose, read.template), read.template)


def _joined(found: Sequence[tuple[str, Patches, str]], left_out: tuple[str, ...]) -> LabelledCells:
    return LabelledCells(
        patches=np.concatenate([patches for _, patches, _ in found]),
        labels=np.array([letter for _, _, cells in found for letter in cells]),
        pictures=np.concatenate([np.full(len(cells), index) for index, (_, _, cells) in enumerate(found)]),
        names=tuple(name for name, _, _ in found),
        left_out=left_out,
    )
