"""The commands of endgame tables: `kibitzer tables build`, `check`, `list`, and `keep`, which asks players."""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path
from typing import Annotated

import typer

import games
from agents.command_line import STOPPED, BackendOption, ClusterOption, new_app, progress, refusing
from agents.jobs import Backend
from agents.tables import MAX_MEN, MIN_MEN, TableError, files
from games.nine_mens_morris import NineMensMorris
from rules.options import rules_from_words

app = new_app(
    no_args_is_help=True,
    help="Build and check endgame tables: perfect play with few men on the board, known by counting back from the end.",
)

GameOption = Annotated[str, typer.Option(help="Game; only nine_mens_morris (morris) has endgame tables.")]
RuleOption = Annotated[
    list[str], typer.Option(help="Rule option k=v: flying, mill_protected, diagonals decide values. Repeatable.")
]
FolderOption = Annotated[
    Path | None, typer.Option(help="Folder of all tables; else KIBITZER_TABLES, else var/tables of the checkout.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object for each table instead of text.")]
MenOption = Annotated[
    int, typer.Option(min=MIN_MEN, max=MAX_MEN, help="Men on the board, both sides together; smaller ones too.")
]


@app.command("build")
def build(
    men: MenOption,
    game: GameOption = "nine_mens_morris",
    rule: RuleOption = [],  # noqa: B006
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=64,
            help="Pairs of subspaces at a time, each on a core. Default: 2, or all that a cluster can take.",
        ),
    ] = None,
    backend: BackendOption = None,
    cluster: ClusterOption = None,
    into: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Builds the tables of all endgames with up to --men men; complete tables are kept.

    In an endgame all men are laid, and each side has three to nine. Draws by repetition and by quiet moves are ignored.
    A stopped build continues where it was. Tables of up to nine men take 55 MB and about a minute, of up to ten 170 MB.

    Example: kibitzer tables build --game nine_mens_morris --men 9 --rule flying=true
    """
    from agents.tables.build import Builder, only_builder

    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    try:
        with refusing("tables build", OSError):
            the_game, within = _game(game, rule), _within(into)
            where = Backend.chosen(backend or "threading", cluster, jobs, most=2)
            with progress() as bar, only_builder(within, wait=False) as alone:
                if not alone:
                    raise TableError(f"another process builds tables in {within}: wait until it has finished")
                task = bar.add_task("numbering", total=None)
                builder = Builder(
                    the_game, within, lambda what, steps: bar.update(task, description=what, advance=steps)
                )
                bar.update(task, total=builder.steps(men))
                headers = builder.build(men, where)
    except KeyboardInterrupt:
        typer.echo("kibitzer tables build: stopped; whole tables stay, and the same command goes on", err=True)
        raise typer.Exit(STOPPED) from None
    for header in headers:
        typer.echo(_json(header) if as_json else _line(header))
    seconds, cpu_s = time.perf_counter() - began_s, time.process_time() - began_cpu_s
    typer.echo(f"{len(headers)} tables in {seconds:.1f} s ({cpu_s:.1f} s of CPU), in {builder.folder}", err=True)


@app.command("check")
def check(
    men: Annotated[
        int | None, typer.Option(min=MIN_MEN, max=MAX_MEN, help="Check tables of up to this many men. Default: all.")
    ] = None,
    game: GameOption = "nine_mens_morris",
    rule: RuleOption = [],  # noqa: B006
    states: Annotated[int, typer.Option(min=0, help="Random positions of each table to check by the rules.")] = 1000,
    every: Annotated[bool, typer.Option("--all", help="Check every position: about 3,000 a second.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Chooses the positions.")] = 0,
    into: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Checks tables: header, checksum, counts, and that values follow from those one ply on, by the plain rules.

    Exit status 2 where anything is wrong, with the file or the position.

    Example: kibitzer tables check --game nine_mens_morris --rule flying=true --states 5000
    """
    from agents.tables.check import Checker

    with refusing("tables check", OSError):
        the_game, within = _game(game, rule), _within(into)
        checker = Checker(the_game, within)
        spaces = _spaces(checker.folder, men)
        with progress() as bar:
            for own, opp in spaces:
                task = bar.add_task(f"{own}-{opp} file", total=None)
                header = checker.file(own, opp)
                bar.update(task, description=f"{own}-{opp} values", total=header.slots if every else states)
                look = lambda task=task: bar.advance(task)  # noqa: E731
                checked = checker.values(own, opp, None if every else states, seed, look)
                bar.remove_task(task)
                found = _json(header, checked=checked) if as_json else f"{_line(header)}, {checked} positions checked"
                bar.console.file.flush()
                typer.echo(found)


