"""The journal's tables, schema version and migrations, opening and checking the file, and what may be wrong with it."""

from __future__ import annotations

import contextlib
import datetime
import functools
import itertools
import logging
import os
import sqlite3
from pathlib import Path

from calibration.atomic_file import make_private
from system import paths

_log = logging.getLogger(__name__)

APPLICATION = 0x4B696269
"""SQLite application id ("Kibi") that marks the file as ours: never write into another program's database."""
TABLES = ("games", "plies", "notes")
PAGE_BYTES = 4096
MAX_VERSION = 99
"""Greatest version that a newer Kibitzer may have; anything else is no version."""


_REASONS = {
    "SQLITE_FULL": ("full", "the disk is full: make room, nothing recorded is lost"),
    "SQLITE_IOERR": ("full", "the disk does not take the write: make room or check it, nothing recorded is lost"),
    "SQLITE_READONLY": ("read_only", "the file may not be written: check its owner and rights"),
    "SQLITE_CANTOPEN": ("read_only", "the file cannot be opened: check that its folder exists and may be written"),
    "SQLITE_BUSY": ("busy", "another program holds the file: is a second kibitzer running on it?"),
}
_DAMAGED = ("corrupt", "the file is damaged: the next start of what plays with it sets it aside and saves what it can")


class DamagedError(sqlite3.DatabaseError):
    """What the file says contradicts itself."""


class NewerError(sqlite3.DatabaseError):
    """The file was made by a newer Kibitzer."""


class JournalError(RuntimeError):
    """The journal cannot be read or written as asked.

    `.code` is stable: `full`, `read_only`, `busy`, `corrupt`, `newer` (made by a newer Kibitzer), `order` (a ply out
    of order, repeated, or after the end), `unknown_game`, `unreadable` (a game's stored data is invalid), `other`.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE games (game_id TEXT NOT NULL UNIQUE, game TEXT NOT NULL, rules TEXT NOT NULL,"
        " players TEXT NOT NULL, started TEXT NOT NULL, finished TEXT, winner INTEGER, reason TEXT, scores TEXT)",
        "CREATE TABLE plies (id INTEGER PRIMARY KEY, game_id TEXT NOT NULL REFERENCES games (game_id),"
        " ply INTEGER NOT NULL CHECK (ply > 0), move TEXT NOT NULL, side INTEGER NOT NULL, position TEXT NOT NULL,"
        " board TEXT NOT NULL, verdict TEXT NOT NULL, score REAL, frame TEXT NOT NULL, time TEXT NOT NULL,"
        " undone INTEGER NOT NULL DEFAULT 0)",
        "CREATE UNIQUE INDEX standing_plies ON plies (game_id, ply) WHERE undone = 0",
        "CREATE INDEX plies_of_game ON plies (game_id, id)",
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, game_id TEXT NOT NULL REFERENCES games (game_id),"
        " ply INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, data TEXT NOT NULL, time TEXT NOT NULL)",
        "CREATE INDEX notes_of_game ON notes (game_id, id)",
    ),
    ("ALTER TABLE plies ADD COLUMN known TEXT NOT NULL DEFAULT ''",),
    (
        "ALTER TABLE games ADD COLUMN clock TEXT NOT NULL DEFAULT '{}'",
        "ALTER TABLE plies ADD COLUMN spent_s REAL",
        "ALTER TABLE plies ADD COLUMN left_first_s REAL",
        "ALTER TABLE plies ADD COLUMN left_second_s REAL",
        "ALTER TABLE plies ADD COLUMN depth INTEGER",
        "ALTER TABLE plies ADD COLUMN nodes INTEGER",
        "ALTER TABLE plies ADD COLUMN thought_s REAL",
    ),
    ("ALTER TABLE games ADD COLUMN start TEXT NOT NULL DEFAULT ''",),
    ("ALTER TABLE games ADD COLUMN source TEXT NOT NULL DEFAULT ''",),
)
"""Statements of step n migrate a file from version n to n + 1; only ever append to it."""


def connect(path: Path, read_only: bool, busy_s: float) -> sqlite3.Connection:
    """Opens, checks and migrates a journal file.

    Raises sqlite3.Error (NewerError if a newer Kibitzer made it, DamagedError), OSError.
    """
    for part in files_of(path):
        if part.exists() and not part.is_file():
            raise sqlite3.OperationalError(f"{part.name} is no regular file")  # a pipe would never answer
    if not read_only:
        path.parent.mkdir(parents=True, exist_ok=True)
        make_private(path)  # SQLite gives its other files the same rights
    mode = "ro" if read_only else "rwc"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=busy_s, isolation_level=None
    )
    connection.text_factory = lambda data: data.decode("utf-8", "replace")  # a flipped bit costs one letter, no more
    try:
        _check(connection, path, read_only)
    except BaseException as error:
        connection.close()
        if not read_only and _contradicts(error, path):
            raise DamagedError(f"its header is damaged: {error}") from error
        raise
    connection.row_factory = sqlite3.Row
    return connection


def _contradicts(error: BaseException, path: Path) -> bool:
    """Whether SQLite takes the file for one of another format, or for a read-only one, and it is not."""
    name = getattr(error, "sqlite_errorname", "")
    return "unsupported file format" in str(error) or (name == "SQLITE_READONLY" and os.access(path, os.W_OK))


def _check(connection: sqlite3.Connection, path: Path, read_only: bool) -> None:
    empty = not connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    if not empty:
        _check_header(connection)
    if read_only:
        if empty:
            raise sqlite3.OperationalError("it is empty")
        return
    fault = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]  # 0.3 s for 100 MB
    if fault != "ok":
        raise DamagedError(fault)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    _migrate(connection, path)


def _check_header(connection: sqlite3.Connection) -> None:
    """Whose the file is, and of which version; both must fit the tables. Other tables and columns do not matter."""
    application, version = connection.execute("PRAGMA application_id").fetchone()[0], _version(connection)
    newest, there = _columns_of(len(MIGRATIONS)), _columns(connection)
    if application != APPLICATION:
        if newest <= there:
            raise DamagedError("its header names another program")
        raise sqlite3.OperationalError("it is another program's database")
    if len(MIGRATIONS) < version <= MAX_VERSION:
        raise NewerError(f"it has version {version}, this Kibitzer knows versions up to {len(MIGRATIONS)}")
    own = _columns_of(version) if 0 <= version <= len(MIGRATIONS) else frozenset()
    if not own <= there or (newest - own) & there:
        raise DamagedError(f"its tables are not those of version {version}")


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        for statement in itertools.chain.from_iterable(MIGRATIONS[version:]):
            connection.execute(statement)
        if 0 < version < len(MIGRATIONS):
            _log.info("%s is brought from version %d to %d", path, version, len(MIGRATIONS))
        connection.execute(f"PRAGMA application_id = {APPLICATION}")  # always: this tells whether it can be written
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _columns(connection: sqlite3.Connection) -> frozenset[tuple[object, ...]]:
    """Our tables' columns (table, name, type, whether empty is forbidden, default, place in the key) and references."""
    return frozenset(
        (kind, name, *column[1:])
        for name in TABLES
        for kind in ("table_info", "foreign_key_list")
        for column in connection.execute(f"PRAGMA {kind}({name})")
    )


