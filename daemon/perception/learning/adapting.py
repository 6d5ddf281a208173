"""Controlled learning during play: boards confirmed by legal play become examples of the table's pieces.

The number of examples is bounded. A new head is fitted in the background and takes over only if it reads the newest
confirmed boards better than the present one, and the table's calibration no worse. It is dropped again as soon as an
older head reads confirmed boards better, or a board that it was fitted to is taken back.
"""

from __future__ import annotations

import collections
import dataclasses
import logging
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Literal

from daemon.game.effects import Effect, Rewrite, TakeBack
from daemon.i18n.translation import worded, worded_n
from daemon.judging.referee import Referee
from daemon.perception.learning.adapted_file import AdaptedFile
from daemon.perception.learning.confirming import Confirmations, SeenBoard, may_teach, seen_board
from daemon.perception.learning.generations import MAX_GENERATIONS, Adapted, Generation
from daemon.perception.learning.trial import (
    AdaptablePipeline,
    believe_alone,
    calibration_of,
    is_better,
    is_gain,
    others_of,
    score_text,
    why_worse,
)
from daemon.perception.pipeline import Observation
from vision.calibrating.adapting import FitTimeoutError, Score, adapt_head, score
from vision.calibrating.examples import HALF_LIFE_BOARDS, UNSURE_WEIGHT, Example, Reservoir, cell_kinds
from vision.reading.board_reading import BoardReading
from vision.reading.heads import Head

LOGGER = logging.getLogger(__name__)

