"""Counts of move sequences (perft): the standard check of a move generator."""

from __future__ import annotations

from typing import Any

from rules import AnyGame


def perft(game: AnyGame, position: Any, depth: int, removals_as_plies: bool = False) -> int:
    """The number of sequences of `depth` plies from the position; games that end earlier are not counted.

    A ply is a whole turn. With `removals_as_plies` each removal is a ply of its own, as in published tables, and a turn
    cut short before its removal counts once. Counts are cached: equal positions are counted once.
    """
    return _count(game, position, depth, removals_as_plies, {})


def _count(game: AnyGame, position: Any, depth: int, removals: bool, known: dict[tuple[Any, int], int]) -> int:
    if depth <= 0:
        return 1
    if (total := known.get((position, depth))) is not None:
        return total
    moves = game.legal_moves(position)
    if removals:
        total = _count_with_removals(game, position, moves, depth, known)
    elif depth == 1:
        total = len(moves)
    else:
        total = sum(_count(game, game.apply(position, move), depth - 1, False, known) for move in moves)
    known[position, depth] = total
    return total


def _count_with_removals(
    game: AnyGame, position: Any, moves: Any, depth: int, known: dict[tuple[Any, int], int]
) -> int:
    cut_short, total = set(), 0
    for move in moves:
        steps = game.steps(position, move)
        plies = 1 + sum(step.kind == "remove" for step in steps)
        if plies > depth:
            cut_short.add(steps[:depth])
        elif plies == depth:
            total += 1
        else:
            total += _count(game, game.apply(position, move), depth - plies, True, known)
    return total + len(cut_short)
