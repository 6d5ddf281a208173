"""The journal's tables, schema version and migrations, and opening the file."""

from __future__ import annotations

import datetime
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

from calibration.atomic_file import make_private

_log = logging.getLogger(__name__)

APPLICATION = 0x4B696269
"""SQLite application id ("Kibi") that marks the file as ours: never write into another program's database."""


class NewerError(sqlite3.DatabaseError):
    """The file was made by a newer Kibitzer."""


def _first(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE games (game_id TEXT NOT NULL UNIQUE, game TEXT NOT NULL, rules TEXT NOT NULL,"
        " players TEXT NOT NULL, started TEXT NOT NULL, finished TEXT, winner INTEGER, reason TEXT, scores TEXT)"
    )
    connection.execute(
        "CREATE TABLE plies (id INTEGER PRIMARY KEY, game_id TEXT NOT NULL REFERENCES games (game_id),"
        " ply INTEGER NOT NULL CHECK (ply > 0), move TEXT NOT NULL, side INTEGER NOT NULL, position TEXT NOT NULL,"
        " board TEXT NOT NULL, verdict TEXT NOT NULL, score REAL, frame TEXT NOT NULL, time TEXT NOT NULL,"
        " undone INTEGER NOT NULL DEFAULT 0)"
    )
    connection.execute("CREATE UNIQUE INDEX standing_plies ON plies (game_id, ply) WHERE undone = 0")
    connection.execute("CREATE INDEX plies_of_game ON plies (game_id, id)")
    connection.execute(
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, game_id TEXT NOT NULL REFERENCES games (game_id),"
        " ply INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, data TEXT NOT NULL, time TEXT NOT NULL)"
    )
    connection.execute("CREATE INDEX notes_of_game ON notes (game_id, id)")


def _known_movers(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE plies ADD COLUMN known TEXT NOT NULL DEFAULT ''")


def _times_and_thoughts(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE games ADD COLUMN clock TEXT NOT NULL DEFAULT '{}'")
    for column in ("spent_s REAL", "left_first_s REAL", "left_second_s REAL"):
        connection.execute(f"ALTER TABLE plies ADD COLUMN {column}")
    for column in ("depth INTEGER", "nodes INTEGER", "thought_s REAL"):
        connection.execute(f"ALTER TABLE plies ADD COLUMN {column}")


def _set_up(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE games ADD COLUMN start TEXT NOT NULL DEFAULT ''")


def _imported(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE games ADD COLUMN source TEXT NOT NULL DEFAULT ''")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    _first,
    _known_movers,
    _times_and_thoughts,
    _set_up,
    _imported,
)
"""Step n migrates a file from version n to n + 1; only ever append to it."""


def connect(path: Path, read_only: bool, busy_s: float) -> sqlite3.Connection:
    """Opens, checks and migrates a journal file.

    Raises sqlite3.Error (NewerError if a newer Kibitzer made it), OSError.
    """
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
    except BaseException:
        connection.close()
        raise
    connection.row_factory = sqlite3.Row
    return connection


def _check(connection: sqlite3.Connection, path: Path, read_only: bool) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    if tables and application != APPLICATION:
        raise sqlite3.OperationalError("it is another program's database")
    if read_only:
        _refuse_newer(_version(connection))
        if not tables:
            raise sqlite3.OperationalError("it is empty")
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    fault = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if fault != "ok":
        error = sqlite3.DatabaseError(fault)
        error.sqlite_errorname = "SQLITE_CORRUPT"
        raise error
    _migrate(connection, path)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Migrates the file to the newest version, all steps or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        _refuse_newer(version)
        for step in MIGRATIONS[version:]:
            step(connection)
        if 0 < version < len(MIGRATIONS):
            _log.info("%s is brought from version %d to %d", path, version, len(MIGRATIONS))
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _refuse_newer(version: int) -> None:
    if version > len(MIGRATIONS):
        raise NewerError(f"it has version {version}, this Kibitzer knows versions up to {len(MIGRATIONS)}")


def set_aside(path: Path) -> Path:
    """Renames a damaged file and its companion files, so that nothing is lost; returns the new name."""
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%S%f")
    target = path.with_name(f"{path.name}.damaged-{stamp}")
    for suffix in ("-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(target.with_name(target.name + suffix))
    path.rename(target)
    return target
