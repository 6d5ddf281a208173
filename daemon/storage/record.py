"""Writes one game's record to the journal, for a match."""

from __future__ import annotations

import dataclasses
from typing import Any

from daemon.game.effects import Announcement, Record, Rewrite
from daemon.i18n.translation import in_words
from daemon.storage.journal import Journal, JournalError
from daemon.storage.stored_game import ASSUMED, THOUGHT
from games import Outcome

REASONS = {
    "full": "the disk is full, please make room",
    "read_only": "the file of the record may not be written",
    "busy": "another program holds the file of the record",
}
"""Explanation for the players, by code of the fault; paths and other details go to the log."""


class GameRecord:
    """Writes one game to the journal; a fault raises OSError, and the write may be retried."""

    def __init__(self, journal: Journal, game_id: str) -> None:
        self._journal = journal
        self.game_id = game_id

    def append(self, record: Record) -> None:
        """Writes one ply; it is on the disk when this returns."""
        try:
            self._journal.append(
                self.game_id,
                record.ply,
                record.move,
                record.side,
                record.position,
                record.board,
                ASSUMED if record.assumed else "legal",
                known=record.known,
                times=record.times,
                thought=record.thought,
            )
        except JournalError as error:
            raise OSError(_spoken(error)) from error

    def take_back(self, ply: int) -> None:
        """Marks the plies after `ply` as undone."""
        try:
            self._journal.take_back(self.game_id, ply)
        except JournalError as error:
            raise OSError(_spoken(error)) from error

    def rewrite(self, rewrite: Rewrite) -> None:
        """Replaces the plies after `rewrite.ply`, all at once."""
        try:
            self._journal.rewrite(self.game_id, rewrite)
        except JournalError as error:
            raise OSError(_spoken(error)) from error

    def finish(self, outcome: Outcome) -> None:
        """Records how the game ended."""
        try:
            self._journal.finish(self.game_id, outcome)
        except JournalError as error:
            raise OSError(_spoken(error)) from error

    def note(self, announcement: Announcement) -> None:
        """Writes an announcement that is not a ply."""
        data: dict[str, Any] = {"move": announcement.move, "rule": announcement.rule, "board": announcement.board}
        if announcement.thought is not None:
            data[THOUGHT] = dataclasses.asdict(announcement.thought)
        try:
            self._journal.note(self.game_id, announcement.code, in_words(*announcement.said), data)
        except JournalError as error:
            raise OSError(_spoken(error)) from error


def _spoken(error: JournalError) -> str:
    return REASONS.get(error.code, str(error))
