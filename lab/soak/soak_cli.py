"""`kibitzer soak`: fault-injection test of the daemon on simulated tables."""

from __future__ import annotations

import json as json_format
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import games
from daemon.cli.wrong_call import refusals, stop
from lab.soak.fault import FAULTS
from lab.soak.hand_faults import kinds_of
from lab.soak.runs import SoakError, TrialProgress, run_all
from lab.soak.tally import COUNTS, DEFINITIONS, Tally, total
from lab.soak.world import THINK_S, Plan
from rules.options import rules_from_words

CALM_S = 6.0
GAMES = ",".join(games.find(name).about.short_name for name in games.names())

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("soak")
def soak(
    plies: Annotated[
        int, typer.Option(min=0, help="Plies that are made, over all games and seeds. [default: 500]")
    ] = 0,
    hours: Annotated[float, typer.Option(min=0, help="Simulated hours instead, over all games and seeds.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="First seed; each game is played at as many tables as --seeds.")] = 1,
    seeds: Annotated[int, typer.Option(min=1, max=10000, help="Seeds, counted up from --seed.")] = 1,
    game: Annotated[str, typer.Option("--games", help="Games, with commas between.")] = GAMES,
    rule: Annotated[
        list[str], typer.Option("--rule", "--rules", help="Rule option k=v, or a rule set, of all games. Repeatable.")
    ] = [],  # noqa: B006
    faults: Annotated[str, typer.Option(help=f"With commas between: {', '.join(FAULTS)}; or all, none.")] = "all",
    still: Annotated[bool, typer.Option("--still", help="Nobody makes a move: only the faults happen.")] = False,
    calm_s: Annotated[
        float, typer.Option(min=0, max=3600, help="Mean of the simulated seconds between two faults.")
    ] = CALM_S,
    think_s: Annotated[
        float, typer.Option(min=0, max=3600, help="Mean of the simulated seconds that a person thinks about a move.")
    ] = THINK_S,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Trials side by side.")] = 1,
    until: Annotated[float, typer.Option(min=0, help="End every trial at this simulated second, to look at it.")] = 0.0,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for results, one file a trial; those found there are not run again. A trial that still runs "
            "writes what it has counted so far once a simulated hour, to a file .part."
        ),
    ] = None,
    keep_failures: Annotated[Path | None, typer.Option(help="Folder for a picture of each failure.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the last line: one JSON object.")] = False,
) -> None:
    """Plays on simulated tables under injected faults, as fast as the machine allows, and counts what goes wrong.

    Pictures, pipeline, referee and record are the real ones; time, table, hands and faults are simulated. Each game is
    played at one table per seed; such a trial is the same on every run. Ctrl-C keeps the finished trials: the same
    command with --out continues. Exit status 1 if any count that must be 0 is not.

    Example: kibitzer soak --plies 5000 --seeds 10 --jobs 2 --out soak --json

    Each failure is printed with the command that reproduces it: kibitzer soak --games morris --seed 3 --until 77
    """
    with refusals("soak"):
        plans = _plans(plies, hours, seed, seeds, game, tuple(rule), faults, still, calm_s, until, think_s)
    done: list[Tally] = []
    same = "".join(f" --rule {one}" for one in rule)
    same += ("" if faults == "all" else f" --faults {faults}") + ("" if calm_s == CALM_S else f" --calm-s {calm_s:g}")
    same += "" if think_s == THINK_S else f" --think-s {think_s:g}"
    with TemporaryDirectory(prefix="kibitzer-soak-") as temporary:
        folder = out or Path(temporary)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with _progress_bar() as progress:
                count = _Count(progress, plans)
                for tally in run_all(plans, folder, jobs=jobs, keep_failures=keep_failures, on_progress=count.update):
                    done.append(tally)
                    if not as_json:
                        progress.console.print(_line(tally), highlight=False, markup=False)
        except KeyboardInterrupt:
            where = f"; the same command with --out {out} goes on" if out else ""
            sys.stderr.write(f"kibitzer soak: stopped after {len(done)} of {len(plans)} trials{where}\n")
            _print(done, as_json, same)
            raise typer.Exit(130) from None
        except (SoakError, OSError) as error:
            _print(done, as_json, same)
            raise stop("soak", error) from None
    _print(done, as_json, same)
    if any(getattr(tally, name) for tally in done for name in COUNTS):
        raise typer.Exit(1)


def _plans(
    plies: int,
    hours: float,
    seed: int,
    seeds: int,
    game: str,
    rules: tuple[str, ...],
    faults: str,
    still: bool,
    calm_s: float,
    until: float,
    think_s: float,
) -> list[Plan]:
    """Plans of all trials, with plies and hours shared out evenly. Raises ValueError, GameError."""
    if plies and hours:
        raise ValueError(f"--plies {plies} and --hours {hours:g} exclude each other")
    if still and not hours:
        raise ValueError("--still makes no plies: say how long with --hours")
    names = [games.find(name.strip()).about.short_name for name in game.split(",") if name.strip()]
    for name in names:
        games.load(name, rules_from_words(rules))
    if not names:
        raise ValueError(f"--games names no game: {game!r}")
    if not plies and not hours:
        plies = 500
    named = {"all": list(FAULTS), "none": []}.get(faults.strip())
    kinds = kinds_of([name.strip() for name in faults.split(",") if name.strip()] if named is None else named)
    count = len(names) * seeds
    share = -(-plies // count)
    faulty = tuple(kind.name for kind in kinds)
    return [
        Plan(name, seed + number, faulty, share, hours / count, still, calm_s, until, rules, think_s)
        for number in range(seeds)
        for name in names
    ]


class _Count:
    """Advances the progress bar, by plies or by simulated seconds."""

    def __init__(self, progress: Progress, plans: list[Plan]) -> None:
        self._by_plies = bool(plans[0].plies)
        whole = sum(plan.plies if self._by_plies else round(plan.hours * 3600) for plan in plans)
        self._progress, self._done = progress, [0] * len(plans)
        self._task = progress.add_task("plies" if self._by_plies else "simulated seconds", total=whole)

    def update(self, progress: TrialProgress) -> None:
        self._done[progress.number] = progress.plies if self._by_plies else round(progress.simulated_s)
        self._progress.update(self._task, completed=sum(self._done))


def _line(tally: Tally) -> str:
    wrong = ", ".join(f"{getattr(tally, name)} {name.replace('_', ' ')}" for name in COUNTS if getattr(tally, name))
    return f"{tally.game} seed {tally.seed}: {tally.plies} plies in {tally.wall_s:.0f} s: {wrong or 'nothing wrong'}"


def _print(done: list[Tally], as_json: bool, same: str = "") -> None:
    """Prints the failures for people (unless as_json) and the totals as the last line."""
    if not as_json:
        for failure in (one for tally in done for one in tally.failures):
            where = f"{failure.game} seed {failure.seed}, {failure.time_s:.0f} s, ply {failure.ply}"
            sys.stdout.write(f"{failure.kind}: {where}, {'+'.join(failure.faults) or 'no fault'}: {failure.text}\n")
            again = f"--games {failure.game} --seed {failure.seed} --until {failure.time_s + 5:.0f}{same}"
            sys.stdout.write(f"    again: kibitzer soak {again} --keep-failures failures\n")
        sys.stdout.write(f"\n{DEFINITIONS}\n\n")
    sys.stdout.write(json_format.dumps(total(done)) + "\n")


def _progress_bar() -> Progress:
    """A progress bar on standard error that vanishes when done; disabled if standard error is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal)
