"""Learns how the men look: by the first picture that shows the board as expected, and by boards that play confirmed.

A confirmed board counts only if it was explained by one legal ply or none, no other explanation came near, nothing lay
over it and its pose was good; and then only once a later move made from it was as clear. Anything that casts doubt on
the line, an illegal board or a move taken back, discards the waiting boards too.

It shows men on squares and in light that the start did not show. Its changed cells join the known ones if the newest
confirmed boards are then read no worse. And cells that look as on the last confirmed board still hold what they held. A
move that is taken back takes with it all that was learnt from that move on.
"""

from __future__ import annotations

import collections
import dataclasses
import logging
from collections.abc import Sequence

import numpy as np

from calibration.arrays import Flags, Patches
from calibration.template import BoardTemplate
from daemon.belief.belief import Belief
from daemon.game.effects import Effect, Rewrite, TakeBack
from daemon.judging import phrases
from daemon.judging.referee import Referee
from rules import AnyGame
from vision.calibrating.lesson import Lesson, Unlike, turned_cells
from vision.calibrating.start import learn_from, turn_by
from vision.pose import BoardPose, Rectified, turned_pose
from vision.reading.cells import differing
from vision.reading.heads import OTHER
from vision.reading.joint import COVERED
from vision.reading.reader import DescribedCells, Reader
from vision.reading.taught import Taught
from vision.watching.align import Alignment
from vision.watching.locating import LOCK_QUALITY
from vision.watching.watcher import Sight
from wording import Sentences, sentence, sentence_n

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


def may_teach(belief: Belief, gate: Sight | None, place: Alignment) -> bool:
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
    taught: Taught | None
    kept: tuple[Patches, str] | None


class Growth:
    def __init__(self, start: StartLesson, reader: Reader) -> None:
        self._start, self._reader = start, reader
        self._confirmations = Confirmations()
        self._newest: collections.deque[SeenBoard] = collections.deque(maxlen=NEWEST)
        self._states: collections.deque[_State] = collections.deque(maxlen=REMEMBERED)

    def judged(self, referee: Referee, gate: Sight | None, place: Alignment) -> None:
        if self._start.taught is None:
            return
        if referee.verdict in ("illegal", "desync", "takeback"):
            self._confirmations.doubt()
            return
        reader, board = self._reader, referee.game.board(referee.position)
        if referee.verdict not in ("legal", "unchanged") or reader.look is None:
            return
        if may_teach(referee.belief, gate, place):
            for seen in self._confirmations.see(seen_board(referee.belief, referee.ply, board, reader.look)):
                self._confirm(seen)

    def changed(self, effects: Sequence[Effect]) -> None:
        """Forgets what boards showed after a ply that no longer counts."""
        for effect in effects:
            if isinstance(effect, TakeBack | Rewrite):
                self._withdraw(effect.ply)

    def _confirm(self, seen: SeenBoard) -> None:
        reader = self._reader
        self._states.append(_State(seen.ply, reader.taught, reader.kept))
        before = reader.kept[1] if reader.kept is not None else OTHER * len(seen.board)
        new = np.array([a != b for a, b in zip(before, seen.board, strict=True)]) & seen.plain
        self._newest.append(seen)
        kept = "".join(letter if plain else OTHER for letter, plain in zip(seen.board, seen.plain, strict=True))
        newest = [(one.look, one.board) for one in self._newest]
        reader.learn(reader.grown(seen.look, seen.board, new, newest), (seen.look.patches, kept))

    def _withdraw(self, ply: int) -> None:
        self._confirmations.doubt(ply + 1)
        first: _State | None = None
        while self._states and self._states[-1].ply > ply:
            first = self._states.pop()
        if first is not None:
            self._newest = collections.deque((one for one in self._newest if one.ply <= ply), maxlen=NEWEST)
            self._reader.learn(first.taught, first.kept)


LOGGER = logging.getLogger(__name__)
LEARN_EVERY_S = 0.25
"""Seconds between pictures that are looked at for whether they show an expected board."""
WELL_TAUGHT = 0.9
"""Share of boards expected to be read right from which the start need not be looked at again, in better light."""


