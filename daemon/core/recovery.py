"""How an interrupted game goes on: what its record says of the moment in which it was interrupted."""

from __future__ import annotations

from typing import Any

import games
from daemon.judging.play import Withdrawn
from daemon.storage.stored import StoredGame, StoredPly
from daemon.storage.stored_line import history_of
from games import AnyGame
from wording import Sentence, sentence


def rule_texts(game: AnyGame) -> dict[str, str]:
    """Every rule option in force, as the record and the bus write them."""
    return {name: str(value).lower() for name, value in vars(game.rules).items()}


def positions_of(game: AnyGame, stored: StoredGame) -> list[Any] | Sentence | str:
    """The positions of an interrupted game; where it cannot go on, why not."""
    if stored.game != game.name:
        return sentence("it is another game")
    if dict(stored.rules) != rule_texts(game):
        return sentence("it has other rules")
    try:
        return history_of(game, stored)
    except games.GameError as error:
        return error.said


def was_left(stored: StoredGame) -> bool:
    """Whether another game was begun on purpose while this one went on."""
    return any(note.kind == "left" for note in stored.notes)


def still_standing(stored: StoredGame) -> Withdrawn | None:
    """The moves that were taken back by word and had not been put back when the record ends; None where none were."""
    last = next((note for note in reversed(stored.notes) if note.kind in ("undo", "resumed", "takeback")), None)
    undone: list[StoredPly] = []
    for ply in reversed(stored.undone):  # the newest run of plies, back to the first after those that stand
        if ply.ply <= len(stored.plies) or (undone and ply.ply != undone[-1].ply - 1):
            break
        undone.append(ply)
    if last is None or last.kind != "undo" or last.ply != len(stored.plies) or not undone:
        return None
    if not any(ply.board == last.data["board"] for ply in undone):
        return None  # a pass, or a resignation: nothing was to be put back
    return Withdrawn(frozenset(ply.board for ply in undone), frozenset(ply.move for ply in undone))


def asked_move(stored: StoredGame) -> str:
    """Text of the agent's move that was announced and not yet carried out; empty where there is none."""
    for note in reversed(stored.notes):
        if note.kind == "takeback":
            return ""
        if note.kind == "agent_move":
            return str(note.data["move"]) if note.ply == len(stored.plies) else ""
    return ""
