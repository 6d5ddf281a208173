"""Whole games with the programs of others that are installed, over their own protocols, in both directions.

    kibitzer bench dialogues --games 100
    kibitzer bench dialogues --only gnugo --only grhino --games 3

Each program is a line: games, plies, our processor time as a share of its own, and every fault: an illegal move, a
refusal, an answer that did not come, an engine that ended, an unknown command, or another opinion on what is legal and
who has won. Programs that are not installed are named. Exit status 1 if there was a fault.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from lab.bench.talks import engines, gtp_user, joined_worker
from lab.bench.talks.engines import PARTNERS
from lab.bench.talks.tally import Tally, noted, program

Talk = Callable[[Tally, int, Path], None]
"""Plays that many games in a folder of their own; sets `missing` where it cannot."""


def with_engine(name: str, tally: Tally, count: int, folder: Path) -> None:
    """An engine of others as Kibitzer's player."""
    partner = PARTNERS[name]
    if (path := program(partner.command[0])) is None:
        tally.missing = f"{partner.command[0]} is not installed"
        return
    with noted(tally, "agents"):
        engines.play(partner, (path, *partner.command[1:]), tally, count, folder)


def under_python_chess(tally: Tally, count: int, _folder: Path) -> None:
    if importlib.util.find_spec("chess") is None:
        tally.missing = "python-chess is not installed: pip install chess"
        return
    from lab.bench.talks import uci_user

    uci_user.play(tally, count)


def against_gnugo(tally: Tally, count: int, _folder: Path) -> None:
    if (path := program("gnugo")) is None:
        tally.missing = "gnugo is not installed"
        return
    gtp_user.play(tally, count, [path, "--mode", "gtp", "--level", "1"])


def in_xboard(tally: Tally, count: int, folder: Path) -> None:
    lacking = [name for name in ("xboard", "xvfb-run", "polyglot") if program(name) is None]
    if lacking or importlib.util.find_spec("chess") is None:
        tally.missing = f"{', '.join(lacking) or 'python-chess'} is not installed"
        return
    from lab.bench.talks import xboard

    xboard.play(tally, count, folder)


TALKS: dict[str, Talk] = {
    **{name: functools.partial(with_engine, name) for name in PARTNERS},
    "python-chess": under_python_chess,
    "gtp-gnugo": against_gnugo,
    "xboard": in_xboard,
    "worker": joined_worker.play,
}


def main(
    games: Annotated[int, typer.Option(min=1, help="games with each program")] = 3,
    only: Annotated[list[str], typer.Option(help=f"one of {', '.join(TALKS)}; repeatable")] = [],  # noqa: B006
) -> int:
    if unknown := set(only) - TALKS.keys():
        raise typer.BadParameter(f"there is no {min(unknown)}; there are {', '.join(TALKS)}")
    faults = 0
    for name in only or TALKS:
        tally = Tally(name)
        with TemporaryDirectory(prefix="kibitzer-dialogues-") as folder:
            TALKS[name](tally, games, Path(folder))
        sys.stdout.write("\n".join(tally.lines()) + "\n")
        sys.stdout.flush()
        faults += len(tally.faults)
    return int(faults > 0)
