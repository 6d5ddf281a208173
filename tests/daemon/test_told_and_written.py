"""What somebody tells is answered once it is on the disk; what cannot be written is refused and changes nothing."""

from __future__ import annotations

import contextlib
import resource
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import games
from daemon.app.session import Session
from daemon.commands.command import Answer, Command, Move, Resign, Undo
from daemon.config.settings import Config
from daemon.core.command_handlers import obey
from daemon.storage import journal as journal_module
from daemon.storage.journal import Journal


class Table:
    """A game of morris without a camera or a page, and its record."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "journal.sqlite"
        config = Config.model_validate(
            {
                "camera": {"source": "none"},
                "players": {"second": {"agent": ""}},
                "clock": {"control": "game", "minutes": 5},
                "bus": {"state": "tcp://127.0.0.1:*", "reply": "tcp://127.0.0.1:*"},
                "speech": {"enabled": False},
                "page": {"enabled": False, "window": False},
                "journal": {"path": str(self.path), "pictures": False},
            }
        )
        self.session = Session(config, games.load("morris"))
        self.said: list[str] = []
        self.session.listeners.append(lambda one: self.said.append(one.text))
        self.match = self.session.begin(None)

    def tell(self, command: Command) -> Answer:
        return obey(self.match, command, None)

    def recorded(self) -> list[str]:
        with contextlib.closing(Journal(self.path, read_only=True)) as journal:
            return list(journal.game(self.match.game_id).moves)

    def execute(self, statement: str) -> None:
        """What another program does to the record."""
        with contextlib.closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute(statement)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    monkeypatch.setattr(journal_module, "BUSY_S", 0.05)
    table = Table(tmp_path)
    yield table
    table.session.close()


@contextlib.contextmanager
def locked(table: Table) -> Iterator[None]:
    with contextlib.closing(sqlite3.connect(table.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


@contextlib.contextmanager
def full(table: Table) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = table.path.with_name(f"{table.path.name}-wal").stat().st_size  # no file of this process may grow beyond it
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextlib.contextmanager
def read_only(table: Table) -> Iterator[None]:
    connection = table.session.journal._connection
    assert connection is not None
    connection.execute("PRAGMA query_only = ON")
    yield
    connection.execute("PRAGMA query_only = OFF")


Trouble = Callable[[Table], contextlib.AbstractContextManager[None]]


@pytest.mark.parametrize(
    ("trouble", "why"),
    [
        (locked, "another program holds the file of the record"),
        (full, "the disk is full, please make room"),
        (read_only, "the file of the record may not be written"),
    ],
)
def test_what_cannot_be_written_is_refused_with_the_reason_and_changes_nothing(
    table: Table, trouble: Trouble, why: str
) -> None:
    assert table.tell(Move("d2")).accepted and table.tell(Move("f4")).accepted
    assert table.session.timer is not None
    before = table.match.referee.position, table.session.timer.clock.plies, table.match.state
    with trouble(table):
        for command in (Move("a1"), Undo(), Resign("light")):
            answer = table.tell(command)
            assert (answer.accepted, answer.text) == (False, f"I cannot write this down: {why}. Nothing has changed.")
            assert (table.match.referee.position, table.session.timer.clock.plies, table.match.state) == before
            assert table.match.referee.outcome is None and not table.match.unwritten
        assert table.recorded() == ["d2", "f4"]
    assert table.tell(Move("a1")).accepted
    assert table.recorded() == table.match.referee.moves == ["d2", "f4", "a1"]


def test_of_what_one_command_leads_to_all_is_written_or_nothing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.tell(Move("d2"))

    def fail(*_rest: object) -> None:
        raise sqlite3.OperationalError("the computer ends here")

    with monkeypatch.context() as patch:
        patch.setattr(journal_module, "_note", fail)
        assert not table.tell(Undo()).accepted  # the plies are marked first, the note comes after
    assert table.recorded() == table.match.referee.moves == ["d2"]
