"""Illegal moves: each must be reported by its rule while it is on the board, and is then put right."""

from __future__ import annotations

from collections.abc import Iterator

from lab.simulated.player import steps_between
from lab.soak.fault import COMPLAINTS, ByHand, Fault, hands_off, wait_while
from lab.soak.legal_boards import is_beyond_doubt
from lab.soak.mistakes import Mistake, Situation, mistakes_of
from lab.soak.reporting import put_back, reported
from lab.soak.trial import Trial

TRIES = 12


class Illegal(ByHand):
    """A player makes an illegal move."""

    name = "illegal"
    allows = COMPLAINTS | {"resumed"}

    def run(self, at: Trial) -> Iterator[None]:
        yield from hands_off(at)
        yield from wait_while(at, lambda: not at.judge.knows, 20)
        if at.player.finished or (len(at.game.starts) > 1 and not at.player.record):
            return
        if not at.judge.knows:
            return  # the board before it has not been seen: an illegal move after it may be legal without it
        chosen = self._choose(at)
        if chosen is None:
            return
        mistake, board = chosen
        at.table.perform(steps_between(at.table.board, board), at.chance.randrange(2), palmed=True)
        yield from hands_off(at)
        if at.table.board == board:
            yield from reported(at, f"{self.name}: {mistake.name}", mistake.rules)
        yield from put_back(at)

    def _choose(self, at: Trial) -> tuple[Mistake, str] | None:
        """A mistake whose board is illegal beyond doubt."""
        kinds = mistakes_of(at.game)
        positions = at.watched
        situation = Situation(at.game, positions[-1], at.table.board, at.chance)
        for _ in range(TRIES):
            mistake = at.chance.choice(kinds)
            board = mistake.make(situation)
            if board in (None, at.table.board):
                continue
            if is_beyond_doubt(at.game, positions, board, at.undone):
                return mistake, board
        return None


MOVE_FAULTS: tuple[type[Fault], ...] = (Illegal,)