NEWEST = 3
"""Number of newest confirmed boards, on which heads are judged; a board is learnt from only once it is older."""
EVERY_BOARDS = 2
"""Fewest boards learnt from between two fits."""
EASE_NATS = 0.004
"""Nats of mean loss per cell up to which the present head reads well enough to be left alone."""
WORSE_NATS = 0.005
"""Nats per cell by which an older head must be better for the present one to be given up."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Board:
    """A confirmed board with its serial number."""

    serial: int
    seen: SeenBoard


class Adaptation:
    """Learning at one table, over all games of a session; used by one thread except for the fits."""

    def __init__(self, eyes: AdaptablePipeline, path: Path | None = None, executor: Executor | None = None) -> None:
        """`path` is where adapted heads are kept between sessions; without it they end with the session.

        `executor` fits and writes; by default a thread of its own.
        """
        self._eyes = eyes
        self._executor = executor or ThreadPoolExecutor(1, thread_name_prefix="adapting")
        self._file = AdaptedFile(path, eyes.reader.first, self._executor)
        self._kinds = cell_kinds(eyes.template)
        self._examples = Reservoir(int(self._kinds.max()) + 1)
        self._confirmations = Confirmations()
        self._stopped = False
        self._newest: collections.deque[_Board] = collections.deque(maxlen=NEWEST)
        self._plies: list[tuple[int, int]] = []
        """Serial number and ply of this game's confirmed boards, ascending."""
        self._serial = 0
        self._learnt = self._fitted_at = 0
        """Number of boards learnt from: now, and when the last head was fitted."""
        self._fit: Future[Head] | None = None
        self._fit_newest = -1
        self.generations: tuple[Generation, ...] = ()
        self.active: Generation | None = None
        """The generation that reads; None while the table's first head does."""
        self.counts = collections.Counter[Literal["accepted", "refused", "reverted", "withdrawn"]]()
        """Fits taken over and dropped, heads given up, examples withdrawn."""
        self.note = ""
        """The last event, as text."""
        kept = self._file.load()
        self.generations = kept.generations
        for example in () if kept.examples is None else kept.examples.each(-round(HALF_LIFE_BOARDS)):
            self._examples.add(example)

    # Events from the match.

    def attach(self, eyes: AdaptablePipeline) -> None:
        """Continues with another game at the same table, whose pipeline begins with its first head."""
        self._eyes = eyes
        self._confirmations.doubt()
        self._plies = []
        if self.active is not None:
            eyes.adopt(self.active.head)

    def judged(self, referee: Referee, observation: Observation) -> None:
        """Takes a look that the referee has judged."""
        if self.active is not None and referee.verdict in ("ambiguous", "unclear", "illegal", "desync"):
            # In doubt, the first head reads again until confirmed boards favour a learnt one.
            self._activate(None)
            self._tell("in doubt the first head reads again")
        if referee.verdict in ("illegal", "desync", "takeback"):
            self._confirmations.doubt()
            return
        look = self._eyes.reader.look
        board = referee.game.board(referee.position)
        if referee.verdict not in ("legal", "unchanged") or look is None or not may_teach(referee.belief, observation):
            return
        if len(look.descriptors) == len(board):
            for seen in self._confirmations.see(seen_board(referee.belief, referee.ply, board, look)):
                self._confirm(seen)

    def changed(self, effects: Sequence[Effect]) -> None:
        """Takes the referee's decisions; withdraws boards seen after a ply that no longer counts."""
        for effect in effects:
            if isinstance(effect, TakeBack | Rewrite):
                self._withdraw(effect.ply)

    def first_opinion(self, reading: BoardReading) -> BoardReading | None:
        """The first head's reading of the last picture; None while the first head is the one in use."""
        look = self._eyes.reader.look
        if self.active is None or look is None or reading.tiles is not None:
            return None
        return dataclasses.replace(reading, log_probabilities=self._eyes.reader.believe(look, None))

    def overruled(self) -> None:
        """Returns to the first head, which saw clearly what the present one left in doubt."""
        if self.active is not None:
            self._give_up(self.active, None, "left in doubt what the first head saw clearly")

    def poll(self) -> None:
        """Takes over a finished fit; to be called often, never waits."""
        if self._fit is not None and self._fit.done():
            fit, self._fit = self._fit, None
            try:
                self._judge_fit(fit.result())
            except FitTimeoutError as error:
                self._refuse(str(error))
            except Exception:  # an error from the fitting thread
                LOGGER.exception("a fit has failed")
                self._refuse("the fit failed")

    def close(self) -> None:
        """Waits for pending writes and drops a running fit."""
        self._fit = None
        self._executor.shutdown(wait=True, cancel_futures=False)

    def status(self) -> dict[str, object]:
        """Component health: `ok` and `text`."""
        if self.active is None:
            reads = worded("the first head reads")
        elif self._file.path is None:
            reads = worded("generation {number} reads, for this session", number=self.active.number)
        else:
            reads = worded("generation {number} reads", number=self.active.number)
        boards = worded_n("of {count} board", "of {count} boards", self._learnt)
        counts = worded_n("{count} example {boards}", "{count} examples {boards}", len(self._examples), boards=boards)
        return {"ok": True, "text": "; ".join(filter(None, [reads, counts, self.note]))}

    def figures(self) -> dict[str, float]:
        """Counters for the metrics."""
        return {
            "adapted_generation": 0 if self.active is None else self.active.number,
            "adapted_examples": len(self._examples),
            "adapted_accepted_total": self.counts["accepted"],
            "adapted_refused_total": self.counts["refused"],
            "adapted_reverted_total": self.counts["reverted"],
            "adapted_withdrawn_total": self.counts["withdrawn"],
        }

    # Confirmed boards.

    def _confirm(self, seen: SeenBoard) -> None:
        """Takes a confirmed board: learns from the oldest of the newest boards, and judges the heads again."""
        if self._stopped or self._stop_if_changed():
            return
        if len(self._newest) == NEWEST:
            self._learn(self._newest[0])
        self._newest.append(_Board(self._serial, seen))
        self._plies.append((self._serial, seen.ply))
        self._serial += 1
        self._choose()
        self._begin_fit()

    def _stop_if_changed(self) -> bool:
        """Stops learning if somebody changed or deleted the file during play; returns whether it has stopped."""
        if self._file.changed_by_hand():
            self._stopped, self._fit, self.generations = True, None, ()
            self._activate(None)
            self._tell("the kept heads were changed by hand: nothing more is learnt until the next start")
        return self._stopped

    def _learn(self, board: _Board) -> None:
        self._learnt += 1
        seen = board.seen
        for cell, letter in enumerate(seen.board):
            if seen.plain[cell]:
                weight = 1 + UNSURE_WEIGHT * (1 - float(seen.believed[cell]))
                described, kind = seen.look.descriptors[cell], int(self._kinds[cell])
                self._examples.add(Example(described, letter, kind, weight, board.serial))

    def _withdraw(self, ply: int) -> None:
        """Removes boards after that ply, as if never seen: they were misread or are no longer part of the game."""
        self._confirmations.doubt(ply + 1)
        gone = [serial for serial, own in self._plies if own > ply]
        if not gone:
            return
        first = gone[0]
        self._plies = [one for one in self._plies if one[0] < first]
        self._newest = collections.deque((one for one in self._newest if one.serial < first), maxlen=NEWEST)
        self.counts["withdrawn"] += self._examples.withdraw(first)
        if self._fit is not None and self._fit_newest >= first:
            self._fit = None
        tainted = [one for one in self.generations if one.newest_board >= first]
        if tainted:
            self.generations = tuple(one for one in self.generations if one not in tainted)
            if self.active in tainted:
                self._activate(next((one for one in reversed(self.generations) if not one.set_aside), None))
                self.counts["reverted"] += 1
            self._tell(f"generation {tainted[0].number} is withdrawn with a move that was taken back")
            self._file.save(Adapted(self.generations, self._examples.examples()))

    # Choosing and fitting heads.

    def _score(self, head: Head | None, *, alone: bool = False) -> Score:
        """Scores a head (None: the first) on the newest confirmed boards; `alone` reads every cell by itself.

        Without a profile a board's pieces are distinguished jointly. That hides for a long time how little still
        distinguishes them, and then fails suddenly.
        """
        letters, total = self._eyes.template.letters, Score(0.0, 0, 0)
        for board in self._newest:
            look = board.seen.look
            logs = believe_alone(look, head, self._eyes) if alone else self._eyes.reader.believe(look, head)
            total += score(logs, letters, board.seen.board)
        return total

    def _choose(self) -> None:
        """Changes to an older head, or to one of an earlier session, if it reads better."""
        if not self.generations or len(self._newest) < 2:
            return
        now = self._score(None if self.active is None else self.active.head)
        rivals: list[Generation | None] = [None, *(one for one in self.generations if not one.set_aside)]
        scores = {one: self._score(None if one is None else one.head) for one in rivals if one is not self.active}
        best = min(scores, key=lambda one: (-scores[one].right, scores[one].loss), default=self.active)
        if best is self.active or not is_better(scores[best], now, WORSE_NATS):
            return
        given_up = self.active
        if given_up is None or (best is not None and best.number > given_up.number):
            self._activate(best)
            self._tell(f"generation {best.number if best else 0} of before reads better: it is taken up")
            return
        self._give_up(given_up, best, "read confirmed boards worse than what was before it")

    def _give_up(self, generation: Generation, instead: Generation | None, why: str) -> None:
        """Sets a generation aside for good and changes to another (None: the first head)."""
        self.counts["reverted"] += 1
        self.generations = tuple(
            dataclasses.replace(one, set_aside=True) if one is generation else one for one in self.generations
        )
        self._activate(instead)
        self._tell(f"generation {generation.number} {why}: given up")
        self._file.save(Adapted(self.generations, self._examples.examples()))

    def _begin_fit(self) -> None:
        """Starts a fit if the present head can gain from it and there is something new to learn from."""
        first = self._eyes.reader.first
        busy = self._fit is not None or first is None or len(self._newest) < NEWEST
        if busy or self._learnt - self._fitted_at < EVERY_BOARDS:
            return
        now = self._score(None if self.active is None else self.active.head)
        alone = self._score(None if self.active is None else self.active.head, alone=True)
        if max(now.loss, alone.loss) <= EASE_NATS and now.right == now.cells:
            return
        assert first is not None
        examples = self._examples.examples()
        self._fitted_at, self._fit_newest = self._learnt, examples.newest_board
        others, kept = others_of(self._eyes.template, first)[::2], calibration_of(first, 0)
        self._fit = self._executor.submit(adapt_head, first, examples, others, [kept] if kept.letters else [])

    def _judge_fit(self, head: Head) -> None:
        """Accepts the fitted head if it is better, or drops it and says why."""
        active = None if self.active is None else self.active.head
        before, after = self._score(active), self._score(head)
        gains = is_gain(after, before) or is_gain(self._score(head, alone=True), self._score(active, alone=True))
        if not gains or not after.no_worse_than(before):
            self._refuse(f"it read {score_text(after)}, the present one {score_text(before)}")
            return
        if why := why_worse(head, active, self._eyes):
            self._refuse(why)
            return
        number = 1 + max((one.number for one in self.generations), default=0)
        generation = Generation(number, head, self._learnt, len(self._examples), before, after, False, self._fit_newest)
        kept = [one for one in self.generations if not one.set_aside or one is self.active]
        self.generations = tuple([*kept, generation][-MAX_GENERATIONS:])
        self.counts["accepted"] += 1
        self._activate(generation)
        self._tell(f"generation {number} reads {score_text(after)}, before {score_text(before)}")
        self._file.save(Adapted(self.generations, self._examples.examples()))

    def _activate(self, generation: Generation | None) -> None:
        self.active = generation
        self._eyes.adopt(None if generation is None else generation.head)

    def _refuse(self, why: str) -> None:
        self.counts["refused"] += 1
        self._tell(f"a fit was dropped: {why}")

    def _tell(self, text: str) -> None:
        self.note = text
        LOGGER.info("adapting: %s", text)
