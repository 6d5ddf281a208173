"""`kibitzer bench`: measures the program's costs on this machine."""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import json as json_format
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Annotated, Any

import cv2
import typer
from pydantic import BaseModel
from rich.console import Console
from typer.core import TyperGroup
from typer.main import get_command

import games
from daemon.cli.wrong_call import refusals
from lab.bench.speed import cold_start as worker_bench
from lab.bench.speed import latency, stepped, tables_load, vision_report
from lab.bench.speed import search as search_bench
from lab.bench.speed.recording import SIZE_PX, record
from lab.bench.speed.report import Report, Target, bench_game, lines_of, machine
from lab.bench.speed.resident import ResidentError
from lab.bench.speed.scenes import scene_of
from lab.bench.speed.steps import NoReference
from lab.bench.speed.vision_report import VisionReport, bench_vision
from system import paths

Game = Annotated[str, typer.Option(help="Game, by module or short name.")]
Games = Annotated[list[str], typer.Option(help="Game, by module or short name. Repeatable.")]
GamesOrAll = Annotated[list[str] | None, typer.Option(help="Game, by module or short name. Repeatable. Default: all.")]
Rate = Annotated[float, typer.Option("--rate", min=5, max=60, help="Pictures a second.")]
Settle = Annotated[float, typer.Option("--settle", min=0.1, max=10, help="Seconds, as settle_s in the section eyes.")]
Thesis = Annotated[bool, typer.Option(help="Measure Preda's thesis too, in turns with ours.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object instead of tables.")]
JsonTable = Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")]

GAMES = ["morris", "dominoes"]
TABLES = ["morris", "reversi", "gomoku", "co_ganh"]
BOARDS = ["morris", "reversi", "gomoku", "dominoes"]

TRIALS = ("lab.bench", "lab.films")
"""Packages whose modules with a function `main` are benches, each named by its file."""


