"""Positions from random games."""

from __future__ import annotations

import random
from typing import Any

from rules import AnyGame


def positions(game: AnyGame, seed: int, count: int, longest: int = 200) -> list[Any]:
    """`count` unfinished positions, from all stages of random games of at most `longest` plies."""
    draw, found = random.Random(seed), []
    while len(found) < count:
        position, line = game.initial(seed=draw.randrange(1, 2**30)), []
        while game.outcome(position) is None and len(line) < longest:
            line.append(position)
            position = game.apply(position, draw.choice(list(game.legal_moves(position))))
        found += draw.sample(line, min(4, len(line)))
    return found[:count]
