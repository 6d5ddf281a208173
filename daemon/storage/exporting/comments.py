"""What a review says about a move, as a comment in a file: English, as the rest of the file."""

from __future__ import annotations

from daemon.storage.reviews import JudgedPly
from daemon.storage.worth import loss, worth

LINE = 6
"""Moves of a better line in a comment."""


def comment(one: JudgedPly, unit: str) -> str:
    """What the move is worth, what it gave away, and what was better."""
    text = f"{worth(one.value, unit)}{', proven' if one.value.exact else ''}"
    if not one.fair:
        return f"{text}; from a hand that nobody saw"
    if has_better(one) and one.best is not None and (one.mark or (one.lost_amount or 0.0) >= 1):
        mark = f"{one.mark}, " if one.mark else ""
        better = f"better {one.best.move} ({worth(one.best.value, unit)}): {' '.join(one.best.line[:LINE])}"
        text = f"{text}; {mark}{loss(one.lost, one.lost_amount, unit)}; {better}"
    return text


def has_better(one: JudgedPly) -> bool:
    """Whether another move would have been better by something that can be said."""
    if one.best is None or one.best.move == one.move or not one.fair:
        return False
    return one.lost >= 0.005 or (one.lost_amount or 0.0) >= 0.05
