"""Measures the cost of reading all cells of a board: in eight bits, in full precision, and as Preda's thesis does."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import processes
from calibration.template import BoardTemplate
from daemon.config.settings import ROOT
from lab.bench.speed.figures import Figure, figure
from lab.bench.speed.scenes import Scene
from lab.bench.speed.steps import Reference
from lab.simulated.arrays import FloatArray
from places.weights import WeightsError, find_weights
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
    """The reader, without a profile, with a descriptor other than the shipped one of that name."""

    def __init__(self, template: BoardTemplate, descriptor: Descriptor) -> None:
        super().__init__(template)
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
    return _figures(spent_ms), _figures(theirs)


def _timed(reader: Reader, rectified: Image) -> float:
    """Milliseconds of this thread to cut, describe and judge all cells of a picture that is new to the reader.

    An unmeasured reading comes first: the reference in between emptied the caches and slowed the processor down.
    """
    reader.read(rectified.copy(), 0.0)
    picture = rectified.copy()
    began_s = time.thread_time()
    reader.read(picture, 0.0)
    return 1000 * (time.thread_time() - began_s)


def _figures(spent_ms: dict[str, list[float]]) -> dict[str, Figure]:
    return {name: figure(values) for name, values in spent_ms.items()}
