"""The figures of `kibitzer bench pipeline`: measured for one game, judged, and told."""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, computed_field

import daemon
from lab.bench.speed.figures import Figure, figure
from lab.bench.speed.resident import Resident, measure
from lab.bench.speed.scenes import SIZE_PX, Scene
from lab.bench.speed.steps import Reference, Steps

IDLE_PERCENT, SWAY_PERCENT, TIMES_FASTER, MEMORY_MB, FIRST_READING_S = 10.0, 80.0, 10.0, 400.0, 3.0
"""Limits that are promised: at most, at most, at least, less than, at most."""
NAMES = {
    "glance": "glance at a frame (its preview)",
    "decode": "decode a frame",
    "track": "track",
    "rectify": "rectify",
    "gate": "gate",
    "read_changed_cells": "read what changed",
    "read_whole_board": "read the whole board",
    "judge": "judge",
    "settled_change": "settled change, read and judged",
    "settled_change_with_track": "the same with tracking",
    "sift_track": "SIFT, matching, RANSAC on the frame",
    "resnet18_224_all_cells": "ResNet-18 fp32, all cells, 224 px",
    "resnet18_48_all_cells": "ResNet-18 fp32, all cells, 48 px",
}


class Machine(BaseModel):
    date: str
    """ISO 8601, UTC."""
    processor: str
    cores: int
    """Cores that this process may use."""
    python: str
    load: tuple[float, float]
    """Load average over the last minute, at the beginning and at the end of the bench."""

    def __str__(self) -> str:
        return f"{self.date}  {self.processor}, {self.cores} cores, load {self.load[0]:g} to {self.load[1]:g}"


class Ratio(BaseModel):
    what: str
    reference: str
    times: float


class Target(BaseModel):
    what: str
    value: float
    limit: float
    met: bool


def target_line(target: Target) -> str:
    return f"{'met   ' if target.met else 'MISSED'} {target.what}: {target.value:g} (at most {target.limit:g})"


class GameReport(BaseModel):
    game: str
    pictures: str
    size_px: tuple[int, int]
    cells: int
    cells_read: list[int]
    """Cells read, for each settled change."""
    right: int
    """Changes that were explained by the move that was made."""
    verdicts: int
    """Changes in all."""
    steps_ms: dict[str, Figure]
    reference_ms: dict[str, Figure]
    ratios: list[Ratio]
    resident: Resident | None
    targets: list[Target]


class Report(BaseModel):
    machine: Machine
    games: list[GameReport]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def line(self) -> str:
        """The run in one line, to paste: what a changed picture costs, and a board at rest."""
        parts = []
        for game in self.games:
            cost = f"{game.game} {game.steps_ms['settled_change_with_track'].median:.0f} ms a changed picture"
            if game.resident is not None:
                cost += f", {game.resident.idle_cpu_percent.median:.0f} % of a core at rest"
            parts.append(cost)
        cores = f"{self.machine.cores} core{'s' * (self.machine.cores != 1)}"
        return f"Kibitzer {daemon.__version__}, {self.machine.processor}, {cores}: {'; '.join(parts)}"


def machine(load_before: float) -> Machine:
    return Machine(
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)),
        python=platform.python_version(),
        load=(round(load_before, 2), round(os.getloadavg()[0], 2)),
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def ratios_of(steps: Mapping[str, Figure], reference: Mapping[str, Figure]) -> list[Ratio]:
    """The reference's times over ours, step by step; empty without a reference."""
    if not reference:
        return []
    sift = reference["sift_track"].median
    large, small = (reference[f"resnet18_{side}_all_cells"].median for side in (224, 48))
    pairs = (
        ("track", "SIFT on every frame", sift),
        ("read_whole_board", "ResNet-18 fp32, 224 px, all cells", large),
        ("read_whole_board", "ResNet-18 fp32, 48 px, all cells", small),
        ("read_changed_cells", "ResNet-18 fp32, 224 px, all cells", large),
        ("settled_change", "SIFT + ResNet-18 fp32, 224 px, all cells", sift + large),
        ("settled_change", "SIFT + ResNet-18 fp32, 48 px, all cells", sift + small),
        ("settled_change_with_track", "SIFT + ResNet-18 fp32, 48 px, all cells", sift + small),
    )
    return [Ratio(what=what, reference=name, times=round(ms / steps[what].median, 1)) for what, name, ms in pairs]


