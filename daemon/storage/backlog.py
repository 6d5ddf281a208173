"""Queue of effects waiting to be written to the record: ordered, lossless for moves, bounded while the disk is full."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Protocol

from daemon.game.effects import Announcement, Effect, Finish, Record, Rewrite, TakeBack
from games import Outcome
from wording import Sentence, sentence

LOGGER = logging.getLogger(__name__)
MAX_NOTES = 256
"""Most notes kept waiting while the record cannot be written."""


class Recorder(Protocol):
    """Writes plies durably; raises OSError on failure."""

    def append(self, record: Record) -> None:
        """Writes one ply; it is on the disk when this returns."""

    def take_back(self, ply: int) -> None:
        """Marks the plies after `ply` as undone."""

    def rewrite(self, rewrite: Rewrite) -> None:
        """Replaces the plies after `rewrite.ply`, all at once."""

    def finish(self, outcome: Outcome) -> None:
        """Records how the game ended."""

    def note(self, announcement: Announcement) -> None:
        """Writes an announcement that is not a ply."""


class Backlog:
    """Effects on their way to a recorder; discarded if there is none. `tell` reports problems to the players."""

    def __init__(self, recorder: Recorder | None, tell: Callable[[Sentence], None]) -> None:
        self._recorder = recorder
        self._tell = tell
        self._waiting: list[Effect] = []
        self.trouble = ""
        """Why the record cannot be written at present; empty if it can."""
        self.dropped_notes = 0
        """Notes discarded while the record could not be written."""

    @property
    def waiting(self) -> int:
        """Effects not yet written."""
        return len(self._waiting)

    def add(self, effects: Iterable[Effect]) -> None:
        """Queues the effects that the record needs.

        The announcement of a ply is skipped: the ply's own record says it all. An agent's move must be written: after a
        restart the players must not be asked for a different one.
        """
        self._waiting += [effect for effect in effects if getattr(effect, "code", "") not in ("move", "pass")]
        # The oldest notes are dropped; plies and an agent's move never are.
        notes = [one for one in self._waiting if isinstance(one, Announcement) and one.code != "agent_move"]
        for note in notes[: max(0, len(notes) - MAX_NOTES)]:
            self._waiting.remove(note)
            self.dropped_notes += 1

    def write(self) -> None:
        """Writes what waits, in order; on failure it stays queued for a retry, and the players are told once."""
        if self._recorder is None:
            self._waiting.clear()
        while self._waiting and self._recorder is not None:
            try:
                _write(self._recorder, self._waiting[0])
            except OSError as error:
                self._say_trouble(error)
                return
            self._waiting.pop(0)
        if self.trouble:
            self.trouble = ""
            self._tell(sentence("I can write down the moves again. Nothing is lost."))

    def _say_trouble(self, error: OSError) -> None:
        if self.trouble == str(error):
            return
        self.trouble = str(error)
        LOGGER.error("the record cannot be written: %s", error.__cause__ or error)
        said = sentence("I cannot write down the moves: {why}. I keep them in memory and try again.", why=str(error))
        self._tell(said)


def _write(recorder: Recorder, effect: Effect) -> None:
    match effect:
        case Record():
            recorder.append(effect)
        case TakeBack(ply):
            recorder.take_back(ply)
        case Rewrite():
            recorder.rewrite(effect)
        case Finish(outcome):
            recorder.finish(outcome)
        case Announcement():
            recorder.note(effect)
