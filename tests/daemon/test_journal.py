"""The journal: acknowledged writes survive, whatever happens to the process, the disk or the file."""

import dataclasses
import itertools
import json
import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from daemon.game.effects import PlyTimes, Record, Rewrite, Thought
from daemon.record import journal_schema
from daemon.record.journal import Journal, JournalError
from daemon.record.salvage import open_record
from rules import Outcome
from tests.daemon.recorded_games import connection

ROOT = Path(__file__).parents[2]


def begun(path: Path, plies: int = 0) -> tuple[Journal, str]:
    """A journal with one game of that many plies."""
    journal = Journal(path)
    game_id = journal.new_game("nine_mens_morris", {"flying": "true"}, ["person", "alphabeta"])
    for ply in range(1, plies + 1):
        append(journal, game_id, ply)
    return journal, game_id


def append(journal: Journal, game_id: str, ply: int) -> None:
    journal.append(game_id, Record(ply, (ply - 1) % 2, f"m{ply}", f"position {ply}", "." * 24))


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Runs code in a process of its own."""
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "var" / "journal.sqlite"


def test_a_whole_game_comes_back_as_it_was_recorded(path: Path) -> None:
    journal, game_id = begun(path)
    journal.append(game_id, Record(1, 0, "d6", "p1", "b1", thought=Thought(0.5)))
    journal.note(game_id, "illegal", "Đó là nước sai", {"cells": [3, 4]})
    journal.append(game_id, Record(2, 1, "f4", "p2", "b2"))
    journal.finish(game_id, Outcome(0, "two_men_left", (3, 1)))
    journal.close()
    journal = Journal(path)
    stored = journal.game(game_id)
    assert (stored.game, stored.rules, stored.players) == (
        "nine_mens_morris",
        {"flying": "true"},
        ("person", "alphabeta"),
    )
    assert stored.moves == ("d6", "f4")
    first = stored.plies[0]
    assert (first.side, first.position, first.board, first.score, first.frame) == (0, "p1", "b1", 0.5, "")
    assert stored.plies[1].score is None
    assert stored.outcome == Outcome(0, "two_men_left", (3, 1))
    (note,) = stored.notes
    assert (note.kind, note.text, note.data, note.ply) == ("illegal", "Đó là nước sai", {"cells": [3, 4]}, 1)
    seen = dataclasses.replace(first, frame="1_1.jpg")
    journal.add(other := dataclasses.replace(stored, game_id="other", plies=(seen, stored.plies[1])))
    assert journal.game("other") == other


def test_every_transaction_is_flushed_to_the_disk(path: Path) -> None:
    journal, _ = begun(path)
    assert connection(journal).execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert connection(journal).execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL


@pytest.mark.parametrize("ply", [0, 1, 3, 5, -1])
def test_a_ply_out_of_order_or_twice_is_refused(path: Path, ply: int) -> None:
    journal, game_id = begun(path, 3)
    with pytest.raises(JournalError, match="next one to be recorded is 4") as caught:
        append(journal, game_id, ply)
    assert caught.value.code == "order"
    assert journal.game(game_id).moves == ("m1", "m2", "m3")


def test_plies_taken_back_are_kept_but_do_not_stand(path: Path) -> None:
    journal, game_id = begun(path, 5)
    journal.take_back(game_id, 3)
    append(journal, game_id, 4)
    stored = journal.game(game_id)
    assert stored.moves == ("m1", "m2", "m3", "m4")
    assert [ply.ply for ply in stored.undone] == [4, 5]
    for ply in (4, 9, -1):
        with pytest.raises(JournalError, match="stands at ply 4"):
            journal.take_back(game_id, ply)


def rewritten(first: int, *moves: str) -> tuple[Record, ...]:
    return tuple(
        Record(ply, ply % 2, move, f"new position {ply}", "." * 24, "said") for ply, move in enumerate(moves, first)
    )


def test_a_rewriting_puts_other_plies_in_the_place_of_some(path: Path) -> None:
    journal, game_id = begun(path, 4)
    journal.rewrite(game_id, Rewrite(2, rewritten(3, "pass", "n3", "n4"), None))
    journal.close()
    stored = Journal(path).game(game_id)
    assert stored.moves == ("m1", "m2", "pass", "n3", "n4")
    assert stored.known == ("", "", "said", "said", "said")
    assert [one.move for one in stored.undone] == ["m3", "m4"]
    assert (stored.finished, stored.beyond) == (None, ())


def test_a_rewriting_may_end_a_game_and_another_open_it_again(path: Path) -> None:
    journal, game_id = begun(path, 3)
    end = Outcome(0, "space_100", (100, 7))
    journal.rewrite(game_id, Rewrite(1, rewritten(2, "n2"), end, (("m3", 1, "seat"),)))
    assert (journal.game(game_id).outcome, journal.game(game_id).beyond) == (end, (("m3", 1, "seat"),))
    journal.rewrite(game_id, Rewrite(1, rewritten(2, "m2", "m3"), None))
    assert (journal.game(game_id).outcome, journal.game(game_id).beyond) == (None, ())
    append(journal, game_id, 4)


@pytest.mark.parametrize(("ply", "first"), [(-1, 0), (4, 5), (2, 4), (2, 2)])
def test_a_rewriting_that_would_leave_a_hole_changes_nothing(path: Path, ply: int, first: int) -> None:
    journal, game_id = begun(path, 3)
    with pytest.raises(JournalError) as caught:
        journal.rewrite(game_id, Rewrite(ply, rewritten(first, "n1", "n2"), None))
    assert caught.value.code == "order"
    assert journal.game(game_id).moves == ("m1", "m2", "m3")


def test_a_rewriting_is_written_wholly_or_not_at_all(path: Path) -> None:
    journal, game_id = begun(path, 3)
    broken = (*rewritten(3, "n3"), Record(4, 0, None, "", "", ""))  # type: ignore[arg-type]
    with pytest.raises(JournalError):
        journal.rewrite(game_id, Rewrite(2, broken, None))
    assert journal.game(game_id).moves == ("m1", "m2", "m3")


def older(path: Path, version: int) -> str:
    """A journal of that schema version, with one game of two plies; returns the game's id."""
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    for statement in itertools.chain.from_iterable(journal_schema.MIGRATIONS[:version]):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {journal_schema.APPLICATION}")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.execute(
        "INSERT INTO games (game_id, game, rules, players, started) VALUES ('g', 'reversi', '{}', ?, 't')",
        (json.dumps(["a", "b"]),),
    )
    for ply in (1, 2):
        connection.execute(
            "INSERT INTO plies (game_id, ply, move, side, position, board, verdict, frame, time)"
            " VALUES ('g', ?, ?, 0, 'p', 'b', 'legal', '', 't')",
            (ply, f"m{ply}"),
        )
    connection.commit()
    connection.close()
    return "g"


