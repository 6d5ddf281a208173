"""Explains readings by legal play, by what people said about cells, and with or without what was learnt in play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from daemon.game.effects import Effect
from daemon.interpret.explain import explain
from daemon.interpret.explanation import MoveEvent
from daemon.judging.cell_overrides import CellOverrides
from daemon.judging.referee import Referee
from rules import Side
from vision.reading.board_reading import BoardReading

if TYPE_CHECKING:
    from daemon.perception.pipeline import Observation


class Learner(Protocol):
    """Learns from what the referee has judged."""

    def judged(self, event: MoveEvent, referee: Referee, observation: Observation) -> None:
        """Takes a reading after the referee has judged it."""

    def changed(self, effects: Sequence[Effect]) -> None:
        """Takes what the referee decided."""

    def first_opinion(self, reading: BoardReading) -> BoardReading | None:
        """The same picture read as if nothing had been learnt; None if that makes no difference."""

    def overruled(self) -> None:
        """Called when the first opinion was clear and the learnt one was not."""

    def poll(self) -> None:
        """Called often."""


class ReadingInterpreter:
    """Explains readings of one match."""

    def __init__(self, learner: Learner | None = None) -> None:
        self.overrides = CellOverrides()
        """What people said about cells."""
        self._learner = learner

    def explain(self, referee: Referee, reading: BoardReading, movers: tuple[Side, ...]) -> MoveEvent:
        """Explains a reading; uses what people said about cells only if legal play alone does not explain it."""
        corrected = self.overrides.over(reading)
        if corrected is reading:
            return self._as_seen(referee, reading, movers)
        event = explain(referee.game, referee.history, corrected, movers)
        if event.explanations:
            return event
        plain = explain(referee.game, referee.history, reading, movers)
        if not plain.explanations or plain.ambiguous:
            return event
        self.overrides.forget(self.overrides.cells)  # hands have moved since: the picture alone explains the board
        return plain

    def _as_seen(self, referee: Referee, reading: BoardReading, movers: tuple[Side, ...]) -> MoveEvent:
        """Explains a reading; falls back to the reader without learning where what was learnt brings doubt."""
        event = explain(referee.game, referee.history, reading, movers)
        first = self._learner.first_opinion(reading) if self._learner is not None and is_unsure(event) else None
        if self._learner is None or first is None:
            return event
        without = explain(referee.game, referee.history, first, movers)
        if is_unsure(without):
            return event
        self._learner.overruled()
        return without


def is_unsure(event: MoveEvent) -> bool:
    """Whether a reading leaves doubt or contradicts its best explanation."""
    return not event.explanations or event.explanations[0].loss > 0 or event.ambiguous
