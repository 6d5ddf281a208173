"""The figures of `kibitzer bench vision`: in eight bits, in full precision, and as Preda's thesis reads a board."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from pydantic import BaseModel

from calibration.annotations import read_annotated
from calibration.labels import Label, read_labels
from calibration.template import BoardTemplate
from daemon.config.settings import ROOT
from lab.bench.speed.figures import Figure, figure
from lab.bench.speed.report import Machine, Ratio, Target, at_most
from lab.bench.speed.scenes import Scene, still_scene
from lab.bench.speed.steps import Reference
from lab.simulated.arrays import FloatArray
from lab.simulated.scenes import random_scene
from system import processes
from system.weights import WeightsError, find_weights
from vision.cli import load_photo
from vision.frame import Image, SourceError
from vision.pose import rectify
from vision.reading.descriptors import Descriptor, load_descriptor, load_network
from vision.reading.locate import PhotoReader
from vision.reading.reader import Reader

WIDEN = (sys.executable, "-m", "lab.train.widened")
ARGUMENTS = ("--processor-time", "resnet18_224_cell_by_cell", "resnet18_48_cell_by_cell", "resnet18_48_all_cells")
"""Measurements of the reference: one cell after the other as its authors do, and all at once, its most favourable case.
"""
TRAINED = "{}_fp16"
"""Name in the manifest of a network's weights before rounding to eight bits, if there are any."""
REFERENCE_S = 20.0
"""Seconds after which no further round of the reference begins: on a large board one takes half a minute."""
Step = Callable[[str], None]
"""Called with the name of each step that begins."""


class OtherReader(Reader):
    """The reader, without a profile, with a descriptor other than the shipped one of that name.

    Men are taken to be flat: those who differ in shape are read by another network.
    """

    def __init__(self, template: BoardTemplate, descriptor: Descriptor) -> None:
        super().__init__(dataclasses.replace(template, man_height_mm=0.0))
        self._descriptor = descriptor


@functools.lru_cache(maxsize=4)
def full_precision(name: str, folder: Path) -> tuple[Descriptor, str]:
    """A network in full precision, and a description of it in words; its files go into `folder`.

    These are the weights from before rounding, if the manifest has them; else the shipped weights, without any rounding
    between the sums. Raises WeightsError.
    """
    place = folder / name
    place.mkdir(exist_ok=True)
    target = place / f"{name}.onnx"
    try:
        target.write_bytes(find_weights(TRAINED.format(name)).path.read_bytes())
        what = "as trained"
    except WeightsError:
        result = processes.run(
            [*WIDEN, str(find_weights(name).path), str(target)], cwd=ROOT, capture_output=True, text=True
        )
        if result.returncode:
            last = (result.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise WeightsError(f"{name} in full precision cannot be made: {last}") from None
        what = "weights rounded to eight bits as shipped, sums in full precision"
    _write_manifest(place, name, target)
    return load_network(name, place), what


def _write_manifest(folder: Path, name: str, path: Path) -> None:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "manifest.toml").write_text(f"[{name}]\nfile = {json.dumps(path.name)}\nsha256 = {json.dumps(digest)}\n")


def steady(scene: Scene, corners_px: FloatArray | None = None) -> tuple[Image, BoardTemplate]:
    """The rectified picture of a scene's board, and its template fitted to the board's shape. Raises SourceError."""
    read = PhotoReader(scene.template).read(scene.before[0], corners_px)
    if read is None:
        raise SourceError(f"the board of the {scene.what} is not found")
    return rectify(scene.before[0], read.pose, read.template), read.template


def measure(
    scene: Scene, corners_px: FloatArray | None, folder: Path, *, rounds: int, reference: bool, step: Step
) -> tuple[dict[str, Figure], dict[str, Figure]]:
    """Milliseconds of processor time of ours and of the reference's, in turns.

    Raises SourceError, NoReference, WeightsError.
    """
    rectified, template = steady(scene, corners_px)
    name = template.descriptor
    readers = {
        "eight_bits": OtherReader(template, load_descriptor(name)),
        "full_precision": OtherReader(template, full_precision(name, folder)[0]),
    }
    spent_ms: dict[str, list[float]] = defaultdict(list)
    for reader in readers.values():
        reader.read(rectified.copy(), 0.0)  # the first call allocates the buffers that later calls reuse
    with contextlib.ExitStack() as stack:
        step("the reference starts")
        other = stack.enter_context(Reference(scene, rectified, folder, ARGUMENTS)) if reference else None
        began_s = time.monotonic()
        for number in range(rounds):
            step(f"round {number + 1} of {rounds}")
            for what, reader in readers.items():
                spent_ms[what].append(_timed(reader, rectified))
            if other is not None and (not number or time.monotonic() - began_s < REFERENCE_S):
                other.round()
        theirs = dict(other.spent_ms) if other is not None else {}
    ours, others = ({name: figure(one) for name, one in spent.items()} for spent in (spent_ms, theirs))
    return ours, others


def _timed(reader: Reader, rectified: Image) -> float:
    """Milliseconds of this thread to cut, describe and judge all cells of a picture that is new to the reader.

    An unmeasured reading comes first: the reference in between emptied the caches and slowed the processor down.
    """
    reader.read(rectified.copy(), 0.0)
    picture = rectified.copy()
    began_s = time.thread_time()
    reader.read(picture, 0.0)
    return 1000 * (time.thread_time() - began_s)


