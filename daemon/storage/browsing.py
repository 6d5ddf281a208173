"""Pages through the list of games: newest first, filtered by game and player."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import unicodedata
from collections.abc import Iterator, Sequence

from daemon.config.player_names import recorded_name
from daemon.storage.journal import Journal
from daemon.storage.rows import RowError, summary_of
from daemon.storage.stored_game import GameSummary

LOOKED_THROUGH = 5000
"""Most games examined for one page of the list; the next page continues from there."""
_CHUNK = 200
_COUNT = "(SELECT COUNT(*) FROM plies WHERE plies.game_id = games.game_id AND undone = 0)"
_EARLIER = "COALESCE((SELECT rowid FROM games WHERE game_id = ?), 9223372036854775807)"


@dataclasses.dataclass(frozen=True)
class GamesPage:
    games: tuple[GameSummary, ...]
    """Newest first."""
    older: str
    """Id of the last game examined, from which the next page continues; empty at the end of the list."""


def games_page(journal: Journal, limit: int, before: str = "", game: str = "", player: str = "") -> GamesPage:
    """The newest games before the game `before`, filtered by game and player if given.

    `player` matches any part of a name, ignoring capitals and accents. Raises JournalError.
    """
    found: list[GameSummary] = []
    looked_at = ""
    for number, row in enumerate(_rows(journal, before, game)):
        if len(found) == limit or number == LOOKED_THROUGH:
            return GamesPage(tuple(found), looked_at)
        looked_at = str(row["game_id"])
        summary = _summary(row)
        if summary is not None and any(folded(player) in folded(name) for name in summary.players):
            found.append(summary)
    return GamesPage(tuple(found), "")


def folded(name: str) -> str:
    """A name normalised for comparison: without accents and capitals."""
    plain = unicodedata.normalize("NFKD", name.replace("đ", "d").replace("Đ", "D").replace("ł", "l").replace("Ł", "L"))
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).casefold().strip()


def names_seen(journal: Journal, most: int = 500) -> list[str]:
    """Names of the players in the newest games, to choose from; sorted. Raises JournalError."""
    names: dict[str, None] = {}
    for row in journal.rows("SELECT players FROM games ORDER BY rowid DESC LIMIT ?", [LOOKED_THROUGH]):
        names |= dict.fromkeys(names_of(row["players"]))
        if len(names) >= most:
            break
    return sorted(list(names)[:most], key=folded)


def games_seen(journal: Journal) -> list[str]:
    return sorted(str(row["game"]) for row in journal.rows("SELECT DISTINCT game FROM games"))


def _rows(journal: Journal, before: str, game: str) -> Iterator[sqlite3.Row]:
    """Rows of the games before `before`, newest first, fetched in chunks."""
    where = f"rowid < {_EARLIER}" + (" AND game = ?" if game else "")
    while True:
        given: Sequence[object] = [before, *([game] if game else []), _CHUNK]
        rows = journal.rows(f"SELECT *, {_COUNT} AS plies FROM games WHERE {where} ORDER BY rowid DESC LIMIT ?", given)
        yield from rows
        if len(rows) < _CHUNK:
            return
        before = rows[-1]["game_id"]


def _summary(row: sqlite3.Row) -> GameSummary | None:
    """The summary in a row; None if it is unreadable, which `kibitzer games list` reports."""
    try:
        return summary_of(row)
    except (RowError, IndexError):
        return None


def names_of(text: object) -> list[str]:
    """The names in a row's `players`; empty if unreadable."""
    try:
        names = json.loads(str(text))
    except (ValueError, RecursionError):
        return []
    return [recorded_name(str(name)) for name in names] if isinstance(names, list) else []
