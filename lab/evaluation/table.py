"""Table 5.1 of Preda's thesis (docs/results.md): one linear machine for each descriptor, same cells, same split."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from pydantic import BaseModel

from lab.evaluation.cells import MAX_EMPTY, LabelledCells, Split, balanced_accuracy, read_left_out
from system.weights import WeightsError
from vision.reading.descriptors import (
    BATCH,
    DEFAULT,
    IMAGENET,
    PIXEL_FUNCTIONS,
    Descriptors,
    descriptor_for,
    load_descriptor,
)

TITLES = {
    "pixels": "pixels, 16 x 16 x 3",
    "grey_histogram": "grey histogram",
    "rgb_histogram": "RGB histogram",
    "hog": "HOG",
    "resnet18": "ResNet-18, ours",
    "halves": "network of halves, ours",
    IMAGENET: "ResNet-18, ImageNet",
}
STAND_IN = f'"{TITLES[DEFAULT]}" stands in: the same network, trained from random weights on free pictures'
Step = Callable[[str], None]
"""Called with the name of each step that begins."""


class Row(BaseModel):
    descriptor: str
    title: str
    present: bool
    note: str
    """Why there are no figures; empty if there are."""
    dimension: int = 0
    accuracy: float = 0.0
    """Share of the cells of left-out pictures that were read right."""
    balanced_accuracy: float = 0.0
    """Mean over the classes of that share."""
    wrong: int = 0
    """Cells read wrong."""
    measured: int = 0
    """Cells measured; a picture counts as often as it was left out."""
    worst_fit: float = 0.0
    """Lowest accuracy of a fit."""
    milliseconds_per_patch: float = 0.0
    """Processor time to describe one patch, in batches of `BATCH`: the median over such batches."""
    softness: list[float] = []
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
        rows.append(_measure(name, cells, split))
    step(TITLES[IMAGENET])
    try:
        if fetch:
            descriptor_for(IMAGENET)
        rows.append(_measure(IMAGENET, cells, split))
    except WeightsError as reason:
        rows.append(
            Row(descriptor=IMAGENET, title=TITLES[IMAGENET], present=False, note=f"not present: {reason}; {STAND_IN}")
        )
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


def _measure(name: str, cells: LabelledCells, split: Split) -> Row:
    described, milliseconds = _describe(name, cells)
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
