"""The commands of `kibitzer arena`: matches, round robins, knock-outs, and the ladder of the levels."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import games
from agents import players
from agents.arena import play
from agents.arena.hall import BACKENDS, Hall
from agents.arena.match import MAX_PLIES, Terms, pairing
from agents.arena.play import Job, Played
from agents.arena.record import Record
from agents.arena.report import lines_of, summary
from agents.arena.sprt import Hypotheses, judge
from agents.players import PlayerSpec

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)

STOPPED = 130

GameOption = Annotated[str, typer.Option(help="Game, by module or short name, such as morris.")]
RuleOption = Annotated[list[str], typer.Option(help="Rule option k=v, such as flying=true. Repeatable.")]
PliesOption = Annotated[
    int | None,
    typer.Option(min=0, max=60, help="Random plies of an opening. Default: 4, none where tiles are dealt."),
]
FileOption = Annotated[Path | None, typer.Option(help="File of openings instead: a line of move texts each.")]
SeedOption = Annotated[int, typer.Option(min=0, max=2**31, help="Draws openings, deals and the players' choices.")]
JobsOption = Annotated[int, typer.Option(min=1, max=1024, help="Games at once.")]
BackendOption = Annotated[
    str | None,
    typer.Option(help=f"joblib's backend: {', '.join(BACKENDS)}. Default: loky, or no process for --jobs 1."),
]
ClusterOption = Annotated[str | None, typer.Option(help="Address of the ray or dask cluster. Default: this machine.")]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", "--resume", help="Keeps finished games in this file, and goes on with what it holds."),
]
MostOption = Annotated[int, typer.Option(min=1, max=10_000, help="A game that is not over after so many is drawn.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]


@app.callback()
def arena() -> None:
    """Lets agents meet, every opening twice with the sides exchanged, and says how sure the result is.

    A player is an agent with its options and limits in one word: random, alphabeta:depth=3,heuristic=best,
    mcts:simulations=100, level-5. Limits are depth, nodes and time_s.
    """


@app.command("match")
def match(
    a: Annotated[str, typer.Argument(help="The first player.", metavar="A")],
    b: Annotated[str, typer.Argument(help="The second player.", metavar="B")],
    game: GameOption,
    rule: RuleOption = [],  # noqa: B006
    games: Annotated[int, typer.Option(min=2, max=1_000_000, help="Games, an even number.")] = 100,
    opening_plies: PliesOption = None,
    openings: FileOption = None,
    seed: SeedOption = 1,
    sprt: Annotated[str | None, typer.Option(help="Stop when decided: elo0,elo1 of a sequential test.")] = None,
    jobs: JobsOption = 1,
    backend: BackendOption = None,
    cluster: ClusterOption = None,
    out: OutOption = None,
    max_plies: MostOption = MAX_PLIES,
    as_json: JsonOption = False,
) -> None:
    """Plays two players against each other.

    Fields: players, tally (as A sees it), as_first, as_second, estimate (score, error, elo with its 95 % interval,
    los), pairs (openings by A's half points), sprt, points (where a game counts them), plies, spent, reasons, faults.

    Example: kibitzer arena match alphabeta:depth=3 random --game morris --games 20 --jobs 2
    """
    with _refusals("match"):
        hypotheses = None if sprt is None else Hypotheses.parse(sprt)
        terms = _terms(game, rule, seed, opening_plies, openings, max_plies)
        specs = _players(terms, [a, b])
        met = pairing(terms, specs[0], specs[1], games)
        with Record(terms.settings(specs), out) as record:
            with _progress(len(met.jobs), record, as_json) as told:

                def watch(job: Job, played: Played) -> None:
                    tally = summary(met, record.played).tally
                    told(f"{tally.wins} won, {tally.draws} drawn, {tally.losses} lost")

                def enough() -> bool:
                    if hypotheses is None:
                        return False
                    return judge(met.first_pairs(record.played), hypotheses).accepted is not None

                hall = Hall(record, jobs=jobs, backend=backend, cluster=cluster, watch=watch)
                stopped = _played(lambda: hall.play(met.jobs, enough))
            found = summary(met, record.played, hypotheses)
        if as_json:
            typer.echo(json.dumps({**record.settings, **found.as_json()}))
        else:
            typer.echo("\n".join(lines_of(found, hypotheses)))
    if stopped:
        raise typer.Exit(STOPPED)


def _terms(
    name: str, rule: list[str], seed: int, opening_plies: int | None, openings: Path | None, max_plies: int
) -> Terms:
    """Raises ValueError."""
    if openings is not None and opening_plies is not None:
        raise ValueError("give --openings or --opening-plies, not both")
    return Terms(games.load(name, games.rules_from_words(rule)), seed, opening_plies, openings, max_plies)


def _players(terms: Terms, texts: Sequence[str]) -> list[PlayerSpec]:
    """The players, each of which could sit down. Raises ValueError."""
    specs = [players.parse(text) for text in texts]
    for spec in specs:
        play.player(spec, terms.game, 1)
    return specs


def _played(work: Callable[[], None]) -> bool:
    """Whether Ctrl-C ended the work; what was played until then is kept."""
    try:
        work()
    except KeyboardInterrupt:
        return True
    return False


@contextlib.contextmanager
def _progress(total: int, record: Record, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A bar on stderr; called with the score after every game."""
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, completed=min(total, record.found))
        yield lambda score: bar.update(task, advance=1, description=score)
    if record.found and not quiet:
        sys.stderr.write(f"{record.found} games were in the file already\n")


@contextlib.contextmanager
def _refusals(command: str) -> Iterator[None]:
    """Bad input is one line on stderr and exit status 2."""
    try:
        yield
    except (ValueError, OSError) as error:
        sys.stderr.write(f"kibitzer arena {command}: {error}\n")
        raise typer.Exit(2) from None