@app.command("list")
def list_(into: FolderOption = None, as_json: JsonOption = False) -> None:
    """Lists the tables there are, of all rules.

    Fields: rules, own (men of the mover), opp, slots (bytes), orbits (positions that no symmetry joins), wins, losses,
    draws (for the mover, with all images), longest_win, longest_loss (plies), checksum.

    Example: kibitzer tables list --json
    """
    with refusing("tables list"):
        within = _within(into)
    headers = [header for one in sorted(within.glob("nine_mens_morris-*")) for header in files.found(one)]
    for header in headers:
        typer.echo(_json(header) if as_json else _line(header))
    if not headers:
        typer.echo(f"no tables in {within}; `kibitzer tables build --men 7` builds small ones", err=True)


@app.command("keep")
def keep(
    players: Annotated[
        list[str], typer.Argument(help="Agents as the arena writes them, such as alphabeta:heuristic=best,depth=3.")
    ],
    game: GameOption = "nine_mens_morris",
    rule: RuleOption = [],  # noqa: B006
    positions: Annotated[int, typer.Option(min=1, help="Random positions, as many of each table.")] = 20_000,
    seed: Annotated[int, typer.Option(min=0, help="Chooses the positions.")] = 0,
    into: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measures how often a player's move keeps the result of a position: won, drawn or lost, as the tables say.

    Fields: player, positions, open (positions in which a move can lose a win or a draw), kept and kept_open: percent of
    all moves, and of those in open positions, after which the position is still won, drawn or lost as before.
    alphabeta without a heuristic asks the tables itself.

    Example: kibitzer tables keep alphabeta:heuristic=best,depth=3 neural --rule flying=true --positions 20000
    """
    from agents.players import parse
    from agents.tables.check import Questions
    from agents.tables.check import keep as ask

    try:
        with refusing("tables keep", OSError), progress() as bar:
            the_game, within = _game(game, rule), _within(into)
            specs = [parse(player) for player in players]
            questions = Questions(the_game, within)
            task = bar.add_task("asking", total=positions * len(specs))
            found = ask(questions, specs, positions, seed, lambda: bar.advance(task))
    except KeyboardInterrupt:
        raise typer.Exit(STOPPED) from None
    for spec, kept in zip(specs, found, strict=True):
        figures = kept.as_json()
        if as_json:
            typer.echo(json.dumps({"player": spec.text, **figures}))
        else:
            typer.echo(
                f"{spec.text}: {figures['kept']} % of {kept.positions} moves keep the value,"
                f" {figures['kept_open']} % of the {kept.open} that could lose it"
            )


def _spaces(where: Path, men: int | None) -> list[tuple[int, int]]:
    if men is not None:
        return [one for total in range(MIN_MEN, men + 1) for pair in files.pairs(total) for one in files.both(*pair)]
    spaces = sorted(
        (tuple(map(int, path.stem.split("-"))) for path in where.glob("[3-9]-[3-9].table")),
        key=lambda space: (sum(space), space),
    )
    if not spaces:
        raise TableError(f"no tables in {where}; `kibitzer tables build` builds them")
    return [(own, opp) for own, opp in spaces]


def _line(header: files.Header) -> str:
    return (
        f"{header.own}-{header.opp} {header.rules}: {header.orbits} positions; with images {header.wins} won,"
        f" {header.losses} lost, {header.draws} drawn; longest win {header.longest_win} plies,"
        f" loss {header.longest_loss}; {header.slots / 1e6:.1f} MB"
    )


def _json(header: files.Header, **more: object) -> str:
    return json.dumps({**dataclasses.asdict(header), **more})


def _game(name: str, rule: list[str]) -> NineMensMorris:
    the_game = games.load(name, rules_from_words(rule))
    if not isinstance(the_game, NineMensMorris):
        raise TableError(f"{the_game.title} has no endgame tables; only nine_mens_morris has")
    if not files.hold(the_game):
        raise TableError(
            "there are no endgame tables for the boards six and three, nor with one_time_mills, no_return or "
            "three_men_plies"
        )
    return the_game


def _within(into: Path | None) -> Path:
    within = into or files.root()
    if within is None:
        raise TableError(f"{files.ENVIRONMENT} is empty: no tables are wanted; give --into FOLDER")
    return within
