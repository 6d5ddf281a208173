"""Record files: damaged bytes, rows we never wrote, foreign tables, other versions."""

from __future__ import annotations

import contextlib
import functools
import os
import random
import shutil
import sqlite3
from pathlib import Path

import games
from daemon.game.effects import Record
from daemon.record.journal import Journal, JournalError
from daemon.record.journal_schema import MIGRATIONS
from daemon.record.salvage import open_record
from daemon.record.stored_line import history_of, line_of
from rules import GameError, Outcome
from tests.fuzz.entry import Entry, IllegalState
from tests.fuzz.game_entries import check_position

VALUES = (
    None, 0, -1, 1, 2, 10**6, 2**63 - 1, 0.5, 1e308, "", "x", "d3", "null", "[]", "{}", "[1]", '{"a": 1}', '"x"',
    "\x00", "\u202e", "x" * 3000, "pass", "reversi", "nine_mens_morris", "agent", "said", b"\xff\xfe", b"", "[1, 2]",
    "[1, 2, 3]", '["a", "b"]', "start:1", "1e999", '{"ply": 1, "beyond": [["d3", 0, ""]]}', '{"beyond": 3}', '[[["',
    "NaN", "[null, null]",
)  # fmt: skip
STATEMENTS = (
    "PRAGMA user_version = 99",
    "PRAGMA user_version = -1",
    "PRAGMA user_version = 1",
    "PRAGMA application_id = 7",
    "DROP TABLE notes",
    "DROP TABLE plies",
    "DELETE FROM games",
    "ALTER TABLE plies RENAME COLUMN move TO moved",
    "ALTER TABLE games DROP COLUMN clock",
    "CREATE TABLE foreign_one (a)",
    "DROP INDEX standing_plies",
    "UPDATE plies SET ply = ply + 1",
    "UPDATE plies SET ply = 1 WHERE undone = 1",
    "UPDATE plies SET undone = 1 - undone",
    "CREATE TRIGGER t AFTER INSERT ON plies BEGIN DELETE FROM games; END",
    "UPDATE plies SET side = 1 - side",
    "ALTER TABLE notes RENAME TO noted",
    "CREATE VIEW v AS SELECT * FROM games",
    "DELETE FROM plies WHERE ply = 2",
    "PRAGMA writable_schema = ON",
    "UPDATE sqlite_master SET sql = replace(sql, 'DEFAULT 0', 'DEFAULT 1')",
    "UPDATE plies SET move = CAST(x'ffe7' AS TEXT)",
)


def entries() -> list[Entry]:
    record = _record()
    return [
        Entry(
            "journal_bytes",
            "journal",
            damaged_file,
            (record, record[:8192], b""),
            (b"SQLite format 3\x00",),
            weight=2,
            guided=False,
            longest=1 << 17,
        ),
        Entry("journal_rows", "journal", strange_rows, (b"0",), weight=3, guided=False, longest=16),
    ]


def damaged_file(data: bytes) -> bool:
    path = _folder() / "journal.sqlite"
    path.write_bytes(data)
    return _read(path)


def strange_rows(data: bytes) -> bool:
    """Reads a valid record after a few changes of values or SQL statements, chosen by the data."""
    chance, path = random.Random(data), _folder() / "journal.sqlite"
    path.write_bytes(_record())
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for _ in range(chance.randint(1, 3)):
            with contextlib.suppress(sqlite3.Error, ValueError, IndexError):
                if chance.random() < 0.25:
                    connection.execute(chance.choice(STATEMENTS))
                    continue
                table = chance.choice(("games", "plies", "plies", "notes"))
                columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
                which = "" if chance.random() < 0.5 else f" WHERE rowid = {chance.randint(1, 4)}"
                connection.execute(f"UPDATE {table} SET {chance.choice(columns)} = ?{which}", (chance.choice(VALUES),))
    return _read(path)


def _read(path: Path) -> bool:
    """Opens a record, reads all of it and its unfinished game, and writes a new game."""
    try:
        with contextlib.closing(open_record(path)) as journal:
            going = journal.unfinished()
            for stored in [*journal.games(), *([] if going is None else [going])]:
                with contextlib.suppress(GameError):
                    game = games.load(stored.game, stored.rules)
                    check_position(game, history_of(game, stored)[-1])
                    line_of(game, stored)
            journal.summaries()
            kept = journal.mended
            game_id = journal.new_game("reversi", {}, ["person", "person"])
            journal.append(game_id, Record(1, 0, "d3", "", ""))
            if journal.game(game_id).moves != ("d3",):
                raise IllegalState("what was written is not read again")
            return kept is None
    except JournalError:
        return False
    finally:
        for file in path.parent.iterdir():
            file.unlink()


@functools.cache
def _folder() -> Path:
    base = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path("/tmp")
    folder = base / f"kibitzer-fuzz-{os.getpid()}-journal"
    folder.mkdir(exist_ok=True)
    import atexit

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@functools.cache
def _record() -> bytes:
    """A record with a finished game, an unfinished one, plies taken back and notes."""
    path = _folder() / "seed.sqlite"
    game = games.load("reversi")
    with contextlib.closing(Journal(path)) as journal:
        for number in range(2):
            game_id = journal.new_game(game.name, {}, ["person", "level-3"])
            position, draw = game.initial(), random.Random(number)
            for ply in range(1, 7):
                move = draw.choice(list(game.legal_moves(position)))
                text, side = game.format_move(position, move), game.to_move(position)
                position = game.apply(position, move)
                journal.append(game_id, Record(ply, side, text, game.format_position(position), game.board(position)))
            journal.note(game_id, "illegal", "e4 is taken.", {"cells": ["e4"]})
            journal.take_back(game_id, 4)
            if not number:
                journal.finish(game_id, Outcome(0, "resigned"))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
    data = path.read_bytes()
    for file in path.parent.iterdir():
        file.unlink()
    return data
