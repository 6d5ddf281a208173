"""Finds the recorded games that went through a position, however the board was turned or mirrored."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import games
from daemon.storage.browsing import names_of
from daemon.storage.journal import Journal
from rules import AnyGame, GameError, Side, Step
from rules.symmetry import images, symmetries

MAX_FOUND = 500
"""Most places in one answer, the newest games' first."""


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
    """Whether the rules are the same, and the same side is to move."""
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
