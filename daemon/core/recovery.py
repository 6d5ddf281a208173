"""Recovers an interrupted game: what its record says of the moment of interruption."""

from __future__ import annotations

from typing import Any

import games
from daemon.storage.stored_game import StoredGame, StoredPly
from daemon.storage.stored_line import history_of
from rules import AnyGame, GameError
from wording import Sentence, sentence


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
