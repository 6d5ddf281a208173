"""What is said: one short sentence a person can act on, for every announcement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games import AnyGame, Outcome, Step

REASONS = {
    "two_men_left": "only two men are left",
    "no_legal_move": "no move is left",
    "repetition": "the position came up three times",
    "quiet_plies": "nothing was taken for too long",
}


def spoken_move(game: AnyGame, position: Any, move: Any) -> str:
    """The move in words: "d2", "a1 to a4, taking g7"."""
    steps = game.steps(position, move)
    if not steps:
        return "pass"
    names = game.cells
    words = [
        f"{names[step.origin]} to {names[step.cell]}" if step.origin is not None else names[step.cell]
        for step in steps
        if step.kind in ("place", "move")
    ]
    taken = [names[step.cell] for step in steps if step.kind == "remove"]
    flipped = [names[step.cell] for step in steps if step.kind == "flip"]
    text = listed(words)
    text += f", taking {listed(taken)}" if taken else ""
    return text + (f", turning {listed(flipped)}" if flipped else "")


def listed(words: Sequence[str]) -> str:
    """The words with commas and a last "and"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def missing_steps(game: AnyGame, side: int, missing: Sequence[Step]) -> str:
    """What the turn of `side` still lacks."""
    step = missing[0]
    if step.kind == "remove":
        return f"{game.sides[side].capitalize()} may take a man: remove one of {game.sides[1 - side]}'s men."
    if step.kind == "flip":
        return f"Turn the men on {listed([game.cells[one.cell] for one in missing if one.kind == 'flip'])}."
    if step.origin is not None:
        return f"The man of {game.cells[step.origin]} is off the board: put it down to finish the turn."
    return f"{game.sides[side].capitalize()}'s turn is not finished."


def result(game: AnyGame, outcome: Outcome) -> str:
    """How the game ended."""
    why = REASONS.get(outcome.reason, outcome.reason.replace("_", " "))
    points = f" {outcome.scores[0]} to {outcome.scores[1]}." if outcome.scores else ""
    if outcome.winner is None:
        return f"The game is a draw: {why}.{points}"
    return f"{game.sides[outcome.winner].capitalize()} wins: {why}.{points}"
