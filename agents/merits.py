"""Why a move is worth something, as far as the rules show: a mill closed, an open three, a corner given away.

The module `merits` of a game's package has `of(game, position, move)`, which gives some of `CODES`, the weightiest
first. Everything is tried out by the rules on the board itself, so that it holds under every rule option.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import games
from rules import AnyGame

CODES = tuple(
    (
        "wins_at_once five open_four four open_three blocks_five blocks_four closes_mill double_mill opens_mill "
        "blocks_mill threatens_mills threatens_mill shuts_in takes_corner gives_corner carries captures "
        "saves exposes if_held"
    ).split()
)
"""Every reason; the daemon has words for them."""
MOST = 2


def of(game: AnyGame, position: Any, move: Any) -> Sequence[str]:
    """The reasons for a legal move, at most `MOST`; empty for a game that brings none."""
    part = games.part_of(game.name, "merits")
    found: Sequence[str] = () if part is None else part.of(game, position, move)
    return found[:MOST]
