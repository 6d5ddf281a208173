"""UCI's positions and moves in each game: morris as Sanmill has it, others by the module `uci` of their package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import games
from agents.protocols import sanmill
from agents.protocols.sanmill import Standing
from rules import AnyGame


class Words(Protocol):
    """One game's positions and moves in UCI."""

    mover_scores: bool
    """Whether scores are the mover's, as UCI has it, or White's."""
    nothing: str
    """The word for no move."""
    switch: str
    """The option that is on or off and changes how the game is told; empty where there is none."""

    def is_switched(self, game: Any) -> bool:
        """Whether that option is on."""

    def switched(self, game: Any, on: bool) -> Any:
        """The game with that option set."""

    def read(self, game: Any, words: Sequence[str]) -> Standing:
        """The state for the words after `position`. Raises GameError."""

    def tokens(self, game: Any, position: Any, move: Any) -> list[str]:
        """The words of a turn, one or more."""


class SanmillWords(Words):
    """Morris: a removal is a word of its own."""

    mover_scores, nothing, switch = False, "none", ""

    def is_switched(self, game: Any) -> bool:
        """Never: there is no such option."""
        return False

    def switched(self, game: Any, on: bool) -> Any:
        """The game as it is."""
        return game

    def read(self, game: Any, words: Sequence[str]) -> Standing:
        """By Sanmill's FEN."""
        return sanmill.read(game, words)

    def tokens(self, game: Any, position: Any, move: Any) -> list[str]:
        """`a1-a4` and `xg7`."""
        return sanmill.tokens(game.format_move(position, move))


class OwnWords(Words):
    """A game whose package writes UCI itself."""

    mover_scores, nothing = True, "0000"

    def __init__(self, part: Any) -> None:
        self._part = part
        self.switch = getattr(part, "SWITCH", "")

    def is_switched(self, game: Any) -> bool:
        """As the package says."""
        return bool(self._part.is_switched(game))

    def switched(self, game: Any, on: bool) -> Any:
        """As the package makes it."""
        return self._part.switched(game, on=on)

    def read(self, game: Any, words: Sequence[str]) -> Standing:
        """By the game's FEN."""
        return Standing(self._part.read(game, words))

    def tokens(self, game: Any, position: Any, move: Any) -> list[str]:
        """One word; for a move that UCI has no word for, that of the first other move."""
        moves = (move, *game.legal_moves(position))
        return [next(text for one in moves if (text := self._part.text(game, position, one)))]


def words_of(game: AnyGame) -> Words:
    """The words of a game."""
    part = games.part_of(game.name, "uci")
    return SanmillWords() if part is None else OwnWords(part)


def games_with_words() -> tuple[str, ...]:
    """The games whose packages write UCI themselves."""
    return tuple(name for name in games.names() if games.part_of(name, "uci") is not None)
