"""What hands do to pieces: nudges, takebacks, dropped pieces, moves too fast to follow, illegal moves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lab.simulated.player import steps_between
from lab.simulated.tiles import has_tiles
from lab.soak.fault import COMPLAINTS, Fault
from lab.soak.fault_steps import ByHand, hands_off, put_back, reported, seconds, wait, wait_while
from lab.soak.legal_boards import is_beyond_doubt
from lab.soak.mistakes import Mistake, Situation, mistakes_of
from lab.soak.trial import Trial
from rules import EMPTY, Step
from rules.turns import carry_out

ASKEW = 0.22
"""Piece diameters that a nudged piece may stand from its place: any viewer still sees it on its cell."""


def occupied(board: str) -> list[int]:
    return [cell for cell, letter in enumerate(board) if letter != EMPTY]


class Nudge(ByHand):
    """A sleeve brushes over some pieces: they stand askew on their cells."""

    name = "nudge"

    def run(self, at: Trial) -> Iterator[None]:
        yield from hands_off(at)
        at.table.hover(0.5, at.chance.randrange(2))
        yield from wait(at, 0.8)
        taken = [] if has_tiles(at.template) else occupied(at.table.board)
        far_mm = ASKEW * at.template.man_diameter_mm
        for cell in at.chance.sample(taken, min(len(taken), at.chance.randrange(1, 4))):
            turn, away_mm = at.chance.uniform(0, 2 * np.pi), far_mm * at.chance.random()
            to = at.template.cells_mm[cell] + away_mm * np.array([np.cos(turn), np.sin(turn)])
            here = at.table.standing.place_mm((cell,))
            at.table.nudge(cell, *(to - here))
        yield from wait_while(at, lambda: at.table.busy)
        yield from wait(at, 2)


class FastPlies(ByHand):
    """Two plies follow so fast that the board is not free between them."""

    name = "fast"

    def run(self, at: Trial) -> Iterator[None]:
        yield from hands_off(at)
        made = len(at.player.seen)
        at.player.hurried = 2
        at.hands_free = True
        try:
            yield from wait_while(at, lambda: len(at.player.seen) < made + 2 and not at.player.finished, 20)
        finally:
            at.hands_free = False
            at.player.hurried = 0
        yield from hands_off(at)


class TakeBack(ByHand):
    """The players take back one to four plies."""

    name = "takeback"
    allows = frozenset({"takeback", "put_back"})

    def possible(self, at: Trial) -> bool:
        return super().possible(at) and bool(at.player.seen)

    def run(self, at: Trial) -> Iterator[None]:
        yield from hands_off(at)
        yield from wait_while(at, lambda: not at.judge.knows, 20)
        count = self._to_be_seen(at, min(len(at.player.seen), at.chance.choice([1, 1, 2, 3, 4])))
        if at.player.finished or count == 0:
            return
        at.take_back(count)
        yield from hands_off(at)
        yield from wait_while(at, lambda: not at.judge.knows, 20)

    def _to_be_seen(self, at: Trial, count: int) -> int:
        """At most `count` plies, without those whose takeback leaves the board as it is: nobody could see it."""
        seen = [number for number, ply in enumerate(at.player.record) if ply.seen]
        while count and at.game.board(at.player.positions[seen[-count]]) == at.table.board:
            count -= 1
        return count


class Dropped(ByHand):
    """A piece falls on another cell, lies there for a while, and is put back."""

    name = "dropped"
    allows = COMPLAINTS | {"resumed"}

    def run(self, at: Trial) -> Iterator[None]:
        yield from hands_off(at)
        yield from wait_while(at, lambda: not at.judge.knows, 20)
        if not at.judge.knows:
            return  # the board before it has not been seen: from that one the dropped piece may be a legal move
        steps = self._steps(at)
        if not steps or at.player.finished:
            return
        at.table.perform(steps, at.chance.randrange(2))
        yield from hands_off(at)
        yield from reported(at, self.name, frozenset())
        yield from wait(at, seconds(at.chance, 0.5, 5))
        yield from put_back(at)

    def _steps(self, at: Trial) -> tuple[Step, ...]:
        board = at.table.board
        taken, free = occupied(board), [cell for cell, letter in enumerate(board) if letter == EMPTY]
        for _ in range(8):
            if not taken or not free or has_tiles(at.template):
                return ()
            origin, cell = at.chance.choice(taken), at.chance.choice(free)
            steps = (Step("move", cell, origin, board[origin]),)
            if is_beyond_doubt(at.game, at.watched, carry_out(board, steps), at.undone):
                return steps
        return ()


MEN_FAULTS: tuple[type[Fault], ...] = (Nudge, FastPlies, TakeBack, Dropped)

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
