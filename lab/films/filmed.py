"""Films a photographed game, watches the films as `kibitzer watch` does, and counts the boards followed.

    kibitzer bench filmed                                  # three films of 12 plies
    kibitzer bench filmed --sway 0,1 --nudge 0,1 --free 1.2 --free 0.8,4 --seeds 7,8 --plies 0 --keep FILMS
    kibitzer bench filmed --seed 0 --films 16              # films of all games, without photos

A hand lies over every move. The camera is fixed (--sway 0), leans (0.2) or is held in a hand (1). The board shifts a
little after each move (--nudge 1) or does not (0). It is free for --free seconds between two hands; "0.8,4" is a range.
The camera may degrade the pictures (--spoilt focus --spoilt exposure). A film is made for every combination, and a
separate program, with pipeline, match and referee, watches each.

Printed are, for each film and in all: boards (that the rules allow) followed in their order; wrong boards, believed and
shown by no photo then; illegal boards and how many of them were reported; complaints of other boards; seconds from the
hand's leaving the picture to the verdict; and the share of a core that the program takes at 15 pictures a second,
decoding the film included. Each film's figures go to standard error as soon as it was watched, the table of all to
standard output at the end. Exit status 1 if a wrong board was believed, 2 if the photos are absent.

With --seed, films are made up: each seed draws the game, the table, the light, the camera, the hands and the times, and
the pictures are path-traced (which needs the extra `train` and LLVM 17 or newer). They are kept in --keep, or
var/films, with the truth about every picture, the program's events, and pictures of the first board that was missed.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

import games
from calibration.labels import LabelError, read_labels
from calibration.template import load_template
from lab.films.bench import WatchError, frames_in, watch
from lab.films.films import FPS, Hand, Plan, film_of, hand_from, in_order, make_film, shots_of, showings
from lab.films.judge import Judged, by_the_rules, judge, row_of, sums_of
from lab.films.lens import SPOILT, way_from
from rules import AnyGame
from rules.options import switched_on

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
MADE_UP = Path("var/films")
"""Folder of the films that are made from seeds."""
FREE, UNSPOILT = ["2"], [""]
RULES = {"flying": True, "first": "auto"}
WATCHED_BY = {"flying": "true"}
"""The rule options of morris, and those with which the program watches it."""


@dataclasses.dataclass(frozen=True)
class Watched:
    film: str
    judged: Judged
    film_s: float
    core_share: float
    """CPU seconds of the watching program since it was ready, per second of the film."""


_shots_of = functools.lru_cache(4)(shots_of)


class Studio:
    def __init__(
        self, photos: Path, labels: Path, hand: Path, series: str, folder: Path, game: AnyGame, rules: Mapping[str, str]
    ) -> None:
        """`rules` are those with which the program watches. Raises LabelError, OSError."""
        self.folder, self._photos, self.game, self.rules = folder, photos, game, rules
        self.labels = in_order(read_labels(labels, load_template(game.name, switched_on(game))), series)
        if len(self.labels) < 2:
            raise LabelError(f"{labels}: series {series!r} has fewer than two photos")
        self.hand: Hand = hand_from(hand)
        if not self.hand.sprites:
            raise FileNotFoundError(f"{hand}: the pictures of the hand are absent")
        self._way = way_from(hand / "sway.json")
        self._lock = threading.Lock()

    def film(self, plan: Plan, on_progress: Callable[[float], None]) -> Path:
        """The film of a plan; made unless it exists."""
        wanted = self.labels[: plan.plies + 1] if plan.plies else self.labels
        path, there = film_of(self.folder, plan, len(wanted))
        if not there:
            with self._lock:
                shots = _shots_of(tuple(wanted), self._photos, plan.nudge)
            make_film(shots, self.hand, self._way, plan, path, on_progress=on_progress)
        return path


def measure(studio: Studio, plan: Plan, on_progress: Callable[[float], None]) -> Watched:
    film = studio.film(plan, lambda share: on_progress(share / 2))
    shown = showings(film, studio.hand)
    whole_s = shown[-1].ends_s
    on_progress(0.5)
    game = studio.game
    events, used_s = watch(
        film, game.name, studio.rules, lambda time_s: on_progress(0.5 + min(time_s / whole_s, 1) / 2)
    )
    film_s = frames_in(film) / FPS
    on_progress(1.0)
    return Watched(film.stem, judge(by_the_rules(game, shown), events), round(film_s, 2), round(used_s / film_s, 3))


def table_of(results: Sequence[Watched]) -> Table:
    table = Table("film", "boards", "wrong", "illegal told", "complaints", "verdict median", "95 %", "of a core")
    for one in results:
        table.add_row(one.film, *_row([one]))
    if len(results) > 1:
        table.add_section()
        table.add_row("all", *_row(results))
    return table


def _row(results: Sequence[Watched]) -> list[str]:
    sums = total(results)
    return row_of(sums, f"{sums['core_share']:.0%}")


def total(results: Sequence[Watched]) -> dict[str, Any]:
    film_s = sum(one.film_s for one in results)
    core_share = round(sum(one.core_share * one.film_s for one in results) / film_s, 3)
    return sums_of([one.judged for one in results]) | {"core_share": core_share}


def run(studio: Studio, plans: Sequence[Plan], jobs: int) -> list[Watched]:
    """Runs all films, some in parallel; the results are in the plans' order."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with (
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
        ThreadPoolExecutor(jobs) as pool,
    ):
        task = progress.add_task(f"{len(plans)} films", total=len(plans))
        done = [0.0] * len(plans)

        def tell(number: int, share: float) -> None:
            done[number] = share
            progress.update(task, completed=sum(done))

        def one(number: int, plan: Plan) -> Watched:
            watched = measure(studio, plan, functools.partial(tell, number))
            console.print("  ".join([watched.film, *_row([watched])]), highlight=False)
            return watched

        waiting = [pool.submit(one, number, plan) for number, plan in enumerate(plans)]
        try:
            return [each.result() for each in waiting]
        finally:
            pool.shutdown(cancel_futures=True)


