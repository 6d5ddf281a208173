"""Pages through the list of games, newest first, and finds those that went through a position."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sqlite3
import unicodedata
from collections.abc import Iterator
from typing import Any

import games
from daemon.commands.strengths import shown_player
from daemon.config.player_names import recorded_name
from daemon.record.journal import Journal
from daemon.record.rows import RowError, summary_of
from daemon.record.stored_game import GameSummary
from rules import AnyGame, GameError, Side, Step
from rules.symmetry import images, symmetries

LOOKED_THROUGH = 5000
"""Most games examined for one page of the list; the next page continues from there."""
CHUNK = 200
MAX_FOUND = 500
"""Most places in one answer, the newest games' first."""


@dataclasses.dataclass(frozen=True)
class GamesPage:
    games: tuple[GameSummary, ...]
    older: str
    """Id of the last game examined, from which the next page continues; empty at the end of the list."""


def games_page(journal: Journal, limit: int, before: str = "", game: str = "", player: str = "") -> GamesPage:
    """The newest games before the game `before`, filtered by game and player if given; none that never began.

    `player` matches any part of a name, as recorded or as people read it, ignoring capitals and accents.
    Raises JournalError.
    """
    found: list[GameSummary] = []
    looked_at = ""
    for number, row in enumerate(_rows(journal, before, game)):
        if len(found) == limit or number == LOOKED_THROUGH:
            return GamesPage(tuple(found), looked_at)
        looked_at = str(row["game_id"])
        with contextlib.suppress(RowError, IndexError):  # it is unreadable, which `kibitzer games list` reports
            summary = summary_of(row)
            if (summary.plies or summary.finished) and _plays(player, summary):
                found.append(summary)
    return GamesPage(tuple(found), "")


def _plays(player: str, summary: GameSummary) -> bool:
    names = {name for recorded in summary.players for name in (recorded, shown_player(recorded))}
    return any(folded(player) in folded(name) for name in names)


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
    while True:
        rows = journal.summary_rows(CHUNK, before, game)
        yield from rows
        if len(rows) < CHUNK:
            return
        before = rows[-1]["game_id"]


def names_of(text: object) -> list[str]:
    """The names in a row's `players`; empty if unreadable."""
    try:
        names = json.loads(str(text))
    except (ValueError, RecursionError):
        return []
    return [recorded_name(str(name)) for name in names] if isinstance(names, list) else []


@dataclasses.dataclass(frozen=True)
class Found:
    """A recorded game that went through the position."""

    game_id: str
    players: tuple[str, ...]
    started: str
    ply: int
    """Moves made when it did."""
    next: str
    """The move that followed, as it would be on the board that was asked about; empty where none followed."""
    winner: Side | None
    finished: bool


def find(journal: Journal, game: AnyGame, position: Any) -> list[Found]:
    """The games of the same rules with that board and side to move, newest first, each once. Raises JournalError.

    What the board does not show, such as men in hand, is as it was in each game. The start is not looked for: every
    game of the same rules went through it.
    """
    board, side = game.board(position), game.to_move(position)
    turned = images(game, board)
    marks = ", ".join("?" * len(turned))
    rows = journal.rows(
        "SELECT games.game_id, players, started, finished, winner, rules, plies.ply, plies.board, plies.side,"
        " plies.position, later.move AS next, later.side AS mover FROM plies JOIN games USING (game_id)"
        " LEFT JOIN plies AS later ON later.game_id = plies.game_id AND later.ply = plies.ply + 1 AND later.undone = 0"
        f" WHERE plies.undone = 0 AND games.game = ? AND plies.board IN ({marks})"
        " ORDER BY games.rowid DESC, plies.ply",
        [game.name, *turned],
    )
    found: dict[str, Found] = {}
    for row in rows:
        if len(found) == MAX_FOUND:
            break
        if row["game_id"] not in found and _is_same(game, side, row):
            found[row["game_id"]] = Found(
                str(row["game_id"]),
                tuple(names_of(row["players"])),
                str(row["started"]),
                int(row["ply"]),
                _turned_back(game, position, row),
                row["winner"] if row["winner"] in (0, 1) else None,
                row["finished"] is not None,
            )
    return list(found.values())


def _is_same(game: AnyGame, side: Side, row: Any) -> bool:
    try:
        rules = {name: str(value) for name, value in json.loads(row["rules"]).items()}
        if games.load(game.name, rules).rules != game.rules:
            return False
        mover = row["mover"]
        return bool((game.to_move(game.parse_position(row["position"])) if mover is None else mover) == side)
    except (ValueError, AttributeError, TypeError):  # rules or a position that are no longer known, or damage
        return False


def _turned_back(game: AnyGame, position: Any, row: Any) -> str:
    """The move that followed, on the board that was asked about; empty where none did, or it cannot be told."""
    if row["next"] is None:
        return ""
    try:
        there = game.parse_position(row["position"])
        move = game.parse_move(there, str(row["next"]))
        steps = game.steps(there, move)
    except (GameError, TypeError):
        return ""
    board = game.board(position)
    for symmetry in symmetries(game):
        back = {image: cell for cell, image in enumerate(symmetry)}
        if all(row["board"][image] == board[cell] for image, cell in back.items()):
            wanted = {_step(step, back) for step in steps}
            for other in game.legal_moves(position):
                if {_step(step) for step in game.steps(position, other)} == wanted:
                    return game.format_move(position, other)
    return ""


def _step(step: Step, to: dict[int, int] | None = None) -> tuple[Any, ...]:
    cell, origin = step.cell, step.origin
    if to is not None:
        cell, origin = to[cell], None if origin is None else to[origin]
    return step.kind, cell, origin, step.piece
