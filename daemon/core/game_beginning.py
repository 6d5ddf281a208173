"""The beginning of a recorded game: a new one, or an interrupted one that goes on."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from daemon.core.recovery import asked_move, still_standing
from daemon.judging.referee import Referee
from daemon.storage.journal import Journal
from daemon.storage.record import Beginning, GameRecord
from daemon.storage.stored_game import StoredGame, new_id, rule_texts
from rules import AnyGame

LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class Begun:
    """A game that can be played on, and recorded."""

    referee: Referee
    record: GameRecord
    stored: StoredGame | None = None
    """What was played before an interruption; None for a new game."""


@dataclass(frozen=True)
class GameBeginning:
    """Begins the games of a table."""

    journal: Journal
    game: AnyGame
    agents: tuple[str | None, str | None]
    in_photos: bool
    """Whether the camera is a folder of photos."""

    def new(
        self, players: Sequence[str], clock: dict[str, Any], event: dict[str, str], start: Any | None = None
    ) -> Begun:
        """A new game, from `start` or the game's usual start."""
        text = "" if start is None else self.game.format_position(start)
        beginning = Beginning(self.game.name, rule_texts(self.game), players, clock, text, event)
        record = GameRecord(self.journal, new_id(), beginning)
        with contextlib.suppress(OSError):  # then the first move is told as one that cannot be written
            record.begin()
        history = [] if start is None else [start]
        return Begun(Referee(self.game, self.agents, history, in_photos=self.in_photos), record)

    def resumed(self, stored: StoredGame, positions: list[Any], players: Sequence[str]) -> Begun:
        """An interrupted game, with its positions so far; `players` are those of now."""
        if list(players) != list(stored.players):
            self.journal.name_players(stored.game_id, players)
        beginning = Beginning(stored.game, stored.rules, players, stored.clock, stored.start, stored.event)
        record = GameRecord(self.journal, stored.game_id, beginning)
        told = stored.moves, stored.known, stored.assumed
        referee = Referee(self.game, self.agents, positions, *told, in_photos=self.in_photos)
        side = self.game.to_move(referee.position)
        if players[side] == stored.players[side]:  # else whoever plays it now makes a move of their own
            referee.recall(asked_move(stored))
        if board := still_standing(stored):
            referee.stands(board)
            referee.say_again()
        LOGGER.info("resuming game %s after %d plies", stored.game_id, len(stored.plies))
        return Begun(referee, record, stored)
