"""Selects the boards that legal play has confirmed well enough to learn from.

A board counts only if it was explained by one legal ply or none, no other explanation came near, nothing lay over it
and its pose was good; and then only once a later move made from it was as clear. Anything that casts doubt on the line,
an illegal board or a move taken back, discards the waiting boards too.
"""

from __future__ import annotations

import dataclasses

from calibration.arrays import Flags
from daemon.belief.belief import Belief
from daemon.perception.pipeline import Observation
from vision.reading.reader import DescribedCells
from vision.watching.locating import LOCK_QUALITY

DECIDED_NATS = 3.0
"""Nats by which every other explanation must cost more than the believed one: twenty to one."""
CELLS_A_CONTRADICTION = 24
"""Board cells for each cell that may contradict the picture; a smaller board may contradict it on one cell."""
UNKNOWN_CELL, MAX_UNKNOWN = 0.8, 0.25
"""Unknown share from which a cell teaches nothing, and share of such cells beyond which the board teaches nothing."""
MAX_WAITING = 4
"""Number of boards that may wait for a later move; beyond it the oldest is dropped."""


@dataclasses.dataclass(frozen=True, eq=False)
class SeenBoard:
    """A believed board and the picture it was read from."""

    ply: int
    """Number of plies made before the board was seen."""
    board: str
    look: DescribedCells
    plain: Flags
    """(cells,) False for cells that show nothing known; they teach nothing."""


class Confirmations:
    """Holds boards until a later move confirms them."""

    def __init__(self) -> None:
        self._waiting: list[SeenBoard] = []

    def see(self, seen: SeenBoard) -> list[SeenBoard]:
        """Takes a board that passed `may_teach`; returns the boards it confirms, oldest first."""
        borne_out = [one for one in self._waiting if one.ply < seen.ply and one.board != seen.board]
        # The last picture of a position counts: its light is nearest to that of the next.
        still = [one for one in self._waiting if one.ply >= seen.ply and one.board != seen.board]
        self._waiting = [*still, seen][-MAX_WAITING:]
        return borne_out

    def doubt(self, ply: int = 0) -> None:
        """Discards the waiting boards from that ply on."""
        self._waiting = [one for one in self._waiting if one.ply < ply]


def may_teach(belief: Belief, observation: Observation) -> bool:
    """Whether a board was explained beyond doubt, from a picture of a board that is free and in place."""
    best, look = belief.lines[0], belief.look
    if look is None or belief.standing.state != "right" or len(best.plies) != len(belief.told.plies):
        return False
    if sum(ply.seen and ply.time_s == look.time_s for ply in best.plies) > 1:
        return False
    if len(belief.lines) > 1 and belief.lines[1].cost - best.cost < DECIDED_NATS:
        return False
    read = look.reading
    wrong = sum(one != other for one, other in zip(read.board, best.board, strict=True))
    if wrong > max(1, len(best.board) // CELLS_A_CONTRADICTION) or read.occlusion > 0:
        return False
    if read.unknown is None or (read.unknown > UNKNOWN_CELL).mean() > MAX_UNKNOWN:
        return False
    gate, place = observation.gate, observation.alignment
    if gate is None or not gate.settled or gate.blocked or gate.phase != "settled":
        return False
    return place.state == "locked" and place.quality >= LOCK_QUALITY


def seen_board(belief: Belief, ply: int, board: str, look: DescribedCells) -> SeenBoard:
    """The believed board with the picture it was read from, after `may_teach`."""
    assert belief.look is not None
    unknown = belief.look.reading.unknown
    assert unknown is not None
    return SeenBoard(ply, board, look, unknown <= UNKNOWN_CELL)
