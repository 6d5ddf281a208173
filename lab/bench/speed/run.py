"""The bench of one game: pipeline steps and reference in turns, then the daemon itself."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from lab.bench.speed.figures import figure
from lab.bench.speed.reference import Reference
from lab.bench.speed.report import GameReport, ratios_of, targets_of
from lab.bench.speed.resident import measure
from lab.bench.speed.scenes import SIZE_PX, Scene
from lab.bench.speed.steps import Steps

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
