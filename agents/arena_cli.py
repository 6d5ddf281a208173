"""The commands of `kibitzer arena`: matches, round robins, gauntlets, knock-outs and the ladder of levels."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

import typer
from rich.progress import TextColumn

import games
from agents import heuristics, levels, players
from agents.arena import bracket, play, standings
from agents.arena import plot as drawing
from agents.arena.bracket import Depths, KnockOut
from agents.arena.elo import Hypotheses, judge
from agents.arena.match import MAX_PLIES, Pairing, Terms, pairing
from agents.arena.play import Job, Played
from agents.arena.record import GameRunner, Record
from agents.arena.report import lines_of, summary
from agents.command_line import (
    COUNTS,
    STOPPED,
    BackendOption,
    ClusterOption,
    GameOption,
    RuleOption,
    new_app,
    progress,
    refusing,
)
from agents.jobs import Backend
from agents.players import PlayerSpec
from rules.options import rules_from_words

app = new_app(no_args_is_help=True)

PairGames = Annotated[int, typer.Option(min=2, max=100_000, help="Games of each pair of players, an even number.")]
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
            with refusing(f"arena {name}", OSError):
                work(**given, common=common)

        own = [one for one in inspect.signature(work, eval_str=True).parameters.values() if one.name != "common"]
        run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        app.command(name)(run)
        return work

    return add


@app.callback()
def arena() -> None:
    """Plays agents against each other, and states how certain the result is.

    Each opening is played twice, with the sides exchanged. A player is one word: an agent with its options and
    limits, such as random, alphabeta:depth=3,heuristic=best, mcts:simulations=100, level-5. Limits are depth, nodes,
    time_s, and processor_s: the processor time of a move, of engines too.
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
    los), pairs (openings by A's half points), sprt, points (where a game counts them), plies, spent, processor_ratio
    (where both are limited by processor_s), reasons, faults.

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

    def result(played: Mapping[str, Played]) -> Result:
        found, title = summary(met, played, hypotheses), f"{terms.game.title}: {a} against {b}"
        draw = functools.partial(drawing.match, title=title, pairs=met.first_pairs(played))
        return Result(found.as_json(), lines_of(found, hypotheses), draw)

    _hold(common, terms, specs, met.jobs, result, play, plot, _Score(met))


@command("round-robin")
def round_robin_command(
    players: Annotated[list[str], typer.Argument(help="Two players or more.", metavar="P1 P2 ...")],
    game: GameOption,
    rule: RuleOption = [],  # noqa: B006
    games: PairGames = 6,
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
    met = standings.round_robin(terms, specs, games)

    def result(played: Mapping[str, Played]) -> Result:
        found, title = standings.table(specs, met, played), f"{terms.game.title}: {games} games of every two"
        draw = functools.partial(drawing.ratings, title=title, found=found)
        return Result(found.as_json(), standings.table_lines(found), draw)

    _hold(common, terms, specs, [job for one in met.values() for job in one.jobs], result, plot=plot)


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
        str | None, typer.Option(help="Depths opening/afterwards of the others. Default: 3/3 where none are named.")
    ] = None,
    *,
    common: Common,
) -> None:
    """Plays one player against each of the others; these do not play each other.

    Fields: meetings (by opponent, all fields of a match as A sees it).

    Example: kibitzer arena gauntlet neural --game morris --depths 3/3 --games 100 --jobs 2
    """
    terms = common.terms(game, rule)
    both = Depths.parse(depths or "3/3")
    texts = others or [f"alphabeta:heuristic={name}" for name in heuristics.of(terms.game)]
    if depths is not None or not others:
        texts = [both.of(players.parse(text)).text for text in texts]
    specs = _players(terms, [player, *texts])
    met = standings.gauntlet(terms, specs[0], specs[1:], games)

    def result(played: Mapping[str, Played]) -> Result:
        found = [summary(one, played) for one in met]
        return Result({"meetings": [one.as_json() for one in found]}, standings.gauntlet_lines(found))

    _hold(common, terms, specs, [job for one in met for job in one.jobs], result)


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

    def result(played: Mapping[str, Played]) -> Result:
        found = knock_out.result(played)
        return Result(found.as_json(), bracket.lines_of(found))

    _hold(common, terms, specs, total, result, knock_out.play, depths=depths, share=games)


@command("levels")
def levels_command(
    game: GameOption,
    rule: RuleOption = [],  # noqa: B006
    games: PairGames = 100,
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
    met = standings.ladder(terms, games, lowest, highest)
    specs = _players(terms, [f"level-{level}" for level in range(lowest - 1, highest + 1)])
    who = [levels.player(terms.game, level).text for level in range(lowest - 1, highest + 1)]

    def result(played: Mapping[str, Played]) -> Result:
        found, title = standings.steps(terms, met, played), f"{terms.game.title}: each level against the one below"
        draw = functools.partial(drawing.levels, title=title, steps=found, wanted=standings.WANTED)
        told = {"steps": [step.as_json() for step in found]}
        return Result(told, standings.ladder_lines(found), draw, is_won=all(step.is_won for step in found))

    _hold(common, terms, specs, [job for one in met.values() for job in one.jobs], result, plot=plot, levels=who)


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


class Result(NamedTuple):
    as_json: dict[str, Any]
    lines: list[str]
    draw: Callable[[Path], None] | None = None
    is_won: bool = True
    """False ends the command with exit status 1."""


def _hold(
    common: Common,
    terms: Terms,
    specs: Sequence[PlayerSpec],
    jobs: Sequence[Job] | int,
    result: Callable[[Mapping[str, Played]], Result],
    work: Callable[[GameRunner], None] | None = None,
    plot: Path | None = None,
    score: Callable[[Job, Played], str] = lambda _job, _played: "",
    **settings: object,
) -> None:
    """Plays a tournament's games, by `work` if not simply all `jobs`, with a progress bar on stderr; tells the result.

    `jobs` may be their number. If Ctrl-C ends it, what was finished until then is told. Raises ValueError.
    """
    backend = Backend.chosen(common.backend, common.cluster, common.jobs)
    if plot is not None:
        drawing.check(plot)
    listed, total = ([], jobs) if isinstance(jobs, int) else (jobs, len(jobs))
    stopped = False
    with Record({**terms.settings(specs), **settings}, common.out) as record:
        if record.found:
            sys.stderr.write(f"{record.found} games are in {common.out} already\n")
        for job in listed:
            if job.id in record.played:
                score(job, record.played[job.id])
        with progress(TextColumn("{task.description}"), *COUNTS) as bar:
            task = bar.add_task("", total=total, completed=min(total, record.found))
            runner = GameRunner(
                record,
                backend,
                watch=lambda job, played: bar.update(task, advance=1, description=score(job, played)),
            )
            try:
                work(runner) if work else runner.play(listed)
            except KeyboardInterrupt:
                sys.stderr.write("stopped; this is the result so far\n")
                stopped = True
    told = result(record.played)
    typer.echo(json.dumps({**record.settings, **told.as_json}) if common.as_json else "\n".join(told.lines))
    if plot is not None and told.draw is not None:
        told.draw(plot)
    if stopped:
        raise typer.Exit(STOPPED)
    if not told.is_won:
        raise typer.Exit(1)