@pytest.mark.parametrize("version", range(1, len(journal_schema.MIGRATIONS)))
def test_an_older_journal_is_read_as_it_is_and_then_brought_up_to_date_with_its_games(path: Path, version: int) -> None:
    game_id = older(path, version)
    before = Journal(path, read_only=True).game(game_id)
    assert (before.moves, before.known, before.clock, before.plies[0].left_s) == (("m1", "m2"), ("", ""), {}, None)
    assert [one.plies for one in Journal(path, read_only=True).summaries()] == [2]
    journal = Journal(path)
    assert journal.game(game_id) == before
    journal.append(game_id, Record(3, 0, "m3", "p3", ".", known="seat", times=PlyTimes(2.5, (57.5, 60.0))))
    third = journal.game(game_id).plies[2]
    assert (third.known, third.spent_s, third.left_s, third.depth) == ("seat", 2.5, (57.5, 60.0), None)


def test_times_and_an_agents_figures_come_back_as_they_were_recorded(path: Path) -> None:
    journal = Journal(path)
    control = {"kind": "game", "time_s": 300.0, "increment_s": 2.0, "lose": True}
    game_id = journal.new_game("nine_mens_morris", {}, ["Ana", "level-5"], control)
    journal.append(game_id, Record(1, 0, "d6", "p1", "b1", times=PlyTimes(12.5)))
    thought = Thought(-0.25, 7, 12345, 1.5)
    journal.append(game_id, Record(2, 1, "f4", "p2", "b2", times=PlyTimes(1.5, (290.0, -3.5)), thought=thought))
    journal.close()
    stored = Journal(path).game(game_id)
    assert stored.clock == control
    assert [(ply.spent_s, ply.left_s) for ply in stored.plies] == [(12.5, None), (1.5, (290.0, -3.5))]
    second = stored.plies[1]
    assert (second.score, second.depth, second.nodes, second.thought_s) == (-0.25, 7, 12345, 1.5)
    assert (stored.plies[0].score, stored.plies[0].nodes) == (None, None)


