"""`kibitzer games export` and `kibitzer games import`."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from calibration.atomic_file import write_atomically
from daemon.cli.game_arguments import GAME_HELP, MAX_NAME_LENGTH, RECORD, chosen, one_line_errors, opened, print_json
from daemon.record.formats.dominoes import write_tile_files
from daemon.record.formats.formats import FORMATS, check, check_review, content_of, usual
from daemon.record.formats.imported import ImportFault
from daemon.record.formats.played import ExportError, play_again
from daemon.record.formats.reading import KNOWN, read_games
from daemon.record.journal import Journal
from daemon.record.reviews import Reviews
from daemon.record.stored_game import StoredGame, new_id
from rules.options import rules_from_words
from wording.outside import clean

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


def import_game(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to read; for annotations, a folder or zip.")],
    format_name: Annotated[
        str, typer.Option("--format", help=f"{', '.join(KNOWN)}. Default: detected from the file.")
    ] = "",
    first: Annotated[str, typer.Option(help="Player of the first side, instead of the name in the file.")] = "",
    second: Annotated[str, typer.Option(help="Player of the second side.")] = "",
    game: Annotated[str, typer.Option(help="Game, for bare moves and move text whose tags do not name it.")] = "",
    rule: Annotated[list[str] | None, typer.Option(help="Rule option k=v that the file does not contain.")] = None,
    number: Annotated[
        int, typer.Option(min=0, max=99999, help="Which game of a file; 0: all, of annotations the only one.")
    ] = 0,
    journal: Annotated[Path, typer.Option(help="File of the record; created if absent.")] = RECORD,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse what departs from its format.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a game: id, game, plies, departures.")
    ] = False,
) -> None:
    """Imports games into the record: all formats of export but png, Gomocup's PSQ, and bare moves. Each is checked.

    A game with an illegal move is refused, with the number of the move and the broken rule; nothing of it is recorded.
    What else departs from a format or from the rules, such as a komi with a comma or moves after the end, is taken as
    it is meant, and named; with --strict it is refused, too. Of a file with several games each is imported, or the one
    of --number.
    An unfinished game is imported as far as it goes, and never resumed. Imported games count in the ranking.

    Example: kibitzer games import game.sgf --first Ana --second Ben

    Example: kibitzer games import moves.txt --game morris
    """
    refused = False
    with one_line_errors("import"):
        names = _name(first, "--first"), _name(second, "--second")
        try:
            for found in read_games(file, format_name, game, rules_from_words(rule or []), number):
                if strict and isinstance(found, StoredGame) and found.departures:
                    found = ImportFault("; ".join(found.departures))
                if isinstance(found, ImportFault):
                    refused = True
                    sys.stderr.write(f"kibitzer games import: {file}: {found}\n")
                    continue
                players = tuple(own or read for own, read in zip(names, found.players, strict=True))
                _tell(keep(journal, dataclasses.replace(found, players=players)), as_json=as_json)
        except ImportFault as fault:
            raise ImportFault(f"{file}: {fault}") from None
    if refused:
        raise typer.Exit(1)


def _tell(kept: StoredGame, *, as_json: bool) -> None:
    if as_json:
        facts = {"id": kept.game_id, "game": kept.game, "plies": len(kept.plies)}
        print_json(facts | {"departures": list(kept.departures)})
    else:
        plies = f"{len(kept.plies)} {'ply' if len(kept.plies) == 1 else 'plies'}"
        sys.stdout.write(f"{kept.game_id}  {kept.game}, {' against '.join(kept.players)}, {plies}\n")
        sys.stderr.write("".join(f"  {one}\n" for one in kept.departures))
    sys.stdout.flush()


def keep(journal: Path, game: StoredGame) -> StoredGame:
    """Adds the game to the record, under a new id if its own is already taken. Raises JournalError."""
    with contextlib.closing(Journal(journal)) as record:
        if game.game_id in record.ids():
            game = dataclasses.replace(game, game_id=new_id(game.started))
        record.add(game)
    return game


def _name(text: str, option: str) -> str:
    name = clean(text, MAX_NAME_LENGTH + 1)
    if len(name) > MAX_NAME_LENGTH or (text and not name):
        raise ImportFault(f"{option} is a name of 1 to {MAX_NAME_LENGTH} characters, not {text[:80]!r}")
    return name
