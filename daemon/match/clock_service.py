"""Keeps a match's clock: starts and stops it as the referee's state requires, and gives its warnings.

The clock runs for the side to move, from the moment the position before was believed. It stops:

- until the board has first been seen right, also when a game is resumed;
- while an agent's move waits to be carried out: the person who makes it is neither the agent nor to move;
- while the game is paused, or pieces must be put back after a move was taken back by word;
- while the board shows another position or is out of sight, or the camera is away;
- after the end.

An illegal move does not stop the clock: the side that made it is still to move.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence

from daemon.config.settings import ClockSection
from daemon.game.clocks import Due, GameClock, TimeControl, Used, shown
from daemon.game.effects import Effect, Record, Rewrite, TakeBack
from daemon.judging import phrases
from daemon.judging.referee import Referee
from daemon.record.stored_game import StoredGame
from daemon.words.translation import as_words, in_words
from rules import Counts, Outcome
from wording import Listing, Sentence, Sentences, Term, sentence, sentence_n

OUT_OF_TIME = "time"
"""Outcome reason of a game that was lost on time."""
CLOCK = "time_control"
"""Kind of the note that another time control leaves in the record: nobody is charged for the plies before it."""
RIGHT = ("unchanged", "legal", "takeback")
"""Verdicts on a board that conforms to the rules."""


class ClockService:
    def __init__(
        self, clock: GameClock, now: Callable[[], float] = time.monotonic, blind: Callable[[], bool] = lambda: False
    ) -> None:
        """`blind` returns True while no camera can see a move."""
        self.clock = clock
        self._now = now
        self._blind = blind
        self._begun = False
        self.stopped: Sentences = (sentence("the board has not been seen yet"),)
        """Reason why no clock runs; empty while one does."""

    def changed(self, effects: Sequence[Effect], referee: Referee) -> list[Effect]:
        """Takes the referee's decisions and returns them with times added to the plies to be recorded."""
        timed = [self._timed(effect, referee) for effect in effects]
        self._run(referee)
        return timed

    def poll(self, referee: Referee) -> list[Effect]:
        """Returns what the clock has to announce: a warning, or that the time is up. To be called often."""
        self._run(referee)
        due = self.clock.due(self._now())
        return [] if due is None else self._announcements(due, referee)

    def status(self, sides: tuple[str, str]) -> dict[str, object]:
        """For health and page: seconds left by side, whose clock runs, or why none does."""
        left_s, running = self.clock.left_s, self.clock.running
        names = [Term("side", side) for side in sides]
        pairs = zip(names, left_s or (), strict=left_s is not None)
        times = ", ".join(f"{as_words(side)} {shown(left)}" for side, left in pairs)
        state = self.stopped or (sentence("{side}'s time runs", side=names[running or 0]),)
        return {
            "ok": True,
            "text": f"{times} ({in_words(*state)})".strip(),
            "control": self.clock.control.kind,
            "running": None if running is None else sides[running],
            "turn_s": round(self.clock.turn_s, 1),
            "left_s": None if left_s is None else [round(left, 1) for left in left_s],
        }

    def _timed(self, effect: Effect, referee: Referee) -> Effect:
        match effect:
            case Record():
                times = self.clock.made(effect.side, self._now(), effect.move, seen=_seen(referee, effect))
                return dataclasses.replace(effect, times=times)
            case TakeBack(ply):
                self.clock.take_back(ply)
            case Rewrite():
                plies = [Used(one.side, 0.0, one.move, _seen(referee, one)) for one in effect.records]
                pairs = zip(effect.records, self.clock.rewrite(effect.ply, plies), strict=True)
                records = tuple(dataclasses.replace(one, times=its) for one, its in pairs)
                return dataclasses.replace(effect, records=records)
        return effect

    def _run(self, referee: Referee) -> None:
        self._begun = self._begun or referee.verdict in RIGHT
        why = self._why_stopped(referee)
        self.stopped = () if why is None else (why,)
        self.clock.run(None if self.stopped else referee.game.to_move(referee.position), self._now())

    def _why_stopped(self, referee: Referee) -> Sentence | None:
        if referee.outcome is not None:
            return sentence("the game is over")
        if referee.paused:
            return sentence("the game is paused")
        if referee.awaiting == "carry_out":
            return sentence("an agent's move waits to be carried out")
        if referee.awaiting == "nothing":
            return sentence("pieces must be put back")
        if not self._begun:
            return sentence("the board has not been seen yet")
        if self._blind():
            return sentence("there is no picture")
        if referee.loss_announced:
            return sentence("the board is out of sight")
        return sentence("the board must be put right") if referee.verdict == "desync" else None

    def _announcements(self, due: Due, referee: Referee) -> list[Effect]:
        game, side = referee.game, due.side
        who = phrases.named(game, side)
        if due.left_s > 0:
            # An agent knows its time, and nobody at the table can hurry it.
            if referee.agents[side] is not None:
                return []
            said = sentence("{side:Nom} has {time} left.", side=who, time=spoken_time(due.left_s))
            return [referee.announce("clock", said, urgent=True, side=side)]
        if not self.clock.control.lose:
            return [referee.announce("clock", sentence("{side:Gen}'s time is up.", side=who), urgent=True, side=side)]
        return referee.declare(Outcome(1 - side, OUT_OF_TIME, Counts.of(game).scores(referee.position)))


def spoken_time(seconds: float) -> Listing:
    """A duration as people say it: `one minute`, `10 seconds`, `2 minutes and 30 seconds`."""
    minutes, rest = divmod(round(seconds), 60)
    words = []
    if minutes:
        words.append(sentence_n("one minute", "{count} minutes", minutes))
    if rest or not minutes:
        words.append(sentence_n("one second", "{count} seconds", rest))
    return phrases.listed(words)


def time_control(section: ClockSection) -> TimeControl:
    return TimeControl(section.control, section.minutes * 60, section.increment_s, tuple(section.warn_s), section.lose)


def clock_of(section: ClockSection, stored: StoredGame | None, referee: Referee) -> GameClock:
    """The clock of a new game, or of a resumed one, which continues from the times in the record.

    Time used after the last recorded ply is given back.
    """
    if stored is None:
        return GameClock(time_control(section))
    pairs = zip(stored.plies, referee.line.plies, strict=True)
    used = [Used(ply.side, ply.spent_s or 0.0, ply.move, made.seen) for ply, made in pairs]
    clock = GameClock(time_control(section), used)
    if changes := [index for index, note in enumerate(stored.notes) if note.kind == CLOCK]:
        clock.begin(clock.control, min(note.ply for note in stored.notes[changes[-1] :]))
    return clock


def _seen(referee: Referee, record: Record) -> bool:
    """Whether the ply changed the board; True for plies no longer in the line."""
    plies = referee.line.plies
    return plies[record.ply - 1].seen if record.ply <= len(plies) else True
