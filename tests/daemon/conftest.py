"""What many tests of the daemon begin with."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.record.journal import Journal
from tests.daemon.recorded_games import connection, journal_of_every_game


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """An empty record, closed at the end; what must be durable has a record of its own."""
    with contextlib.closing(Journal(tmp_path / "journal.sqlite")) as opened:
        connection(opened).execute("PRAGMA synchronous = OFF")
        yield opened


@pytest.fixture(scope="session")
def every_game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record with one game of each kind, for reading."""
    path = tmp_path_factory.mktemp("every") / "journal.sqlite"
    journal_of_every_game(path, most=24).close()
    return path


@pytest.fixture
def record(every_game: Path, tmp_path: Path) -> Path:
    """A copy of the record of every game that a test may damage."""
    path = tmp_path / "journal.sqlite"
    with contextlib.closing(sqlite3.connect(every_game)) as source, contextlib.closing(sqlite3.connect(path)) as copy:
        source.backup(copy)
    return path
