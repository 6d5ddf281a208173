"""Reasons in nine men's morris: mills closed, blocked and threatened, the double mill and the opened one."""

from __future__ import annotations

from typing import Any

from rules import AnyGame, Step
from rules.merits import if_moving, steps_of


def of(game: AnyGame, position: Any, move: Any) -> list[str]:
    """The reasons for a move, the weightiest first."""
    side = game.to_move(position)
    steps = game.steps(position, move)
    after = game.apply(position, move)
    ended = game.outcome(after)
    if ended is not None:
        return ["wins_at_once"] if ended.winner == side else []
    found = ["closes_mill"] if _takes(steps) else []
    again = if_moving(game, after, side)
    mills = [one for one in steps_of(game, again) if _takes(one)]
    if any(_comes_back(game, again, one) for one in mills):
        found.insert(0, "double_mill")
    enemy = [one for one in steps_of(game, if_moving(game, position, 1 - side)) if _takes(one)]
    left = {one[0].cell for one in steps_of(game, after) if _takes(one)}
    if any(one[0].cell == steps[0].cell for one in enemy) and steps[0].cell not in left:
        found.append("blocks_mill")
    aims = {one[0].cell for one in mills}
    before = {one[0].cell for one in steps_of(game, if_moving(game, position, side)) if _takes(one)}
    if _opens(game, position, steps[0], after, aims):
        found.append("opens_mill")
    elif len(aims) > 1 and aims - before:
        found.append("threatens_mills")
    elif aims - before and "double_mill" not in found:
        found.append("threatens_mill")
    return found


def _takes(steps: tuple[Step, ...]) -> bool:
    return any(step.kind == "remove" for step in steps)


def _opens(game: Any, position: Any, step: Step, after: Any, aims: set[int]) -> bool:
    """Whether the man leaves a mill that it can close again at once, by stepping back where no enemy man can step."""
    if step.origin is None or step.origin not in aims:
        return False
    stood = 1 << step.origin
    closed = any(mill & stood and not mill & ~position.men[position.side] for mill in game.mills)
    return closed and all(one[0].cell != step.origin for one in steps_of(game, after))


def _comes_back(game: AnyGame, position: Any, mill: tuple[Step, ...]) -> bool:
    """Whether the man that closes this mill opened another one, and closes that again by stepping back."""
    first = mill[0]
    if first.origin is None:
        return False
    move = next(one for one in game.legal_moves(position) if game.steps(position, one) == mill)
    stepped = if_moving(game, game.apply(position, move), game.to_move(position))
    back = [one for one in steps_of(game, stepped) if one[0].origin == first.cell and one[0].cell == first.origin]
    return any(map(_takes, back))
