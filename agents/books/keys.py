"""Names of positions: the same for all that turning or mirroring makes one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from rules import EMPTY, AnyGame, Arranged, Counts, figures_of
from rules.symmetry import symmetries

KEY_BYTES = 8


class Keys:
    """Names positions of one game under its rules."""

    def __init__(self, game: AnyGame) -> None:
        """Keeps the symmetries of the board that also change nothing about the start and the moves from it.

        Chess has none: its board may be turned, its game not.
        """
        self.game = game
        self._symmetries = tuple(
            turn for turn in symmetries(game) if all(self._is_same(start, start, turn) for start in game.starts)
        )

    def key(self, position: Any) -> str:
        """Sixteen hexadecimal digits for the pieces, the side to move, the pieces in hand and the rights."""
        game = self.game
        figures = figures_of(game, position)
        least = min(turned(figures, turn) for turn in self._symmetries)
        rights = sorted(right.code for right in Arranged.of(game).rights(position) if right.held)
        text = f"{game.to_move(position)} {least} {Counts.of(game).to_lay(position)} {rights}"
        return hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()

    def counterparts(self, position: Any, other: Any) -> dict[Any, list[Any]]:
        """The legal moves of a position, each with the moves of `other` that are the same one turned or mirrored.

        Empty where the positions differ by more than a symmetry, or allow other moves.
        """
        here, there = self._after(position), self._after(other)
        found: dict[Any, list[Any]] = {}
        for turn in self._symmetries:
            if turned(figures_of(self.game, other), turn) != figures_of(self.game, position):
                continue
            images = {turned(figures, turn): move for figures, move in there.items()}
            if images.keys() == here.keys():
                for figures, move in here.items():
                    found.setdefault(move, []).append(images[figures])
        return found

    def _is_same(self, position: Any, other: Any, turn: Sequence[int]) -> bool:
        """Whether one position is the other turned, and so is every position a move later."""
        if turned(figures_of(self.game, other), turn) != figures_of(self.game, position):
            return False
        return {turned(figures, turn) for figures in self._after(other)} == self._after(position).keys()

    def _after(self, position: Any) -> dict[str, Any]:
        """The legal moves by the pieces that stand after each."""
        game = self.game
        return {figures_of(game, game.apply(position, move)): move for move in game.legal_moves(position)}


def turned(figures: str, turn: Sequence[int]) -> str:
    """The pieces with each on the image of its cell."""
    letters = [EMPTY] * len(figures)
    for letter, image in zip(figures, turn, strict=True):
        letters[image] = letter
    return "".join(letters)
