"""The statements that change the games of a journal; each is part of a transaction of `journal.Journal`."""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
import sqlite3
from collections.abc import Mapping
from typing import Any

from daemon.game.effects import PlyTimes, Thought
from daemon.storage.journal_errors import JournalError
from daemon.storage.stored_game import StoredGame, StoredPly
from rules import Outcome

MAX_INTEGER = 2**63 - 1
"""Largest integer that SQLite stores; an agent may report any."""


def progress(connection: sqlite3.Connection, game_id: str) -> tuple[int, str | None]:
    """How many plies stand, and when the game ended (None if unfinished)."""
    row = connection.execute("SELECT finished FROM games WHERE game_id = ?", (game_id,)).fetchone()
    if row is None:
        raise JournalError("unknown_game", f"there is no game {game_id!r} in this journal")
    last = connection.execute("SELECT COUNT(*) FROM plies WHERE game_id = ? AND undone = 0", (game_id,)).fetchone()[0]
    return int(last), row["finished"]


def insert(connection: sqlite3.Connection, game_id: str, ply: StoredPly, *, undone: bool = False) -> None:
    """Writes a ply's row."""
    # Set explicitly: a single flipped bit in the file could change the column's default.
    columns = {"game_id": game_id, **vars(ply), "undone": int(undone)}
    _put(connection, "plies", columns)


def _put(connection: sqlite3.Connection, table: str, columns: Mapping[str, object]) -> None:
    marks = ", ".join("?" * len(columns))
    connection.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", tuple(columns.values()))


def add_game(connection: sqlite3.Connection, game: StoredGame) -> None:
    """Writes every row of a game."""
    outcome, key = game.outcome, game.game_id
    _put(
        connection,
        "games",
        {
            "game_id": key,
            "game": game.game,
            "rules": json.dumps(dict(game.rules)),
            "players": json.dumps(list(game.players)),
            "started": game.started,
            "finished": game.finished,
            "winner": None if outcome is None else outcome.winner,
            "reason": None if outcome is None else outcome.reason,
            "scores": None if outcome is None or outcome.scores is None else json.dumps(outcome.scores),
            "clock": json.dumps(dict(game.clock)),
            "start": game.start,
            "source": game.source,
        },
    )
    for ply in game.undone:
        insert(connection, key, ply, undone=True)
    for ply in game.plies:
        insert(connection, key, ply)
    for one in game.notes:
        data = json.dumps(dict(one.data))
        _put(
            connection,
            "notes",
            {"game_id": key, "ply": one.ply, "kind": one.kind, "text": one.text, "data": data, "time": one.time},
        )


def with_figures(ply: StoredPly, times: PlyTimes | None, thought: Thought | None) -> StoredPly:
    """The ply with the figures of the clock and the agent, as far as SQLite can store them."""
    if times is not None:
        first, second = times.left_s or (None, None)
        ply = dataclasses.replace(ply, spent_s=times.spent_s, left_first_s=first, left_second_s=second)
    if thought is None:
        return ply
    return dataclasses.replace(
        ply,
        score=_finite(thought.score),
        depth=min(thought.depth, MAX_INTEGER),
        nodes=min(thought.nodes, MAX_INTEGER),
        thought_s=_finite(thought.seconds),
    )


def _finite(figure: float | None) -> float | None:
    return figure if figure is not None and math.isfinite(figure) else None


def undo(connection: sqlite3.Connection, game_id: str, ply: int) -> None:
    """Marks the plies after `ply` as undone, and the game as unfinished."""
    connection.execute("UPDATE plies SET undone = 1 WHERE game_id = ? AND ply > ? AND undone = 0", (game_id, ply))
    connection.execute(
        "UPDATE games SET finished = NULL, winner = NULL, reason = NULL, scores = NULL WHERE game_id = ?", (game_id,)
    )


def end_game(connection: sqlite3.Connection, game_id: str, outcome: Outcome) -> None:
    """Writes the result of a game that ends now."""
    scores = None if outcome.scores is None else json.dumps(outcome.scores)
    connection.execute(
        "UPDATE games SET finished = ?, winner = ?, reason = ?, scores = ? WHERE game_id = ?",
        (now(), outcome.winner, outcome.reason, scores, game_id),
    )


def add_note(connection: sqlite3.Connection, game_id: str, kind: str, text: str, data: Mapping[str, Any]) -> None:
    """Writes a note about the last ply."""
    last, _ = progress(connection, game_id)
    connection.execute(
        "INSERT INTO notes (game_id, ply, kind, text, data, time) VALUES (?, ?, ?, ?, ?, ?)",
        (game_id, last, kind, text, json.dumps(dict(data)), now()),
    )


def now() -> str:
    """The time in UTC, to a millisecond."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
