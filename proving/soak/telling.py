"""What careful players tell: whose move it was, and that the board is right where the daemon says that it is not.

Where men belong to nobody the daemon can only assume who laid one, and says whom it assumes. Whoever listens puts that
right; a pass they tell as little as other people do, so that there is something to be assumed. A board that is
complained of although it is right they let be adopted, as the daemon itself says; it is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from daemon.commands.command import Adopt, Mover
from daemon.core.command_handlers import obey
from daemon.game.line_of_play import LineOfPlay, shares_men
from vision.simulated.player import Ply

if TYPE_CHECKING:
    from proving.soak.trial import Trial

SAY_S = 1.5
"""So long after an announcement somebody says what was wrong with it."""
ADOPT_S = 15.0
"""So long the right board must have lain in sight before somebody insists on it."""
NAMING = frozenset({"move", "pass", "mover", "reopened", "restored", "takeback", "game_over", "start"})
"""Announcements after which people look whose move was counted for whom."""


class CarefulPair:
    """The players of one trial, as far as they talk."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._due_s: float | None = None
        self.told = 0
        """How often they have said whose a move was."""
        self._insisted_s = 0.0

    def hear(self, code: str) -> None:
        """Something was announced."""
        if code in NAMING and shares_men(self._trial.game):
            self._due_s = self._trial.time_s + SAY_S

    def update(self) -> None:
        """Says what is due now."""
        self._insist()
        trial = self._trial
        if self._due_s is None or trial.time_s < self._due_s:
            return
        self._due_s = None
        wrong = wrongly_counted(trial.subject.referee.line, trial.player.seen)
        if wrong is not None and obey(trial.subject.match, wrong, trial.subject.eyes).accepted:
            self.told += 1

    def _insist(self) -> None:
        """Has the board adopted that is right and is not believed. Where that begins another game, this one is lost."""
        trial = self._trial
        if not trial.judge.insists(ADOPT_S) or trial.time_s - self._insisted_s < ADOPT_S:
            return
        self._insisted_s = trial.time_s
        side = trial.game.sides[trial.game.to_move(trial.player.position)]
        if obey(trial.subject.match, Adopt(side), trial.subject.eyes).accepted:
            trial.tally.adopted += 1
            if trial.subject.match.set_up is not None:
                trial.abandon_game()


def wrongly_counted(line: LineOfPlay, made: Sequence[Ply]) -> Mover | None:
    """What to say of the first move that is counted for the wrong side; None where there is none.

    Only as far as the moves themselves are those that were made.
    """
    for number, (index, ply) in enumerate(zip(line.seen, made, strict=False), 1):
        counted = line.plies[index]
        if counted.text != ply.move:
            return None
        if counted.side != ply.side:
            return Mover(side=line.game.sides[ply.side], number=number)
    return None
