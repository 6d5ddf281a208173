"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

GameOption = Annotated[str, typer.Option(help="Game, by any usual name, such as morris.")]
RuleOption = Annotated[
    list[str],
    typer.Option(
        "--rule", "--rules", help="Rule option k=v, such as flying=true, or a rule set, such as lasker. Repeatable."
    ),
]
ProfileOption = Annotated[Path | None, typer.Option(help="Table profile made by `kibitzer calibrate`.")]
PortOption = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="Port of the daemon's page; 0: as configured.")
]
