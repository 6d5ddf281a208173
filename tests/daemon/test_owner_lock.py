"""A record belongs to one process at a time, until that ends, however it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from daemon.storage.journal import JournalError
from daemon.storage.owner_lock import OwnerLock

HOLD = """
import sys, time
from pathlib import Path
from daemon.storage.owner_lock import OwnerLock
lock = OwnerLock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(600)
"""


def test_a_second_process_is_told_who_has_the_record_and_gets_it_when_that_one_is_killed(tmp_path: Path) -> None:
    record = tmp_path / "var" / "journal.sqlite"
    owner = subprocess.Popen([sys.executable, "-c", HOLD, str(record)], stdout=subprocess.PIPE, text=True)
    try:
        assert owner.stdout is not None and owner.stdout.readline() == "held\n"
        with pytest.raises(JournalError, match=f"another kibitzer, process {owner.pid}, since 20") as refused:
            OwnerLock(record)
        assert refused.value.code == "busy"
    finally:
        owner.kill()
        owner.wait()
        assert owner.stdout is not None
        owner.stdout.close()
    OwnerLock(record).close()


def test_a_record_in_a_folder_that_takes_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="file"):
        OwnerLock(tmp_path / "file" / "journal.sqlite")
