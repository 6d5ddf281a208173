"""The beginning of a recorded game: a new one, or an interrupted one that goes on from what its record says."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import games
from daemon.judging.referee import Referee
from daemon.record.journal import Journal
from daemon.record.record import Beginning, GameRecord
from daemon.record.stored_game import StoredGame, StoredPly, new_id, rule_texts
from daemon.record.stored_line import history_of
from rules import AnyGame, GameError
from wording import Sentence, sentence

LOGGER = logging.getLogger(__name__)


def positions_of(game: AnyGame, stored: StoredGame) -> list[Any] | Sentence | str:
    """The positions of an interrupted game, or the reason why it cannot continue."""
    if stored.game != game.name:
        return sentence("it is another game")
    try:
        # A record from before an option existed does not name it: the game was played by its default.
        if games.load(stored.game, stored.rules).rules != game.rules:
            return sentence("it has other rules")
        return history_of(game, stored)
    except GameError as error:
        return error.said


def was_left(stored: StoredGame) -> bool:
    """Whether another game was begun on purpose during this one."""
    return any(note.kind == "left" for note in stored.notes)


def is_practice(stored: StoredGame) -> bool:
    """Whether the best moves were shown in a game against an agent."""
    return any(note.kind == "practice" for note in stored.notes)


def still_standing(stored: StoredGame) -> str:
    """The board with moves taken back by word and not yet put back when the record ends; empty if there are none."""
    last = next((note for note in reversed(stored.notes) if note.kind in ("undo", "resumed", "takeback")), None)
    undone: list[StoredPly] = []
    for ply in reversed(stored.undone):  # the newest run of plies, back to the first one after those still in the game
        if ply.ply <= len(stored.plies) or (undone and ply.ply != undone[-1].ply - 1):
            break
        undone.append(ply)
    if last is None or last.kind != "undo" or last.ply != len(stored.plies) or not undone:
        return ""
    board = str(last.data["board"])
    # After a pass or a resignation nothing had to be put back.
    return board if any(ply.board == board for ply in undone) else ""


def asked_move(stored: StoredGame) -> str:
    """Text of the agent's move that was announced but not yet carried out; empty if there is none."""
    for note in reversed(stored.notes):
        if note.kind == "takeback":
            return ""
        if note.kind == "agent_move":
            return str(note.data["move"]) if note.ply == len(stored.plies) else ""
    return ""


@dataclass(frozen=True)
class Begun:
    """A game that can be played on, and recorded."""

    referee: Referee
    record: GameRecord
    stored: StoredGame | None = None
    """What was played before an interruption; None for a new game."""


@dataclass(frozen=True)
class GameBeginning:
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
