"""How many positions gomoku can have."""

from __future__ import annotations

from games.gomoku import Gomoku
from rules.arrangements import Bound, arrangements


def bound(game: Gomoku) -> Bound | None:
    """The number of stones tells whose turn it is; None where the opening's choices are positions too."""
    if game.rules.swap2 or game.rules.opening == "swap":
        return None
    cells = len(game.cells)
    boards = sum(arrangements(cells, (stones + 1) // 2, stones // 2) for stones in range(cells + 1))
    return Bound(boards, f"the boards of 0 to {cells} stones, laid in turn")
