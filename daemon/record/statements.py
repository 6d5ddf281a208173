"""The statements that change the games of a journal; each is part of a transaction of `journal.Journal`."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping
from typing import Any

from daemon.game.effects import Record
from daemon.record.journal_schema import JournalError
from daemon.record.rows import game_row, note_row, outcome_columns, ply_row
from daemon.record.stored_game import StoredGame, StoredNote, StoredPly, now
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


def record(connection: sqlite3.Connection, game_id: str, record: Record, verdict: str) -> None:
    """Writes a ply that is made now, with the figures of the clock and the agent as far as SQLite can store them."""
    times, thought = record.times, record.thought
    left_first_s, left_second_s = (None if times is None else times.left_s) or (None, None)
    ply = StoredPly(
        record.ply,
        record.move,
        record.side,
        record.position,
        record.board,
        verdict,
        None if thought is None else _finite(thought.score),
        "",
        now(),
        record.known,
        None if times is None else times.spent_s,
        left_first_s,
        left_second_s,
        None if thought is None else min(thought.depth, MAX_INTEGER),
        None if thought is None else min(thought.nodes, MAX_INTEGER),
        None if thought is None else _finite(thought.seconds),
    )
    _put(connection, "plies", ply_row(game_id, ply, undone=False))


def _finite(figure: float | None) -> float | None:
    return figure if figure is not None and math.isfinite(figure) else None


def add_game(connection: sqlite3.Connection, game: StoredGame) -> None:
    _put(connection, "games", game_row(game))
    for ply in game.undone:
        _put(connection, "plies", ply_row(game.game_id, ply, undone=True))
    for ply in game.plies:
        _put(connection, "plies", ply_row(game.game_id, ply, undone=False))
    for note in game.notes:
        _put(connection, "notes", note_row(game.game_id, note))


def _put(connection: sqlite3.Connection, table: str, row: Mapping[str, object]) -> None:
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


def undo(connection: sqlite3.Connection, game_id: str, ply: int) -> None:
    """Marks the plies after `ply` as undone, and the game as unfinished."""
    connection.execute("UPDATE plies SET undone = 1 WHERE game_id = ? AND ply > ? AND undone = 0", (game_id, ply))
    connection.execute(
        "UPDATE games SET finished = NULL, winner = NULL, reason = NULL, scores = NULL WHERE game_id = ?", (game_id,)
    )


def end_game(connection: sqlite3.Connection, game_id: str, outcome: Outcome) -> None:
    ended = {"finished": now(), **outcome_columns(outcome)}
    assigned = ", ".join(f"{name} = ?" for name in ended)
    connection.execute(f"UPDATE games SET {assigned} WHERE game_id = ?", (*ended.values(), game_id))


def add_note(connection: sqlite3.Connection, game_id: str, kind: str, text: str, data: Mapping[str, Any]) -> None:
    """Writes a note about the last ply."""
    last, _ = progress(connection, game_id)
    _put(connection, "notes", note_row(game_id, StoredNote(kind, text, data, last, now())))
