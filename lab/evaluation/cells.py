"""Labelled cells of photos and simulated pictures, their folds, and the classifiers fitted to them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Patches
from calibration.labels import Label
from calibration.template import BoardTemplate
from lab.simulated.arrays import BoolArray, FloatArray
from lab.simulated.scenes import random_scene
from rules import EMPTY
from vision.calibrating.fitting import SOFTNESS
from vision.cli import load_photo
from vision.frame import Image
from vision.pose import rectify
from vision.reading.cells import cut_patches
from vision.reading.descriptors import Descriptors
from vision.reading.locate import PhotoReader

SIZES_PX = ((960, 720), (1280, 960))
"""Pixels of simulated pictures: the smaller size if the rectified picture is no larger than its height."""


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


Picture = tuple[str, Image, FloatArray | None, str]
"""Name, picture, (4, 2) corners or None to find the board, and its cells."""


def photos_of(photos: Sequence[Label], folder: Path) -> Iterator[Picture]:
    """Labelled photos in the order of their names. Raises ValueError if one cannot be read as a picture."""
    for photo in sorted(photos, key=lambda photo: in_natural_order(photo.name)):
        image = load_photo(folder / photo.name)
        if image is None:
            raise ValueError(f"--photos: {folder / photo.name} is no picture that can be read")
        yield photo.name, image, photo.corners_px, photo.cells


def scenes_of(count: int, seed: int, template: BoardTemplate) -> Iterator[Picture]:
    """So many simulated pictures, each with a new table, pieces and light; no hands."""
    size_px = SIZES_PX[template.rectified_px >= SIZES_PX[0][1]]
    for number in range(count):
        scene = random_scene(template, np.random.default_rng([seed, number]), size_px, hands=0.0)
        yield f"scene {number + 1}", scene.image, scene.corners_px, scene.board


def cut_cells(
    pictures: Iterable[Picture], template: BoardTemplate, progress: Callable[[], object] = lambda: None
) -> LabelledCells:
    """The cells of all pictures, as the reader cuts them; calls `progress` after each picture.

    Raises ValueError if no board is seen in any; WeightsError.
    """
    reader = PhotoReader(template)
    patches: list[Patches] = []
    boards: list[str] = []
    names, left_out = list[str](), list[str]()
    for name, image, corners_px, cells in pictures:
        read = reader.read(image, corners_px)
        if read is None:
            left_out.append(name)
        else:
            patches.append(cut_patches(rectify(image, read.pose, read.template), read.template))
            boards.append(cells)
            names.append(name)
        progress()
    if not names:
        raise ValueError(
            f"--photos: no board was found in any of {len(left_out)} photos; give corners_px in the labels"
        )
    return LabelledCells(
        patches=np.concatenate(patches),
        labels=np.array(list("".join(boards))),
        pictures=np.repeat(np.arange(len(boards)), [len(cells) for cells in boards]),
        names=tuple(names),
        left_out=tuple(left_out),
    )


def in_natural_order(name: str) -> list[tuple[int, str]]:
    """A sort key that puts 1_2 before 1_10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


Indices = NDArray[np.intp]

MAX_FEW = 5
"""Times that a few pictures are fitted to, with different pictures each time."""


@dataclasses.dataclass(frozen=True, eq=False)
class Part:
    fitted: Indices
    """Indices of pictures."""
    measured: Indices
    """Indices of pictures, none of them in `fitted`."""
    rehearsal: Indices | None = None
    """Those of `fitted` that choose the fit's softness; None if the softness is given."""


@dataclasses.dataclass(frozen=True, eq=False)
class Split:
    parts: tuple[Part, ...]
    words: str


def fold_split(pictures: int, folds: int) -> Split:
    """Each picture is measured once, by a fit to all pictures of the other folds.

    A fold is a run of neighbours in the pictures' order, because in a game each picture resembles the next. Raises
    ValueError if there are too few pictures.
    """
    if not 3 <= folds <= pictures:
        raise ValueError(f"--folds: from 3 to the number of pictures, {pictures}; not {folds}")
    runs = [np.asarray(run, dtype=np.intp) for run in np.array_split(np.arange(pictures), folds)]
    parts = []
    for number, run in enumerate(runs):
        fitted = np.setdiff1d(np.arange(pictures), run)
        parts.append(Part(fitted, run, runs[(number + 1) % folds]))
    return Split(tuple(parts), f"{folds} folds of whole pictures, neighbours together; fitted to the other folds")


