"""Accuracy lost by eight bits: the same pictures read by a network in eight bits and in full precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from calibration.labels import Label
from calibration.template import BoardTemplate
from lab.bench.speed.whole_board import OtherReader
from lab.simulated.scenes import random_scene
from vision.cli import load_photo
from vision.frame import Image, SourceError
from vision.pose import rectify
from vision.reading.descriptors import Descriptor
from vision.reading.locate import PhotoReader

SIZES_PX = ((960, 720), (1280, 960))
"""Pixels of simulated pictures: the smaller size if the rectified picture is no larger than its height."""
SEED = 90_000
Picture = tuple[Image, NDArray[np.float64] | None, str]
"""An image, the board's corners in it if known, and the letters of its cells."""
Step = Callable[[str], None]
"""Called with the name of each step that begins."""


class Precision(BaseModel):
    source: str
    pictures: int
    """Pictures in which a board was seen."""
    cells: int
    eight_bits_right: int
    full_precision_right: int
    differently: int
    """Cells that the two read differently."""
    loss_points: float
    """Right in full precision minus right in eight bits, in hundredths of the cells; may be negative."""


def simulated(template: BoardTemplate, cells: int) -> Iterator[Picture]:
    """Pictures of a new table each time, without hands, with at least so many cells in total."""
    size_px = SIZES_PX[template.rectified_px >= SIZES_PX[0][1]]
    for number in range(-(-cells // len(template.cell_names))):
        scene = random_scene(template, np.random.default_rng([SEED, number]), size_px, hands=0.0)
        yield scene.image, scene.corners_px, scene.board


def photographed(labels: Sequence[Label], folder: Path) -> Iterator[Picture]:
    """The labelled photos. Raises SourceError if one cannot be read as a picture."""
    for label in labels:
        image = load_photo(folder / label.name)
        if image is None:
            raise SourceError(f"{folder / label.name} is no picture that can be read")
        yield image, label.corners_px, label.cells


def compare(
    pictures: Iterator[Picture],
    source: str,
    template: BoardTemplate,
    eight_bits: Descriptor,
    full_precision: Descriptor,
    step: Step,
) -> Precision:
    """Reads every picture in both ways, at the same pose. Raises SourceError if no board is seen in any."""
    places = PhotoReader(template)
    truth, small, full = "", "", ""
    count = 0
    for number, (image, corners_px, cells) in enumerate(pictures, 1):
        step(f"{source}, picture {number}")
        found = places.read(image, corners_px)
        if found is None:
            continue
        rectified = rectify(image, found.pose, found.template)
        small += OtherReader(found.template, eight_bits).read(rectified, 0.0).board
        full += OtherReader(found.template, full_precision).read(rectified, 0.0).board
        truth, count = truth + cells, count + 1
    if not count:
        raise SourceError(f"no board is seen in any of the {source}")
    return _counted(source, count, truth, small, full)


def _counted(source: str, pictures: int, truth: str, small: str, full: str) -> Precision:
    right = [sum(one == other for one, other in zip(read, truth, strict=True)) for read in (small, full)]
    return Precision(
        source=source,
        pictures=pictures,
        cells=len(truth),
        eight_bits_right=right[0],
        full_precision_right=right[1],
        differently=sum(one != other for one, other in zip(small, full, strict=True)),
        loss_points=round(100 * (right[1] - right[0]) / len(truth), 4),
    )