def targets_of(ratios: Sequence[Ratio], resident: Resident | None) -> list[Target]:
    found = []
    if resident is not None:
        found += [
            at_most("idle, per cent of one core", resident.idle_cpu_percent.median, IDLE_PERCENT),
            at_most("a swaying camera, per cent of one core", resident.sway_cpu_percent.median, SWAY_PERCENT),
            at_most("memory, PSS of all processes, MB", resident.memory_mb, MEMORY_MB),
            at_most("memory, greatest RSS of the daemon, MB", resident.peak_memory_mb, MEMORY_MB),
            at_most("first reading after the start, s", resident.first_reading_s.median, FIRST_READING_S),
        ]
    for ratio in ratios:
        if ratio.what == "settled_change":
            what = f"settled change, times faster than {ratio.reference}"
            found.append(Target(what=what, value=ratio.times, limit=TIMES_FASTER, met=ratio.times >= TIMES_FASTER))
    return found


def at_most(what: str, value: float, limit: float) -> Target:
    return Target(what=what, value=value, limit=limit, met=value <= limit)


def lines_of(report: Report) -> list[str]:
    lines = [str(report.machine)]
    for game in report.games:
        lines += ["", f"{game.game}: {game.pictures}, {game.size_px[0]}x{game.size_px[1]}, {game.cells} cells"]
        lines.append(f"{'milliseconds':<44}{'median':>10}{'95 %':>10}{'count':>8}")
        lines += [_row(NAMES.get(name, name), one) for name, one in game.steps_ms.items()]
        lines += [_row(f"reference: {NAMES.get(name, name)}", one) for name, one in game.reference_ms.items()]
        read = " ".join(map(str, game.cells_read))
        lines += ["", f"changes explained by the move made: {game.right} of {game.verdicts}; cells read: {read}"]
        lines += [
            f"{NAMES.get(one.what, one.what)}: {one.times:g} times faster than {one.reference}" for one in game.ratios
        ]
        if game.resident is not None:
            lines += _resident(game.resident)
        lines += [
            f"{'met   ' if one.met else 'MISSED'}  {one.what}: {one.value:g} ({one.limit:g})" for one in game.targets
        ]
    return [*lines, "", "To paste:", report.line]


def _row(name: str, one: Figure) -> str:
    return f"{name:<44}{one.median:>10.2f}{one.p95:>10.2f}{one.count:>8d}"


def _resident(one: Resident) -> list[str]:
    return [
        f"kibitzer run, nothing happens, {one.idle_s:g} s: {one.idle_cpu_percent.median:.1f} % of one core "
        f"(95 % of windows: {one.idle_cpu_percent.p95:.1f} %), {len(one.processes)} process(es), "
        f"{one.memory_mb:g} MB PSS, {sum(each.anonymous_mb for each in one.processes):g} MB of it from no file, "
        f"at most {one.peak_memory_mb:g} MB RSS",
        f"the same with a browser on the page's picture: {one.viewed_cpu_percent.median:.1f} %",
        f"the same while the camera sways as in a hand: {one.sway_cpu_percent.median:.1f} %",
        f"first reading {one.first_reading_s.median:.2f} s after the start, "
        f"{one.first_reading_cpu_s.median:.2f} s of processor time",
    ]


MIN_ROUNDS = 3
"""Least number of rounds of the reference, however long they take."""
REFERENCE_S = 45.0
"""Seconds after which no further round of the reference begins: on a large board one takes half a minute."""


def bench_game(
    scene: Scene, folder: Path, *, rounds: int, seconds: float, starts: int, reference: bool = True
) -> GameReport:
    """Measures one game completely. Raises SourceError, NoReference, ResidentError."""
    steps = Steps(scene)
    steps.prepare()
    spent_ms: dict[str, list[float]] = {}
    with contextlib.ExitStack() as stack:
        assert steps.rectified is not None
        other = stack.enter_context(Reference(scene, steps.rectified, folder)) if reference else None
        began_s = time.monotonic()
        for number in range(rounds):
            steps.round()
            if other is not None and (number < MIN_ROUNDS or time.monotonic() - began_s < REFERENCE_S):
                other.round()
        spent_ms = dict(other.spent_ms) if other is not None else {}
    ours = {name: figure(values) for name, values in steps.spent_ms.items()}
    theirs = {name: figure(values) for name, values in spent_ms.items()}
    ratios = ratios_of(ours, theirs)
    resident = measure(scene, folder, seconds, starts) if seconds else None
    return GameReport(
        game=scene.game.name,
        pictures=scene.what,
        size_px=SIZE_PX,
        cells=len(scene.game.cells),
        cells_read=steps.cells_read,
        right=steps.right,
        verdicts=steps.verdicts,
        steps_ms=ours,
        reference_ms=theirs,
        ratios=ratios,
        resident=resident,
        targets=targets_of(ratios, resident),
    )
