"""What keeps the eyes from seeing all of the board, told once each."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.speaking import phrases
from daemon.speaking.tongue import in_words, worded
from games import AnyGame
from vision.watching.gate import GateState
from wording import sentence

BLOCKED = sentence("Something lies over the board. I wait until I can see all of it.")


class Obstacles:
    """Remembers what was told of things over the board, and of cells outside the picture."""

    def __init__(self) -> None:
        self._told_blocked = self._told_outside = False

    def look(self, gate: GateState, outside: Sequence[int], game: AnyGame) -> list[str]:
        """What is new to tell of a picture: sentences, often none. `outside` are cells that the picture lacks."""
        return [*self._blocked(gate), *self._outside(gate, outside, game)]

    def _blocked(self, gate: GateState) -> list[str]:
        """That something rests over the board; until it has gone nothing is read."""
        told = [in_words(BLOCKED)] if gate.blocked and not self._told_blocked else []
        self._told_blocked = gate.blocked or (self._told_blocked and not gate.settled)
        return told

    def _outside(self, gate: GateState, outside: Sequence[int], game: AnyGame) -> list[str]:
        """Which cells have left the picture, and that the whole board is seen again."""
        if not gate.settled:
            return []
        told = []
        if outside and not self._told_outside:
            names = phrases.listed_briefly([game.cells[cell] for cell in outside])
            told = [
                worded(
                    "I cannot see {cells}: outside the picture. Please turn the camera, or move the board.", cells=names
                )
            ]
        elif self._told_outside and not outside:
            told = [worded("I see the whole board again.")]
        self._told_outside = bool(outside)
        return told
