"""Values in words: "+3.2 discs", "wins in 4 moves", "draw", "62 %"; and what a move gave away."""

from __future__ import annotations

from agents.values import SCORE, Value
from daemon.storage.reviews import JudgedPly
from wording import Sentence, sentence, sentence_n

SURE = 0.5
"""A share of the point beyond which a proven value is a win, below which it is a loss."""
LINE = 6


def worth(value: Value, unit: str) -> Sentence:
    """What a position or a move is worth to its side, in a few words; `unit` is that of `agents.values.Scale`."""
    if value.plies is not None:
        moves = (value.plies + 1) // 2
        if value.chance > SURE:
            return sentence_n("wins in {count} move", "wins in {count} moves", moves)
        if not moves:
            return sentence("lost")
        return sentence_n("loses in {count} move", "loses in {count} moves", moves)
    if value.exact and value.chance == SURE:
        return sentence("draw")
    if value.amount is None or not unit:
        return sentence("{percent} %", percent=round(100 * value.chance))
    exact = value.exact and unit == "disc"
    amount = f"{value.amount + 0.0:+.0f}" if exact else f"{value.amount + 0.0:+.1f}"
    if unit == "disc":
        return sentence("{amount} discs", amount=amount)
    if unit == "point":
        return sentence("{amount} points", amount=amount)
    if unit == SCORE:
        return sentence("score {amount}", amount=amount)
    return sentence("{amount} men", amount=amount)


def loss(lost: float, amount: float | None, unit: str) -> Sentence:
    """What a move gave away: units where there are some, else the share of the point; empty units count as none."""
    percent = round(100 * lost)
    if amount is None or not unit:
        return sentence("gives away {percent} %", percent=percent)
    given = f"{amount:.1f}"
    if unit == "disc":
        return sentence("gives away {amount} discs, {percent} %", amount=given, percent=percent)
    if unit == "point":
        return sentence("gives away {amount} points", amount=given)
    if unit == SCORE:
        return sentence("gives away {amount}", amount=given)
    return sentence("gives away {amount} men, {percent} %", amount=given, percent=percent)


def comment(one: JudgedPly, unit: str) -> str:
    """What the move is worth, what it gave away, and what was better, as a comment in a file."""
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
