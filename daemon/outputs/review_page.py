"""A review as the page shows it: values and losses in words, the curve, the better lines."""

from __future__ import annotations

from typing import Any

from agents.values import SCORE
from daemon.i18n.translation import in_words
from daemon.storage.reviews import JudgedPly, Review, curve, has_better, loss, worth
from daemon.storage.stored_game import StoredGame

MARKS = ("slip", "mistake", "blunder")
MAX_LINE = 12
"""Most moves of a better line that are sent."""


def review_object(stored: StoredGame, review: Review, *, runs: bool, trouble: str) -> dict[str, Any]:
    """The review as a JSON-ready object."""
    moves = review.moves()
    return {
        "state": "running" if runs else "whole" if review.is_whole else "part",
        "done": len(review.judged),
        "total": review.plies + 1,
        "trouble": trouble,
        "fault": review.fault,
        "leads": review.unit == "point",
        "shares": review.unit not in ("point", SCORE),
        "accuracy": [review.accuracy(side) for side in (0, 1)],
        "marks": [
            {mark: sum(one.mark == mark for one in moves if one.side == side) for mark in MARKS} for side in (0, 1)
        ],
        "curve": [list(point) for point in curve(stored, review)],
        "plies": [_ply(one, review.unit) for one in moves],
    }


def _ply(one: JudgedPly, unit: str) -> dict[str, Any]:
    told: dict[str, Any] = {
        "ply": one.ply,
        "value": in_words(worth(one.value, unit)),
        "exact": one.value.exact,
        "mark": one.mark,
        "fair": one.fair,
    }
    if has_better(one):
        assert one.best is not None
        told["loss"] = in_words(loss(one.lost, one.lost_amount, unit))
        told["better"] = {"value": in_words(worth(one.best.value, unit)), "line": list(one.best.line[:MAX_LINE])}
    return told