SIZES_PX = ((960, 720), (1280, 960))
"""Pixels of simulated pictures: the smaller size if the rectified picture is no larger than its height."""
SEED = 90_000
Picture = tuple[Image, FloatArray | None, str]
"""An image, the board's corners in it if known, and the letters of its cells."""


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
    right = [sum(one == other for one, other in zip(read, truth, strict=True)) for read in (small, full)]
    return Precision(
        source=source,
        pictures=count,
        cells=len(truth),
        eight_bits_right=right[0],
        full_precision_right=right[1],
        differently=sum(one != other for one, other in zip(small, full, strict=True)),
        loss_points=round(100 * (right[1] - right[0]) / len(truth), 4),
    )


LIMITS_MS = {"nine_mens_morris": 15.0, "co_ganh": 15.0, "reversi": 35.0}
MAX_MS, TIMES_FASTER, LOSS_POINTS = 90.0, 10.0, 0.05
"""Limits that are promised: at most for boards of 225 cells, at least, at most."""
NAMES = {
    "eight_bits": "ours, eight bits",
    "full_precision": "ours, full precision",
    "resnet18_224_cell_by_cell": "thesis: ResNet-18 fp32, 224 px, cell by cell",
    "resnet18_48_cell_by_cell": "thesis: ResNet-18 fp32, 48 px, cell by cell",
    "resnet18_48_all_cells": "thesis: ResNet-18 fp32, 48 px, 25 at once",
}
THESIS = "resnet18_224_cell_by_cell"
"""The method of Preda's thesis (docs/results.md); the other entries are faster variants in its favour."""


class BoardCost(BaseModel):
    game: str
    pictures: str
    cells: int
    network: str
    full_precision: str
    """What full precision means for this network, in words."""
    read_ms: dict[str, Figure]
    reference_ms: dict[str, Figure]
    ratios: list[Ratio]
    precision: list[Precision]
    targets: list[Target]


class VisionReport(BaseModel):
    machine: Machine
    games: list[BoardCost]


def ratios_of(read: Mapping[str, Figure], reference: Mapping[str, Figure]) -> list[Ratio]:
    ours = read["eight_bits"].median
    others = {"full_precision": read["full_precision"], **reference}
    return [Ratio(what="eight_bits", reference=n, times=round(one.median / ours, 1)) for n, one in others.items()]


def targets_of(
    game: str, read: Mapping[str, Figure], ratios: Sequence[Ratio], precision: Sequence[Precision]
) -> list[Target]:
    limit, median = LIMITS_MS.get(game, MAX_MS), read["eight_bits"].median
    found = [at_most("whole board, ms", median, limit)]
    found += [
        Target(
            what="times faster than the thesis' way", value=one.times, limit=TIMES_FASTER, met=one.times >= TIMES_FASTER
        )
        for one in ratios
        if one.reference == THESIS
    ]
    return found + [
        at_most(f"points lost by eight bits, {one.source}", one.loss_points, LOSS_POINTS) for one in precision
    ]


def lines_of(report: VisionReport) -> list[str]:
    lines = [str(report.machine)]
    for one in report.games:
        lines += ["", f"{one.game}: {one.pictures}, {one.cells} cells, network {one.network}"]
        lines.append(
            f"{'all cells, one thread, ms of processor time':<46}{'median':>9}{'95 %':>9}{'count':>7}{'times':>8}"
        )
        times = {ratio.reference: f"{ratio.times:>8g}" for ratio in one.ratios}
        for name, cost in {**one.read_ms, **one.reference_ms}.items():
            figures = f"{cost.median:>9.1f}{cost.p95:>9.1f}{cost.count:>7d}"
            lines.append(f"{NAMES.get(name, name):<46}{figures}{times.get(name, '')}")
        if one.precision:
            lines.append(f"full precision here: {one.full_precision}")
        for said in one.precision:
            lines.append(
                f"{said.source}: {said.pictures} pictures, {said.cells} cells; right in eight bits "
                f"{said.eight_bits_right}, in full precision {said.full_precision_right}; "
                f"read differently {said.differently}; lost {said.loss_points:g} points"
            )
        lines += [f"{'met   ' if t.met else 'MISSED'}  {t.what}: {t.value:g} ({t.limit:g})" for t in one.targets]
    return lines


def bench_vision(
    name: str, folder: Path, *, rounds: int, cells: int, reference: bool, photos: Path | None, labels: Path | None,
    step: Step,
) -> BoardCost:  # fmt: skip
    """Measures one game completely. Raises GameError, SourceError, NoReference, WeightsError, LabelError."""
    scene, corners_px = still_scene(name)
    template = scene.template
    shown = [] if photos is None or labels is None else labels_of(labels, photos, template)
    read, theirs = measure(scene, corners_px, folder, rounds=rounds, reference=reference, step=step)
    eight_bits = load_descriptor(template.descriptor)
    full, what = full_precision(template.descriptor, folder)
    precision: list[Precision] = []
    if cells:
        pictures = simulated(template, cells)
        precision.append(compare(pictures, "simulated pictures", template, eight_bits, full, step))
    if photos is not None:
        source = f"photos of {photos.name}"
        precision.append(compare(photographed(shown, photos), source, template, eight_bits, full, step))
    ratios = ratios_of(read, theirs)
    return BoardCost(
        game=template.game,
        pictures=scene.what,
        cells=len(template.cell_names),
        network=template.descriptor,
        full_precision=what,
        read_ms=read,
        reference_ms=theirs,
        ratios=ratios,
        precision=precision,
        targets=targets_of(template.game, read, ratios, precision),
    )


def labels_of(labels: Path, photos: Path, template: BoardTemplate) -> list[Label]:
    """The cells in the photos: from a file of labels, or a folder of annotated moves. Raises LabelError."""
    return list(read_annotated(labels, photos, template) if labels.is_dir() else read_labels(labels, template))