@functools.cache
def _columns_of(version: int) -> frozenset[tuple[object, ...]]:
    with contextlib.closing(_empty(version)) as connection:
        return _columns(connection)


@functools.cache
def empty_file() -> bytes:
    with contextlib.closing(_empty(len(MIGRATIONS))) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        return connection.serialize()


def first_page(file_bytes: int) -> bytes:
    """The first page, with header and schema, that a journal of that size and this version has."""
    size = (file_bytes // PAGE_BYTES).to_bytes(4, "big")
    return empty_file()[:28] + size + empty_file()[32:PAGE_BYTES]


def _empty(version: int) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    for statement in itertools.chain.from_iterable(MIGRATIONS[:version]):
        connection.execute(statement)
    return connection


def files_of(path: Path) -> list[Path]:
    """What a journal may consist of: what waits to be merged, the index of that, and the journal itself."""
    return [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", "")]


def remove(path: Path) -> None:
    for part in files_of(path):
        part.unlink(missing_ok=True)


def required(table: str) -> frozenset[object]:
    """Names of the columns that a table had from the first version on."""
    return frozenset(column[2] for column in _columns_of(1) if column[:2] == ("table_info", table))


def set_aside(path: Path) -> Path:
    """Renames a damaged file and its companion files, so that nothing is lost; returns the new name."""
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%S%f")
    target = path.with_name(f"{path.name}.damaged-{stamp}")
    for part, aside in zip(files_of(path), files_of(target), strict=True):
        with contextlib.suppress(FileNotFoundError):
            part.rename(aside)
    return target


def reason_of(error: Exception, path: Path | None = None) -> tuple[str, str]:
    """The stable code of an error, of the file at `path`, and advice for a person."""
    if isinstance(error, NewerError):
        return "newer", "start the newer Kibitzer, or name another journal"
    name = getattr(error, "sqlite_errorname", "") or ""
    damaged = isinstance(error, UnicodeDecodeError | DamagedError)  # a column's name is no UTF-8
    if damaged or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return _DAMAGED
    if name.startswith("SQLITE_IOERR") and path is not None and paths.is_read_only(path.parent):
        return "read_only", "its disk has become read-only: check the disk, nothing recorded is lost"
    for prefix, reason in _REASONS.items():
        if name.startswith(prefix):
            return reason
    if isinstance(error, OSError):
        return "read_only", "check that its folder exists and may be written"
    return "other", "nothing recorded is lost"
