"""The commands of `kibitzer arena`: matches, round robins, gauntlets, knock-outs and the ladder of levels."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import games
from agents import heuristics, players
from agents.arena import bracket, gauntlet, levels, play, round_robin
from agents.arena import plot as drawing
from agents.arena.bracket import Depths, KnockOut
from agents.arena.game_runner import GameRunner
from agents.arena.match import MAX_PLIES, Pairing, Terms, pairing
from agents.arena.play import Job, Played
from agents.arena.record import Record
from agents.arena.report import lines_of, summary
from agents.arena.sprt import Hypotheses, judge
from agents.command_line import BackendOption, ClusterOption, GameOption, RuleOption, stop
from agents.jobs import Backend
from agents.players import PlayerSpec
from rules.options import rules_from_words

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)

STOPPED = 130

PlotOption = Annotated[Path | None, typer.Option(help="Draw the result as PNG, SVG or PDF.")]


@dataclasses.dataclass(frozen=True)
class Common:
    opening_plies: Annotated[
        int | None,
        typer.Option(min=0, max=60, help="Random plies that open each game. Default: 4; 0 if tiles are dealt."),
    ] = None
    openings: Annotated[
        Path | None, typer.Option(help="File of openings, one line of moves each, instead of random ones.")
    ] = None
    seed: Annotated[
        int, typer.Option(min=0, max=2**31, help="Random seed for openings, deals and the players' choices.")
    ] = 1
    jobs: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Games at the same time. Default: 1, or all that a cluster can take."),
    ] = None
    backend: BackendOption = None
    cluster: ClusterOption = None
    out: Annotated[
        Path | None,
        typer.Option("--out", "--resume", help="File for finished games; games already in it are not played again."),
    ] = None
    max_plies: Annotated[int, typer.Option(min=1, max=10_000, help="Plies after which a game is drawn.")] = MAX_PLIES
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False

    def terms(self, name: str, rule: list[str]) -> Terms:
        if self.openings is not None and self.opening_plies is not None:
            raise ValueError("give --openings or --opening-plies, not both")
        game = games.load(name, rules_from_words(rule))
        return Terms(game, self.seed, self.opening_plies, self.openings, self.max_plies)


def command(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Adds a command to `app`. Its parameter `common` stands for all options of `Common`.

    Bad input ends it with one line on stderr and exit status 2.
    """
    hints = get_type_hints(Common, include_extras=True)
    shared = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
        for one in dataclasses.fields(Common)
    ]

    def add(work: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(work)
        def run(**given: Any) -> None:
            common = Common(**{one.name: given.pop(one.name) for one in shared})
            try:
                work(**given, common=common)
            except (ValueError, OSError) as error:
                raise stop(f"arena {name}", error) from None

        own = [one for one in inspect.signature(work, eval_str=True).parameters.values() if one.name != "common"]
        run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        app.command(name)(run)
        return work

    return add


@app.callback()
def arena() -> None:
    """Plays agents against each other, and states how certain the result is.

    Each opening is played twice, with the sides exchanged. A player is one word: an agent with its options and
    limits, such as random, alphabeta:depth=3,heuristic=best, mcts:simulations=100, level-5. Limits are depth, nodes and
    time_s.
    """


@command("match")
def match(
    a: Annotated[str, typer.Argument(help="The first player.", metavar="A")],
    b: Annotated[str, typer.Argument(help="The second player.", metavar="B")],
    game: GameOption,
    rule: RuleOption = [],  # noqa: B006
    games: Annotated[int, typer.Option(min=2, max=1_000_000, help="Games, an even number.")] = 100,
    sprt: Annotated[
        str | None, typer.Option(help="Stop when it is decided: elo0,elo1 of a sequential test, such as 0,20.")
    ] = None,
    plot: PlotOption = None,
    *,
    common: Common,
) -> None:
    """Plays two players against each other.

    Fields: players, tally (as A sees it), as_first, as_second, estimate (score, error, elo with its 95 % interval,
    los), pairs (openings by A's half points), sprt, points (where a game counts them), plies, spent, reasons, faults.

    Example: kibitzer arena match alphabeta:depth=3 random --game morris --games 20 --jobs 2
    """
    hypotheses = None if sprt is None else Hypotheses.parse(sprt)
    terms = common.terms(game, rule)
    specs = _players(terms, [a, b])
    met = pairing(terms, specs[0], specs[1], games)

    def play(runner: GameRunner) -> None:
        def enough() -> bool:
            if hypotheses is None:
                return False
            return judge(met.first_pairs(runner.record.played), hypotheses).accepted is not None

        runner.play(met.jobs, enough)

    record, stopped = _play(common, terms, specs, met.jobs, play, plot, _Score(met))
    found = summary(met, record.played, hypotheses)
    _tell(common, record, found.as_json(), lines_of(found, hypotheses))
    if plot is not None:
        drawing.match(plot, f"{terms.game.title}: {a} against {b}", met.first_pairs(record.played))
    _end(stopped)


@command("round-robin")
def round_robin_command(
    players: Annotated[list[str], typer.Argument(help="Two players or more.", metavar="P1 P2 ...")],
    game: GameOption,
    rule: RuleOption = [],  # noqa: B006
    games: Annotated[int, typer.Option(min=2, max=100_000, help="Games of each pair of players, an even number.")] = 6,
    plot: PlotOption = None,
    *,
    common: Common,
) -> None:
    """Plays every player against every other; prints a cross table and Elo ratings, relative to the average.

    Fields: places (player, tally, rating with its 95 % error, against: by player in the order given), meetings.

    Example: kibitzer arena round-robin random static stable adaptive --game reversi --games 2
    """
    terms = common.terms(game, rule)
    specs = _players(terms, players)
    met = round_robin.pairings(terms, specs, games)
    all_jobs = [job for one in met.values() for job in one.jobs]
    record, stopped = _play(common, terms, specs, all_jobs, lambda runner: runner.play(all_jobs), plot)
    found = round_robin.table(specs, met, record.played)
    _tell(common, record, found.as_json(), round_robin.lines_of(found))
    if plot is not None:
        drawing.ratings(plot, f"{terms.game.title}: {games} games of every two", found)
    _end(stopped)


@command("gauntlet")
def gauntlet_command(
    player: Annotated[str, typer.Argument(help="The player who plays against all others.", metavar="A")],
    game: GameOption,
    others: Annotated[
        list[str] | None,
        typer.Argument(
            help="The others. Default: alphabeta with each of the game's heuristics.", metavar="[P1 P2 ...]"
        ),
    ] = None,
    rule: RuleOption = [],  # noqa: B006
    games: Annotated[int, typer.Option(min=2, max=100_000, help="Games against each, an even number.")] = 100,
    depths: Annotated[
        str, typer.Option(help="Depths opening/afterwards of the heuristics, where no others are named.")
    ] = "3/3",
    *,
    common: Common,
) -> None:
    """Plays one player against each of the others; these do not play each other.

    Fields: meetings (by opponent, all fields of a match as A sees it).

    Example: kibitzer arena gauntlet neural --game morris --depths 3/3 --games 100 --jobs 2
    """
    terms = common.terms(game, rule)
    texts = others or gauntlet.heuristic_players(terms.game, Depths.parse(depths))
    specs = _players(terms, [player, *texts])
    met = gauntlet.pairings(terms, specs[0], specs[1:], games)
    all_jobs = [job for one in met for job in one.jobs]
    record, stopped = _play(common, terms, specs, all_jobs, lambda runner: runner.play(all_jobs))
    found = gauntlet.summaries(met, record.played)
    _tell(common, record, gauntlet.as_json(found), gauntlet.lines_of(found))
    _end(stopped)


@command("bracket")
def bracket_command(
    game: GameOption,
    players: Annotated[
        list[str] | None,
        typer.Argument(
            help="Players; the first meets the second, the third the fourth. Default: the game's heuristics.",
            metavar="[P1 P2 ...]",
        ),
    ] = None,
    rule: RuleOption = [],  # noqa: B006
    games: Annotated[int, typer.Option(min=2, max=100_000, help="Games of each pairing.")] = 40,
    depths: Annotated[
        str | None,
        typer.Option(help="Depths opening/afterwards that share the games, such as 3/3,3/5,5/5,5/7."),
    ] = None,
    *,
    common: Common,
) -> None:
    """Plays a knock-out; who wins more of the games goes on.

    With equally many wins, the one who won more as the second player goes on, then the one with shorter wins, then the
    one listed first. If the number of players is no power of two, the first listed skip the first round. Without
    players, alphabeta meets itself with each of the game's heuristics, at depth 3 unless --depths says more.

    Fields: players, rounds (meetings: wins, draws, by_depths, winner, decided_by), byes, champion.

    Example: kibitzer arena bracket --game morris --games 40 --depths 3/3,3/5,5/5,5/7 --jobs 2
    """
    terms = common.terms(game, rule)
    parts = [] if depths is None else [Depths.parse(text) for text in depths.split(",")]
    limit = "" if parts else ",depth=3"
    texts = players or [f"alphabeta:heuristic={name}{limit}" for name in heuristics.of(terms.game)]
    specs = _players(terms, texts)
    knock_out = KnockOut(terms, specs, games, parts)
    total = (len(specs) - 1) * games
    record, stopped = _play(common, terms, specs, total, knock_out.play, depths=depths, share=games)
    found = knock_out.result(record.played)
    _tell(common, record, found.as_json(), bracket.lines_of(found))
    _end(stopped)


@command("levels")
def levels_command(
    game: GameOption,
    rule: RuleOption = [],  # noqa: B006
    games: Annotated[
        int, typer.Option(min=2, max=100_000, help="Games of each pair of players, an even number.")
    ] = 100,
    lowest: Annotated[int, typer.Option(min=2, max=8, help="Lowest level that plays the one below it.")] = 2,
    highest: Annotated[int, typer.Option(min=2, max=8, help="Last level that meets the one below.")] = 8,
    plot: PlotOption = None,
    *,
    common: Common,
) -> None:
    """Plays each level of a game against the one below; exit status 1 if one scores less than 60 % of the points.

    Fields: steps (level, player, is_won, and all fields of a match).

    Example: kibitzer arena levels --game morris --games 100 --jobs 2
    """
    terms = common.terms(game, rule)
    met = levels.pairings(terms, games, lowest, highest)
    specs = _players(terms, [f"level-{level}" for level in range(lowest - 1, highest + 1)])
    who = [levels.player_text(terms, level) for level in range(lowest - 1, highest + 1)]
    all_jobs = [job for one in met.values() for job in one.jobs]
    record, stopped = _play(common, terms, specs, all_jobs, lambda runner: runner.play(all_jobs), plot, levels=who)
    found = levels.steps(terms, met, record.played)
    _tell(common, record, {"steps": levels.as_json(found)}, levels.lines_of(found))
    if plot is not None:
        drawing.levels(plot, f"{terms.game.title}: each level against the one below", found, levels.WANTED)
    _end(stopped)
    if not all(step.is_won for step in found):
        raise typer.Exit(1)


class _Score:
    def __init__(self, met: Pairing) -> None:
        self._met, self._halves = met, [0, 0, 0]

    def __call__(self, job: Job, played: Played) -> str:
        self._halves[self._met.half_points(job, played)] += 1
        lost, drawn, won = self._halves
        return f"{won} won, {drawn} drawn, {lost} lost"


def _players(terms: Terms, texts: Sequence[str]) -> list[PlayerSpec]:
    if len(texts) < 2:
        raise ValueError("two players or more meet")
    specs = [players.parse(text) for text in texts]
    for spec in specs:
        play.player(spec, terms.game, 1)
    return specs


def _play(
    common: Common,
    terms: Terms,
    specs: Sequence[PlayerSpec],
    jobs: Sequence[Job] | int,
    work: Callable[[GameRunner], None],
    plot: Path | None = None,
    score: Callable[[Job, Played], str] = lambda _job, _played: "",
    **settings: object,
) -> tuple[Record, bool]:
    """Plays a tournament's games by `work`, with a progress bar on stderr.

    Returns the record, and whether Ctrl-C ended the work: what was finished until then is kept. Raises ValueError.
    """
    backend = Backend.chosen(common.backend, common.cluster, common.jobs)
    if plot is not None:
        drawing.check(plot)
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    )  # fmt: skip
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with Record({**terms.settings(specs), **settings}, common.out) as record:
        runner = GameRunner(
            record,
            backend,
            watch=lambda job, played: bar.update(task, advance=1, description=score(job, played)),
        )
        if record.found:
            sys.stderr.write(f"{record.found} games are in {common.out} already\n")
        for job in [] if isinstance(jobs, int) else jobs:
            if job.id in record.played:
                score(job, record.played[job.id])
        total = jobs if isinstance(jobs, int) else len(jobs)
        task = bar.add_task("", total=total, completed=min(total, record.found))
        with bar:
            try:
                work(runner)
            except KeyboardInterrupt:
                sys.stderr.write("stopped; this is the result so far\n")
                return record, True
    return record, False


def _tell(common: Common, record: Record, found: dict[str, Any], lines: list[str]) -> None:
    typer.echo(json.dumps({**record.settings, **found}) if common.as_json else "\n".join(lines))


def _end(stopped: bool) -> None:
    if stopped:
        raise typer.Exit(STOPPED)
