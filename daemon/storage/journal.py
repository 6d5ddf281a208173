"""The journal of all games: SQLite, one durable transaction per ply.

A `Journal` belongs to the thread that created it (SQLite refuses others). Once a method has returned, its data is on
the disk: it survives `kill -9` and a power cut. A call that raised `JournalError` has changed nothing and may be
retried, for example once the disk has room.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import json
import logging
import math
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from daemon.game.effects import Known, PlyTimes, Rewrite, Thought
from daemon.storage import journal_schema
from daemon.storage.rows import RowError, game_of, is_imported, summary_of
from daemon.storage.stored_game import ASSUMED, REWRITTEN, GameSummary, StoredGame, StoredPly
from games import Outcome

_log = logging.getLogger(__name__)
T = TypeVar("T")

MAX_INTEGER = 2**63 - 1
"""Largest integer that SQLite stores; an agent may report any."""
BUSY_S = 2.0
"""Seconds to wait for another process that locks the file, such as a backup."""
_REASONS = {
    "SQLITE_FULL": ("full", "the disk is full: make room, nothing recorded is lost"),
    "SQLITE_IOERR": ("full", "the disk does not take the write: make room or check it, nothing recorded is lost"),
    "SQLITE_READONLY": ("read_only", "the file may not be written: check its owner and rights"),
    "SQLITE_CANTOPEN": ("read_only", "the file cannot be opened: check that its folder exists and may be written"),
    "SQLITE_BUSY": ("busy", "another program holds the file: is a second kibitzer running on it?"),
    "SQLITE_CORRUPT": ("corrupt", "the file is damaged: the next start sets it aside and begins a new one"),
    "SQLITE_NOTADB": ("corrupt", "the file is no journal: the next start sets it aside and begins a new one"),
}


class JournalError(RuntimeError):
    """The journal cannot be read or written as asked.

    `.code` is stable: `full`, `read_only`, `busy`, `corrupt`, `newer` (made by a newer Kibitzer), `order` (a ply out
    of order, repeated, or after the end), `unknown_game`, `unreadable` (a game's stored data is invalid), `other`.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class Journal:
    """One journal file."""

    def __init__(self, path: Path, read_only: bool = False, mend: bool = True) -> None:
        """Opens or creates the journal; a damaged file is moved aside first (`set_aside` then names it).

        A `read_only` journal may be opened while a daemon writes it; it is never created, repaired or moved aside.
        Without `mend` a damaged file is refused: only the daemon that plays may move its own journal aside. Raises
        JournalError.
        """
        self.path = Path(path)
        self.set_aside: Path | None = None
        """Where a damaged file was moved; None if there was none. Worth announcing to the players."""
        self._read_only = read_only
        self._connection: sqlite3.Connection | None = None
        with self._explained():
            try:
                self._open()
            except sqlite3.DatabaseError as error:
                if read_only or not mend or _reason(error)[0] != "corrupt":
                    raise
                self.set_aside = journal_schema.set_aside(self.path)
                _log.error("%s was damaged (%s); kept as %s, a new one begins", self.path, error, self.set_aside)
                self._open()

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
    ) -> str:
        """Begins a game and returns its id, which sorts by start time.

        `clock` is the time control; `start` is the position's text if the game begins from a set-up position.
        """
        now = _now()
        game_id = f"{now[:19].replace('-', '').replace(':', '')}-{secrets.token_hex(4)}"
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO games (game_id, game, rules, players, started, clock, start) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    game_id,
                    game,
                    *map(json.dumps, (dict(rules), list(players))),
                    now,
                    json.dumps(dict(clock or {})),
                    start,
                ),
            )
        return game_id

    def append(
        self,
        game_id: str,
        ply: int,
        move: str,
        side: int,
        position: str,
        board: str,
        verdict: str = "legal",
        score: float | None = None,
        frame: str = "",
        known: Known = "",
        times: PlyTimes | None = None,
        thought: Thought | None = None,
    ) -> None:
        """Records one ply durably. Raises JournalError if `ply` is not the next one, so that no gap can arise."""
        with self._transaction() as connection:
            last, finished = _progress(connection, game_id)
            if finished is not None:
                raise JournalError("order", f"ply {ply} of {game_id}: the game ended at {finished}")
            if ply != last + 1:
                raise JournalError("order", f"ply {ply} of {game_id}: the next one to be recorded is {last + 1}")
            stored = StoredPly(ply, move, side, position, board, verdict, score, frame, _now(), known)
            _insert(connection, game_id, _with_figures(stored, times, thought))

    def take_back(self, game_id: str, ply: int) -> None:
        """Marks the plies after `ply` as undone and a finished game as unfinished; nothing is erased."""
        with self._transaction() as connection:
            last, _ = _progress(connection, game_id)
            if not 0 <= ply < last:
                raise JournalError("order", f"back to ply {ply} of {game_id}: it stands at ply {last}")
            _undo(connection, game_id, ply)

    def rewrite(self, game_id: str, rewrite: Rewrite) -> None:
        """Marks the plies after `rewrite.ply` as undone and records others in their place, all or nothing.

        A finished game becomes unfinished, unless the new plies end it.
        """
        with self._transaction() as connection:
            last, _ = _progress(connection, game_id)
            numbers = [record.ply for record in rewrite.records]
            if not 0 <= rewrite.ply <= last or numbers != list(range(rewrite.ply + 1, rewrite.ply + 1 + len(numbers))):
                raise JournalError(
                    "order", f"plies {numbers} of {game_id} after ply {rewrite.ply}: it stands at {last}"
                )
            _undo(connection, game_id, rewrite.ply)
            for one in rewrite.records:
                verdict = ASSUMED if one.assumed else "corrected"
                stored = StoredPly(
                    one.ply, one.move, one.side, one.position, one.board, verdict, None, "", _now(), one.known
                )
                _insert(connection, game_id, _with_figures(stored, one.times, one.thought))
            if rewrite.outcome is not None:
                _end(connection, game_id, rewrite.outcome)
            beyond = [list(ply) for ply in rewrite.beyond]
            _note(connection, game_id, REWRITTEN, "", {"ply": rewrite.ply, "beyond": beyond})

    def finish(self, game_id: str, outcome: Outcome) -> None:
        """Records how the game ended. Raises JournalError if it had already ended."""
        with self._transaction() as connection:
            _, finished = _progress(connection, game_id)
            if finished is not None:
                raise JournalError("order", f"the end of {game_id}: it ended at {finished}")
            _end(connection, game_id, outcome)

    def note(self, game_id: str, kind: str, text: str, data: Mapping[str, Any] | None = None) -> None:
        """Records an event between plies, such as an illegal move; `data` must be serialisable as JSON."""
        with self._transaction() as connection:
            _note(connection, game_id, kind, text, data or {})

    def unfinished(self) -> StoredGame | None:
        """The newest unfinished game watched here; None if there is none or it cannot be read."""
        with self._explained():
            rows = self._ready().execute("SELECT * FROM games WHERE finished IS NULL ORDER BY rowid DESC")
            row = next((one for one in rows if not is_imported(one)), None)
            return None if row is None else self._told(self._stored, row)

    def game(self, game_id: str) -> StoredGame:
        """The game with that id. Raises JournalError if there is none."""
        with self._explained():
            row = self._ready().execute("SELECT * FROM games WHERE game_id = ?", (game_id,)).fetchone()
            if row is None:
                raise JournalError("unknown_game", f"there is no game {game_id!r} in {self.path}")
            try:
                return self._stored(row)
            except (RowError, IndexError) as error:  # SQLite's rows raise IndexError for a missing column
                raise JournalError("unreadable", f"game {game_id} in {self.path} cannot be read: {error}") from error

    def games(self, limit: int = 1000) -> list[StoredGame]:
        """The newest games, in chronological order."""
        with self._explained():
            rows = self._ready().execute("SELECT * FROM games ORDER BY rowid DESC LIMIT ?", (limit,)).fetchall()
            return [one for row in reversed(rows) if (one := self._told(self._stored, row)) is not None]

    def summaries(self, limit: int = 1000) -> list[GameSummary]:
        """The newest games without their plies, in chronological order."""
        count = "SELECT COUNT(*) FROM plies WHERE plies.game_id = games.game_id AND undone = 0"
        with self._explained():
            rows = self._ready().execute(
                f"SELECT *, ({count}) AS plies FROM games ORDER BY rowid DESC LIMIT ?", (limit,)
            )
            return [one for row in reversed(rows.fetchall()) if (one := self._told(summary_of, row)) is not None]

    def ids(self) -> list[str]:
        """The ids of all games, oldest first."""
        with self._explained():
            return [row["game_id"] for row in self._ready().execute("SELECT game_id FROM games ORDER BY rowid")]

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[sqlite3.Row]:
        """The rows of a read-only query, for modules that query the journal in their own way.

        Raises JournalError.
        """
        with self._explained():
            return self._ready().execute(query, tuple(parameters)).fetchall()

    def add(self, game: StoredGame) -> None:
        """Adds a whole game from elsewhere, with its plies, undone plies and notes: all or nothing.

        Raises JournalError, `order` if a game with that id already exists, `unreadable` if it cannot be read back
        unchanged.
        """
        with self._transaction() as connection:
            if connection.execute("SELECT 1 FROM games WHERE game_id = ?", (game.game_id,)).fetchone():
                raise JournalError("order", f"there is a game {game.game_id} in {self.path} already")
            _add(connection, game)
            row = connection.execute("SELECT * FROM games WHERE game_id = ?", (game.game_id,)).fetchone()
            try:
                same = self._stored(row) == game
            except (RowError, IndexError) as error:
                raise JournalError("unreadable", f"game {game.game_id} cannot be kept: {error}") from error
            if not same:
                raise JournalError("unreadable", f"game {game.game_id} cannot be kept as it is")

    def name_players(self, game_id: str, players: Sequence[str]) -> None:
        """Renames the players of a game, also while it is being played."""
        with self._transaction() as connection:
            _progress(connection, game_id)
            connection.execute("UPDATE games SET players = ? WHERE game_id = ?", (json.dumps(list(players)), game_id))

    def delete(self, game_id: str) -> None:
        """Deletes a game with its plies and notes, and overwrites their space in the file."""
        with self._explained():
            self._ready().execute("PRAGMA secure_delete = ON")
        with self._transaction() as connection:
            _progress(connection, game_id)
            for table in ("plies", "notes", "games"):
                connection.execute(f"DELETE FROM {table} WHERE game_id = ?", (game_id,))

    def _stored(self, row: sqlite3.Row) -> StoredGame:
        """One row of `games` with its plies and notes."""
        connection, key = self._ready(), (row["game_id"],)
        plies = connection.execute("SELECT * FROM plies WHERE game_id = ? ORDER BY id", key).fetchall()
        notes = connection.execute("SELECT * FROM notes WHERE game_id = ? ORDER BY id", key).fetchall()
        return game_of(row, plies, notes)

    def _told(self, read: Callable[[sqlite3.Row], T], row: sqlite3.Row) -> T | None:
        """Reads one row; logs an error and returns None if it is invalid, so that the other rows remain usable."""
        try:
            return read(row)
        except (RowError, IndexError) as error:
            _log.error("game %s in %s cannot be read: %s", row[0], self.path, error)
            return None

    def _open(self) -> None:
        self._connection = journal_schema.connect(self.path, self._read_only, BUSY_S)

    def _ready(self) -> sqlite3.Connection:
        """The connection, reopened if an error had closed it."""
        if self._connection is None:
            self._open()
        assert self._connection is not None
        return self._connection

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """One durable transaction: committed on exit, rolled back on any error."""
        with self._explained():
            connection = self._ready()
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                try:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                except sqlite3.Error:
                    self.close()  # the next call reopens the file and continues from what is on the disk
                raise

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turns errors of SQLite and the file system into a JournalError."""
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:  # UnicodeDecodeError: a column's name is damaged
            code, advice = _reason(error)
            raise JournalError(code, f"journal {self.path}: {error}; {advice}") from error


def _progress(connection: sqlite3.Connection, game_id: str) -> tuple[int, str | None]:
    """The last ply that stands (0 before the first), and when the game ended (None if unfinished)."""
    row = connection.execute("SELECT finished FROM games WHERE game_id = ?", (game_id,)).fetchone()
    if row is None:
        raise JournalError("unknown_game", f"there is no game {game_id!r} in this journal")
    last = connection.execute(
        "SELECT COALESCE(MAX(ply), 0) FROM plies WHERE game_id = ? AND undone = 0", (game_id,)
    ).fetchone()[0]
    return int(last), row["finished"]


def _insert(connection: sqlite3.Connection, game_id: str, ply: StoredPly, *, undone: bool = False) -> None:
    # Set explicitly: a single flipped bit in the file could change the column's default.
    columns = {"game_id": game_id, **dataclasses.asdict(ply), "undone": int(undone)}
    _put(connection, "plies", columns)


def _put(connection: sqlite3.Connection, table: str, columns: Mapping[str, object]) -> None:
    marks = ", ".join("?" * len(columns))
    connection.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", tuple(columns.values()))


def _add(connection: sqlite3.Connection, game: StoredGame) -> None:
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
        _insert(connection, key, ply, undone=True)
    for ply in game.plies:
        _insert(connection, key, ply)
    for one in game.notes:
        data = json.dumps(dict(one.data))
        _put(
            connection,
            "notes",
            {"game_id": key, "ply": one.ply, "kind": one.kind, "text": one.text, "data": data, "time": one.time},
        )


def _with_figures(ply: StoredPly, times: PlyTimes | None, thought: Thought | None) -> StoredPly:
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


def _undo(connection: sqlite3.Connection, game_id: str, ply: int) -> None:
    """Marks the plies after `ply` as undone, and the game as unfinished."""
    connection.execute("UPDATE plies SET undone = 1 WHERE game_id = ? AND ply > ? AND undone = 0", (game_id, ply))
    connection.execute(
        "UPDATE games SET finished = NULL, winner = NULL, reason = NULL, scores = NULL WHERE game_id = ?", (game_id,)
    )


def _end(connection: sqlite3.Connection, game_id: str, outcome: Outcome) -> None:
    scores = None if outcome.scores is None else json.dumps(outcome.scores)
    connection.execute(
        "UPDATE games SET finished = ?, winner = ?, reason = ?, scores = ? WHERE game_id = ?",
        (_now(), outcome.winner, outcome.reason, scores, game_id),
    )


def _note(connection: sqlite3.Connection, game_id: str, kind: str, text: str, data: Mapping[str, Any]) -> None:
    last, _ = _progress(connection, game_id)
    connection.execute(
        "INSERT INTO notes (game_id, ply, kind, text, data, time) VALUES (?, ?, ?, ?, ?, ?)",
        (game_id, last, kind, text, json.dumps(dict(data)), _now()),
    )


def _reason(error: Exception) -> tuple[str, str]:
    """The stable code of an error, and advice for a person."""
    if isinstance(error, journal_schema.NewerError):
        return "newer", "start the newer Kibitzer, or name another journal"
    name = getattr(error, "sqlite_errorname", "") or ""
    for prefix, reason in _REASONS.items():
        if name.startswith(prefix):
            return reason
    if isinstance(error, OSError):
        return "read_only", "check that its folder exists and may be written"
    return "other", "nothing recorded is lost"


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
