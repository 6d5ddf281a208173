"""A record belongs to one process at a time, until that ends, however it ends."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import games
from daemon.cli.play import app
from daemon.record.journal import JournalError
from daemon.record.salvage import OwnerLock
from lab.demo.cli import demo_config, open_session

HOLD = """
import sys, time
from pathlib import Path
from daemon.record.salvage import OwnerLock
lock = OwnerLock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has the record `var/journal.sqlite`."""
    record = tmp_path / "var" / "journal.sqlite"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(record)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_is_told_who_has_the_record_and_gets_it_when_that_one_is_killed(
    tmp_path: Path, owner: subprocess.Popen[str]
) -> None:
    record, link = tmp_path / "var" / "journal.sqlite", tmp_path / "link.sqlite"
    link.symlink_to(record)
    for name in (record, link):
        with pytest.raises(JournalError, match=f"another kibitzer, process {owner.pid}, since 20") as refused:
            OwnerLock(name)
        assert refused.value.code == "busy"
    told = CliRunner().invoke(app, ["--game", "morris", "--light", "me", "--dark", "me", "--journal", str(record)])
    assert told.exit_code == 75
    assert told.stderr.startswith(f"kibitzer play: {record} belongs to another kibitzer, process {owner.pid}, since 20")
    assert told.stderr.count("\n") == 1 and not record.exists()
    owner.kill()
    owner.wait()
    OwnerLock(record).close()


def test_a_second_demo_keeps_a_record_of_its_own(
    tmp_path: Path, owner: subprocess.Popen[str], capsys: pytest.CaptureFixture[str]
) -> None:
    config = demo_config("nine_mens_morris", headless=True, fast=True)
    journal = config.journal.model_copy(update={"path": str(tmp_path / "var" / "journal.sqlite")})
    config = config.model_copy(update={"journal": journal})
    session = open_session(config, games.load("morris"), tmp_path)
    session.close()
    assert session.services.journal.path == tmp_path / "var" / f"journal-{os.getpid()}.sqlite"
    assert f"process {owner.pid}" in capsys.readouterr().err


def test_a_full_disk_costs_the_name_of_the_owner_and_not_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_rest: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    OwnerLock(tmp_path / "journal.sqlite").close()


def test_a_record_in_a_folder_that_takes_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="file"):
        OwnerLock(tmp_path / "file" / "journal.sqlite")