def test_figures_that_sqlite_cannot_hold_cost_no_ply(path: Path) -> None:
    journal, game_id = begun(path)
    thought = Thought(float("inf"), 10**30, 10**30, float("nan"))
    journal.append(game_id, Record(1, 0, "d6", "p", "b", thought=thought))
    first = journal.game(game_id).plies[0]
    assert (first.score, first.depth, first.nodes, first.thought_s) == (None, 2**63 - 1, 2**63 - 1, None)


def test_a_ply_is_one_transaction_whatever_is_recorded_of_it(path: Path) -> None:
    journal, game_id = begun(path)
    said: list[str] = []
    connection(journal).set_trace_callback(said.append)
    journal.append(
        game_id, Record(1, 0, "d6", "p", "b", times=PlyTimes(1.0, (1.0, 2.0)), thought=Thought(1.0, 2, 3, 4.0))
    )
    assert [text for text in said if text.split()[0] in ("BEGIN", "COMMIT", "ROLLBACK")] == [
        "BEGIN IMMEDIATE",
        "COMMIT",
    ]
    assert len([text for text in said if text.startswith("INSERT")]) == 1


def test_a_deleted_game_is_gone_from_the_file_too_and_the_others_stay(path: Path) -> None:
    journal, first = begun(path, 3)
    second = journal.new_game("reversi", {}, ["a", "b"])
    journal.append(second, Record(1, 0, "thesecretmove", "p", "b"))
    journal.note(second, "illegal", "thesecretnote")
    journal.delete(second)
    assert [game.game_id for game in journal.games()] == [first]
    assert journal.game(first).moves == ("m1", "m2", "m3")
    with pytest.raises(JournalError, match="no game"):
        journal.delete(second)
    journal.close()
    assert b"thesecret" not in b"".join(one.read_bytes() for one in path.parent.iterdir())


def test_a_finished_game_takes_no_ply_until_its_last_one_is_taken_back(path: Path) -> None:
    journal, game_id = begun(path, 2)
    journal.finish(game_id, Outcome(None, "agreed"))
    with pytest.raises(JournalError, match="ended at"):
        append(journal, game_id, 3)
    with pytest.raises(JournalError, match="it ended at"):
        journal.finish(game_id, Outcome(0, "two_men_left"))
    journal.take_back(game_id, 1)
    assert journal.game(game_id).outcome is None
    append(journal, game_id, 2)


def test_the_newest_unfinished_game_is_the_one_to_resume(path: Path) -> None:
    journal, first = begun(path, 1)
    assert journal.unfinished() is not None
    second = journal.new_game("reversi", {}, ["person", "person"])
    third = journal.new_game("gomoku", {}, ["person", "person"])
    journal.finish(third, Outcome(1, "five"))
    resumed = journal.unfinished()
    assert resumed is not None and resumed.game_id == second
    journal.finish(second, Outcome(None, "abandoned"))
    resumed = journal.unfinished()
    assert resumed is not None and resumed.game_id == first
    journal.finish(first, Outcome(None, "abandoned"))
    assert journal.unfinished() is None
    assert [game.game_id for game in journal.games()] == [first, second, third]
    assert [game.game_id for game in journal.games(limit=2)] == [second, third]


