"""`kibitzer bench`: what the program costs, on the machine at hand."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import cv2
import typer

import games
from daemon.bench.reference import NoReference
from daemon.bench.report import Report, lines_of, machine
from daemon.bench.resident import ResidentError
from daemon.bench.run import bench_game
from daemon.bench.scenes import scene_of
from vision.frame import SourceError
from vision.mjpeg_server import ServerError

GAMES = ["morris", "dominoes"]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def bench() -> None:
    """Measures what the program costs."""


@app.command("pipeline")
def pipeline(
    game: Annotated[list[str], typer.Option(help="Game, by module or short name. Repeatable.")] = GAMES,
    photos: Annotated[
        Path | None, typer.Option(help="Two photos, before and after a move, instead of pictures.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Moves that are watched.")] = 20,
    seconds: Annotated[float, typer.Option(min=0, max=3600, help="Seconds the idle daemon is watched; 0: not.")] = 20.0,
    starts: Annotated[int, typer.Option(min=1, max=20, help="Starts of the daemon that are timed.")] = 3,
    reference: Annotated[bool, typer.Option(help="Measure the thesis' way too, in turns with ours.")] = True,
    json: Annotated[bool, typer.Option("--json", help="One JSON object instead of tables.")] = False,
) -> None:
    """Measures every step from frame to verdict, and the running daemon while nothing happens.

    In the same run, as reference, the thesis' way: SIFT on every frame, and ResNet-18 in full precision on every
    cell. Other programs disturb the figures: the load is printed with them. Exit status 1 where a target is missed.

    Example: kibitzer bench pipeline --game morris --seconds 30 --json
    """
    cv2.setNumThreads(1)  # one thread against one thread
    load = os.getloadavg()[0]
    try:
        with TemporaryDirectory(prefix="kibitzer-bench-") as temporary:
            reports = [
                bench_game(
                    scene_of(name, photos), Path(temporary),
                    rounds=rounds, seconds=seconds, starts=starts, reference=reference,
                )
                for name in game
            ]  # fmt: skip
    except (games.GameError, SourceError, ServerError, NoReference, ResidentError, OSError) as error:
        sys.stderr.write(f"kibitzer bench: {error}\n")
        raise typer.Exit(2) from None
    report = Report(machine=machine(load), games=reports)
    sys.stdout.write((report.model_dump_json() if json else "\n".join(lines_of(report))) + "\n")
    if not all(target.met for one in reports for target in one.targets):
        raise typer.Exit(1)
