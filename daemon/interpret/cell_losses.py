"""How strongly a reading contradicts a board: a loss per cell and class, updated as a move changes cells."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rules import EMPTY, Step
from vision.reading.board_reading import BoardReading

WRONG_CELL_NATS = 2.3
"""Nats of loss above which a cell contradicts a board: it was read as something else at ten to one."""


class CellLosses:
    """Nats by which each class is less likely than the most likely class of its cell."""

    def __init__(self, reading: BoardReading) -> None:
        logs = reading.log_probabilities
        rows = (logs.max(axis=1, keepdims=True) - logs).tolist()
        self._cells: list[dict[str, float]] = [dict(zip(reading.letters, row, strict=True)) for row in rows]

    def of(self, board: str) -> float:
        """The loss of a board."""
        return sum(losses[letter] for losses, letter in zip(self._cells, board, strict=True))

    def change(self, board: str, steps: Sequence[Step]) -> tuple[float, int]:
        """Change of a board's loss by the steps, and the number of touched cells on which the reading contradicts them.

        Flipped pieces do not count as contradictions: the next ply may flip any number of them back.
        """
        after: dict[int, str] = {}
        turned = {step.cell for step in steps if step.kind == "flip"}
        for step in steps:
            if step.origin is not None:
                after[step.origin] = EMPTY
            after[step.cell] = step.piece
        change, wrong = 0.0, 0
        for cell, letter in after.items():
            losses = self._cells[cell]
            loss = losses[letter]
            wrong += loss > WRONG_CELL_NATS and cell not in turned
            change += loss - losses[board[cell]]
        return change, wrong

    def least_change(self, board: str) -> float:
        """The least loss of any other board, given that this board's loss is 0."""
        return min(
            (
                loss
                for losses, own in zip(self._cells, board, strict=True)
                for letter, loss in losses.items()
                if letter != own
            ),
            default=math.inf,
        )
