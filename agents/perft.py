"""Counts of move sequences (perft): the standard check of a move generator."""

from __future__ import annotations

from typing import Any

from rules import AnyGame

Counts = dict[tuple[Any, int], int]
"""By position and plies: equal positions are counted once."""


def perft(
    game: AnyGame, position: Any, depth: int, removals_as_plies: bool = False, known: Counts | None = None
) -> int:
    """The number of sequences of `depth` plies from the position; games that end earlier are not counted.

    A ply is a whole turn. With `removals_as_plies` each removal is a ply of its own, as in published tables, and a turn
    cut short before its removal counts once.
    """
    known = {} if known is None else known
    if depth <= 0:
        return 1
    if (position, depth) not in known:
        cut_short, total = set(), 0
        for move in game.legal_moves(position):
            steps = game.steps(position, move) if removals_as_plies else ()
            left = depth - 1 - sum(step.kind == "remove" for step in steps)
            if left < 0:
                cut_short.add(steps[:depth])
            elif left == 0:
                total += 1
            else:
                total += perft(game, game.apply(position, move), left, removals_as_plies, known)
        known[position, depth] = total + len(cut_short)
    return known[position, depth]
