"""`python -m tests.fuzz`: fuzzes every reader of input, and lists the faults found."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tests.fuzz import drawing, guided
from tests.fuzz.entry import TARGETS, Entry, Tally, arm, met, quiet
from tests.fuzz.mutation import Mutator
from tests.fuzz.targets import entries_of

GUIDED, DRAWN = 0.3, 0.01
"""Shares of an entry's inputs that libFuzzer and hypothesis make; the others are mutations of good inputs."""
LEAST = 20
SHARES = dict(zip(TARGETS, (0.3, 0.04, 0.1, 0.003, 0.05, 0.477, 0.015, 0.005, 0.01), strict=True))
"""Each target's share of all inputs; fast targets get more."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def share_out(entries: list[Entry], count: int) -> dict[str, int]:
    targets = {entry.target for entry in entries}
    whole = sum(SHARES[target] for target in targets)
    weights = {target: sum(entry.weight for entry in entries if entry.target == target) for target in targets}
    return {
        entry.name: max(LEAST, round(count * SHARES[entry.target] / whole * entry.weight / weights[entry.target]))
        for entry in entries
    }


def run_entry(tally: Tally, entry: Entry, count: int, seed: int, step: Callable[[int], None]) -> None:
    by_guide = round(count * GUIDED) if entry.guided and guided.is_available() else 0
    by_drawing = max(5, round(count * DRAWN)) if count > LEAST else 5

    def feed(data: bytes) -> None:
        begun_s = time.process_time()
        tally.count(met(entry, data))
        tally.took(data, time.process_time() - begun_s)
        step(1)

    met(entry, entry.seeds[0] if entry.seeds else b"")  # loads what the reader needs, of which no input is the cause
    for one in entry.seeds[:count]:
        feed(one)
    drawing.draw(entry, by_drawing, seed, feed)
    mutator = Mutator(entry.seeds, entry.words, random.Random(f"{seed} {entry.name}"), entry.longest)
    while tally.inputs < count - by_guide:
        feed(mutator.next())
    if by_guide:
        tally.add(guided.drive(entry, by_guide, seed))
        step(by_guide)


@app.command()
def fuzz(
    target: Annotated[
        str, typer.Option(help=f"One of {', '.join(TARGETS)}, or all; or one entry such as ggf.")
    ] = "all",
    count: Annotated[int, typer.Option(min=1, help="Inputs in all.")] = 20_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of chance: the same one makes the same inputs.")] = 1,
    save: Annotated[Path | None, typer.Option(help="Folder for one input of every fault that is met.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Fuzzes everything that Kibitzer reads: by mutation, hypothesis, and libFuzzer if it is installed.

    An input may be accepted or refused by its declared error; another exception, more than ten seconds of
    processor time, or a state that the rules do not allow is a fault. Ctrl-C ends it with what was found so far.
    Exit status: 0 no fault, 1 faults, 2 wrong usage.

    Example: python -m tests.fuzz --target bus --count 100000 --seed 7 --json
    """
    if target in (*TARGETS, "all"):
        entries = entries_of(target)
    else:
        entries = [entry for entry in entries_of("all") if entry.name == target]
    if not entries:
        sys.stderr.write(f"tests.fuzz: there is no target {target!r}; there are {', '.join(TARGETS)} and all\n")
        raise typer.Exit(2)
    arm()
    quiet()
    begun_s, shares = time.monotonic(), share_out(entries, count)
    tallies: dict[str, Tally] = {}
    with (
        contextlib.suppress(KeyboardInterrupt),
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        ) as bar,
    ):
        task = bar.add_task("", total=sum(shares.values()))
        for entry in entries:
            bar.update(task, description=entry.name)
            tally = tallies[entry.name] = Tally()
            run_entry(tally, entry, shares[entry.name], seed, lambda done: bar.advance(task, done))
    report = _report([entry for entry in entries if entry.name in tallies], tallies, seed, time.monotonic() - begun_s)
    if save is not None:
        _save(save, tallies)
    _tell(report, as_json)
    raise typer.Exit(1 if report["found"] else 0)


def _report(entries: list[Entry], tallies: dict[str, Tally], seed: int, seconds: float) -> dict[str, Any]:
    targets: dict[str, dict[str, int]] = {}
    for entry in entries:
        tally, sums = tallies[entry.name], targets.setdefault(entry.target, {"inputs": 0, "accepted": 0, "found": 0})
        sums["inputs"] += tally.inputs
        sums["accepted"] += tally.accepted
        sums["found"] += len(tally.found)
    return {
        "inputs": sum(tally.inputs for tally in tallies.values()),
        "targets": targets,
        "entries": {
            name: {
                "inputs": one.inputs,
                "accepted": one.accepted,
                "slowest": {"bytes": len(one.slowest), "times_the_mean": round(one.slowness(), 1)},
            }
            for name, one in tallies.items()
        },
        "found": [fault for tally in tallies.values() for fault in tally.as_object()["found"]],
        "seed": seed,
        "guided": guided.is_available(),
        "seconds": round(seconds, 1),
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
    }


def _save(folder: Path, tallies: dict[str, Tally]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for tally in tallies.values():
        for number, found in enumerate(tally.found):
            (folder / f"{found.entry}-{number}").write_bytes(found.example)


def _tell(report: dict[str, Any], as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(report) + "\n")
        return
    sys.stdout.write(f"{'target':<12}{'inputs':>10}{'accepted':>10}{'faults':>8}\n")
    for name, sums in report["targets"].items():
        sys.stdout.write(f"{name:<12}{sums['inputs']:>10}{sums['accepted']:>10}{sums['found']:>8}\n")
    sys.stdout.write(f"{'all':<12}{report['inputs']:>10} in {report['seconds']:.0f} s, seed {report['seed']}\n")
    for name, one in sorted(report["entries"].items(), key=lambda pair: -pair[1]["slowest"]["times_the_mean"])[:3]:
        slow = one["slowest"]
        sys.stdout.write(
            f"{name}: a byte of the slowest input ({slow['bytes']}) took {slow['times_the_mean']} times the mean\n"
        )
    for fault in report["found"]:
        sys.stdout.write(
            f"{fault['kind']} in {fault['entry']}: {fault['error']} at {fault['where']}: {fault['what'][:120]}"
            f" ({fault['count']} times), such as {bytes.fromhex(fault['example'])[:80]!r}\n"
        )


if __name__ == "__main__":
    app(prog_name="python -m tests.fuzz")
