"""What the commands of agents share: options, and how a wrong call ends."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agents.jobs import BACKENDS

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


def stop(command: str, error: object) -> typer.Exit:
    """Says in one line what is wrong with the call; returns the exit to raise, status 2."""
    typer.echo(f"kibitzer {command}: {error}", err=True)
    return typer.Exit(2)
