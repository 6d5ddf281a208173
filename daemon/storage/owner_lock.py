"""Keeps a record to one program that plays: it locks it, and the lock ends with the process, however that ends."""

from __future__ import annotations

import contextlib
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
        record = record.resolve()  # a link to a record is that record
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
        with contextlib.suppress(OSError):  # on a full disk the lock names nobody
            os.truncate(self._file, 0)
            os.write(self._file, f"process {os.getpid()}, since {now}".encode())

    def close(self) -> None:
        os.close(self._file)
