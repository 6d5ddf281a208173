"""The results of `kibitzer bench vision`: a record that serialises to JSON, and the same as a table for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from lab.bench.speed.figures import Figure
from lab.bench.speed.precision import Precision
from lab.bench.speed.report import Machine, Ratio, Target

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
    found = [Target(what="whole board, ms", value=median, limit=limit, met=median <= limit)]
    found += [
        Target(
            what="times faster than the thesis' way", value=one.times, limit=TIMES_FASTER, met=one.times >= TIMES_FASTER
        )
        for one in ratios
        if one.reference == THESIS
    ]
    return found + [
        Target(
            what=f"points lost by eight bits, {one.source}",
            value=one.loss_points,
            limit=LOSS_POINTS,
            met=one.loss_points <= LOSS_POINTS,
        )
        for one in precision
    ]


def lines_of(report: VisionReport) -> list[str]:
    here = report.machine
    lines = [f"{here.date}  {here.processor}, {here.cores} cores, load {here.load[0]:g} to {here.load[1]:g}"]
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
