"""What the commands of agents share: options, and how a wrong call ends."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from agents import engines as outside
from agents.jobs import BACKENDS
from rules import AnyGame, MoveError
from rules.turns import line_of_play

GameOption = Annotated[str, typer.Option(help="Game, by module or short name, such as morris.")]
RuleOption = Annotated[
    list[str],
    typer.Option(
        "--rule", "--rules", help="Rule option k=v, such as flying=true, or a rule set, such as lasker. Repeatable."
    ),
]
EnginesOption = Annotated[
    Path | None, typer.Option(help="TOML file with tables \\[engines.NAME], for the agent external.")
]
BackendOption = Annotated[
    str | None,
    typer.Option(
        help=f"Where the jobs run: {', '.join(BACKENDS)}. The last reaches other computers (docs/deployment.md)."
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        help="Address of the dask cluster, HOST:PORT. Default: DASK_SCHEDULER_ADDRESS, else a "
        "cluster of this computer's cores that ends with the command."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
COUNTS = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
"""Columns of a bar for what is counted."""
STOPPED = 130
"""Exit status of a command that Ctrl-C has ended."""


def new_app(**settings: Any) -> typer.Typer:
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False, **settings)


@contextlib.contextmanager
def refusing(command: str, *more: type[Exception]) -> Iterator[None]:
    """Ends the command with one line and status 2 on ValueError and `more`."""
    told: tuple[type[Exception], ...] = (ValueError, *more)
    try:
        yield
    except told as error:
        raise stop(command, error) from None


def stop(command: str, error: object) -> typer.Exit:
    """Says in one line what is wrong with the call; returns the exit to raise, status 2."""
    typer.echo(f"kibitzer {command}: {error}", err=True)
    return typer.Exit(2)


def use_engines(path: Path | None) -> None:
    """Registers the engines of a file, if there is one. Raises AgentError."""
    if path is not None:
        outside.use(path)


def moves_of(text: str) -> list[str]:
    return text.replace(",", " ").split()


def position_of(game: AnyGame, moves: str | None, position: str | None) -> Any:
    """The position to search; the moves may begin from any start. Raises GameError, ValueError."""
    if moves is not None and position is not None:
        raise ValueError("give --moves or --position, not both")
    if position is not None:
        return game.parse_position(position)
    texts = moves_of(moves or "")
    for start in game.starts[:-1]:
        with contextlib.suppress(MoveError):
            return line_of_play(game, texts, start)[-1]
    return line_of_play(game, texts, game.starts[-1])[-1]


def check_seconds(option: str, time_s: float, most_s: float) -> None:
    if not (math.isfinite(time_s) and 0 < time_s <= most_s):
        raise ValueError(f"{option} is between 0 and {most_s:g} seconds, not {time_s:g}")


def progress(*columns: ProgressColumn) -> Progress:
    """A bar on standard error that vanishes when it is done; it is not shown where that is no terminal."""
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
