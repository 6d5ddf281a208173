"""How many positions nine men's morris can have."""

from __future__ import annotations

import itertools

from games.nine_mens_morris import NineMensMorris
from rules.arrangements import Bound, at_most


def bound(game: NineMensMorris) -> Bound:
    """For any order of laying and moving, as some rule sets allow."""
    men, cells = game.rules.men, len(game.cells)
    laid = itertools.product(range(men + 1), repeat=2)
    return Bound(
        2 * sum(at_most(cells, first, second) for first, second in laid),
        f"2 sides to move x, for 0 to {men} men laid by each side, the boards of at most as many on {cells} points",
    )
