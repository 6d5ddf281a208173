"""Opens the record for play: for one program at a time, and mended if it is damaged.

A damaged record is set aside, and what can be read of it goes into a new one.
"""

from __future__ import annotations

import collections
import contextlib
import datetime
import fcntl
import operator
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import games
from daemon.record import journal_schema
from daemon.record.journal import Journal, JournalError, Mended
from daemon.record.rows import is_imported, readable_part
from daemon.record.stored_game import StoredGame
from daemon.record.stored_line import repaired
from rules import GameError
from wording.outside import clean

MAX_NOTE_BYTES = 200
Rows = dict[str, list[dict[str, Any]]]
ENDS = ("ASC", "DESC")
"""A damaged table is read from both ends, up to the damage."""


def open_record(path: Path) -> Journal:
    """Opens or creates the record of a program that plays; mends it if it is damaged. Raises JournalError."""
    journal = Journal(path, mend=mend)
    try:
        stored = journal.unfinished()
    except JournalError as error:
        if error.code != "unreadable":
            raise
        journal.replace(error)
    else:
        if stored is not None and _playable(stored) != stored:
            journal.replace(f"the moves of game {stored.game_id} do not give its positions")
    return journal


def mend(path: Path) -> Mended:
    """Sets the file aside, with one in its place that has all that can be read of it. Raises JournalError, OSError."""
    found, cut = _salvaged(path)
    new = path.with_name(f"{path.name}.new")
    journal_schema.remove(new)
    new.write_bytes(journal_schema.empty_file())
    with contextlib.closing(Journal(new)) as journal, journal.together():
        kept = [one.game_id for one in found if _is_added(journal, one)]
    aside = journal_schema.set_aside(path)
    new.rename(path)
    return Mended(aside, len(kept), tuple(one for one in cut if one in kept))


def _is_added(journal: Journal, game: StoredGame) -> bool:
    try:
        journal.add(game)
    except JournalError as error:
        if error.code in ("full", "read_only", "busy"):
            raise
        return False
    return True


def _salvaged(path: Path) -> tuple[list[StoredGame], list[str]]:
    """All games of which something can be read, and the ids of those of which not all can."""
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        rows = _rows_of(connection)  # of the file as it lies, with what waits in its `-wal`
    if not all(rows.values()):  # a table is empty, or its columns are not known
        rows |= {name: read for name, read in _rows_behind_first_page(path).items() if not rows[name]}
    _mend_ids(rows)
    parts: dict[str, dict[str, list[dict[str, Any]]]] = {
        name: collections.defaultdict(list) for name in journal_schema.TABLES
    }
    for name, read in rows.items():
        for row in read:
            parts[name][str(row.get("game_id"))].append(row)
    found, cut = [], []
    for row in rows["games"]:
        key = str(row.get("game_id"))
        plies, notes = parts["plies"][key], parts["notes"][key]
        if (part := readable_part(row, plies, notes)) is None:
            continue
        played = part if part.finished is not None or is_imported(row) else _playable(part)
        found.append(played)
        if len(played.plies) + len(played.undone) < len(plies):
            cut.append(key)
    return found, cut


def _playable(stored: StoredGame) -> StoredGame:
    """The game as far as it can be played again; as it is if its rules are not installed."""
    try:
        game = games.load(stored.game, stored.rules)
    except GameError:
        return stored
    return repaired(game, stored)


def _rows_behind_first_page(path: Path) -> Rows:
    """The rows of the file with the header and schema that every record has, in case these are damaged."""
    data = bytearray(path.read_bytes())
    data[: journal_schema.PAGE_BYTES] = journal_schema.first_page(len(data))
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(bytes(data))
        return _rows_of(connection)


def _rows_of(connection: sqlite3.Connection) -> Rows:
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return {name: list(_table(connection, name)) for name in journal_schema.TABLES}


def _table(connection: sqlite3.Connection, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a table in order, as far as they can be read from its two ends."""
    found: dict[int, dict[str, Any]] = {}
    for end in ENDS:
        with contextlib.suppress(sqlite3.Error, UnicodeDecodeError):
            cursor = connection.execute(f"SELECT rowid, * FROM {name} NOT INDEXED ORDER BY rowid {end}")
            names = [column[0] for column in cursor.description]
            if not journal_schema.required(name) <= set(names):
                break
            for row in cursor:
                if row[0] in found:
                    break
                found[row[0]] = dict(zip(names, row, strict=True))
    return (found[number] for number in sorted(found))


def _mend_ids(rows: Rows) -> None:
    """Gives plies and notes whose id differs by one letter from that of a game the id of that game."""
    known = {str(row.get("game_id")) for row in rows["games"]}
    for row in (*rows["plies"], *rows["notes"]):
        if (own := str(row.get("game_id"))) not in known:
            alike = (one for one in known if len(one) == len(own) and sum(map(operator.ne, one, own)) == 1)
            row["game_id"] = next(alike, own)


class OwnerLock:
    """The lock of one record: a POSIX lock on a file beside it that names the owner."""

    def __init__(self, record: Path) -> None:
        """Raises JournalError (`busy`) naming the owner if another process has the lock."""
        record = record.resolve()  # a link to a record is that record
        path = record.with_name(record.name + ".lock")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        except OSError as error:
            raise JournalError("read_only", f"{path}: {error.strerror}") from None
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            os.close(self._file)
            raise JournalError("read_only", f"{path}: it is a pipe or a device, not a file")
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = clean(os.read(self._file, MAX_NOTE_BYTES).decode(errors="replace"))
            os.close(self._file)
            told = f"{record} belongs to another kibitzer, {owner}: use its page, or end it"
            raise JournalError("busy", told) from None
        now = datetime.datetime.now().astimezone().isoformat(" ", "seconds")
        with contextlib.suppress(OSError):  # on a full disk the lock names nobody
            os.truncate(self._file, 0)
            os.write(self._file, f"process {os.getpid()}, since {now}".encode())

    def close(self) -> None:
        os.close(self._file)
