"""Turns that are only begun: a piece lifted, a mill whose removal is owed, a king that has castled without its rook."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from daemon.belief.costs import RARE_NATS
from daemon.belief.line import Begun, Line
from daemon.belief.look import Evidence
from rules import AnyGame, Step
from rules.turns import carry_out, in_any_order, parts_of_turn

Part = tuple[tuple[Step, ...], tuple[Step, ...]]
"""Steps done and steps missing."""


def half_done(
    game: AnyGame, evidence: Evidence, line: Line, move: Any, steps: tuple[Step, ...]
) -> Iterator[tuple[Line, Part]]:
    """The line with the turn half done, in every way that the look shows something of."""
    for part in _parts(game, evidence, line.board, steps):
        change = evidence.change(line.board, part[0])
        if change.helped and not change.wrong:
            begun = Begun(move, part[1], carry_out(line.board, part[0]), RARE_NATS)
            yield dataclasses.replace(line, begun=begun, loss=max(0.0, line.loss + change.nats)), part


def begun_as(game: AnyGame, line: Line) -> list[tuple[Any, tuple[Step, ...]]]:
    """The moves that the turn which a line shows begun may become, each with its missing steps."""
    found = []
    for move in game.legal_moves(line.position):
        steps = game.steps(line.position, move)
        parts = parts_of_turn(game, steps) if steps else ()
        missing = next((missing for done, missing in parts if carry_out(line.board, done) == line.shown), None)
        if missing is not None:
            found.append((move, missing))
    return found


def may_be_answered(part: Part) -> bool:
    """Whether the other side may take half a turn for a whole one: no piece of it is in the fingers."""
    done, missing = part
    lifted = {step.cell for step in done if step.kind == "remove"}
    return done[0].kind != "remove" and not lifted & {step.origin for step in missing}


def _parts(game: AnyGame, evidence: Evidence, board: str, steps: tuple[Step, ...]) -> Iterator[Part]:
    """The ways to be half done; of steps in any order only those that the look shows."""
    yield from parts_of_turn(game, steps)
    if in_any_order(steps):
        done = [steps[0], *(step for step in steps[1:] if evidence.change(board, (step,)).helped)]
        missing = tuple(step for step in steps if step not in done)
        if missing and tuple(done) != steps[: len(done)]:
            yield tuple(done), missing
