"""The evaluation curve of a review: how the game stood in each position, as the first side sees it."""

from __future__ import annotations

import contextlib
from typing import NamedTuple

import games
from daemon.storage.reviews import Review
from daemon.storage.score_sheet import score_sheet
from daemon.storage.stored_game import StoredGame
from rules import GameError, HiddenHands


class Point(NamedTuple):
    """One position of the curve."""

    ply: int
    """Moves made before it."""
    height: float | None
    """0 to 1: the share of the point that the first side can expect; None where it is not known yet."""


def curve(stored: StoredGame, review: Review) -> list[Point]:
    """A point for every position, the start first.

    In games with hidden hands nobody can say who will win: there it is the lead in points, of the largest lead so far.
    """
    with contextlib.suppress(GameError):
        if isinstance(games.load(stored.game, stored.rules), HiddenHands):
            return _leads(stored)
    points = []
    for ply in range(review.plies + 1):
        one = review.judged.get(ply + 1)
        height = None if one is None else one.before.chance if one.side == 0 else 1 - one.before.chance
        points.append(Point(ply, height))
    return points


def _leads(stored: StoredGame) -> list[Point]:
    leads = [0, *(row.scores[0] - row.scores[1] for row in score_sheet(stored))]
    most = max(map(abs, leads)) or 1
    return [Point(ply, 0.5 + lead / most / 2) for ply, lead in enumerate(leads)]
