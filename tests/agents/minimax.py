"""Minimax and the morris features, written as plainly as possible, without regard to speed: the engine must agree."""

from __future__ import annotations

import itertools

from agents.search import WIN
from games.nine_mens_morris import FULL, Move, NineMensMorris, Position
from rules.turns import cells_of

LAYING = {"last": 18, "mills": 26, "blocked": 1, "men": 9, "two": 10, "three": 7, "double": 0}
MOVING = {"last": 14, "mills": 43, "blocked": 10, "men": 11, "two": 0, "three": 0, "double": 8}
FLYING = {"last": 16, "mills": 0, "blocked": 0, "men": 0, "two": 10, "three": 1, "double": 0}


def features(game: NineMensMorris, position: Position, side: int) -> dict[str, int]:
    """One side's features; `blocked` counts its own stuck men, as a loss."""
    men, empty = position.men[side], FULL & ~(position.men[0] | position.men[1])
    closed = [mill for mill in game.mills if mill & men == mill]
    open_ = [mill for mill in game.mills if (mill & men).bit_count() == 2 and (mill & empty).bit_count() == 1]
    stuck = [cell for cell in cells_of(men) if not game.neighbours[cell] & empty]
    return {
        "mills": len(closed),
        "blocked": 0 if game.flies(position, side) else -len(stuck),
        "men": men.bit_count(),
        "two": len(open_),
        "three": sum(bool(a & b & men) for a, b in itertools.combinations(open_, 2)),
        "double": sum(bool(a & b) for a, b in itertools.combinations(closed, 2)),
    }


def evaluation(game: NineMensMorris, position: Position, closed: bool) -> int:
    """The weighted difference of features for the side to move; `closed` if the last move closed a mill."""
    flying = game.flies(position, 0) and game.flies(position, 1)
    weights = LAYING if any(position.hands) else FLYING if flying else MOVING
    mine, theirs = features(game, position, position.side), features(game, position, 1 - position.side)
    return sum(weights[name] * (mine[name] - theirs[name]) for name in mine) - weights["last"] * closed


def minimax(game: NineMensMorris, position: Position, depth: int, last: Move | None = None, ply: int = 0) -> int:
    """The score for the side to move, by searching the whole tree to that depth."""
    outcome = game.outcome(position)
    if outcome is not None:
        return 0 if outcome.winner is None else (WIN - ply) * (1 if outcome.winner == position.side else -1)
    if depth == 0:
        return evaluation(game, position, last is not None and last.removed is not None)
    return max(
        -minimax(game, game.apply(position, move), depth - 1, move, ply + 1) for move in game.legal_moves(position)
    )
