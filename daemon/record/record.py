"""Writes a game to the journal; while the disk is full, all moves and a bounded number of notes wait in order."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from daemon.game.effects import Announcement, Effect, Finish, Record, Rewrite, TakeBack
from daemon.record.journal import Journal, JournalError
from daemon.record.stored_game import EVENT, THOUGHT
from daemon.words.translation import in_words
from wording import Sentence, sentence

LOGGER = logging.getLogger(__name__)
MAX_NOTES = 256
LASTING = ("agent_move", "new_game", "adopted", "left", "practice")
"""Notes on which the game's course depends: after a restart the players must not be asked for a different move, nor
find themselves in a game that they had left; and practice must not count."""
REASONS = {
    "full": "the disk is full, please make room",
    "read_only": "the file of the record may not be written",
    "busy": "another program holds the file of the record",
}
"""Explanation for the players, by code of the fault; paths and other details go to the log."""


def is_lasting(effect: Effect) -> bool:
    """Whether the course of the game depends on an effect, so that it must be in the record."""
    return not isinstance(effect, Announcement) or effect.code in LASTING


class BehindError(OSError):
    """The record no longer has the game as it was written."""


class Recorder(Protocol):
    """Writes a game durably; raises OSError on failure."""

    def together(self) -> AbstractContextManager[object]:
        """What is written within is on the disk on exit, all of it or, after an error, nothing."""

    def write(self, effect: Effect) -> None:
        """Writes one effect; it is on the disk when this returns."""

    def restore(self, whole: Rewrite) -> None:
        """Writes the game with all its plies, whatever the record has of it."""


class Backlog:
    """Effects on their way to a recorder; discarded if there is none. `tell` reports problems to the players."""

    def __init__(
        self, recorder: Recorder | None, tell: Callable[[Sentence], None], whole: Callable[[], Rewrite] | None = None
    ) -> None:
        """`whole` gives all plies of the game as it now is, to write them again if the record has lost some."""
        self._recorder, self._whole = recorder, whole
        self._tell = tell
        self._waiting: list[Effect] = []
        self.trouble = ""
        """Why the record cannot be written at present; empty if it can."""
        self.is_doubted = False
        """Whether the last attempt to write has failed."""
        self.dropped_notes = 0

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def add(self, effects: Iterable[Effect]) -> None:
        self._waiting += _needed(effects)
        # The oldest notes are dropped, but none that lasts.
        notes = [one for one in self._waiting if not is_lasting(one)]
        for note in notes[: max(0, len(notes) - MAX_NOTES)]:
            self._waiting.remove(note)
            self.dropped_notes += 1

    def write(self) -> None:
        """Writes what waits; on failure it stays queued for a retry, and the players are told once."""
        if self._waiting and self._recorder is not None:
            try:
                self._write_all(self._recorder, self._waiting)
            except OSError as error:
                self._say_trouble(error)
                return
        self._waiting.clear()
        if self.trouble:
            self.trouble = ""
            self._tell(sentence("I can write down the moves again. Nothing is lost."))

    def write_at_once(self, effects: Iterable[Effect]) -> None:
        """Writes the effects that the record needs after what waits, all or none. Raises OSError; none is kept then."""
        self.write()
        if self._waiting:
            raise OSError(self.trouble)
        if self._recorder is not None:
            self._write_all(self._recorder, _needed(effects))

    def _write_all(self, recorder: Recorder, effects: Sequence[Effect]) -> None:
        """Writes all or none, in order: between two plies of one reading lies a board that nobody may have seen.

        Where the record has lost plies, the whole game is written again.
        """
        self.is_doubted = True
        try:
            with recorder.together():
                for effect in effects:
                    recorder.write(effect)
        except BehindError:
            with recorder.together():
                for note in self._restore(recorder, effects):
                    recorder.write(note)
        self.is_doubted = False

    def _restore(self, recorder: Recorder, effects: Iterable[Effect]) -> list[Announcement]:
        """Writes the whole game, with these effects; returns those that are still to be written."""
        if self._whole is None:
            raise OSError("the record has lost moves of this game")
        recorder.restore(self._whole())
        LOGGER.error("the record had lost moves of this game; they are written again")
        self._tell(sentence("The record had lost moves of this game. I have written them down again."))
        return [effect for effect in effects if isinstance(effect, Announcement)]

    def _say_trouble(self, error: OSError) -> None:
        if self.trouble == str(error):
            return
        self.trouble = str(error)
        LOGGER.error("the record cannot be written: %s", error.__cause__ or error)
        said = sentence("I cannot write down the moves: {why}. I keep them in memory and try again.", why=str(error))
        self._tell(said)


def _needed(effects: Iterable[Effect]) -> list[Effect]:
    """The effects to be written: not the announcement of a ply, whose own record says it all."""
    return [effect for effect in effects if getattr(effect, "code", "") not in ("move", "pass")]


@dataclasses.dataclass(frozen=True)
class Beginning:
    game: str
    rules: Mapping[str, str]
    players: Sequence[str]
    clock: Mapping[str, Any]
    start: str
    """Text of the set-up starting position; empty for the game's usual start."""
    event: Mapping[str, str] = dataclasses.field(default_factory=dict)


class GameRecord:
    """The `Recorder` of one game; a fault raises OSError, and the write may be retried."""

    def __init__(self, journal: Journal, game_id: str, beginning: Beginning | None = None) -> None:
        """`beginning` is what to begin the game with again if the record loses it."""
        self._journal, self._beginning = journal, beginning
        self.game_id = game_id

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        with _spoken(), self._journal.together():
            yield

    def write(self, effect: Effect) -> None:
        with _spoken():
            match effect:
                case Record():
                    self._journal.append(self.game_id, effect)
                case TakeBack(ply):
                    self._journal.take_back(self.game_id, ply)
                case Rewrite():
                    self._journal.rewrite(self.game_id, effect)
                    if effect.start and self._beginning is not None:
                        self._beginning = dataclasses.replace(self._beginning, start=effect.start)
                case Finish(outcome):
                    self._journal.finish(self.game_id, outcome)
                case Announcement():
                    data: dict[str, Any] = {name: getattr(effect, name) for name in ("move", "rule", "board")}
                    if effect.thought is not None:
                        data[THOUGHT] = dataclasses.asdict(effect.thought)
                    self._journal.note(self.game_id, effect.code, in_words(*effect.said), data)

    def begin(self) -> None:
        one = self._beginning
        if one is not None:
            with self.together():
                self._journal.new_game(one.game, one.rules, one.players, one.clock, one.start, self.game_id)
                if one.event:
                    self._journal.note(self.game_id, EVENT, "", one.event)

    def restore(self, whole: Rewrite) -> None:
        with self.together():
            if not self._journal.rows("SELECT 1 FROM games WHERE game_id = ?", [self.game_id]):
                self.begin()
            self._journal.rewrite(self.game_id, whole)


@contextlib.contextmanager
def _spoken() -> Iterator[None]:
    """Turns a fault of the journal into an OSError in the players' words."""
    try:
        yield
    except JournalError as error:
        kind = BehindError if error.code in ("order", "unknown_game") else OSError
        raise kind(REASONS.get(error.code, str(error))) from error