def test_a_clock_that_is_set_changes_neither_the_order_of_games_nor_which_is_resumed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, games = Journal(path), []
    for day in ("2026-08-02", "2026-08-01", "2027-01-01", "1970-01-01"):
        for module in ("journal", "stored_game"):
            monkeypatch.setattr(f"daemon.record.{module}.now", lambda day=day: f"{day}T12:00:00.000+00:00")
        games.append(journal.new_game("nine_mens_morris", {}, ["person", "person"]))
        append(journal, games[-1], 1)
    assert [one.game_id for one in journal.summaries()] == journal.ids() == games
    resumed = journal.unfinished()
    assert resumed is not None and resumed.game_id == games[-1]
    append(journal, games[0], 2)
    assert [one.ply for one in journal.game(games[0]).plies] == [1, 2]


def test_an_unknown_game_is_named(path: Path) -> None:
    journal, _ = begun(path)
    for ask in (lambda: journal.game("g9"), lambda: append(journal, "g9", 1), lambda: journal.note("g9", "a", "b")):
        with pytest.raises(JournalError, match="no game 'g9'") as caught:
            ask()
        assert caught.value.code == "unknown_game"


WRITER = """
    import sys
    from pathlib import Path
    from daemon.game.effects import Record
    from daemon.record.journal import Journal
    journal = Journal(Path(sys.argv[1]))
    game_id = journal.new_game("nine_mens_morris", {}, ["person", "person"])
    for ply in range(1, 1_000_000):
        journal.append(game_id, Record(ply, ply % 2, f"m{ply}", "p" * 200, "." * 24))
        print(game_id, ply, flush=True)
"""


def test_nothing_acknowledged_is_lost_to_kill_9(path: Path) -> None:
    for round_ in range(5):
        with python(WRITER, path) as writer:
            assert writer.stdout is not None
            lines = [writer.stdout.readline()]  # the writer is at work
            killer = threading.Timer(0.02 + 0.07 * round_, lambda pid: os.kill(pid, signal.SIGKILL), [writer.pid])
            killer.start()
            lines += writer.stdout.readlines()
            killer.join()
        assert writer.returncode == -signal.SIGKILL
        game_id, ply = next(line for line in reversed(lines) if line.endswith("\n")).split()
        journal = Journal(path)
        assert journal.mended is None
        stored = journal.game(game_id)
        assert [entry.ply for entry in stored.plies] == list(range(1, len(stored.plies) + 1))
        assert int(ply) <= len(stored.plies) <= int(ply) + 1
        journal.close()
    assert len(Journal(path).games()) == 5


FULL_DISK = """
    import resource, sys
    from pathlib import Path
    from daemon.game.effects import Record
    from daemon.record.journal import Journal, JournalError
    path = Path(sys.argv[1])
    journal = Journal(path)
    game_id = journal.new_game("nine_mens_morris", {}, ["person", "person"])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    for ply in range(1, 10_000):
        try:
            journal.append(game_id, Record(ply, ply % 2, "m", "p" * 500, "." * 24))
        except JournalError as error:
            assert error.code == "full", (error.code, error)
            break
    assert 5 < ply < 9_999, ply
    assert len(journal.game(game_id).plies) == ply - 1
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    journal.append(game_id, Record(ply, ply % 2, "m", "p" * 500, "." * 24))
    assert len(journal.game(game_id).plies) == ply
    journal.close()
    assert len(Journal(path).game(game_id).plies) == ply
    print("resumed")
"""


