"""`kibitzer games import`."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from daemon.cli.game_arguments import RECORD, one_line_errors
from daemon.cli.ranking import MAX_NAME_LENGTH
from daemon.storage.formats.imported import ImportFault
from daemon.storage.formats.reading import KNOWN, read_games
from daemon.storage.journal import Journal
from daemon.storage.stored_game import StoredGame, new_id
from rules.options import rules_from_words
from wording.outside import clean


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
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a game: id, game, plies.")] = False,
) -> None:
    """Imports games into the record: all formats of export but png, Gomocup's PSQ, and bare moves. Each is checked.

    A game with an illegal move is refused, with the number of the move and the broken rule; nothing of it is recorded.
    Of a PGN or PDN file with several games, each is imported, or the one of --number.
    An unfinished game is imported as far as it goes, and never resumed. Imported games count in the ranking.

    Example: kibitzer games import game.sgf --first Ana --second Ben

    Example: kibitzer games import moves.txt --game morris
    """
    refused = False
    with one_line_errors("import"):
        names = _name(first, "--first"), _name(second, "--second")
        try:
            for found in read_games(file, format_name, game, rules_from_words(rule or []), number):
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
        told_game = {"id": kept.game_id, "game": kept.game, "plies": len(kept.plies)}
        sys.stdout.write(json.dumps(told_game, ensure_ascii=False) + "\n")
    else:
        plies = f"{len(kept.plies)} {'ply' if len(kept.plies) == 1 else 'plies'}"
        sys.stdout.write(f"{kept.game_id}  {kept.game}, {' against '.join(kept.players)}, {plies}\n")
    sys.stdout.flush()


def keep(journal: Path, game: StoredGame) -> StoredGame:
    """Adds the game to the record, under a new id if its own is already taken. Raises JournalError."""
    with contextlib.closing(Journal(journal)) as record:
        if game.game_id in record.ids():
            game = dataclasses.replace(game, game_id=new_id(game.started))
        record.add(game)
    return game


def _name(text: str, option: str) -> str:
    """Checks a name and cleans it for storage; empty if none is given. Raises ImportFault."""
    name = clean(text, MAX_NAME_LENGTH + 1)
    if len(name) > MAX_NAME_LENGTH or (text and not name):
        raise ImportFault(f"{option} is a name of 1 to {MAX_NAME_LENGTH} characters, not {text[:80]!r}")
    return name
