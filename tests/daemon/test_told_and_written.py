"""What somebody tells is answered once it is on the disk; what cannot be written is refused and changes nothing."""

from __future__ import annotations

import contextlib
import resource
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import games
from daemon.commands.command import Answer, Command, Move, Resign, Undo
from daemon.config.settings import Config
from daemon.game.effects import Record
from daemon.judging import corrections
from daemon.match.command_handlers import obey
from daemon.record import journal as journal_module
from daemon.record import journal as journals
from daemon.record.journal import Journal
from daemon.record.salvage import open_record
from daemon.run.session import Session


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
def failing(table: Table) -> Iterator[None]:
    """The disk has met damage, and Linux writes to it no more."""
    with full(table), pytest.MonkeyPatch.context() as patch:
        patch.setattr("system.paths.is_read_only", lambda _folder: True)
        yield


@contextlib.contextmanager
def read_only(table: Table) -> Iterator[None]:
    connection = table.session.services.journal._connection
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
        (failing, "the file of the record may not be written"),
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
            assert table.match.referee.outcome is None and not table.match.backlog.waiting
        assert table.recorded() == ["d2", "f4"]
    assert table.tell(Move("a1")).accepted
    assert table.recorded() == table.match.referee.moves == ["d2", "f4", "a1"]


def test_of_what_one_command_leads_to_all_is_written_or_nothing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.tell(Move("d2"))

    def fail(*_rest: object) -> None:
        raise sqlite3.OperationalError("the computer ends here")

    with monkeypatch.context() as patch:
        patch.setattr(journals, "_add_note", fail)
        assert not table.tell(Undo()).accepted  # the plies are marked first, the note comes after
    assert table.recorded() == table.match.referee.moves == ["d2"]


def removed(table: Table) -> None:
    for file in table.path.parent.glob("journal.sqlite*"):
        if file.suffix != ".lock":
            file.unlink()


def renamed(table: Table) -> None:
    table.path.rename(table.path.with_name("elsewhere"))


def replaced_by_an_earlier_copy(table: Table) -> None:
    copy = table.path.with_name("copy")
    with contextlib.closing(sqlite3.connect(table.path, isolation_level=None)) as connection:
        connection.execute("VACUUM INTO ?", [str(copy)])
    with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("DELETE FROM plies WHERE ply = 2")
    copy.replace(table.path)


def executed(statement: str) -> Callable[[Table], None]:
    return lambda table: table.execute(statement)


class Killed(BaseException):
    """Ends the process at this instant."""


def test_of_plies_seen_in_one_picture_a_kill_leaves_all_or_none_in_the_record(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, written = Journal.append, list[str]()

    def die_before_the_second(journal: Journal, game_id: str, record: Record) -> None:
        if written:
            raise Killed
        written.append(record.move)
        append(journal, game_id, record)

    monkeypatch.setattr(Journal, "append", die_before_the_second)
    referee = table.match.referee
    seen = [*corrections.enter(referee, "b4"), *corrections.enter(referee, "f4")]
    with pytest.raises(Killed):
        table.match.carry_out(seen)  # as a camera that was away while both were made
    assert written == ["b4"] and table.recorded() == []


@pytest.mark.parametrize(
    "harm",
    [
        removed,
        renamed,
        replaced_by_an_earlier_copy,
        executed("DELETE FROM plies"),
        executed("DELETE FROM plies WHERE ply = 1"),
        executed("DELETE FROM games"),
        executed("UPDATE games SET finished = '2026-01-01', reason = 'resigned', winner = 0"),
    ],
)
def test_a_game_that_the_record_loses_while_it_is_played_is_written_again_and_that_is_said(
    table: Table, harm: Callable[[Table], None]
) -> None:
    table.tell(Move("d2")), table.tell(Move("f4"))
    harm(table)
    assert table.tell(Move("a1")).accepted
    assert table.recorded() == table.match.referee.moves == ["d2", "f4", "a1"]
    assert table.said.count("The record had lost moves of this game. I have written them down again.") == 1
    table.match.carry_out(corrections.enter(table.match.referee, "b4"))  # as a move that a camera saw
    table.session.close()
    with contextlib.closing(open_record(table.path)) as journal:
        stored = journal.unfinished()
        assert journal.mended is None and stored is not None and stored.moves == ("d2", "f4", "a1", "b4")


def test_a_move_that_was_seen_while_the_record_lost_the_game_is_written_with_it(table: Table) -> None:
    table.tell(Move("d2"))
    table.execute("DELETE FROM games")
    table.match.carry_out(corrections.enter(table.match.referee, "f4"))
    assert table.recorded() == ["d2", "f4"]
    assert table.said[-2:] == ["The record had lost moves of this game. I have written them down again.", "Dark: f4."]


def test_a_file_that_is_damaged_while_it_is_open_is_mended_and_the_game_goes_on(table: Table) -> None:
    table.tell(Move("d2")), table.tell(Move("f4"))
    table.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with table.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * 4096 * 7)
    table.match.carry_out(corrections.enter(table.match.referee, "a1"))
    table.match.poll()
    assert table.recorded() == ["d2", "f4", "a1"] and not table.match.backlog.waiting
    assert table.session.services.journal.mended is not None and table.session.services.journal.mended.kept_as.exists()


def test_a_game_that_begins_while_another_program_holds_the_record_is_written_once_it_can(table: Table) -> None:
    table.tell(Move("d2"))
    with locked(table):
        table.match = table.session.begin(None, resume=False)
        assert not table.tell(Move("a1")).accepted
    assert table.tell(Move("a1")).accepted
    assert table.recorded() == ["a1"]


def test_a_reader_with_a_long_transaction_keeps_nothing_from_being_written(table: Table) -> None:
    with contextlib.closing(sqlite3.connect(table.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM plies").fetchall()
        for move in ("d2", "f4", "a1"):
            assert table.tell(Move(move)).accepted
        assert reader.execute("SELECT COUNT(*) FROM plies").fetchone() == (0,)
    table.execute("VACUUM")
    assert table.tell(Move("b4")).accepted
    assert table.recorded() == ["d2", "f4", "a1", "b4"]
