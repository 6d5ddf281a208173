"""The record as pages reach it: read in threads of its own, with a limit on waiting requests.

The journal's file is opened on a new connection for each answer: the daemon's writing never waits for a page, and a
replaced file is noticed. One answer is computed at a time, besides one slow file in a second thread; a few requests may
wait, the rest are turned away.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from aiohttp import web

from daemon.page.answering import Busy, Problem, WorkThread, refusing, words_of
from daemon.page.permission import Permission
from daemon.page.recorded_game import RecordedGame, key_of
from daemon.record.formats.played import ExportError
from daemon.record.journal import Journal, JournalError
from daemon.words.translation import in_words, worded
from wording import Sentence, sentence

_log = logging.getLogger(__name__)
T = TypeVar("T")

MAX_WAITING = 12
ANSWER_S = 20.0
MAX_DRAWING = 3
"""Most slow files, such as the picture of a whole game, being created or waiting."""
DRAWN_S = 60.0
MAX_BYTES = 2048
MAX_REMEMBERED = 4
"""Most replayed games kept in memory, for viewers who step through their plies."""
_WRONG: dict[str, tuple[int, Sentence]] = {
    "unknown_game": (404, sentence("This game is no longer in the record.")),
    "absent": (404, sentence("There is no record yet.")),
    "busy": (503, sentence("The record is busy. Try again in a moment.")),
    "full": (507, sentence("The disk is full: make room, then try again.")),
    "read_only": (500, sentence("The file of the record may not be written.")),
    "corrupt": (500, sentence("The record is damaged. A new one begins when the daemon is started again.")),
    "newer": (500, sentence("A newer Kibitzer made this record.")),
    "unreadable": (500, sentence("This game cannot be read: its record is damaged.")),
}
"""HTTP status and sentence by code of a JournalError; the error's own text names files, which are not shown."""


class RecordAccess:
    """Answers from the record. Used by the page's thread."""

    def __init__(self, journal: Path, permission: Permission) -> None:
        self._journal, self._permission = journal, permission
        self._registry = WorkThread("archive", MAX_WAITING, ANSWER_S)
        self._drawing = WorkThread("archive-drawing", MAX_DRAWING, DRAWN_S)
        self._remembered: dict[tuple[str, int, int, str | None], RecordedGame] = {}
        """Used only by the archive's own thread."""

    def close(self) -> None:
        self._registry.close()
        self._drawing.close()

    async def words(self, request: web.Request, most: int = MAX_BYTES) -> object:
        """The body of a command. Raises Problem, CommandError."""
        self._permission.check(request)
        return await words_of(request, most)

    async def result(self, work: Callable[[], T], *, slow: bool = False) -> T:
        """The result of work in a thread, of slow work in another. Raises Problem, as the work itself may."""
        try:
            with refusing(ExportError, 409, "refused"):
                return await (self._drawing if slow else self._registry).result(work)
        except Busy:
            why = worded("Too many ask for recorded games at once. Try again in a moment.")
            raise Problem(503, "busy", why) from None
        except TimeoutError:
            why = worded("This takes too long. Try again, or save it in another format.")
            raise Problem(503, "slow", why) from None
        except JournalError as error:
            _log.info("the archive cannot answer: %s", error)
            status, text = _WRONG.get(error.code, (500, sentence("The record cannot be read.")))
            raise Problem(status, error.code, in_words(text)) from error

    def recorded(self, game_id: str) -> RecordedGame:
        """The game, replayed once for all viewers. Used only by the archive's thread."""
        with self.opened() as journal:
            stored = journal.game(game_id)
        key = key_of(stored)
        recorded = self._remembered.pop(key, None)
        if recorded is None or recorded.stored != stored:
            recorded = RecordedGame.of(stored)
        self._remembered[key] = recorded
        while len(self._remembered) > MAX_REMEMBERED:
            del self._remembered[next(iter(self._remembered))]
        return recorded

    @contextlib.contextmanager
    def opened(self, *, write: bool = False) -> Iterator[Journal]:
        """The journal, opened on a new connection; a damaged one is never repaired here. Raises JournalError."""
        if not self._journal.is_file():
            raise JournalError("absent", f"{self._journal}: there is no record yet")
        journal = Journal(self._journal, read_only=not write)
        try:
            yield journal
        finally:
            journal.close()
