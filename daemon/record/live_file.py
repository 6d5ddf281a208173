"""Keeps the game that is being played in a file, for relays and programs that follow it; replaced after each move."""

from __future__ import annotations

import contextlib
import errno
import logging
import threading
from pathlib import Path

from calibration.atomic_file import write_atomically
from daemon.record.formats.formats import is_game_text, live
from daemon.record.formats.played import ExportError
from daemon.record.journal import Journal, JournalError
from daemon.words.translation import worded

_log = logging.getLogger(__name__)

RETRY_S = 1.0
"""Seconds until a file that could not be written, or a record that could not be read, is tried again."""
CLOSE_S = 3.0
HEAD = 4096
"""Bytes that tell what a file is."""


class LiveFile:
    """Writes the file in its own thread, from the record. Every method is thread-safe, and `changed` never blocks."""

    def __init__(self, path: Path, journal: Path) -> None:
        """The ending of `path` chooses the format where the game has it; else the file has the game's usual format."""
        self._path, self._journal = path, journal
        self._changed, self._closing = threading.Event(), False
        self._game_id = ""
        self._content = b""
        self._trouble = self._refusal = ""
        self._thread = threading.Thread(target=self._run, name="live file", daemon=True)
        self._thread.start()

    def changed(self, game_id: str) -> None:
        self._game_id = game_id
        self._changed.set()

    def status(self) -> dict[str, object]:
        """For the health page; a game that may not be shown yet is no fault."""
        alive = self._thread.is_alive()
        text = self._trouble or self._refusal or str(self._path)
        return {
            "ok": alive and not self._trouble,
            "text": text if alive else worded("the thread that keeps them has ended"),
        }

    def close(self) -> None:
        """Writes what has changed last, as far as time allows."""
        self._closing = True
        self._changed.set()
        self._thread.join(CLOSE_S)

    def _run(self) -> None:
        try:
            while not self._closing:
                self._changed.wait(RETRY_S if self._trouble else None)
                self._changed.clear()
                if self._game_id:
                    self._write()
        except Exception:  # noqa: BLE001 - the top of the thread
            _log.exception("the game is not kept in %s any more", self._path)

    def _refuse_another(self) -> None:
        """Raises OSError where something else than a game is in the file; what is written once is ours."""
        if self._content or not self._path.is_file():
            return
        with self._path.open("rb") as file:
            if not is_game_text(file.read(HEAD)):
                raise OSError(errno.EEXIST, "it holds something else than a game", str(self._path))

    def _write(self) -> None:
        try:
            with contextlib.closing(Journal(self._journal, read_only=True)) as journal:
                stored = journal.game(self._game_id)
            content = live(stored, self._path.suffix.lower(), else_usual=True).content
            if content != self._content:
                self._refuse_another()
                write_atomically(self._path, content)
                self._content = content
            self._trouble = self._refusal = ""
        except ExportError as error:
            self._trouble, self._refusal = "", str(error)
        except (OSError, JournalError) as error:
            why = (isinstance(error, OSError) and error.strerror) or str(error)
            if self._trouble != why:
                _log.warning("%s is not written: %s", self._path, why)
            self._trouble = why
