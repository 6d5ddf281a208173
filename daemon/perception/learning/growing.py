"""Lets what the start has taught grow with every board that later play has confirmed.

A confirmed board shows men on squares and in light that the start did not show. Its changed cells join the known ones
if the newest confirmed boards are then read no worse. And cells that look as on the last confirmed board still hold
what they held. A move that is taken back takes with it all that was learnt from that move on.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence

import numpy as np

from daemon.game.effects import Effect, Rewrite, TakeBack
from daemon.judging.referee import Referee
from daemon.perception.learning.confirming import Confirmations, SeenBoard, may_teach, seen_board
from daemon.perception.pipeline import Observation, Pipeline
from vision.reading.cells import Patches
from vision.reading.heads import OTHER
from vision.reading.taught import Taught

NEWEST = 3
"""Number of newest confirmed boards, which must be read no worse by what is added."""
REMEMBERED = 16
"""Number of confirmed boards to whose state a takeback can return."""


@dataclasses.dataclass(frozen=True, eq=False)
class _State:
    """What was known after a number of plies."""

    ply: int
    taught: Taught
    kept: tuple[Patches, str] | None


class Growth:
    """What one match adds to what the start has taught."""

    def __init__(self, eyes: Pipeline) -> None:
        self._eyes = eyes
        self._confirmations = Confirmations()
        self._newest: collections.deque[SeenBoard] = collections.deque(maxlen=NEWEST)
        self._states: collections.deque[_State] = collections.deque(maxlen=REMEMBERED)

    def judged(self, referee: Referee, observation: Observation) -> None:
        """Takes a look that the referee has judged."""
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
