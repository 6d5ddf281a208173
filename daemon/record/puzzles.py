"""Puzzles and how they were solved, in an SQLite file beside the record."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import functools
import hashlib
import json
import logging
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

import games
from calibration.atomic_file import make_private
from daemon.record.stored_game import rule_texts
from rules import AnyGame

LOGGER = logging.getLogger(__name__)
BUSY_S = 5.0
MAX_PUZZLES = 100_000
BROUGHT = "puzzles.jsonl"
"""File of a game's package: what `kibitzer puzzles list --json` prints of puzzles under its usual rules."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS puzzles (id TEXT PRIMARY KEY, game TEXT NOT NULL, plies INTEGER NOT NULL,
 data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS attempts (number INTEGER PRIMARY KEY, puzzle TEXT NOT NULL REFERENCES puzzles (id),
 move TEXT NOT NULL, solved INTEGER NOT NULL, time TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS attempts_of_puzzle ON attempts (puzzle, number);
"""


class PuzzleError(OSError):
    """The file of puzzles cannot be read or written; the message names it."""


@dataclasses.dataclass(frozen=True)
class Other:
    result: Literal["loses", "draws", "slower"]
    amount: int
    """Discs, or plies, of a loss; 0 where nothing is counted."""
    reply: str
    """The move that shows it; empty where none does."""


@dataclasses.dataclass(frozen=True)
class Puzzle:
    """A position with one winning move, as it was certified."""

    game: str
    rules: Mapping[str, str]
    position: str
    move: str
    plies: int
    discs: int
    proof: Literal["fours", "exact", "table", "full_search"]
    line: tuple[str, ...]
    others: Mapping[str, Other]
    source: str = ""
    """GAME#PLY of the record where the move was missed; empty for a puzzle of the solver."""

    @property
    def puzzle_id(self) -> str:
        """Eight signs that tell it from all others; the same position is the same puzzle."""
        text = json.dumps([self.game, sorted(self.rules.items()), self.position])
        return hashlib.blake2s(text.encode(), digest_size=4).hexdigest()

    @property
    def moves(self) -> int:
        return (self.plies + 1) // 2

    def opened(self) -> tuple[AnyGame, Any]:
        """The game and the position. Raises ValueError where they, or the solution, do not fit each other."""
        game = games.load(self.game, self.rules)
        position = game.parse_position(self.position)
        game.parse_move(position, self.move)
        return game, position


@dataclasses.dataclass(frozen=True)
class Standing:
    tried: int = 0
    solved: int = 0
    first: bool | None = None
    """Whether the first attempt was right; None before it."""


def puzzle_of(game: AnyGame, told: Any, source: str = "") -> Puzzle:
    """A puzzle from an answer of `kibitzer certify`. Raises ValueError, KeyError, TypeError, AttributeError."""
    proven = told["certificate"]
    played = {"game": game.name, "rules": rule_texts(game), "position": told["position"], "source": source}
    return _puzzle({**proven, **played})


def _puzzle(data: Mapping[str, Any]) -> Puzzle:
    puzzle = _reader().validate_json(json.dumps(dict(data)), strict=True)
    puzzle.opened()
    return puzzle


@functools.cache
def _reader() -> TypeAdapter[Puzzle]:
    return TypeAdapter(Puzzle)


def path_of(journal: Path) -> Path:
    return journal.with_suffix(".puzzles.sqlite")


def store_beside(journal: Path) -> PuzzleStore:
    """The store of a record; a new one gets the puzzles that come with the games."""
    store = PuzzleStore(path_of(journal))
    if not store.path.exists():
        try:
            store.add([puzzle for name in games.names() for puzzle in brought(name)])
        except PuzzleError as error:
            LOGGER.warning("no puzzles: %s", error)
    return store


def brought(name: str) -> list[Puzzle]:
    """The puzzles that come with a game, under its usual rules.

    Raises ValueError if one does not fit its game.
    """
    path = games.file_of(name, BROUGHT)
    if not path.is_file():
        return []
    rules = rule_texts(games.load(name))
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_puzzle({**json.loads(line), "game": name, "rules": rules}) for line in lines]


class PuzzleStore:
    """Reads and writes the file; every call opens it anew, so that any thread may use it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, puzzles: Sequence[Puzzle]) -> int:
        """Keeps the puzzles that are new; returns how many. Raises PuzzleError."""
        with self._opened() as connection:
            before = connection.execute("SELECT count(*) FROM puzzles").fetchone()[0]
            for one in puzzles:
                row = one.puzzle_id, one.game, one.plies, json.dumps(dataclasses.asdict(one))
                connection.execute("INSERT OR IGNORE INTO puzzles VALUES (?, ?, ?, ?)", row)
            return int(connection.execute("SELECT count(*) FROM puzzles").fetchone()[0]) - int(before)

    def all(self, game: str = "") -> list[tuple[Puzzle, Standing]]:
        """The puzzles with their standing, the shortest wins first; damaged ones are left out. Raises PuzzleError."""
        if not self.path.exists():
            return []
        with self._opened() as connection:
            where, given = ("WHERE game = ?", [game]) if game else ("", [])
            rows = connection.execute(
                f"SELECT id, data FROM puzzles {where} ORDER BY plies, id LIMIT {MAX_PUZZLES}", given
            ).fetchall()
            attempts = connection.execute("SELECT puzzle, solved FROM attempts ORDER BY number").fetchall()
        standings: dict[str, Standing] = {}
        for puzzle_id, solved in attempts:
            now = standings.get(puzzle_id, Standing())
            first = bool(solved) if now.first is None else now.first
            standings[puzzle_id] = Standing(now.tried + 1, now.solved + bool(solved), first)
        found = []
        for puzzle_id, text in rows:
            try:
                found.append((_puzzle(json.loads(text)), standings.get(puzzle_id, Standing())))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                LOGGER.warning("puzzle %s is damaged: %s", puzzle_id, error)
        return found

    def get(self, puzzle_id: str) -> Puzzle | None:
        """The puzzle whose id begins like that; None if there is none, or several. Raises PuzzleError."""
        found = [one for one, _ in self.all() if puzzle_id and one.puzzle_id.startswith(puzzle_id)]
        return found[0] if len(found) == 1 else None

    def next(self, game: AnyGame, but: str = "") -> Puzzle | None:
        """The puzzle of a game to try next, rather another than `but`: the easiest unsolved, else the least tried.

        Raises PuzzleError.
        """
        rules = rule_texts(game)
        open_ones = [pair for pair in self.all(game.name) if dict(pair[0].rules) == rules]
        open_ones.sort(key=lambda pair: (pair[0].puzzle_id == but, pair[1].solved > 0, pair[1].tried, pair[0].plies))
        return open_ones[0][0] if open_ones else None

    def has(self, game: AnyGame) -> bool:
        """Whether there are puzzles of the game under its rules; False where the file cannot be read."""
        try:
            return self.next(game) is not None
        except PuzzleError as error:
            LOGGER.warning("no puzzles: %s", error)
            return False

    def tried(self, puzzle: Puzzle, move: str, solved: bool) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        with self._opened() as connection:
            row = puzzle.puzzle_id, move, int(solved), now
            connection.execute("INSERT INTO attempts (puzzle, move, solved, time) VALUES (?, ?, ?, ?)", row)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A connection whose changes are all kept, or none."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            make_private(self.path)
            with contextlib.closing(sqlite3.connect(self.path, timeout=BUSY_S)) as connection:
                connection.executescript(SCHEMA)
                with connection:
                    yield connection
        except (sqlite3.Error, OSError) as error:
            raise PuzzleError(f"{self.path}: {error}") from error
