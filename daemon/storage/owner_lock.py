"""Keeps a record to one daemon: its owner locks it, and the lock ends with the process, however that ends."""

from __future__ import annotations

import datetime
import fcntl
import os
from pathlib import Path

from daemon.storage.journal import JournalError
from wording.outside import clean

MAX_NOTE_BYTES = 200


class OwnerLock:
    """The lock of one record: a POSIX lock on a file beside it that names the owner."""

    def __init__(self, record: Path) -> None:
        """Raises JournalError (`busy`) naming the owner if another process has the lock."""
        path = record.with_name(record.name + ".lock")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise JournalError("read_only", f"{path}: {error.strerror}") from None
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.read(self._file, MAX_NOTE_BYTES).decode(errors="replace")
            os.close(self._file)
            raise JournalError("busy", f"{record} belongs to another kibitzer, {clean(owner)}") from None
        now = datetime.datetime.now().astimezone().isoformat(" ", "seconds")
        os.truncate(self._file, 0)
        os.write(self._file, f"process {os.getpid()}, since {now}".encode())

    def close(self) -> None:
        """Gives the record up."""
        os.close(self._file)
