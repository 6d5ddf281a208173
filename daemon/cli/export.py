"""`kibitzer games export`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from calibration.atomic_file import write_atomically
from daemon.cli.game_arguments import GAME_HELP, RECORD, chosen, one_line_errors, opened
from daemon.storage.formats.dominoes import write_tile_files
from daemon.storage.formats.formats import FORMATS, check, check_review, content_of, usual
from daemon.storage.formats.played import ExportError, play_again
from daemon.storage.reviews import Reviews
from daemon.storage.stored_game import StoredGame

STDOUT = Path("-")
LISTED = "; ".join(f"{name} ({one.about})" for name, one in FORMATS.items())


def export(
    game: Annotated[str, typer.Argument(metavar="GAME", help=GAME_HELP)],
    out: Annotated[Path, typer.Option(help="File to write, or folder for annotations; -: standard output.")] = STDOUT,
    format_name: Annotated[
        str, typer.Option("--format", help=f"{LISTED}. Default: by the name of --out, else the game's first format.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    every: Annotated[
        int, typer.Option(min=0, max=10000, help="png: draw the board after every n-th move; 0: as many as fit well.")
    ] = 0,
    number: Annotated[int, typer.Option(min=1, max=999, help="annotations: number of the game in the file names.")] = 1,
    comments: Annotated[
        bool, typer.Option("--comments", help="With the game's review: values, mistakes, better lines.")
    ] = False,
    journal: Annotated[Path, typer.Option(help="File of the record.")] = RECORD,
) -> None:
    """Writes a recorded game in its usual format, as JSON, or as a picture of its boards.

    Only JSON includes moves that were taken back. An unfinished game is written as far as it was played. With
    --comments, what `kibitzer games analyse` found is in it: comments, signs and variations (sgf), comments and signs
    (moves), values in discs (ggf), everything (json).

    Example: kibitzer games export last --out game.sgf

    Example: kibitzer games export 20260728 --format png --every 2 --out game.png
    """
    with one_line_errors("export"):
        with opened(journal, read_only=True) as record:
            stored = chosen(record, game)
        name = format_name or usual(stored.game, None if out == STDOUT else out)
        check(name, stored.game)
        if name == "png" and out == STDOUT and sys.stdout.isatty():
            raise ExportError("a picture is nothing for a terminal: name a file with --out")
        if name == "annotations" and not comments:
            _write_folder(stored, out, number, force)
        else:
            review = check_review(name, Reviews(journal).read(stored)) if comments else None
            _write(content_of(stored, name, review, every), out, force)


def _write(content: bytes, out: Path, force: bool) -> None:
    """Writes the file atomically, or to standard output. Raises ExportError."""
    if out == STDOUT:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
    if os.path.lexists(out) and not force:
        raise ExportError(f"{out} is there already; choose another --out, or write over it with --force")
    try:
        write_atomically(out, content)
    except OSError as error:
        raise ExportError(f"{out}: cannot be written: {error.strerror}") from None
    sys.stderr.write(f"{out}: {len(content)} bytes\n")


def _write_folder(stored: StoredGame, out: Path, number: int, force: bool) -> None:
    if out == STDOUT:
        raise ExportError(
            "annotations are a folder of files: name it with --out; --format json can go to standard output"
        )
    count = write_tile_files(play_again(stored), out, number, force)
    sys.stderr.write(f"{out}: {count} tiles of game {number}\n")
