"""Why the journal cannot be read or written, and what a person can do about it."""

from __future__ import annotations

from daemon.storage import journal_schema

_REASONS = {
    "SQLITE_FULL": ("full", "the disk is full: make room, nothing recorded is lost"),
    "SQLITE_IOERR": ("full", "the disk does not take the write: make room or check it, nothing recorded is lost"),
    "SQLITE_READONLY": ("read_only", "the file may not be written: check its owner and rights"),
    "SQLITE_CANTOPEN": ("read_only", "the file cannot be opened: check that its folder exists and may be written"),
    "SQLITE_BUSY": ("busy", "another program holds the file: is a second kibitzer running on it?"),
}
_DAMAGED = ("corrupt", "the file is damaged: the next start of what plays with it sets it aside and saves what it can")


class JournalError(RuntimeError):
    """The journal cannot be read or written as asked.

    `.code` is stable: `full`, `read_only`, `busy`, `corrupt`, `newer` (made by a newer Kibitzer), `order` (a ply out
    of order, repeated, or after the end), `unknown_game`, `unreadable` (a game's stored data is invalid), `other`.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def reason_of(error: Exception) -> tuple[str, str]:
    """The stable code of an error, and advice for a person."""
    if isinstance(error, journal_schema.NewerError):
        return "newer", "start the newer Kibitzer, or name another journal"
    name = getattr(error, "sqlite_errorname", "") or ""
    damaged = isinstance(error, UnicodeDecodeError | journal_schema.DamagedError)  # a column's name is no UTF-8
    if damaged or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return _DAMAGED
    for prefix, reason in _REASONS.items():
        if name.startswith(prefix):
            return reason
    if isinstance(error, OSError):
        return "read_only", "check that its folder exists and may be written"
    return "other", "nothing recorded is lost"
