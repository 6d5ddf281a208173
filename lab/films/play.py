"""A game that nobody played: random moves, more sensible than not, and the boards that a film of it shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.tiles import handfuls, has_tiles
from rules import AnyGame, Step, figures_of, worth_trying
from rules.turns import carry_out

Rng = np.random.Generator
KEENNESS = 0.5
"""Share of moves that take, turn over or castle where that is possible, so that there is more to see."""
NEARNESS = 0.6
"""Share of stones that are laid beside another."""
FEWEST = 10
"""Plies that a game has at least."""


@dataclasses.dataclass(frozen=True)
class Board:
    """What stands on the table for a while."""

    cells: str
    ply: int | None
    """Number of plies played; None for half a turn."""
    side: int = 0
    """The side whose hand made it."""
    move: str = ""
    steps: tuple[tuple[Step, ...], ...] = ()
    """What the hand does to the board before it, one handful after the other."""
    figures: str = ""
    """As `cells`, with the kinds of chess men."""


def play(game: AnyGame, template: BoardTemplate, plies: int, halves: float, rng: Rng) -> list[Board]:
    """The boards of a random game of so many plies, the start first.

    `halves` is the share of turns of several steps that are made in two goes.
    """
    while True:
        boards = _play_once(game, template, plies, halves, rng)
        if (boards[-1].ply or 0) >= FEWEST:
            return boards


def _play_once(game: AnyGame, template: BoardTemplate, plies: int, halves: float, rng: Rng) -> list[Board]:
    position = game.initial(int(rng.integers(2**31)))
    boards = [Board(game.board(position), 0, figures=figures_of(game, position))]
    for ply in range(1, plies + 1):
        if game.outcome(position) is not None:
            break
        move = choose(game, position, rng)
        if move is None:
            break  # nobody says a pass in a film
        after = game.apply(position, move)
        text, figures = game.format_move(position, move), figures_of(game, after)
        whole = Board(game.board(after), ply, game.to_move(position), text, figures=figures)
        boards += _shown(whole, boards[-1], game.steps(position, move), template, halves, rng)
        position = after
    return boards


def _shown(
    whole: Board, before: Board, steps: tuple[Step, ...], template: BoardTemplate, halves: float, rng: Rng
) -> list[Board]:
    """The board after a turn; sometimes half the turn first."""
    groups = tuple(handfuls(template, steps))
    if len(groups) < 2 or has_tiles(template) or rng.random() >= halves:
        return [dataclasses.replace(whole, steps=groups)]
    done = 1 if len(groups) == 2 else int(rng.integers(1, len(groups)))
    half_steps = [step for group in groups[:done] for step in group]
    cells = carry_out(before.cells, half_steps)
    if cells in (before.cells, whole.cells):
        return [dataclasses.replace(whole, steps=groups)]
    figures = carry_out(before.figures, [_with_figure(step, before.figures) for step in half_steps])
    half = Board(cells, None, whole.side, "", groups[:done], figures)
    return [half, dataclasses.replace(whole, steps=groups[done:])]


def _with_figure(step: Step, figures: str) -> Step:
    """The step with the kind of the man that moves."""
    return step if step.origin is None else dataclasses.replace(step, piece=figures[step.origin])


def choose(game: AnyGame, position: Any, rng: Rng) -> Any:
    """A random sensible move that is seen on the board; None where there is only a pass."""
    moves = [(move, game.steps(position, move)) for move in worth_trying(game, position)]
    seen = [(move, steps) for move, steps in moves if steps]
    if not seen:
        return None
    lively = [(move, steps) for move, steps in seen if _is_lively(game, steps)]
    if lively and rng.random() < KEENNESS:
        seen = lively
    elif rng.random() < NEARNESS:
        seen = _near(game, position, seen) or seen
    return seen[int(rng.integers(len(seen)))][0]


def _is_lively(game: AnyGame, steps: Sequence[Step]) -> bool:
    """Whether a move takes pieces or, where it need not turn any over, moves two."""
    return len(steps) > 1 and any(step.kind in ("remove", "move") for step in steps)


def _near(
    game: AnyGame, position: Any, moves: Sequence[tuple[Any, tuple[Step, ...]]]
) -> list[tuple[Any, tuple[Step, ...]]]:
    """The stones that are laid beside a stone, on boards of rows and columns that start empty."""
    side = round(len(game.cells) ** 0.5)
    if game.name not in ("go", "gomoku"):
        return []
    board = game.board(position)
    taken = [divmod(cell, side) for cell, letter in enumerate(board) if letter != "."]
    return [
        (move, steps)
        for move, steps in moves
        if any(max(abs(steps[0].cell // side - row), abs(steps[0].cell % side - column)) == 1 for row, column in taken)
    ]
