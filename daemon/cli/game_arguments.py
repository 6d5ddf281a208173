"""Helpers shared by the commands for recorded games: open the record, choose a game, report errors."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import typer

from daemon.cli.wrong_call import stop
from daemon.config.settings import Config, ConfigError
from daemon.judging.corrections import Refusal
from daemon.record.formats.imported import ImportFault
from daemon.record.formats.played import ExportError
from daemon.record.journal import Journal, JournalError
from daemon.record.stored_game import StoredGame
from rules import GameError
from system import paths

RECORD = paths.resolved(Config().journal.path)
LAST = "last"
MAX_NAME_LENGTH = 64
"""Characters of a player's name, as in the settings."""
GAME_HELP = "The game's id from `kibitzer games list`, an unambiguous beginning of it, or last."


@contextlib.contextmanager
def opened(path: Path, read_only: bool = False) -> Iterator[Journal]:
    if not path.is_file():
        played = "".join(
            f"; --journal {one}: games of `kibitzer play`" for one in sorted(path.parent.glob("play-*.sqlite"))
        )
        raise JournalError("absent", f"{path}: there is no record yet; `kibitzer run` makes one{played}")
    journal = Journal(path, read_only)
    try:
        yield journal
    finally:
        journal.close()


def chosen(journal: Journal, word: str) -> StoredGame:
    return journal.game(chosen_id(journal, word))


def chosen_id(journal: Journal, word: str) -> str:
    """Returns the id of that game, even of one that cannot be read. Raises JournalError."""
    ids = journal.ids()
    fits = ids[-1:] if word == LAST else [one for one in ids if one.startswith(word)]
    if word in ids:
        fits = [word]
    if not fits:
        what = "no game" if word == LAST else f"no game with the id {word!r}"
        raise JournalError("unknown_game", f"there is {what} in {journal.path}")
    if len(fits) > 1:
        raise JournalError("unknown_game", f"{len(fits)} games begin with {word!r}, such as {fits[0]} and {fits[1]}")
    return fits[0]


@contextlib.contextmanager
def one_line_errors(command: str) -> Iterator[None]:
    """Ends a command on an error with one line: exit status 1 for a refusal, 2 for wrong usage."""
    try:
        yield
    except Refusal as refusal:
        sys.stderr.write(f"kibitzer games {command}: {refusal}\n")
        raise typer.Exit(1) from None
    except (JournalError, ConfigError, ExportError, ImportFault, GameError) as error:
        raise stop(f"games {command}", error) from None


def print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def in_columns(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Rows as lines; the columns of these indices are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.rjust(width) if index in right else text.ljust(width)
            for index, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
