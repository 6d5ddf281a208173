"""Hidden hands: dealt at random where no camera watches; and who may see which."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Sequence
from typing import Any

from daemon.game.line_of_play import LineOfPlay, Ply, unseen_moves
from rules import AnyGame, HiddenHands


def dealt(game: AnyGame, seed: int = 0) -> Any:
    """The start with everything hidden dealt, at random or by a seed; None if the game deals nothing."""
    start = game.initial(seed or 1 + secrets.randbits(30))
    return None if start == game.initial() else start


def shown_hands(game: AnyGame, position: Any, agents: Sequence[str | None]) -> list[list[str] | None]:
    """The hands that a page may show, by side: a person's; of two people that of the side to move."""
    people = [side for side, agent in enumerate(agents) if agent is None]
    shown = {game.to_move(position)} if len(people) == 2 else set(people or (0, 1))
    hands = [HiddenHands.of(game).hand(position, side) if side in shown else None for side in (0, 1)]
    return [None if hand is None else list(hand) for hand in hands]


def public_position(game: AnyGame, position: Any, *, asked: bool) -> Any:
    """The position as the bus may carry it: with the hand of the side to move if its agent is `asked`, and no other.

    A listener there may play for the other side.
    """
    if not isinstance(game, HiddenHands):
        return position
    side = game.to_move(position)
    seen = game.view(position, side)
    return seen if asked else game.view(seen, 1 - side)


def public_moves(line: LineOfPlay) -> list[str]:
    """The texts of the moves as everybody may know them, without what was put away unseen."""
    return [public_move(line.game, line.before(index), ply) for index, ply in enumerate(line.plies)]


def public_move(game: AnyGame, before: Any, ply: Ply) -> str:
    anyhow: Any = game
    return ply.text if ply.seen or not isinstance(game, HiddenHands) else _as_hidden(anyhow, before, ply.text)


@functools.lru_cache
def _as_hidden(game: Any, before: Any, text: str) -> str:
    hidden = game.view(game.view(before, 0), 1)
    return next((game.format_move(hidden, move) for move in unseen_moves(game, hidden)), text)