class StartLesson:
    """What the start has taught at one table; used by one thread."""

    def __init__(self) -> None:
        self.taught: Lesson | None = None
        self.refused: Unlike | None = None
        """Why the last picture that was tried has taught nothing; None where it has, or none was tried."""
        self.recalled: Lesson | None = None
        """What the start of this game had taught before a restart, until it is known how the board lies now."""
        self._due_s = -np.inf
        self._tried: Patches | None = None
        """The last picture from which learning was tried."""

    def is_due(self, expected: Sequence[str], time_s: float) -> bool:
        """Whether a picture of that time may teach something that is not known yet, if it shows an expected board."""
        known = self.taught is not None and (
            self.taught.expectation.boards > WELL_TAUGHT or self.taught.board not in expected
        )
        return bool(expected) and not known and time_s >= self._due_s

    def is_new(self, patches: Patches, time_s: float) -> bool:
        """Whether the picture of that time may teach more than the last one that was new."""
        self._due_s = time_s + LEARN_EVERY_S
        if self._tried is not None and not differing(self._tried, patches).any():
            return False
        self._tried = patches
        return True

    def learn(self, seen: Rectified, expected: Sequence[str], begun: Sequence[str] = ()) -> bool:
        """Learns how the men look if the picture shows an expected board, better than was known; True if it did.

        The picture need not be still: what covers a cell or moves over it does not look as that cell should. `begun`
        are boards to which play may have led unseen.
        """
        lesson = learn_from(seen, expected, begun if self.taught is None else ())
        self.refused = lesson if isinstance(lesson, Unlike) else None
        if isinstance(lesson, Lesson):
            if self.taught is not None:
                if lesson.turn or lesson.expectation.boards <= self.taught.expectation.boards:
                    return False
                lesson = dataclasses.replace(lesson, turn=self.taught.turn)
            self.taught = lesson
            LOGGER.info("the start has taught how the men look, turn %d: %s", lesson.turn, lesson.expectation.text)
            return True
        if self.refused is not None:
            cells = ", ".join(seen.template.cell_names[cell] for cell in self.refused.cells)
            LOGGER.debug("the board does not lie as expected, and teaches nothing: %s", cells or "men all alike")
            return self._recall(seen, expected)
        return False

    def _recall(self, seen: Rectified, expected: Sequence[str]) -> bool:
        """Reads by what was taught before a restart if the picture shows how the board lies now; True if it does."""
        if self.recalled is None or self.taught is not None:
            return False
        turn = turn_by(self.recalled.taught, seen, expected)
        if turn is None:
            return False
        self.taught = dataclasses.replace(self.recalled, turn=turn, board="")
        self.recalled = self.refused = None
        LOGGER.info("the men are known from the start of the game, turn %d", turn)
        return True

    def turned(self, pose: BoardPose, template: BoardTemplate) -> BoardPose:
        """The board's place with its own top left where the start has shown it to be."""
        return pose if self.taught is None or not self.taught.turn else turned_pose(pose, template, self.taught.turn)

    def as_found(self, men: Flags, template: BoardTemplate) -> Flags | None:
        """(cells,) which cells hold men, counted from the top left that the board had before it was `turned`."""
        if self.taught is None or not self.taught.turn:
            return men
        cells = turned_cells(template, self.taught.turn)
        return None if cells is None else men[np.argsort(cells)]


def why_untaught(refused: Unlike, game: AnyGame) -> Sentences:
    """Why the start teaches nothing though it is in view, for the players; empty where it is not in view."""
    if refused.why == "absent":
        return ()
    if refused.why == "alike":
        why = sentence(
            "I cannot learn your pieces from this board: light and dark ones look alike. More light may help."
        )
    else:
        why = sentence_n(
            "I cannot learn your pieces from this board: {cells} does not look as it should.",
            "I cannot learn your pieces from this board: {cells} do not look as they should.",
            len(refused.cells),
            cells=phrases.named_cells(game, refused.cells),
        )
    return why, sentence("I go on with what I know of other boards.")
