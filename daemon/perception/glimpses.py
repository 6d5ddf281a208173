"""Finds plies that lie open to view while something moves elsewhere over the board.

People play on before the last hand has left the board. A ply counts already if the cells that it changes are still, and
if all their neighbours lay open since they changed, so that no hand holds the man any more. Nothing is ever objected
to: whatever else a glimpse shows waits until the board is at rest.
"""

from __future__ import annotations

import numpy as np

from calibration.template import NEIGHBOUR, BoardTemplate
from daemon.interpret.explanation import MoveEvent
from daemon.judging.referee import Referee
from daemon.perception.learning.confirming import DECIDED_NATS
from daemon.perception.reading_interpreter import ReadingInterpreter
from rules.turns import changed_cells
from vision.reading.board_reading import UNKNOWN, BoardReading

MAX_PLIES = 2
"""Most plies taken from one glimpse: the sides alternate, so the order of two is known."""


class Glimpses:
    """Watches one board for such plies."""

    def __init__(self, template: BoardTemplate) -> None:
        apart_mm = np.linalg.norm(template.cells_mm[:, None] - template.cells_mm, axis=2)
        self._near = apart_mm < NEIGHBOUR * template.pitch_mm
        self._laid_open: dict[int, tuple[str, str]] = {}
        """What a cell and its neighbourhood showed when all of that lay open, since the cell last changed."""

    def see(self, glimpse: BoardReading, referee: Referee, interpreter: ReadingInterpreter) -> MoveEvent | None:
        """The event, if the glimpse shows one or two plies beyond doubt; None otherwise."""
        assert glimpse.unknown is not None
        before, now, seen = referee.game.board(referee.position), glimpse.board, glimpse.unknown < UNKNOWN
        for cell in np.flatnonzero(seen):
            if self._laid_open.get(int(cell), ("", ""))[0] != now[cell]:
                self._laid_open.pop(int(cell), None)
            if seen[self._near[cell]].all():
                self._laid_open[int(cell)] = now[cell], now
        new = [int(cell) for cell in np.flatnonzero(seen) if now[cell] != before[cell]]
        if not new or any(cell not in self._laid_open for cell in new):
            return None  # before any ply is looked for, which takes longer
        event = interpreter.explain(referee, glimpse, ())
        best = event.explanations[0] if event.explanations else None
        if best is None or best.kind != "plies" or len(best.moves) > MAX_PLIES or event.ambiguous:
            return None
        if len(event.explanations) > 1 and event.explanations[1].cost - best.cost < DECIDED_NATS:
            return None
        changed = changed_cells(before, best.board)
        if all(seen[cell] and now[cell] == best.board[cell] for cell in changed) and all(
            self._lay_free(cell, before, best.board) for cell in changed
        ):
            return event
        return None

    def _lay_free(self, cell: int, before: str, after: str) -> bool:
        """Whether the cell's neighbours held what they should when they lay open, so that no hand was over them."""
        if cell not in self._laid_open:
            return False
        _, then = self._laid_open[cell]
        return all(then[near] in (before[near], after[near]) for near in np.flatnonzero(self._near[cell]))
