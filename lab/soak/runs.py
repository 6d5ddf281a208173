"""Runs many trials in parallel processes; each keeps its result in a file, so that a soak can be continued."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import multiprocessing
import queue
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeAlias

import cv2

from lab.soak.hand_faults import kinds_of
from lab.soak.tally import Tally, tally_from
from lab.soak.trial import Trial
from lab.soak.world import Plan

LOGGER = logging.getLogger(__name__)
LOOK_S = 0.2
SAMPLES_OF_A_PART = 60
"""Samples of the process's resources, one a simulated minute, between two files of what was counted so far."""


class SoakError(RuntimeError):
    """A trial broke off; the message names it."""


@dataclasses.dataclass(frozen=True)
class TrialProgress:
    number: int
    """Index of the plan."""
    plies: int
    simulated_s: float
    error: str = ""


Reports: TypeAlias = "multiprocessing.Queue[TrialProgress]"


def file_of(folder: Path, plan: Plan) -> Path:
    """The file of a trial's result; its name contains the game, the seed and a checksum of the whole plan."""
    words = json.dumps(dataclasses.asdict(plan), sort_keys=True)
    mark = f"{sum(word * (place + 1) for place, word in enumerate(words.encode())) % 0xFFFFFF:06x}"
    return folder / f"{plan.game}-{plan.seed}-{mark}.json"


def load(folder: Path, plan: Plan) -> Tally | None:
    """The result of a trial finished earlier; None if there is no readable one."""
    try:
        data: dict[str, Any] = json.loads(file_of(folder, plan).read_text(encoding="utf-8"))
        if data.pop("plan") == json.loads(json.dumps(dataclasses.asdict(plan))):
            return tally_from(data)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def save(folder: Path, plan: Plan, tally: Tally) -> None:
    save_part(folder, plan, tally).replace(file_of(folder, plan))


def save_part(folder: Path, plan: Plan, tally: Tally) -> Path:
    """Writes what a running trial has counted and measured so far, for people to look at; returns the file."""
    unfinished = file_of(folder, plan).with_suffix(".part")
    data = {"plan": dataclasses.asdict(plan), **dataclasses.asdict(tally)}
    unfinished.write_text(json.dumps(data), encoding="utf-8")
    return unfinished


def run_all(
    plans: Sequence[Plan],
    folder: Path,
    *,
    jobs: int,
    keep_failures: Path | None,
    on_progress: Callable[[TrialProgress], None],
) -> Iterator[Tally]:
    """Yields each plan's result as it is done; those finished earlier come first and are not run again.

    Raises SoakError after all others are done if trials broke off.
    """
    waiting: list[int] = []
    for number, plan in enumerate(plans):
        done = load(folder, plan)
        if done is None:
            waiting.append(number)
        else:
            on_progress(TrialProgress(number, done.plies, done.simulated_s))
            yield done
    context = multiprocessing.get_context("spawn")
    reports: Reports = context.Queue(1024)
    running: dict[int, BaseProcess] = {}
    broken: list[str] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                number = waiting.pop(0)
                work = number, plans[number], folder, keep_failures, reports
                running[number] = context.Process(target=_work, args=work, daemon=True)
                running[number].start()
            broken += _listen(reports, on_progress)
            for number in [number for number, process in running.items() if not process.is_alive()]:
                running.pop(number).join()
                tally = load(folder, plans[number])
                if tally is None:
                    broken.append(f"{plans[number].game}, seed {plans[number].seed}")
                else:
                    yield tally
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.join(5)
    if broken:
        raise SoakError(f"broke off: {'; '.join(broken)}")


def _listen(reports: Reports, on_progress: Callable[[TrialProgress], None]) -> list[str]:
    """Passes on the trials' progress for LOOK_S seconds at most; returns their errors."""
    errors, until_s = [], time.monotonic() + LOOK_S
    while time.monotonic() < until_s:
        try:
            one = reports.get(timeout=LOOK_S)
        except queue.Empty:
            break
        on_progress(one)
        if one.error:
            errors.append(one.error)
    return errors


def _work(number: int, plan: Plan, folder: Path, keep_failures: Path | None, reports: Reports) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its trials
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    logging.disable(logging.ERROR)
    cv2.setNumThreads(1)

    def tell(tally: Tally, error: str = "") -> None:
        one = TrialProgress(number, tally.plies, tally.samples[-1].time_s if tally.samples else 0.0, error)
        with contextlib.suppress(queue.Full):
            reports.put_nowait(one)
        if len(tally.samples) % SAMPLES_OF_A_PART == 1:
            save_part(folder, plan, tally)

    try:
        with tempfile.TemporaryDirectory(prefix="kibitzer-soak-") as temporary:
            tempfile.tempdir = temporary  # so that other programs' temporary files are not counted
            trial = Trial(plan, Path(temporary), kinds_of(plan.faults), on_progress=tell, keep_failures=keep_failures)
            save(folder, plan, trial.run())
    except Exception as error:
        reports.put(TrialProgress(number, 0, 0.0, f"{plan.game}, seed {plan.seed}: {type(error).__name__}: {error}"))
        raise
