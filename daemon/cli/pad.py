"""`kibitzer pad`: a score pad in the terminal, the same that the page shows."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from daemon.cli.game_arguments import RECORD, in_columns
from daemon.cli.wrong_call import refusals
from daemon.game.score_pad import ScorePad, ScorePadError
from daemon.record.score_pads import ScorePads

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)
JournalOption = Annotated[Path, typer.Option("--journal", help="File of the record, beside which the pads are.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.callback()
def pad() -> None:
    """Keeps the score of a game that is played in rounds: players, points, totals, a target.

    The pads are kept beside the record; the page shows the newest at /pad.

    Example: kibitzer pad new Ana Ben --target 100
    """


@app.command("new")
def new(
    players: Annotated[list[str], typer.Argument(help="Names of two to eight players.")],
    target: Annotated[int, typer.Option(help="Total that ends the game once somebody reaches it; 0 is none.")] = 0,
    lowest: Annotated[bool, typer.Option("--lowest", help="The lowest total wins, as where pips left count.")] = False,
    journal: JournalOption = RECORD,
) -> None:
    """Begins a new pad; the ones before are kept.

    Example: kibitzer pad new Ana Ben --target 100
    """
    _show("new", lambda: ScorePads(journal).begin(ScorePad(tuple(players), target, lowest)))


@app.command("add", context_settings={"ignore_unknown_options": True})
def add(
    points: Annotated[list[int], typer.Argument(help="Points of the round, a number for each player, in their order.")],
    journal: JournalOption = RECORD,
) -> None:
    """Writes down a round.

    Example: kibitzer pad add 12 0
    """
    _show("add", lambda: ScorePads(journal).change(lambda one: one.add(points)))


@app.command("undo")
def undo(journal: JournalOption = RECORD) -> None:
    """Removes the last round.

    Example: kibitzer pad undo
    """
    _show("undo", lambda: ScorePads(journal).change(ScorePad.undo))


@app.command("show")
def show(
    pad_id: Annotated[str, typer.Argument(metavar="ID", help="A pad of `kibitzer pad list`. Default: newest.")] = "",
    journal: JournalOption = RECORD,
    as_json: JsonOption = False,
) -> None:
    """Shows a pad: a line for each round, and the totals.

    Example: kibitzer pad show
    """
    _show("show", lambda: _existing(ScorePads(journal).read(pad_id)), as_json=as_json)


@app.command("list")
def list_pads(journal: JournalOption = RECORD) -> None:
    """Lists the pads, the newest first.

    Example: kibitzer pad list
    """
    pads = ScorePads(journal)
    for pad_id in pads.ids():
        try:
            one = _existing(pads.read(pad_id))
        except ScorePadError as error:
            sys.stderr.write(f"{error}\n")
            continue
        names = ", ".join(f"{name} {total}" for name, total in zip(one.players, one.totals, strict=True))
        sys.stdout.write(f"{pad_id}  {one.begun[:10]}  {len(one.rounds)} rounds  {names}\n")


def in_words(pad: ScorePad) -> str:
    rows = [("", *pad.players), *((str(number), *map(str, one)) for number, one in enumerate(pad.rounds, 1))]
    rows.append(("total", *map(str, pad.totals)))
    lines = in_columns(rows, range(len(rows[0])))
    lines.insert(-1, "-" * max(map(len, lines)))
    wins = "the lowest total wins" if pad.lowest else "the highest total wins"
    if pad.winners:
        lines.append(f"{' and '.join(pad.winners)} won.")
    elif pad.target:
        lines.append(f"Played to {pad.target}; {wins}.")
    return "\n".join(lines)


def _existing(pad: ScorePad | None) -> ScorePad:
    if pad is None:
        raise ScorePadError("there is no score pad yet: `kibitzer pad new Ana Ben` begins one")
    return pad


def _show(command: str, work: Callable[[], ScorePad], *, as_json: bool = False) -> None:
    with refusals(f"pad {command}", ScorePadError, OSError):
        shown = work()
    sys.stdout.write((json.dumps(shown.as_object(), ensure_ascii=False) if as_json else in_words(shown)) + "\n")