def main(
    sway: Annotated[str, typer.Option(help="shares of a hand's sway, with commas between")] = "0,0.2,1",
    nudge: Annotated[str, typer.Option(help="1 if the board shifts after each move, or 0; with commas between")] = "1",
    free: Annotated[list[str], typer.Option(help="seconds that a board is free, or LEAST,GREATEST; repeatable")] = FREE,
    seeds: Annotated[str, typer.Option(help="of the films of photographs, with commas between")] = "7",
    spoilt: Annotated[
        list[str], typer.Option(help=f"what the camera does to it: {', '.join(SPOILT)}, or nothing; repeatable")
    ] = UNSPOILT,
    plies: Annotated[int, typer.Option(help="photos after the first; 0 is the whole game")] = 12,
    jobs: Annotated[int, typer.Option(help="films side by side")] = 1,
    keep: Annotated[
        Path | None, typer.Option(help="folder for the films; those found there are not made again")
    ] = None,
    results: Annotated[Path | None, typer.Option("--json", help="file for all figures")] = None,
    photos: Annotated[Path, typer.Option(help="folder with labels.json")] = DATA / "morris",
    labels: Annotated[Path | None, typer.Option(help="another file of labels")] = None,
    hand: Annotated[Path, typer.Option(help="folder of the hand and sway.json")] = DATA / "hand",
    series: Annotated[str, typer.Option("--game", help="first part of the photos' names")] = "1",
    name: Annotated[str, typer.Option(help="which game it is, by module or short name")] = "morris",
    rule: Annotated[list[str] | None, typer.Option(help="rule option k=v; repeatable")] = None,
    seed: Annotated[int | None, typer.Option(help="of the first film that is made up")] = None,
    films: Annotated[int, typer.Option(help="films that are made up, one for each seed")] = 1,
) -> int:
    plans = plans_of(sway, nudge, free, seeds, spoilt, plies)
    if seed is not None:
        from lab.films import bench as film_bench  # its renderer is an extra

        folder = keep or MADE_UP
        folder.mkdir(parents=True, exist_ok=True)
        return film_bench.run(range(seed, seed + films), folder, hand, results)
    with tempfile.TemporaryDirectory(prefix="kibitzer-films-") as temporary:
        folder = keep or Path(temporary)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            rules = dict(word.split("=", 1) for word in rule or ())
            is_morris = name == "morris" and not rules
            game = games.load(name, RULES if is_morris else rules)
            watched_by = WATCHED_BY if is_morris else rules
            studio = Studio(photos, labels or photos / "labels.json", hand, series, folder, game, watched_by)
            watched = run(studio, plans, jobs)
        except (LabelError, OSError, ValueError, WatchError) as error:
            sys.stderr.write(f"filmed: {error}\n")
            return 2
    Console(width=None if sys.stdout.isatty() else 110).print(table_of(watched))
    for one in watched:
        for wrong in one.judged.wrong:
            sys.stdout.write(f"{one.film}: wrong board at {wrong}\n")
    if results is not None:
        figures = {"total": total(watched), "films": [dataclasses.asdict(one) for one in watched]}
        results.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 1 if any(one.judged.wrong for one in watched) else 0


def plans_of(sway: str, nudge: str, free: Sequence[str], seeds: str, spoilt: Sequence[str], plies: int) -> list[Plan]:
    """A plan for every combination of what the command line names. Raises typer.BadParameter."""
    try:
        for words in free:
            least, *greatest = _numbers(words)
            if not 0 < least <= (greatest or [least])[-1] or len(greatest) > 1:
                raise ValueError(f"--free {words}: neither seconds nor LEAST,GREATEST")
        if strange := set(spoilt) - {"", *SPOILT}:
            raise ValueError(f"--spoilt {', '.join(sorted(strange))}: there are {', '.join(SPOILT)}")
        ways = itertools.product(_numbers(sway), _numbers(nudge), free, map(int, seeds.split(",")), spoilt)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return [Plan(sway, nudge, free, seed, plies, spoilt) for sway, nudge, free, seed, spoilt in ways]


def _numbers(words: str) -> list[float]:
    return [float(word) for word in words.split(",")]
