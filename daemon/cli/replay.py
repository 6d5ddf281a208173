"""`kibitzer replay`: plays a bundle through the pipeline again."""

from __future__ import annotations

import json as json_format
import logging
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from daemon.bundles import bundle_writer
from daemon.bundles.bundle import BundleError, Manifest, SavedAnnouncement
from daemon.bundles.bundle_file import BundleFile
from daemon.bundles.replaying import Pair, Replay, replay
from daemon.cli.wrong_call import stop
from rules import AnyGame
from wording.outside import visible

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
Moment = tuple[float, SavedAnnouncement] | None


@app.command("replay")
def replay_bundle(
    bundle: Annotated[Path, typer.Argument(help="File made by `kibitzer bundle` or by the daemon.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Plays a bundle through this Kibitzer's pipeline, and compares the verdicts with the recorded ones.

    The replay starts at a moment when the board was at rest, with the game as it was then, and gives each picture its
    recorded time. It compares code, move and cells of every announcement that came from the pictures. A file from a
    stranger is safe: nothing in it is unpacked to disk or run, and its sizes are checked. Exit status: 0 all verdicts
    are the same, 1 some differ, 2 the file cannot be played.

    Fields: same, differ, game, created, reason, note, frames, seconds, verdicts (then, now: at_s, code, move, cells,
    rule, text; same), board, notes.

    Example: kibitzer replay var/bundles/kibitzer-table-20261121T201500.000000-illegal.zip --json
    """
    logging.basicConfig(level=logging.ERROR)
    console = Console(stderr=True)
    try:
        with BundleFile(bundle) as opened, Progress(console=console, transient=True) as progress:
            task = progress.add_task("pictures", total=len(opened.manifest.frames))
            played = replay(opened, lambda _: progress.advance(task))
    except BundleError as error:
        raise stop("replay", error) from None
    notes = cautions(played.manifest)
    if json:
        sys.stdout.write(json_format.dumps(as_object(played, notes), ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n".join(lines_of(played, notes)) + "\n")
    raise typer.Exit(0 if played.same else 1)


def cautions(manifest: Manifest) -> list[str]:
    """Returns sentences about why verdicts may differ although nothing is wrong."""
    notes = []
    here = bundle_writer.versions()
    for name, version in sorted(manifest.versions.items()):
        if here.get(name, version) != version:
            notes.append(f"Made with {name} {version}; this is {here[name]}.")
    own = bundle_writer.weights()
    if other := sorted(name for name, digest in manifest.weights.items() if own.get(name, digest) != digest):
        notes.append(f"The weights of {', '.join(other)} are others here.")
    if manifest.encoded_here:
        notes.append("The camera sent no JPEGs: the pictures were compressed and differ a little from what was seen.")
    if manifest.left_out:
        notes.append(f"{manifest.left_out} pictures that were seen are not in it.")
    if not manifest.frames[0].settled:
        notes.append("It does not begin with a board at rest.")
    return notes


def as_object(played: Replay, notes: list[str]) -> dict[str, object]:
    manifest = played.manifest
    return {
        "same": played.same,
        "differ": sum(not pair.same for pair in played.pairs),
        "game": manifest.game,
        "created": manifest.created,
        "reason": manifest.reason,
        "note": manifest.note,
        "frames": len(manifest.frames),
        "seconds": round(manifest.frames[-1].time_s - manifest.frames[0].time_s, 3),
        "verdicts": [
            {"then": _fields(pair.then, played.game), "now": _fields(pair.now, played.game), "same": pair.same}
            for pair in played.pairs
        ],
        "board": played.board,
        "notes": notes,
    }


def lines_of(played: Replay, notes: list[str]) -> list[str]:
    manifest = played.manifest
    seconds = manifest.frames[-1].time_s - manifest.frames[0].time_s
    lines = [
        f"{manifest.game}, {manifest.created}, {manifest.reason}: {len(manifest.frames)} pictures, {seconds:.1f} s"
    ]
    lines += [f"note: {visible(manifest.note)}"] if manifest.note else []
    lines += [f"({note})" for note in notes]
    lines += [_line(pair, played.game) for pair in played.pairs] or ["Nothing was said, then and now."]
    differ = sum(not pair.same for pair in played.pairs)
    return [*lines, "All verdicts are the same." if not differ else f"{differ} verdicts differ."]


def _line(pair: Pair, game: AnyGame) -> str:
    if pair.same and pair.then and pair.now:
        return f"  {pair.then[0]:7.2f} s  {_words(pair.then[1], game)}"
    if pair.then is not None:
        return f"- {pair.then[0]:7.2f} s  {_words(pair.then[1], game)}   (then, and not now)"
    assert pair.now is not None
    return f"+ {pair.now[0]:7.2f} s  {_words(pair.now[1], game)}   (now, and not then)"


def _words(said: SavedAnnouncement, game: AnyGame) -> str:
    cells = ",".join(_cells(said, game))
    return " ".join(filter(None, [said.code, visible(said.move), said.rule, cells and f"[{cells}]"]))


def _fields(moment: Moment, game: AnyGame) -> dict[str, object] | None:
    if moment is None:
        return None
    at_s, said = moment
    return {
        "at_s": round(at_s, 3),
        "code": said.code,
        "move": said.move,
        "cells": _cells(said, game),
        "rule": said.rule,
        "text": said.text,
    }


def _cells(said: SavedAnnouncement, game: AnyGame) -> list[str]:
    return [game.cells[cell] if cell < len(game.cells) else str(cell) for cell in said.cells]
