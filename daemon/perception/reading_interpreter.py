"""What a reading shows, by what people said about cells, and with or without what was learnt in play."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from daemon.belief.look import Look
from daemon.game.effects import Effect
from daemon.judging.cell_overrides import CellOverrides
from daemon.judging.referee import Referee
from vision.reading.board_reading import BoardReading

if TYPE_CHECKING:
    from daemon.perception.pipeline import Observation


class Learner(Protocol):
    """Learns from what the referee has judged."""

    def judged(self, referee: Referee, observation: Observation) -> None:
        """Takes a look after the referee has judged it."""

    def changed(self, effects: Sequence[Effect]) -> None:
        """Takes what the referee decided."""

    def first_opinion(self, reading: BoardReading) -> BoardReading | None:
        """The same picture read as if nothing had been learnt; None if that makes no difference."""

    def overruled(self) -> None:
        """Called when the first opinion was clear and the learnt one was not."""

    def poll(self) -> None:
        """Called often."""


class ReadingInterpreter:
    """Prepares the readings of one match for its referee."""

    def __init__(self, learner: Learner | None = None) -> None:
        self.overrides = CellOverrides()
        """What people said about cells."""
        self._learner = learner

    def seen(self, referee: Referee, look: Look) -> Look:
        """The look with what people said about cells; without that where legal play alone explains the picture."""
        corrected = self.overrides.over(look.reading)
        if corrected is look.reading:
            return self._as_first_read(referee, look)
        said = dataclasses.replace(look, reading=corrected)
        if referee.fits(said) or referee.is_doubtful(look):
            return said
        self.overrides.forget(self.overrides.cells)  # hands have moved since
        return look

    def _as_first_read(self, referee: Referee, look: Look) -> Look:
        """The look as read without learning, where what was learnt brings doubt and that does not."""
        first = None if self._learner is None else self._learner.first_opinion(look.reading)
        if self._learner is None or first is None or not referee.is_doubtful(look):
            return look
        without = dataclasses.replace(look, reading=first)
        if referee.is_doubtful(without):
            return look
        self._learner.overruled()
        return without
