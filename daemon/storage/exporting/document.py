"""A recorded game as a JSON object with everything that is recorded of it."""

from __future__ import annotations

import dataclasses

from daemon.storage.score_sheet import score_sheet
from daemon.storage.stored_game import GameSummary, StoredGame, StoredPly
from rules import Outcome

FORMAT = 1
"""Version of the document; adding a field does not need a new one."""


def as_object(stored: StoredGame) -> dict[str, object]:
    """The game: its moves as texts, every ply with board, times and points, the undone plies, and the notes."""
    counted = score_sheet(stored)
    plies = [_ply(one) for one in stored.plies]
    for ply, row in zip(plies, counted, strict=False):
        ply |= {"gains": [dataclasses.asdict(gain) for gain in row.gains], "scores": row.scores}
    return {
        "format": FORMAT,
        "id": stored.game_id,
        "game": stored.game,
        "rules": dict(stored.rules),
        "players": list(stored.players),
        "started": stored.started,
        "finished": stored.finished,
        "outcome": outcome_object(stored.outcome),
        "scores": counted[-1].scores if counted else None,
        "clock": dict(stored.clock) or None,
        "start": stored.start,
        "moves": list(stored.moves),
        "plies": plies,
        "undone": [_ply(one) for one in stored.undone],
        "notes": [dataclasses.asdict(note) for note in stored.notes],
    }


def summary_object(summary: GameSummary) -> dict[str, object]:
    """One entry of the list of games."""
    return {
        "id": summary.game_id,
        "game": summary.game,
        "players": list(summary.players),
        "started": summary.started,
        "finished": summary.finished,
        "plies": summary.plies,
        "outcome": outcome_object(summary.outcome),
    }


def outcome_object(outcome: Outcome | None) -> dict[str, object] | None:
    """How a game ended; None if it is unfinished."""
    if outcome is None:
        return None
    return {"winner": outcome.winner, "reason": outcome.reason, "scores": outcome.scores}


def _ply(one: StoredPly) -> dict[str, object]:
    return {
        "ply": one.ply,
        "side": one.side,
        "move": one.move,
        "position": one.position,
        "board": one.board,
        "verdict": one.verdict,
        "known": one.known,
        "frame": one.frame,
        "time": one.time,
        "spent_s": one.spent_s,
        "left_s": one.left_s,
        "score": one.score,
        "depth": one.depth,
        "nodes": one.nodes,
        "thought_s": one.thought_s,
    }
