"""Tells whether plies lie open to view while something moves elsewhere over the board.

People play on before the last hand has left the board. A ply counts already if the cells that it changes lie open and
have been still. Nothing is ever objected to: whatever else is seen waits until the board is free.
"""

from __future__ import annotations

from daemon.interpret.explanation import MoveEvent
from daemon.perception.learning.confirming import DECIDED_NATS
from rules.turns import changed_cells
from vision.reading.board_reading import SURE

MAX_PLIES = 2
"""Most plies taken while something moves: the sides alternate, so the order of two is known."""


def lies_open(event: MoveEvent, before: str) -> bool:
    """Whether evidence shows one or two plies from the board `before` beyond doubt."""
    best = event.explanations[0] if event.explanations else None
    if best is None or best.kind != "plies" or best.seen > MAX_PLIES or event.ambiguous:
        return False
    if len(event.explanations) > 1 and event.explanations[1].cost - best.cost < DECIDED_NATS:
        return False
    reading = event.reading
    changed = list(changed_cells(before, best.board))
    return bool(
        changed
        and all(reading.board[cell] == best.board[cell] for cell in changed)
        and reading.confidence[changed].min() >= SURE
    )
