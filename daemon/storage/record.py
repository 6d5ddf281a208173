"""Writes one game's record to the journal, for a match."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from daemon.game.effects import Announcement, Effect, Finish, Record, Rewrite, TakeBack
from daemon.i18n.translation import in_words
from daemon.storage.backlog import BehindError
from daemon.storage.journal import Journal, JournalError
from daemon.storage.stored_game import EVENT, THOUGHT

REASONS = {
    "full": "the disk is full, please make room",
    "read_only": "the file of the record may not be written",
    "busy": "another program holds the file of the record",
}
"""Explanation for the players, by code of the fault; paths and other details go to the log."""


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
        """What is written within is on the disk on exit, all of it or, after an error, nothing."""
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
        """Writes the game's beginning. Raises OSError."""
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
