"""The journal of all games: SQLite, one durable transaction per ply.

A `Journal` belongs to the thread that created it (SQLite refuses others). Once a method has returned, its data is on
the disk: it survives `kill -9` and a power cut. A call that raised `JournalError` has changed nothing and may be
retried, for example once the disk has room.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from daemon.game.effects import Record, Rewrite
from daemon.record import journal_schema
from daemon.record.journal_schema import JournalError, reason_of
from daemon.record.rows import (
    RowError,
    game_of,
    game_row,
    is_imported,
    note_row,
    outcome_columns,
    ply_row,
    summary_of,
)
from daemon.record.stored_game import (
    ASSUMED,
    REWRITTEN,
    GameSummary,
    StoredGame,
    StoredNote,
    StoredPly,
    new_id,
    now,
)
from rules import Outcome

__all__ = ["Journal", "JournalError", "Mended"]

_log = logging.getLogger(__name__)
T = TypeVar("T")

BUSY_S = 2.0
"""Seconds to wait for another process that locks the file, such as a backup."""
MAX_INTEGER = 2**63 - 1
"""Largest integer that SQLite stores; an agent may report any."""
_OUTER = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
_INNER = ("SAVEPOINT part", "RELEASE part", "ROLLBACK TO part", "RELEASE part")
"""How a transaction begins, ends, and is undone; and one within another."""


@dataclasses.dataclass(frozen=True)
class Mended:
    """What was done about a damaged file."""

    kept_as: Path
    games: int
    cut: tuple[str, ...]
    """Ids of those of which a part is lost."""

    def __str__(self) -> str:
        cut = f", {', '.join(self.cut)} only in part" if self.cut else ""
        return f"kept as {self.kept_as}; games saved in the new one: {self.games}{cut}"


class Journal:
    def __init__(self, path: Path, read_only: bool = False, mend: Callable[[Path], Mended] | None = None) -> None:
        """Opens the journal, or creates it.

        A `read_only` journal may be opened while a daemon writes it, and is never created. A damaged file is refused,
        unless `mend` puts a sound one in its place: only the program that plays may do that. Raises JournalError.
        """
        self.path = Path(path)
        self.mended: Mended | None = None
        """What was done about a damaged file; None if there was none. Worth announcing to the players."""
        self._read_only, self._mend = read_only, mend
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[tuple[int, int] | None, ...] = ()
        """Device and number of the open file and, before it, of its companions."""
        self._waits = True
        with self._explained():
            self._ready()

    def replace(self, why: object) -> None:
        """Mends the file, whose content is damaged although SQLite may be able to read it. Raises JournalError."""
        assert self._mend is not None
        with self._explained():
            self.close()
            self.mended = self._mend(self.path)
            _log.error("%s was damaged (%s); %s", self.path, why, self.mended)
            self._connect()

    def close(self) -> None:
        """Closes the file; may be called twice."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()

    def new_game(
        self,
        game: str,
        rules: Mapping[str, str],
        players: Sequence[str],
        clock: Mapping[str, Any] | None = None,
        start: str = "",
        game_id: str = "",
    ) -> str:
        """Begins a game and returns its id.

        `clock` is the time control; `start` is the position's text if the game begins from a set-up position.
        """
        begun = StoredGame(
            game_id or new_id(), game, rules, tuple(players), now(), None, None, (), (), (), clock or {}, start
        )
        with self.together() as connection:
            _add_game(connection, begun)
        return begun.game_id

    def append(self, game_id: str, record: Record) -> None:
        """Records one ply durably. Raises JournalError if it is not the next one, so that no gap can arise."""
        with self.together() as connection:
            last, finished = _progress(connection, game_id)
            if finished is not None:
                raise JournalError("order", f"ply {record.ply} of {game_id}: the game ended at {finished}")
            if record.ply != last + 1:
                raise JournalError("order", f"ply {record.ply} of {game_id}: the next one to be recorded is {last + 1}")
            _record(connection, game_id, record, ASSUMED if record.assumed else "legal")

    def take_back(self, game_id: str, ply: int) -> None:
        """Marks the plies after `ply` as undone and a finished game as unfinished; nothing is erased."""
        with self.together() as connection:
            last, _ = _progress(connection, game_id)
            if not 0 <= ply < last:
                raise JournalError("order", f"back to ply {ply} of {game_id}: it stands at ply {last}")
            _undo(connection, game_id, ply)

    def rewrite(self, game_id: str, rewrite: Rewrite) -> None:
        """Marks the plies after `rewrite.ply` as undone and records others in their place, all or nothing.

        A finished game becomes unfinished, unless the new plies end it.
        """
        with self.together() as connection:
            last, _ = _progress(connection, game_id)
            numbers = [record.ply for record in rewrite.records]
            if not 0 <= rewrite.ply <= last or numbers != list(range(rewrite.ply + 1, rewrite.ply + 1 + len(numbers))):
                raise JournalError(
                    "order", f"plies {numbers} of {game_id} after ply {rewrite.ply}: it stands at {last}"
                )
            _undo(connection, game_id, rewrite.ply)
            if rewrite.start:
                connection.execute("UPDATE games SET start = ? WHERE game_id = ?", [rewrite.start, game_id])
            for one in rewrite.records:
                _record(connection, game_id, one, ASSUMED if one.assumed else "corrected")
            if rewrite.outcome is not None:
                _end_game(connection, game_id, rewrite.outcome)
            beyond = [list(ply) for ply in rewrite.beyond]
            _add_note(connection, game_id, REWRITTEN, "", {"ply": rewrite.ply, "beyond": beyond})

    def finish(self, game_id: str, outcome: Outcome) -> None:
        """Records how the game ended. Raises JournalError if it had already ended."""
        with self.together() as connection:
            _, finished = _progress(connection, game_id)
            if finished is not None:
                raise JournalError("order", f"the end of {game_id}: it ended at {finished}")
            _end_game(connection, game_id, outcome)

    def note(self, game_id: str, kind: str, text: str, data: Mapping[str, Any] | None = None) -> None:
        """Records an event between plies, such as an illegal move; `data` must be serialisable as JSON."""
        with self.together() as connection:
            _add_note(connection, game_id, kind, text, data or {})

    def unfinished(self) -> StoredGame | None:
        """The newest unfinished game watched here; None if there is none. Raises JournalError if it is unreadable."""
        rows = self.rows("SELECT * FROM games WHERE finished IS NULL ORDER BY rowid DESC")
        row = next((one for one in rows if not is_imported(one)), None)
        return None if row is None else self._read(row)

    def game(self, game_id: str) -> StoredGame:
        """The game with that id. Raises JournalError if there is none."""
        rows = self.rows("SELECT * FROM games WHERE game_id = ?", [game_id])
        if not rows:
            raise JournalError("unknown_game", f"there is no game {game_id!r} in {self.path}")
        return self._read(rows[0])

    def games(self, limit: int = 1000) -> list[StoredGame]:
        """The newest games, in chronological order."""
        return self._readable(self._stored, self.rows("SELECT * FROM games ORDER BY rowid DESC LIMIT ?", [limit]))

    def summaries(self, limit: int = 1000) -> list[GameSummary]:
        return self._readable(summary_of, self.summary_rows(limit))

    def summary_rows(self, limit: int, before: str = "", game: str = "") -> list[sqlite3.Row]:
        """Rows for `summary_of`: the newest games, before the game `before` and of one game if given, newest first.

        Raises JournalError.
        """
        count = "(SELECT COUNT(*) FROM plies WHERE plies.game_id = games.game_id AND undone = 0)"
        earlier = "COALESCE((SELECT rowid FROM games WHERE game_id = ?), 9223372036854775807)"
        return self.rows(
            f"SELECT *, {count} AS plies FROM games WHERE rowid < {earlier}{' AND game = ?' if game else ''}"
            " ORDER BY rowid DESC LIMIT ?",
            [before, *([game] if game else []), limit],
        )

    def ids(self) -> list[str]:
        return [row["game_id"] for row in self.rows("SELECT game_id FROM games ORDER BY rowid")]

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[sqlite3.Row]:
        """The rows of a query that changes nothing. Raises JournalError."""
        with self._explained():
            return self._ready().execute(query, tuple(parameters)).fetchall()

    def add(self, game: StoredGame) -> None:
        """Adds a whole game from elsewhere, with its plies, undone plies and notes: all or nothing.

        Raises JournalError, `order` if a game with that id already exists, `unreadable` if it cannot be read back
        unchanged.
        """
        with self.together() as connection:
            if connection.execute("SELECT 1 FROM games WHERE game_id = ?", (game.game_id,)).fetchone():
                raise JournalError("order", f"there is a game {game.game_id} in {self.path} already")
            _add_game(connection, game)
            row = self.rows("SELECT * FROM games WHERE game_id = ?", [game.game_id])[0]
            try:
                same = self._stored(row) == game
            except (RowError, IndexError) as error:
                raise JournalError("unreadable", f"game {game.game_id} cannot be kept: {error}") from error
            if not same:
                raise JournalError("unreadable", f"game {game.game_id} cannot be kept as it is")

    def name_players(self, game_id: str, players: Sequence[str]) -> None:
        with self.together() as connection:
            _progress(connection, game_id)
            connection.execute("UPDATE games SET players = ? WHERE game_id = ?", (json.dumps(list(players)), game_id))

    def delete(self, game_id: str) -> None:
        """Deletes a game with its plies and notes, and overwrites their space in the file."""
        with self._explained():
            self._ready().execute("PRAGMA secure_delete = ON")
        with self.together() as connection:
            _progress(connection, game_id)
            for table in ("plies", "notes", "games"):
                connection.execute(f"DELETE FROM {table} WHERE game_id = ?", (game_id,))

    def _stored(self, row: sqlite3.Row) -> StoredGame:
        plies, notes = (
            self.rows(f"SELECT * FROM {table} WHERE game_id = ? ORDER BY id", [row["game_id"]])
            for table in ("plies", "notes")
        )
        return game_of(row, plies, notes)

    def _read(self, row: sqlite3.Row) -> StoredGame:
        """One row of `games` with its plies and notes. Raises JournalError."""
        try:
            return self._stored(row)
        except (RowError, IndexError) as error:  # SQLite's rows raise IndexError for a missing column
            raise JournalError("unreadable", f"game {row[0]} in {self.path} cannot be read: {error}") from error

    def _readable(self, read: Callable[[sqlite3.Row], T], rows: Sequence[sqlite3.Row]) -> list[T]:
        """What the rows say, the last first; an invalid one is logged and left out, so that the others stay usable."""
        found = []
        for row in reversed(rows):
            try:
                found.append(read(row))
            except (RowError, IndexError) as error:
                _log.error("game %s in %s cannot be read: %s", row[0], self.path, error)
        return found

    def _connect(self) -> None:
        self._connection = journal_schema.connect(self.path, self._read_only, BUSY_S)
        self._opened, self._waits = tuple(map(_identity, journal_schema.files_of(self.path))), True

    def _leave(self) -> None:
        """Gives up a file that is no longer in its place; what waits in its `-wal` goes into it, wherever it is.

        Otherwise SQLite would put that into the next file of this name.
        """
        _log.error("%s was removed or replaced while it was open", self.path)
        assert self._connection is not None
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.close()
        for part, ours in zip(journal_schema.files_of(self.path), self._opened, strict=True):
            if ours is not None and _identity(part) == ours:
                part.unlink()

    def _ready(self) -> sqlite3.Connection:
        """The connection, reopened if an error had closed it, or if another file or none is in the place of ours."""
        idle = self._connection is not None and not self._connection.in_transaction
        if idle and _identity(self.path) != self._opened[-1]:
            self._leave()
        if self._connection is None:
            try:
                self._connect()
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if self._mend is None or reason_of(error)[0] != "corrupt":
                    raise
                self.replace(error)
        assert self._connection is not None
        return self._connection

    @contextlib.contextmanager
    def together(self) -> Iterator[sqlite3.Connection]:
        """One durable transaction: committed on exit, rolled back on any error. One within another is part of it."""
        with self._explained():
            connection = self._ready()
            begin, commit, *rollback = _OUTER if not connection.in_transaction else _INNER
            try:
                connection.execute(begin)
                yield connection
                connection.execute(commit)
            except BaseException as error:
                try:
                    for statement in rollback if connection.in_transaction else ():
                        connection.execute(statement)
                except sqlite3.Error:
                    self.close()  # the next call reopens the file and continues from what is on the disk
                code = reason_of(error)[0] if isinstance(error, sqlite3.Error) else getattr(error, "code", "")
                if code == "corrupt":
                    self.close()  # the next call mends it
                self._wait(code != "busy")  # what holds the file may do so for long: whoever tries again must not wait
                raise
            self._wait(True)

    def _wait(self, waits: bool) -> None:
        """Whether to wait from now on for another program that holds the file."""
        if self._connection is not None and waits != self._waits:
            self._connection.execute(f"PRAGMA busy_timeout = {round(BUSY_S * 1000) if waits else 0}")
            self._waits = waits

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turns errors of SQLite and the file system into a JournalError."""
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            if isinstance(error.__cause__, JournalError):
                raise  # of a part of this transaction, and explained already
            code, advice = reason_of(error, self.path)
            raise JournalError(code, f"journal {self.path}: {error}; {advice}") from error


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _progress(connection: sqlite3.Connection, game_id: str) -> tuple[int, str | None]:
    """How many plies stand, and when the game ended (None if unfinished)."""
    row = connection.execute("SELECT finished FROM games WHERE game_id = ?", (game_id,)).fetchone()
    if row is None:
        raise JournalError("unknown_game", f"there is no game {game_id!r} in this journal")
    last = connection.execute("SELECT COUNT(*) FROM plies WHERE game_id = ? AND undone = 0", (game_id,)).fetchone()[0]
    return int(last), row["finished"]


def _record(connection: sqlite3.Connection, game_id: str, record: Record, verdict: str) -> None:
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


def _add_game(connection: sqlite3.Connection, game: StoredGame) -> None:
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


def _undo(connection: sqlite3.Connection, game_id: str, ply: int) -> None:
    """Marks the plies after `ply` as undone, and the game as unfinished."""
    connection.execute("UPDATE plies SET undone = 1 WHERE game_id = ? AND ply > ? AND undone = 0", (game_id, ply))
    connection.execute(
        "UPDATE games SET finished = NULL, winner = NULL, reason = NULL, scores = NULL WHERE game_id = ?", (game_id,)
    )


def _end_game(connection: sqlite3.Connection, game_id: str, outcome: Outcome) -> None:
    ended = {"finished": now(), **outcome_columns(outcome)}
    assigned = ", ".join(f"{name} = ?" for name in ended)
    connection.execute(f"UPDATE games SET {assigned} WHERE game_id = ?", (*ended.values(), game_id))


def _add_note(connection: sqlite3.Connection, game_id: str, kind: str, text: str, data: Mapping[str, Any]) -> None:
    last, _ = _progress(connection, game_id)
    _put(connection, "notes", note_row(game_id, StoredNote(kind, text, data, last, now())))
