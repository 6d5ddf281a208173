"""What the tests of the games ask of one."""

from __future__ import annotations

from typing import Any, TypeVar

import pytest

import games
from rules import AnyGame, MoveError

G = TypeVar("G", bound=AnyGame)


def game_of(kind: type[G], **rules: object) -> G:
    """The game under these rule options."""
    game = games.load(kind.name, rules)
    assert isinstance(game, kind)
    return game


def texts(game: AnyGame, position: Any) -> set[str]:
    """The texts of the legal moves."""
    return {game.format_move(position, move) for move in game.legal_moves(position)}


def refusal(game: AnyGame, position: Any, text: str) -> str:
    """The code of the rule by which a move is refused."""
    with pytest.raises(MoveError) as refused:
        game.parse_move(position, text)
    return refused.value.rule
