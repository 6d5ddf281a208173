"""Lets what the start has taught grow with every board that later play has confirmed.

A board counts only if it was explained by one legal ply or none, no other explanation came near, nothing lay over it
and its pose was good; and then only once a later move made from it was as clear. Anything that casts doubt on the line,
an illegal board or a move taken back, discards the waiting boards too.

A confirmed board shows men on squares and in light that the start did not show. Its changed cells join the known ones
if the newest confirmed boards are then read no worse. And cells that look as on the last confirmed board still hold
what they held. A move that is taken back takes with it all that was learnt from that move on.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence

import numpy as np

from calibration.arrays import Flags
from daemon.belief.belief import Belief
from daemon.game.effects import Effect, Rewrite, TakeBack
from daemon.judging.referee import Referee
from daemon.perception.pipeline import Observation, Pipeline
from vision.reading.cells import Patches
from vision.reading.heads import OTHER
from vision.reading.joint import COVERED
from vision.reading.reader import DescribedCells
from vision.reading.taught import Taught
from vision.watching.locating import LOCK_QUALITY

DECIDED_NATS = 3.0
"""Nats by which every other explanation must cost more than the believed one: twenty to one."""
CELLS_A_CONTRADICTION = 24
"""Board cells for each cell that may contradict the picture; a smaller board may contradict it on one cell."""
MAX_UNKNOWN = 0.25
"""Share of covered cells, which teach nothing, beyond which the board teaches nothing."""
MAX_WAITING = 4
"""Number of boards that may wait for a later move; beyond it the oldest is dropped."""


@dataclasses.dataclass(frozen=True, eq=False)
class SeenBoard:
    ply: int
    """Number of plies made before the board was seen."""
    board: str
    look: DescribedCells
    plain: Flags
    """(cells,) False for cells that show nothing known; they teach nothing."""


class Confirmations:
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
    if wrong > max(1, len(best.board) // CELLS_A_CONTRADICTION):
        return False
    if read.unknown is None or (read.unknown > COVERED).mean() > MAX_UNKNOWN:
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
    return SeenBoard(ply, board, look, unknown <= COVERED)


NEWEST = 3
"""Number of newest confirmed boards, which must be read no worse by what is added."""
REMEMBERED = 16
"""Number of confirmed boards to whose state a takeback can return."""


@dataclasses.dataclass(frozen=True, eq=False)
class _State:
    ply: int
    taught: Taught
    kept: tuple[Patches, str] | None


class Growth:
    def __init__(self, eyes: Pipeline) -> None:
        self._eyes = eyes
        self._confirmations = Confirmations()
        self._newest: collections.deque[SeenBoard] = collections.deque(maxlen=NEWEST)
        self._states: collections.deque[_State] = collections.deque(maxlen=REMEMBERED)

    def judged(self, referee: Referee, observation: Observation) -> None:
        if self._eyes.lesson is None:
            return
        if referee.verdict in ("illegal", "desync", "takeback"):
            self._confirmations.doubt()
            return
        reader, board = self._eyes.reader, referee.game.board(referee.position)
        if reader.taught is None or referee.verdict not in ("legal", "unchanged") or reader.look is None:
            return
        if may_teach(referee.belief, observation):
            for seen in self._confirmations.see(seen_board(referee.belief, referee.ply, board, reader.look)):
                self._confirm(seen)

    def changed(self, effects: Sequence[Effect]) -> None:
        """Forgets what boards showed after a ply that no longer counts."""
        for effect in effects:
            if isinstance(effect, TakeBack | Rewrite):
                self._withdraw(effect.ply)

    def _confirm(self, seen: SeenBoard) -> None:
        reader, template = self._eyes.reader, self._eyes.template
        assert reader.taught is not None
        self._states.append(_State(seen.ply, reader.taught, reader.kept))
        before = reader.kept[1] if reader.kept is not None else OTHER * len(seen.board)
        new = np.array([a != b for a, b in zip(before, seen.board, strict=True)]) & seen.plain
        self._newest.append(seen)
        kept = "".join(letter if plain else OTHER for letter, plain in zip(seen.board, seen.plain, strict=True))
        taught = reader.taught
        if new.any():
            grown = taught.with_cells(reader.features(seen.look), seen.board, np.flatnonzero(new), template)
            (right, loss), (right_before, loss_before) = self._read_by(grown), self._read_by(taught)
            if right >= right_before and loss <= loss_before:
                taught = grown
        reader.learn(taught, (seen.look.patches, kept))

    def _read_by(self, taught: Taught) -> tuple[int, float]:
        """How many cells of the newest confirmed boards that reads right, each by its look alone, and the nats lost."""
        right, loss = 0, 0.0
        for seen in self._newest:
            logs = self._eyes.reader.as_taught(seen.look, taught)
            truth = [self._eyes.template.letters.index(letter) for letter in seen.board]
            right += int((logs.argmax(axis=1) == truth).sum())
            loss -= float(logs[np.arange(len(truth)), truth].sum())
        return right, loss

    def _withdraw(self, ply: int) -> None:
        self._confirmations.doubt(ply + 1)
        first: _State | None = None
        while self._states and self._states[-1].ply > ply:
            first = self._states.pop()
        if first is not None:
            self._newest = collections.deque((one for one in self._newest if one.ply <= ply), maxlen=NEWEST)
            self._eyes.reader.learn(first.taught, first.kept)
