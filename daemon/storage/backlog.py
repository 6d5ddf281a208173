"""What waits to be written into the record: in order, nothing lost, and bounded while the disk is full."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Protocol

from daemon.game.effects import Announcement, Effect, Finish, Record, Rewrite, TakeBack
from games import Outcome
from wording import Sentence, sentence

LOGGER = logging.getLogger(__name__)
MAX_NOTES = 256
"""Notes that wait at most while the record cannot be written."""


class Recorder(Protocol):
    """Where plies are written down durably; raises OSError where that fails."""

    def append(self, record: Record) -> None:
        """Writes one ply; it is on the disk when this returns."""

    def take_back(self, ply: int) -> None:
        """Marks the plies after `ply` as undone."""

    def rewrite(self, rewrite: Rewrite) -> None:
        """Puts other plies in the place of those after its `ply`, all at once."""

    def finish(self, outcome: Outcome) -> None:
        """Closes the game's record."""

    def note(self, announcement: Announcement) -> None:
        """Writes what was announced besides the plies."""


class Backlog:
    """Effects on their way to a recorder; without one they go nowhere. `tell` says to the players what is wrong."""

    def __init__(self, recorder: Recorder | None, tell: Callable[[Sentence], None]) -> None:
        self._recorder = recorder
        self._tell = tell
        self._waiting: list[Effect] = []
        self.trouble = ""
        """Why the record cannot be written at present; empty where it can."""
        self.dropped_notes = 0
        """Notes that were given up while the record could not be written."""

    @property
    def waiting(self) -> int:
        """Effects that are not written yet."""
        return len(self._waiting)

    def add(self, effects: Iterable[Effect]) -> None:
        """Lets effects wait, as far as the record needs them.

        A ply's own announcement says nothing that its record does not. An agent's move must be written: after a
        restart the players are not to be asked for another one.
        """
        self._waiting += [effect for effect in effects if getattr(effect, "code", "") not in ("move", "pass")]
        # The oldest notes go; plies and an agent's move never do.
        notes = [one for one in self._waiting if isinstance(one, Announcement) and one.code != "agent_move"]
        for note in notes[: max(0, len(notes) - MAX_NOTES)]:
            self._waiting.remove(note)
            self.dropped_notes += 1

    def write(self) -> None:
        """Writes what waits, in order; what fails stays and is tried again, and the players are told once."""
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
