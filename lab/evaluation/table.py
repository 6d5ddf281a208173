"""Table 5.1 of Preda's thesis (docs/results.md): one linear machine for each descriptor, same cells, same split.

torchvision's published ResNet-18 describes cells in a process of its own, since it needs torch."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from pydantic import BaseModel

import places
import processes
from calibration.arrays import Patches
from lab.evaluation.cells import MAX_EMPTY, LabelledCells, Split, balanced_accuracy, read_left_out
from vision.reading.descriptors import BATCH, DEFAULT, PIXEL_FUNCTIONS, Descriptors, load_descriptor

COMMAND = (sys.executable, "-m", "lab.train.imagenet")
ROOT = places.PROGRAM


class NotPresent(RuntimeError):
    """The network is not available on this machine; the message says why."""


def describe_imagenet(patches: Patches, fetch: bool) -> tuple[Descriptors, float]:
    """(n, 512) descriptors in full precision at 224 pixels, and milliseconds a patch on one core.

    If `fetch` is True, torchvision may load the weights from its own site. Raises NotPresent.
    """
    with TemporaryDirectory(prefix="kibitzer-imagenet-") as folder:
        given, made = Path(folder) / "patches.npy", Path(folder) / "described.npy"
        np.save(given, patches)
        command = [*COMMAND, str(given), str(made), *(["--fetch"] if fetch else [])]
        process = processes.run(command, cwd=ROOT, capture_output=True, text=True)
        try:
            answer = json.loads(process.stdout.splitlines()[-1])
        except (ValueError, IndexError):
            last = (process.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise NotPresent(last) from None
        if "missing" in answer:
            raise NotPresent(str(answer["missing"]))
        return np.load(made), float(answer["milliseconds_per_patch"])


TITLES = {
    "pixels": "pixels, 16 x 16 x 3",
    "grey_histogram": "grey histogram",
    "rgb_histogram": "RGB histogram",
    "hog": "HOG",
    "resnet18": "ResNet-18, ours",
    "halves": "network of halves, ours",
    "imagenet": "ResNet-18, ImageNet",
}
IMAGENET = "imagenet"
Step = Callable[[str], None]
"""Called with the name of each step that begins."""


class Row(BaseModel):
    descriptor: str
    title: str
    present: bool
    note: str
    """Why there are no figures; empty if there are."""
    dimension: int
    accuracy: float
    """Share of the cells of left-out pictures that were read right."""
    balanced_accuracy: float
    """Mean over the classes of that share."""
    wrong: int
    """Cells read wrong."""
    measured: int
    """Cells measured; a picture counts as often as it was left out."""
    worst_fit: float
    """Lowest accuracy of a fit."""
    milliseconds_per_patch: float
    """Processor time to describe one patch, in batches of `BATCH`: the median over such batches."""
    softness: list[float]
    """LinearSVC's C of each fit."""


class Table(BaseModel):
    game: str
    source: str
    split: str
    pictures: int
    left_out: list[str]
    """Pictures in which no board was seen."""
    cells: int
    classes: dict[str, int]
    """Cells of each class letter."""
    measured: list[list[str]]
    """Names of the pictures that each fit was measured on; it was fitted to others."""
    best: list[str]
    """Descriptors with the most cells right; several in a tie."""
    rows: list[Row]


def descriptors_for(network: str) -> tuple[str, ...]:
    """The rows' descriptors, in that table's order; then the network that the board's template names, if different."""
    return (*PIXEL_FUNCTIONS, DEFAULT, *([network] if network != DEFAULT else []))


def make_table(
    cells: LabelledCells, split: Split, *, game: str, source: str, network: str, fetch: bool, step: Step
) -> Table:
    """Describes, fits and measures. Raises ValueError, WeightsError."""
    rows = []
    for name in descriptors_for(network):
        step(TITLES[name])
        rows.append(_measure(name, *_describe(name, cells), cells, split))
    step(TITLES[IMAGENET])
    try:
        rows.append(_measure(IMAGENET, *describe_imagenet(cells.patches, fetch), cells, split))
    except NotPresent as reason:
        rows.append(_absent(IMAGENET, f"not present: {reason}"))
    most = max(row.accuracy for row in rows)
    letters, counts = np.unique(cells.labels, return_counts=True)
    return Table(
        game=game,
        source=source,
        split=f"{split.words}; of each picture at most {MAX_EMPTY} empty cells are fitted to, and all are measured",
        pictures=len(cells.names),
        left_out=list(cells.left_out),
        cells=len(cells.labels),
        classes={str(letter): int(count) for letter, count in zip(letters, counts, strict=True)},
        measured=[[cells.names[picture] for picture in part.measured] for part in split.parts],
        best=[row.descriptor for row in rows if row.present and row.accuracy == most],
        rows=rows,
    )


def lines_of(table: Table) -> list[str]:
    classes = ", ".join(f"{count} {letter!r}" for letter, count in table.classes.items())
    lines = [
        f"{table.game}: {table.source}; {table.pictures} pictures, {table.cells} cells ({classes})",
        f"split: {table.split}",
    ]
    if table.left_out:
        lines.append(f"no board seen, left out: {', '.join(table.left_out)}")
    lines += ["", f"{'descriptor':<26}{'numbers':>8}{'right':>10}{'balanced':>10}{'wrong':>7}{'worst fit':>12}"]
    lines[-1] += f"{'ms a patch':>12}"
    for row in table.rows:
        lines.append(_line(row, row.descriptor in table.best) if row.present else f"{row.title:<26}{row.note}")
    return lines


def _line(row: Row, best: bool) -> str:
    shares = f"{row.accuracy:>10.3%}{row.balanced_accuracy:>10.3%}{row.wrong:>7d}{row.worst_fit:>12.3%}"
    return f"{row.title:<26}{row.dimension:>8d}{shares}{row.milliseconds_per_patch:>12.3f}{'  best' if best else ''}"


def _describe(name: str, cells: LabelledCells) -> tuple[Descriptors, float]:
    descriptor = load_descriptor(name)
    descriptor.describe(cells.patches[:BATCH])  # the first call allocates the buffers that later calls reuse
    rows, spent_ms = [], []
    for start in range(0, len(cells.patches), BATCH):
        batch = cells.patches[start : start + BATCH]
        began_s = time.thread_time()
        rows.append(descriptor.describe(batch))
        spent_ms.append(1000 * (time.thread_time() - began_s) / len(batch))
    return np.concatenate(rows), float(np.median(spent_ms))


def _measure(name: str, described: Descriptors, milliseconds: float, cells: LabelledCells, split: Split) -> Row:
    outcomes = read_left_out(described, cells.labels, cells.pictures, split.parts)
    read, truth = (np.concatenate([getattr(one, which) for one in outcomes]) for which in ("read", "truth"))
    return Row(
        descriptor=name,
        title=TITLES[name],
        present=True,
        note="",
        dimension=described.shape[1],
        accuracy=float((read == truth).mean()),
        balanced_accuracy=balanced_accuracy(read, truth),
        wrong=int((read != truth).sum()),
        measured=len(truth),
        worst_fit=min(float(one.right.mean()) for one in outcomes),
        milliseconds_per_patch=round(milliseconds, 4),
        softness=[one.softness for one in outcomes],
    )


def _absent(name: str, note: str) -> Row:
    return Row(
        descriptor=name,
        title=TITLES[name],
        present=False,
        note=note,
        dimension=0,
        accuracy=0.0,
        balanced_accuracy=0.0,
        wrong=0,
        measured=0,
        worst_fit=0.0,
        milliseconds_per_patch=0.0,
        softness=[],
    )