class Benches(TyperGroup):
    """The benches below, and the modules of `TRIALS`; only those that are asked for are imported."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *trials()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The bench of that name as the list and completion show it: of a module, only its first paragraph."""
        module = trials().get(cmd_name)
        if module is None:
            return super().get_command(ctx, cmd_name)
        path = paths.PROGRAM / f"{module.replace('.', '/')}.py"
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        listed = typer.Typer(add_completion=False)
        listed.command(cmd_name, help=text.partition("\n\n")[0])(lambda: None)
        return get_command(listed)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The bench to run: of a module, its `main`."""
        module = trials().get(args[0]) if args else None
        if module is None:
            return super().resolve_command(ctx, args)
        return args[0], command_of(importlib.import_module(module), args[0]), args[1:]


@functools.cache
def trials() -> dict[str, str]:
    found = [(package, path) for package in TRIALS for path in (paths.PROGRAM / package.replace(".", "/")).glob("*.py")]
    return {
        path.stem.replace("_", "-"): f"{package}.{path.stem}"
        for package, path in sorted(found, key=lambda one: one[1].stem)
        if "\ndef main(" in path.read_text(encoding="utf-8")
    }


def command_of(module: ModuleType, name: str) -> Any:
    """A module's `main` as a command, with the module's text as help."""

    @functools.wraps(module.main)
    def main(*given: Any, **options: Any) -> None:
        raise typer.Exit(int(module.main(*given, **options) or 0))

    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    paragraphs = (module.__doc__ or "").split("\n\n")
    told = [textwrap.dedent(part) if part.startswith("    ") else " ".join(part.split()) for part in paragraphs]
    alone.command(name, help="\n\n".join(told))(main)
    return get_command(alone)


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, cls=Benches)


@app.callback()
def bench() -> None:
    """Measures what the program costs, and tries it on tables, films and photographs that nobody tuned it to."""


@app.command("pipeline")
def pipeline(
    game: Games = GAMES,
    photos: Annotated[
        Path | None, typer.Option(help="Two photos, before and after a move, instead of pictures.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Moves that are watched.")] = 20,
    seconds: Annotated[float, typer.Option(min=0, max=3600, help="Seconds the idle daemon is watched; 0: not.")] = 20.0,
    starts: Annotated[int, typer.Option(min=1, max=20, help="Starts of the daemon that are timed.")] = 3,
    reference: Thesis = True,
    json: Json = False,
) -> None:
    """Measures every step from frame to verdict, and the running daemon while nothing happens.

    The same run measures the method of Preda's thesis (docs/results.md): SIFT on every frame, ResNet-18 in full
    precision on every cell. Other programs disturb the figures: the load is printed with them. The last line (`line`
    with --json) is one to paste: what a changed picture costs, tracked, read and judged, and a board at rest. Exit
    status 1 if a target is missed.

    Example: kibitzer bench pipeline --game morris --seconds 30 --json
    """
    cv2.setNumThreads(1)  # one thread against one thread
    load = os.getloadavg()[0]
    with measuring("bench") as (folder, _):
        reports = [
            bench_game(
                scene_of(name, photos), folder,
                rounds=rounds, seconds=seconds, starts=starts, reference=reference,
            )
            for name in game
        ]  # fmt: skip
    report = Report(machine=machine(load), games=reports)
    _tell(report, lines_of(report), json, [target for one in reports for target in one.targets])


@app.command("vision")
def vision(
    game: Games = BOARDS,
    photos: Annotated[
        Path | None, typer.Option(help="With one --game: folder of labelled photos to measure accuracy on too.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="What the photos show, as for `kibitzer calibrate`: JSON, or annotated moves.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Times that the board is read.")] = 15,
    cells: Annotated[
        int, typer.Option(min=0, max=10**6, help="Simulated cells on which accuracy is compared; 0: none.")
    ] = 2000,
    reference: Thesis = True,
    json: Json = False,
) -> None:
    """Measures the cost of reading all cells of a board at once on one thread, and the accuracy that eight bits lose.

    The same run compares three ways: the network in eight bits as shipped, the same network in full precision, and the
    method of Preda's thesis (docs/results.md): a ResNet-18 in full precision, one cell after the other at 224 pixels;
    also at 48 pixels, and 25 cells at once. Milliseconds are processor time, which other programs disturb less. Then
    the same pictures are read in eight bits and in full precision, without a profile, and the cells read right are
    counted.

    Fields: machine, games (game, pictures, cells, network, full_precision, read_ms, reference_ms, ratios, precision,
    targets). Exit status 1 if a target is missed.

    Example: kibitzer bench vision --game gomoku --json

    Example: kibitzer bench vision --game morris --photos shots --labels shots/labels.json
    """
    cv2.setNumThreads(1)
    load = os.getloadavg()[0]
    with measuring("bench") as (folder, show):
        if (photos is None) != (labels is None) or (photos is not None and len(game) != 1):
            raise ValueError("--photos FOLDER goes with --labels FILE and with exactly one --game")
        reports = [
            bench_vision(
                name, folder, rounds=rounds, cells=cells, reference=reference, photos=photos,
                labels=labels, step=functools.partial(show, name),
            )
            for name in game
        ]  # fmt: skip
    report = VisionReport(machine=machine(load), games=reports)
    _tell(report, vision_report.lines_of(report), json, [target for one in reports for target in one.targets])


@app.command("search")
def search(
    game: GamesOrAll = None,
    figures: Annotated[bool, typer.Option("--figures/--no-figures", help="Measure the searches.")] = True,
    cold_start: Annotated[
        bool, typer.Option("--cold-start", help="Measure a worker's first answer too, without and with compiled code.")
    ] = False,
    json: Json = False,
) -> None:
    """Measures the searches of each game, side by side with plain alpha-beta and plain minimax.

    All search the same positions in turns, to the same depth by the same heuristic; their scores must be equal. Then
    come the engine by its own evaluation, playouts, perft and endgames. Seconds are processor time. --cold-start starts
    a real worker with an empty compile cache and with a warm one, until its first answer: wall time.

    Fields: machine, games (exact, scores_equal, engine, mcts, perft, endgames, ratios), starts. Exit status 1 if scores
    differ or a start takes longer than promised.

    Example: kibitzer bench search --game reversi --cold-start --json
    """
    load = os.getloadavg()[0]
    found: list[search_bench.GameCost] = []
    starts: list[worker_bench.Start] = []
    with measuring("bench") as (_, show):
        for one in [games.load(name) for name in game or games.names()]:
            if figures:
                found.append(search_bench.measure(one, functools.partial(show, one.title)))
            if cold_start:
                show(one.title, "a worker starts")
                starts += worker_bench.measure(one)
    here = machine(load)
    if json:
        told = {
            "machine": here.model_dump(),
            "games": [one.as_json() for one in found],
            "starts": [one.as_json() for one in starts],
        }
        sys.stdout.write(json_format.dumps(told) + "\n")
    else:
        lines = [str(here)]
        for figure in found:
            lines += ["", *search_bench.lines_of(figure)]
        sys.stdout.write("\n".join([*lines, "", *worker_bench.lines_of(starts)]).rstrip() + "\n")
    if not all(one.scores_equal for one in found) or not all(one.met for one in starts):
        raise typer.Exit(1)


@app.command("latency")
def latency_of_play(
    game: Game = "morris",
    hands: Annotated[int, typer.Option(min=1, max=2000, help="Hands that make a move or take one back.")] = 40,
    rate_hz: Rate = 15.0,
    settle_s: Settle = 0.4,
    seed: Annotated[int, typer.Option(min=0, help="Of the simulated table.")] = 1,
    speech: Annotated[bool, typer.Option(help="Speak into a sound device that writes a file.")] = True,
    json: JsonTable = False,
) -> None:
    """Measures in real time how long a verdict takes after a hand has left the board, and the first sound after that.

    A simulated table (1280x720) is recorded first, so that the simulation costs nothing during the measurement: four
    plies and their takebacks, served as MJPEG on loopback, each picture when it is due, round after round. The whole
    `kibitzer run` watches it: stream, pipeline, record, bus, page, voice. The hand has left when neither it nor
    its shadow is over the board and its margin; this is checked four times per picture. The sound device is ALSA's
    file plug-in in front of its null device, which takes a phrase at once.

    Fields: machine, game, rate_hz, settle_s, hands, missed, verdict_s, from_view_s, settling_s, way_s, judging_s,
    sound_s, silent, targets. Other programs disturb the figures: the load is printed with them. Exit status 1 if a
    target is missed.

    Example: kibitzer bench latency --game reversi --hands 80 --rate 10 --json
    """
    load = os.getloadavg()[0]
    with measuring("bench latency") as (folder, show):
        step = functools.partial(show, game)
        recording = record(game, seed=seed, plies=4, rate_hz=rate_hz, step=step)
        found = latency.measure_latency(recording, folder, hands, speech=speech, settle_s=settle_s, step=step)
    report = found.model_copy(update={"machine": machine(load)})
    _tell(report, latency.lines_of(report), json, report.targets)


@app.command("verdicts")
def verdicts_in_table_time(
    game: GamesOrAll = None,
    hands: Annotated[int, typer.Option(min=1, max=10**5, help="Hands a game that make a move or take one back.")] = 40,
    rate_hz: Rate = 15.0,
    settle_s: Settle = 0.4,
    seed: Annotated[int, typer.Option(min=0, help="Of the table, the moves and the hands.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line and game instead of text.")] = False,
) -> None:
    """Measures how long verdicts take after a hand has left the board, in the simulated table's time, over many hands.

    The table is stepped picture by picture, and each picture goes through pipeline and referee as in the daemon. No
    clock is read, so other programs disturb nothing and the same seed gives the same figures: they show how long the
    program waits on purpose. Computing time comes on top; `kibitzer bench latency` measures both in real time. Every
    hand whose verdict took more than a second, or never came, is listed with the events meanwhile.

    Fields: game, rate_hz, settle_s, hands, missed, verdict_s, largest_s, slow (hand, verdict_s, trace). Exit status 1
    if a target of `kibitzer bench latency` is missed.

    Example: kibitzer bench verdicts --game ganh --hands 150 --json
    """
    met = True
    with measuring("bench verdicts") as (_, show):
        for one in [games.load(name) for name in game or games.names()]:
            step = functools.partial(show, one.title)
            found = stepped.measure_stepped(one.name, hands, seed=seed, rate_hz=rate_hz, settle_s=settle_s, step=step)
            sys.stdout.write((found.model_dump_json() if json else "\n".join(stepped.lines_of(found))) + "\n")
            sys.stdout.flush()
            met = met and all(target.met for target in latency.targets_of(found.verdict_s, None, found.missed))
    if not met:
        raise typer.Exit(1)


@app.command("tables")
def several_tables(
    tables: Annotated[int, typer.Option(min=1, max=16, help="Tables in one daemon.")] = 4,
    game: Annotated[list[str], typer.Option(help="Games, in turn. Repeatable.")] = TABLES,
    seconds: Annotated[float, typer.Option(min=5, max=3600, help="How long they are watched.")] = 60.0,
    rate_hz: Rate = 10.0,
    seed: Annotated[int, typer.Option(min=0, help="Of the first simulated table; the next ones count up.")] = 1,
    json: JsonTable = False,
) -> None:
    """Measures several tables in one daemon: pictures judged a second, their age, and the cost.

    Simulated tables (1280x720) are recorded first, so that the simulation costs nothing during the measurement: at
    each, hands make four legal plies and take them back, with a second or two between. Then they are served as MJPEG on
    loopback, each picture when it is due, round after round. A comment in each JPEG holds the time at which it was
    taken, so that its age counts wherever it waited. `kibitzer run` watches them all, with record, bus and page. CPU is
    of one core. Serving is this program's own cost and is printed.

    Fields: machine, seconds, rate_hz, size_px, tables (game, sent_hz, judged_hz, age_s, oldest_s, judged_age_s,
    oldest_judged_s, cpu_percent, memory_mb, hands, verdicts), bench_cpu_percent, targets. Exit status 1 if a picture
    older than half a second was judged.

    Example: kibitzer bench tables --tables 4 --seconds 120 --json
    """
    load = os.getloadavg()[0]
    with measuring("bench tables") as (folder, show):
        recordings = []
        for number in range(tables):
            name = game[number % len(game)]
            step = functools.partial(show, f"table {number + 1}, {name}")
            recordings.append(record(name, seed=seed + number, plies=4, rate_hz=rate_hz, finely=False, step=step))
        step = functools.partial(show, f"{tables} tables")
        loads, own = tables_load.measure_tables(recordings, folder, seconds, step)
    report = tables_load.TablesReport(
        machine=machine(load), seconds=seconds, rate_hz=rate_hz, size_px=SIZE_PX, tables=loads,
        bench_cpu_percent=own, targets=tables_load.targets_of(loads),
    )  # fmt: skip
    _tell(report, tables_load.lines_of(report), json, report.targets)


@contextlib.contextmanager
def measuring(command: str) -> Iterator[tuple[Path, Callable[[str, str], None]]]:
    """A folder for the run, and what shows its progress; what goes wrong ends the command with its own words."""
    with (
        refusals(command, ValueError, OSError, NoReference, ResidentError),
        TemporaryDirectory(prefix="kibitzer-bench-") as temporary,
        Console(stderr=True).status("") as status,
    ):
        yield Path(temporary), lambda title, text: status.update(f"{title}: {text}")


def _tell(report: BaseModel, lines: Iterable[str], as_json: bool, targets: Iterable[Target]) -> None:
    sys.stdout.write((report.model_dump_json() if as_json else "\n".join(lines)) + "\n")
    if not all(target.met for target in targets):
        raise typer.Exit(1)
