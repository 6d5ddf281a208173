"""A small picture of each game, for choosing one: its drawn board after some moves."""

from __future__ import annotations

import functools
import random

import numpy as np

import games
from daemon.drawing.board_svg import board_svg
from daemon.game.hands import dealt
from daemon.outputs.view import template_of
from rules import HiddenHands, figures_of

PLIES = 16
SEED = 7
CHOICES = 4
"""Plies after which a board shows what the game is about; the seed of their choice; and from how many moves the one
nearest to the middle is chosen, so that stones lie together as in a game."""


@functools.lru_cache(maxsize=32)
def game_picture(name: str) -> str:
    """The SVG of a game by its name. Raises GameError if there is none."""
    game, chance = games.load(name), random.Random(SEED)
    position = dealt(game, SEED) or game.initial()
    template = template_of(game)
    middle = template.cells_mm.mean(axis=0)

    def away(cell: int) -> float:
        return float(np.hypot(*(template.cells_mm[cell] - middle)))

    for _ in range(PLIES):
        moves = [move for move in game.legal_moves(position) if game.steps(position, move)]
        if not moves:
            break
        some = chance.sample(moves, min(CHOICES, len(moves)))
        position = game.apply(position, min(some, key=lambda move: away(game.steps(position, move)[0].cell)))
    return board_svg(template, figures_of(game, position), tiles=HiddenHands.of(game).tiles(position), labelled=False)
