"""What the commands of agents share: options, and how a wrong call ends."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

GameOption = Annotated[str, typer.Option(help="Game, by module or short name, such as morris.")]
RuleOption = Annotated[list[str], typer.Option(help="Rule option k=v, such as flying=true. Repeatable.")]
EnginesOption = Annotated[
    Path | None, typer.Option(help="TOML file with tables \\[engines.NAME], for the agent external.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def stop(command: str, error: object) -> typer.Exit:
    """Says in one line what is wrong with the call; returns the exit to raise, status 2."""
    typer.echo(f"kibitzer {command}: {error}", err=True)
    return typer.Exit(2)
