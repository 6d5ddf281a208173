"""Which boards legal play has confirmed so well that the eyes may learn from them.

A board counts only when it was explained by one legal ply or by none, no other explanation came near, nothing lay over
it and its pose was good; and then only once a later move, made from it, was as clear. Whatever throws doubt on the
line, an illegal board or a move taken back, takes the boards that wait with it.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from daemon.interpret.explanation import MoveEvent
from daemon.perception.pipeline import Observation
from vision.reading.reader import Look
from vision.watching.align import LOCK_QUALITY

DECIDED_NATS = 3.0
"""How much dearer than the explanation that is believed any other must be: twenty to one."""
CELLS_A_CONTRADICTION = 24
"""A board may contradict the picture on one cell in so many, and on one of a smaller board."""
UNKNOWN_CELL, MAX_UNKNOWN = 0.8, 0.25
"""Share of the unknown from which a cell teaches nothing, and share of such cells from which the board teaches none."""
MAX_WAITING = 4
"""Boards that wait for a later move at a time; the oldest goes."""


@dataclasses.dataclass(frozen=True, eq=False)
class Seen:
    """One board that was believed, and what it was read from."""

    ply: int
    """Plies made before it was seen."""
    board: str
    look: Look
    believed: NDArray[np.float64]
    """(cells,) probability that the reading gave to what stands there."""
    plain: NDArray[np.bool_]
    """(cells,) False for cells that show nothing known: they teach nothing."""


class Confirmations:
    """Lets boards wait until a later move bears them out."""

    def __init__(self) -> None:
        self._waiting: list[Seen] = []

    def see(self, seen: Seen) -> list[Seen]:
        """Takes a board that fulfils `may_teach`; gives those that it bears out, oldest first."""
        borne_out = [one for one in self._waiting if one.ply < seen.ply and one.board != seen.board]
        # Of one position the last look counts: it is nearest to the light of the next.
        still = [one for one in self._waiting if one.ply >= seen.ply and one.board != seen.board]
        self._waiting = [*still, seen][-MAX_WAITING:]
        return borne_out

    def doubt(self, ply: int = 0) -> None:
        """Forgets the boards that wait from that ply on."""
        self._waiting = [one for one in self._waiting if one.ply < ply]


def may_teach(event: MoveEvent, observation: Observation) -> bool:
    """Whether a board was explained beyond doubt, from a picture of a board that is free and in its place."""
    best = event.explanations[0] if event.explanations else None
    if best is None or best.kind not in ("unchanged", "plies") or best.seen > 1:
        return False
    if event.ambiguous or event.order_assumed:
        return False
    if len(event.explanations) > 1 and event.explanations[1].cost - best.cost < DECIDED_NATS:
        return False
    read = event.reading
    wrong = sum(one != other for one, other in zip(read.board, best.board, strict=True))
    if wrong > max(1, len(best.board) // CELLS_A_CONTRADICTION) or read.occlusion > 0:
        return False
    if read.unknown is None or (read.unknown > UNKNOWN_CELL).mean() > MAX_UNKNOWN:
        return False
    gate, place = observation.gate, observation.alignment
    if gate is None or not gate.settled or gate.blocked or gate.phase != "settled":
        return False
    return place.state == "locked" and place.quality >= LOCK_QUALITY


def seen_board(event: MoveEvent, ply: int, board: str, look: Look) -> Seen:
    """The board as it is believed now, with what it was read from."""
    read = event.reading
    columns = [read.letters.index(letter) for letter in board]
    believed = np.exp(read.log_probabilities[np.arange(len(board)), columns])
    unknown = np.zeros(len(board)) if read.unknown is None else read.unknown
    return Seen(ply, board, look, believed, unknown <= UNKNOWN_CELL)
