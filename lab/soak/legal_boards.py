"""A brute-force check of the rules that shares no code with the daemon's judging.

Slow and exact. A mistake that a player lays out must be illegal beyond doubt; otherwise the daemon could not be blamed
for not reporting it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rules import AnyGame, Step
from rules.turns import begins_turn, carry_out

MAX_PLIES = 3
"""Plies that fast hands may make between two looks."""
TAKEBACKS = 12
"""Boards back that a takeback may lead: more than the daemon promises to recognise."""


def is_beyond_doubt(game: AnyGame, positions: Sequence[Any], board: str, undone: Sequence[Any] = ()) -> bool:
    """Whether nothing legal leads to the board: no plies, no half-made turn and no takeback.

    `undone` holds the positions after plies that were taken back; making those plies again is legal.
    """
    if board in {game.board(one) for one in (*positions[-TAKEBACKS - 4 :], *undone)}:
        return False
    return not any(_is_begun(game, here, board) or _is_reached(game, here, board) for here in (positions[-1], *undone))


def one_move_on(game: AnyGame, position: Any, board: str) -> Any:
    """The position after the one legal move that leads to the board, or None if no move does."""
    before = game.board(position)
    for move in game.legal_moves(position):
        steps = game.steps(position, move)
        if steps and carry_out(before, steps) == board:
            return game.apply(position, move)
    return None


def _is_begun(game: AnyGame, position: Any, board: str) -> bool:
    """Whether the board is in the middle of a turn; a lifted piece and steps in any order count."""
    before = game.board(position)
    if begins_turn(game, position, board):
        return True
    for move in game.legal_moves(position):
        steps = game.steps(position, move)
        parts = [steps[1:], tuple(Step("remove", one.origin) for one in steps if one.origin is not None)]
        if any(part and carry_out(before, part) == board for part in parts):
            return True
    return False


def _is_reached(game: AnyGame, position: Any, board: str) -> bool:
    """Whether up to MAX_PLIES visible plies, with passes among them, lead to the board."""
    waiting = [position]
    for plies in range(MAX_PLIES, 0, -1):
        following: dict[Any, None] = {}
        for one in waiting:
            for after, seen in _successors(game, one, board, plies - 1):
                if seen == board:
                    return True
                following[after] = None
        waiting = list(following)
    return False


def _successors(game: AnyGame, position: Any, board: str, left: int) -> Iterator[tuple[Any, str]]:
    """Positions after one more visible ply from which `left` plies could still reach the board, with their boards."""
    before = game.board(position)
    starts = [position, *(game.apply(position, move) for move in _passes(game, position))]
    for start in starts:
        for move in game.legal_moves(start):
            steps = game.steps(start, move)
            if not steps:
                continue
            after = carry_out(before, steps)
            if _can_become(game, after, board, left):
                yield game.apply(start, move), after


def _passes(game: AnyGame, position: Any) -> list[Any]:
    if game.about.passes_told:
        return []
    return [move for move in game.legal_moves(position) if not game.steps(position, move)]


def _can_become(game: AnyGame, board: str, target: str, plies: int) -> bool:
    """Whether so many plies might be enough: a quick check that never wrongly says no."""
    if plies == 0:
        return board == target
    may_become = getattr(game, "may_become", None)
    return may_become is None or bool(may_become(board, target, plies))
