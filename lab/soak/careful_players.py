"""What careful players tell the daemon: whose move it was, and that a board is right although the daemon complains.

In games whose pieces belong to nobody the daemon can only assume who laid one, and announces its assumption. These
players correct it; like other people they do not announce a pass, so some movers must be assumed. A right board that is
complained of they have adopted, as the daemon itself suggests; this is counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from daemon.commands.command import Adopt, Mover
from daemon.game.line_of_play import LineOfPlay, shares_pieces
from daemon.match.command_handlers import obey
from lab.simulated.player import Ply
from lab.soak.judge import Judge
from lab.soak.world import World

SAY_S = 1.5
"""Seconds from an announcement until somebody corrects it."""
ADOPT_S = 15.0
"""Seconds the right board must have lain in sight before somebody insists on it."""
NAMING = frozenset({"move", "pass", "mover", "reopened", "restored", "takeback", "game_over", "start"})
"""Announcements after which the players check whose move was counted for whom."""


class CarefulPlayers:
    def __init__(self, trial: World, judge: Judge) -> None:
        self._trial, self._judge = trial, judge
        self._due_s: float | None = None
        self._insisted_s = 0.0

    def hear(self, code: str) -> None:
        if code in NAMING and shares_pieces(self._trial.game):
            self._due_s = self._trial.time_s + SAY_S

    def update(self) -> None:
        self._insist()
        trial = self._trial
        if self._due_s is None or trial.time_s < self._due_s:
            return
        self._due_s = None
        wrong = wrongly_counted(trial.subject.referee.line, trial.player.seen)
        if wrong is not None:
            obey(trial.subject.match, wrong, trial.subject.eyes)

    def _insist(self) -> None:
        """Has a right but disbelieved board adopted. If that begins another game, the present one is abandoned."""
        trial = self._trial
        if not self._judge.insists(ADOPT_S) or trial.time_s - self._insisted_s < ADOPT_S:
            return
        self._insisted_s = trial.time_s
        side = trial.game.sides[trial.game.to_move(trial.player.position)]
        if obey(trial.subject.match, Adopt(side), trial.subject.eyes).accepted:
            trial.tally.adopted += 1
            if trial.subject.match.set_up is not None:
                trial.abandon_game()


def wrongly_counted(line: LineOfPlay, made: Sequence[Ply]) -> Mover | None:
    """The correction of the first move that is counted for the wrong side; None if there is none.

    It stops at the first move that was recorded differently from the one made.
    """
    for number, (index, ply) in enumerate(zip(line.seen, made, strict=False), 1):
        counted = line.plies[index]
        if counted.text != ply.move:
            return None
        if counted.side != ply.side:
            return Mover(side=line.game.sides[ply.side], move=number)
    return None
