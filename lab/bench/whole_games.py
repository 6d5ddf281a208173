"""What the benches have in common that play whole games by chance, each through another door."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

Names = Annotated[list[str] | None, typer.Option("--game", help="Game, by module or short name. Repeatable.")]
Seed = Annotated[int, typer.Option(help="Chance by which moves are chosen.")]
Most = Annotated[int, typer.Option(help="Moves after which players pass where they may.")]
LONGEST = 10
"""Times as many turns as `Most` after which a game is broken off: those of games without a pass end before."""
Figures = Mapping[str, Any]
"""Of one game. `ended` is None for one that did not end; lists hold what went wrong."""


def in_turn(played: Iterable[Figures]) -> int:
    """Prints one JSON line a game; returns the exit status, 1 if anything went wrong in one."""
    good = True
    for figures in played:
        sys.stdout.write(json.dumps(figures, ensure_ascii=False) + "\n")
        sys.stdout.flush()
        wrong = [value for value in figures.values() if isinstance(value, list) and value]
        good = good and figures["ended"] is not None and not wrong
    return 0 if good else 1