def test_a_full_disk_is_said_clearly_and_the_ply_can_be_written_once_there_is_room(path: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    with python(FULL_DISK, path) as writer:
        output, _ = writer.communicate(timeout=30)
    assert output == "resumed\n"


def test_a_database_that_may_grow_no_further_is_a_full_disk(path: Path) -> None:
    journal, game_id = begun(path, 1)
    connection(journal).execute("PRAGMA max_page_count = 1")  # no more pages than there are
    with pytest.raises(JournalError, match="disk is full") as caught:
        for ply in range(2, 500):
            append(journal, game_id, ply)
    assert caught.value.code == "full"
    stands = len(journal.game(game_id).plies)
    connection(journal).execute("PRAGMA max_page_count = 100000")
    append(journal, game_id, stands + 1)


@pytest.mark.parametrize("content", [b"garbage " * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_set_aside_loudly_and_a_new_one_begun(
    path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(JournalError, match="damaged"):
        Journal(path)
    journal = open_record(path)
    assert journal.mended is not None and journal.mended.kept_as.read_bytes() == content
    assert "was damaged" in caplog.text and str(journal.mended.kept_as) in caplog.text
    assert journal.games() == []
    journal.new_game("nine_mens_morris", {}, ["person", "person"])


def test_damage_in_the_middle_of_the_record_is_noticed_at_the_start(path: Path) -> None:
    journal, _ = begun(path, 400)
    journal.close()
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 6] = b"\xa5" * 4096 * 3
    path.write_bytes(content)
    reopened = open_record(path)
    assert reopened.mended is not None
    assert reopened.mended.kept_as.read_bytes() == content


def test_an_empty_file_becomes_a_journal(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    journal, _ = begun(path, 1)
    assert journal.mended is None


def test_a_file_that_may_not_be_written_is_an_error_and_stays(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(JournalError) as caught:
        Journal(path)
    assert "no regular file" in str(caught.value)
    assert path.is_dir()
    file = path.parent / "file"
    file.touch()
    with pytest.raises(JournalError, match="check that its folder exists"):
        Journal(file / "journal.sqlite")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_an_error(path: Path) -> None:
    path.parent.mkdir()
    path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(JournalError, match="may be written"):
        Journal(path)


def test_another_programs_database_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match="another program's database"):
        Journal(path)
    assert path.read_bytes() == before


def test_a_journal_of_a_newer_kibitzer_is_left_alone(path: Path) -> None:
    journal, _ = begun(path, 1)
    journal.close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(journal_schema.MIGRATIONS) + 1}")
    connection.close()
    with pytest.raises(JournalError, match="start the newer Kibitzer") as caught:
        Journal(path)
    assert caught.value.code == "newer"
    assert path.exists()


def test_an_older_journal_is_brought_up_to_date_or_left_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, game_id = begun(path, 2)
    journal.close()

    steps, work = journal_schema.MIGRATIONS, "ALTER TABLE games ADD COLUMN venue TEXT"
    monkeypatch.setattr(journal_schema, "MIGRATIONS", (*steps, (work, "SELECT no FROM games")))
    with pytest.raises(JournalError):
        Journal(path)
    monkeypatch.setattr(journal_schema, "MIGRATIONS", (*steps, (work,)))
    assert Journal(path).game(game_id).moves == ("m1", "m2")
    assert Journal(path).game(game_id).moves == ("m1", "m2")


def test_a_reader_looks_at_the_record_while_it_is_written_and_changes_nothing(path: Path) -> None:
    with pytest.raises(JournalError):
        Journal(path, read_only=True)
    assert not path.exists()
    journal, game_id = begun(path, 2)
    reader = Journal(path, read_only=True)
    append(journal, game_id, 3)
    assert len(reader.game(game_id).plies) == 3
    with pytest.raises(JournalError) as caught:
        append(reader, game_id, 4)
    assert caught.value.code == "read_only"


def test_a_file_held_by_another_program_is_an_error_in_time_and_then_works(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.record.journal.BUSY_S", 0.2)
    journal, game_id = begun(path, 1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(JournalError, match="another program holds the file") as caught:
        append(journal, game_id, 2)
    assert caught.value.code == "busy"
    waits_ms = connection(journal).execute("PRAGMA busy_timeout")
    assert waits_ms.fetchone()[0] == 0  # whoever tries again is not made to wait
    other.execute("ROLLBACK")
    append(journal, game_id, 2)
    assert connection(journal).execute("PRAGMA busy_timeout").fetchone()[0] == 200


def test_another_thread_is_refused(path: Path) -> None:
    journal, game_id = begun(path)
    caught: list[Exception] = []

    def use() -> None:
        try:
            append(journal, game_id, 1)
        except JournalError as error:
            caught.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert len(caught) == 1 and "thread" in str(caught[0])
    append(journal, game_id, 1)