def few_split(pictures: int, few: int) -> Split:
    """A few pictures from all over the order are fitted to, and all others measured; repeated with other pictures.

    Raises ValueError if there are too few pictures.
    """
    if not 1 <= few < pictures:
        raise ValueError(f"--fit: from 1 to one less than the number of pictures, {pictures}; not {few}")
    step = pictures // few
    starts = np.unique(np.linspace(0, step - 1, min(MAX_FEW, step)).astype(np.intp))
    parts = []
    for start in starts:
        fitted = start + step * np.arange(few)
        parts.append(Part(fitted, np.setdiff1d(np.arange(pictures), fitted)))
    times = f"{len(parts)} times, each time to others" if len(parts) > 1 else "once"
    return Split(tuple(parts), f"fitted to {few} of {pictures} pictures and measured on all others; {times}")


SOFTNESSES = (0.01, 0.1)
"""LinearSVC's C to choose from if there are enough pictures to choose by; else a table head's C is used."""
MAX_EMPTY = 12
"""Empty cells of one picture that are fitted to: they are much alike, and most cells of many boards. All are measured.
"""
MIN_SPREAD = 1e-9

Letters = NDArray[np.str_]


@dataclasses.dataclass(frozen=True, eq=False)
class Outcome:
    read: Letters
    truth: Letters
    softness: float
    """LinearSVC's C."""

    @property
    def right(self) -> BoolArray:
        """(measured cells,)."""
        return np.asarray(self.read == self.truth)


def read_left_out(
    described: Descriptors, labels: Letters, pictures: Indices, parts: Sequence[Part]
) -> tuple[Outcome, ...]:
    """The cells read in the measured pictures of each part. Raises ValueError if a fit has one class only."""
    learnable = _learnable(labels, pictures)
    outcomes = []
    for part in parts:
        fitted, measured = learnable & np.isin(pictures, part.fitted), np.isin(pictures, part.measured)
        softness = SOFTNESS
        if part.rehearsal is not None:
            softness = _choose(described, labels, fitted, np.isin(pictures, part.rehearsal))
        read = _Machine(described[fitted], labels[fitted], softness).read(described[measured])
        outcomes.append(Outcome(read, labels[measured], softness))
    return tuple(outcomes)


def balanced_accuracy(read: Letters, truth: Letters) -> float:
    """Mean over the classes of the share of their cells that were read right."""
    return float(np.mean([(read[truth == letter] == letter).mean() for letter in np.unique(truth)]))


def _choose(described: Descriptors, labels: Letters, fitted: BoolArray, rehearsal: BoolArray) -> float:
    """The C that reads the rehearsal best when fitted without it; the smallest in a tie."""
    first, judged = fitted & ~rehearsal, fitted & rehearsal
    if len(np.unique(labels[first])) < 2:
        return SOFTNESS
    scores = []
    for softness in SOFTNESSES:
        read = _Machine(described[first], labels[first], softness).read(described[judged])
        scores.append(balanced_accuracy(read, labels[judged]))
    return SOFTNESSES[int(np.argmax(scores))]


def _learnable(labels: Letters, pictures: Indices) -> BoolArray:
    """Mask of the cells to fit to: all pieces, and at most MAX_EMPTY random empty cells of each picture."""
    chance = np.random.default_rng(0)
    used = np.asarray(labels != EMPTY)
    for picture in np.unique(pictures):
        empty = np.flatnonzero((pictures == picture) & (labels == EMPTY))
        used[chance.permutation(empty)[:MAX_EMPTY]] = True
    return used


class _Machine:
    """One plane for each class against the rest, over descriptors centred on their mean and scaled as a whole.

    A table's own head is fitted in the same way (`vision.calibrating.fitting`).
    """

    def __init__(self, described: Descriptors, labels: Letters, softness: float) -> None:
        from sklearn.svm import LinearSVC  # slow to import, and only needed to fit

        if len(np.unique(labels)) < 2:
            raise ValueError(f"the pictures fitted to show one class only, {labels[:1]}: more pictures are needed")
        self._mean = described.mean(axis=0, dtype=np.float64)
        self._scale = max(float(described.std(dtype=np.float64)), MIN_SPREAD)
        self._planes = LinearSVC(C=softness, class_weight="balanced", dual=False, max_iter=2000)
        self._planes.fit(self._scaled(described), labels)

    def read(self, described: Descriptors) -> Letters:
        """(n,) class letters."""
        return np.asarray(self._planes.predict(self._scaled(described)), dtype=np.str_)

    def _scaled(self, described: Descriptors) -> FloatArray:
        return np.asarray((described - self._mean) / self._scale)
