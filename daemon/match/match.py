"""One game at one table: connects referee, record, clock, bus, voice and people's commands. Used by one thread.

It handles no images. Where a camera watches the board, `BoardTracker` passes in what was seen.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import itertools
import logging
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agents.messages import StateMessage
from daemon.bus.best_moves import BestMove, BestMoves
from daemon.bus.hints import Advice, Coach
from daemon.bus.requests import AgentRequests, Publisher
from daemon.commands.command import mark_of
from daemon.config.seats import Seat, level_of
from daemon.game.clocks import GameClock
from daemon.game.effects import Announcement, Effect, Record, Rewrite
from daemon.judging import corrections
from daemon.judging.referee import Referee
from daemon.match.clock_service import ClockService
from daemon.match.puzzle_play import PuzzlePlay
from daemon.record.puzzles import Puzzle, PuzzleStore
from daemon.record.record import Backlog, Recorder, is_lasting
from daemon.words.translation import in_words
from rules import AnyGame
from wording import Sentence, Sentences, sentence

LOGGER = logging.getLogger(__name__)
FIRST_S = 20.0
"""Seconds without anything new after which the request is repeated."""
MAX_DOUBLINGS = 5
"""Greatest number of times that the wait doubles between reminders, so that nobody is nagged for hours."""

Listener = Callable[[Announcement], None]
"""Receives each announcement."""


class Match:
    """Carries out the referee's decisions: records them first, then announces them."""

    def __init__(
        self,
        referee: Referee,
        *,
        seats: tuple[Seat, Seat] = (Seat(), Seat()),
        recorder: Recorder | None = None,
        publisher: Publisher | None = None,
        listeners: Sequence[Listener] = (),
        session: str = "session",
        table: str = "table",
        game_id: str = "game",
        clock: Callable[[], float] = time.monotonic,
        timer: ClockService | None = None,
        coach: Coach | None = None,
        sequences: Iterator[int] | None = None,
        best: BestMoves | None = None,
        puzzles: PuzzleStore | None = None,
        puzzle: PuzzlePlay | None = None,
    ) -> None:
        """`sequences` are the numbers of the session's states: they grow from game to game."""
        self.referee = referee
        self.seats = seats
        self.listeners = list(listeners)
        self.game_id = game_id
        self.followers: list[Callable[[Sequence[Effect]], None]] = []
        """Called with all decisions."""
        self.watched = False
        """Whether moves are made on a board that a camera watches; otherwise they are entered as commands."""
        self.board_free = False
        """Whether nothing moves or lies over the watched board: what is on it now has been judged."""
        self.pace_s: float | None = None
        """Seconds that two agents wait before each move; None where that may not be chosen."""
        self._moved_s = float("-inf")
        self.spoken: Sentences = ()
        self.set_up: Any = None
        """A position set up by hand, from which the next game is to begin; None if there is none."""
        self.new_game_wanted = False
        self.asked_anew = False
        """Whether a new game was requested by command, so that the board may still show the old one."""
        self.requests = AgentRequests(publisher, session, table, clock, sequences or itertools.count(1))
        self._timer, self._coach, self._clock = timer, coach, clock
        self._advice: Advice | None = None
        self.best = best or BestMoves()
        """Who wants to see the best moves, and what they are."""
        self.puzzles, self.puzzle = puzzles, puzzle
        """Where puzzles are kept, and the one that this match is; None for a game."""
        self.has_puzzles = puzzles is not None and puzzles.has(self.referee.game)
        """Whether there are puzzles of this game under its rules."""
        self.puzzle_due: Puzzle | None = None
        """The puzzle that is to begin; None where a game is."""
        self._reminders = Reminders()
        self.blind: Callable[[], bool] = lambda: False
        """Whether no picture arrives at present."""
        self.is_absent: Callable[[str], bool] = lambda _agent: False
        """Whether the agent is not on the bus; the players have been told. Until it has joined it is waited for."""
        self.stand_in: Callable[[Seat], Seat | None] = lambda _seat: None
        """Who plays instead of an agent that fails; None if there is nobody."""
        # Weak, so that a match that has ended is freed at once, with the pictures that its followers keep.
        me = weakref.proxy(self)
        self.backlog = Backlog(recorder, lambda said: me._announce_aside(said), lambda: me._whole())

    @property
    def state(self) -> StateMessage | None:
        """The state published last."""
        return self.requests.state

    @property
    def mark(self) -> str:
        """Identifies the position among all others, of this game and of any: what was asked in one is for it alone."""
        return mark_of(self.game_id, self.referee.moves)

    @property
    def advice(self) -> Advice | None:
        """The coach's advice on the present position, while a person is to move; None without."""
        if self._advice is None or self._advice.mark != self.mark or self.referee.awaiting != "move":
            return None
        return self._advice

    @property
    def best_moves(self) -> tuple[BestMove, ...]:
        """The best moves of the present position, for those who may see them; empty without."""
        return self.best.moves(self.referee, self.mark)

    @property
    def new_game_due(self) -> bool:
        """Whether the next game is to begin: it was requested, or a position was adopted."""
        return self.new_game_wanted or self.set_up is not None

    def start(self) -> None:
        """Publishes the position from which the match continues."""
        if not self.watched:
            self.referee.believe()  # no board to compare with: a move said is a move made
            self.carry_out(corrections.enter_answer(self.referee, []))
        self.carry_out(self.referee.pass_if_forced())
        self._publish()

    def begin_again(self, referee: Referee) -> None:
        """Continues with the next game, or from a stored state; for a match without a record."""
        self.referee, self.new_game_wanted, self.set_up = referee, False, None

    def retune(self, *, seats: tuple[Seat, Seat] | None = None, publisher: Publisher | None = None) -> None:
        """Continues with other players or another bus; whoever is to move is asked again."""
        self.requests.publisher = publisher or self.requests.publisher
        if seats is not None:
            side = self.referee.game.to_move(self.referee.position)
            if self.seats[side].agent != seats[side].agent:
                self.referee.agent_move = None  # whoever plays the side now makes a move of their own
            self.seats = seats
            self.referee.agents = seats[0].agent, seats[1].agent
        self._publish()

    def leave(self) -> None:
        """Leaves an unfinished game for another: it stays in the record as it is and is not resumed."""
        if self.referee.outcome is None and self.referee.ply:
            said = sentence("The game before stays in the record, unfinished.")
            self.carry_out([self.referee.announce("left", said)])

    def poll(self) -> None:
        """Takes agents' answers and retries failed writes; to be called often, with or without frames."""
        self.backlog.write()
        if self._timer is not None:
            self.carry_out(self._timer.poll(self.referee))
        if self._coach is not None and (advice := self._coach.poll(self.referee, self.game_id)) is not None:
            self._advice = advice
            self.carry_out([self.referee.announce("coach", *advice.said)])
        if self.puzzle is not None:
            self.carry_out(self.puzzle.turn(self.referee))
        if self._coach is not None:
            self.best.turn(self._coach, self.referee, self.game_id)
        if self.blind() or self.referee.loss_announced:
            self._reminders.said()  # moves on the board could not have been seen
        elif (self.board_free or not self.watched) and self._reminders.is_due(self._clock()):
            self.carry_out(self.referee.remind())
        if self._clock() - self._moved_s >= (self.pace_s or 0.0):
            self._hear_agents()
        if self.referee.awaiting == "agent":
            self._mind_the_silent()

    def trouble(self, *said: Sentence) -> None:
        """Tells the players about trouble that is not on the board."""
        self.carry_out([self._troubled(*said)])

    def answer(self, said: Sentences) -> None:
        """Tells what somebody has asked; nothing is published, so that an agent that thinks is not asked anew."""
        self.spoken = said
        self._reminders.said()
        self._tell(self.referee.announce("answer", *said, urgent=True))

    @property
    def game_clock(self) -> GameClock | None:
        return None if self._timer is None else self._timer.clock

    def ask_coach(self) -> bool:
        """Asks for advice on the present position; returns False if a question is pending or there is no coach."""
        if self._coach is None or self._coach.thinks:
            return False
        self._coach.ask(self.referee, self.game_id)
        return True

    def carry_out(self, effects: Sequence[Effect]) -> None:
        """Records the decisions, then announces them: what is announced is on the disk, or its trouble was told."""
        if effects:
            effects = self._timed(effects)
            self.backlog.add(effects)
            self.backlog.write()
            self._tell_of(effects)

    def decide(self, decision: Callable[[], list[Effect]], *others: object) -> list[Effect]:
        """Carries out what somebody's word leads to, once it is on the disk; returns the decisions.

        Nothing has changed, neither here nor in `others`, if `decision` raises Refusal, or if what lasts cannot be
        written, which raises OSError.
        """
        wished = self.set_up, self.new_game_wanted, self.asked_anew, self.puzzle_due
        try:
            with _unchanged_on_error(self.referee.game, self.referee, self._timer, *others):
                effects = decision()
                lasting = any(map(is_lasting, effects))
                if lasting:
                    timed = self._timed(effects)
                    self.backlog.write_at_once(timed)
        except (ValueError, OSError):
            self.set_up, self.new_game_wanted, self.asked_anew, self.puzzle_due = wished
            raise
        if lasting:
            self._tell_of(timed)
        else:
            self.carry_out(effects)
        return effects

    def _timed(self, effects: Sequence[Effect]) -> Sequence[Effect]:
        """The decisions with an agent's report and the times added."""
        effects = self.requests.changed(effects)
        return effects if self._timer is None else self._timer.changed(effects, self.referee)

    def _whole(self) -> Rewrite:
        """All plies of the game, for a record that has lost some."""
        (whole,) = self._timed([self.referee.line.rewrite(0, self.referee.outcome)])
        assert isinstance(whole, Rewrite)
        return whole

    def _tell_of(self, effects: Sequence[Effect]) -> None:
        """Publishes and announces the decisions."""
        for follow in self.followers:
            follow(effects)
        if any(isinstance(effect, Record) for effect in effects):
            self._moved_s = self._clock()
        announcements = [effect for effect in effects if isinstance(effect, Announcement)]
        for announcement in announcements:
            self.spoken = announcement.said or self.spoken
        self._publish()
        if any(announcement.code != "reminder" for announcement in announcements):
            self._reminders.said()
        for announcement in announcements:
            LOGGER.info("%s: %s", announcement.code, in_words(*announcement.said))
            self._tell(announcement)

    def _hear_agents(self) -> None:
        """Takes the first legal answer to the newest state."""
        refused = 0
        for reply in self.requests.answers():
            effects = self.requests.take(reply, self.referee)
            if effects is None:
                refused += 1
                continue
            self.carry_out(effects if self.watched else corrections.enter_answer(self.referee, effects))
        if refused and self.referee.awaiting == "agent" and self.requests.refuse():
            self._publish()

    def _mind_the_silent(self) -> None:
        """Asks an agent again that fails or has been silent for too long; if it fails again, another plays instead."""
        side = self.referee.game.to_move(self.referee.position)
        seat = self.seats[side]
        if self.is_absent(seat.agent or "") and not self.requests.has_heard(seat.agent or ""):
            self.requests.wait_on()
            return
        instead = self.stand_in(seat)
        if not self.requests.is_overdue(seat.limits.time_s, replaceable=instead is not None):
            return
        if (fault := self.requests.count_fault(seat)) is None:
            return
        if instead is not None and self.requests.is_given_up:
            self._replace(side, instead, fault)
        else:
            self.trouble(fault, sentence("I ask again."))

    def _replace(self, side: int, instead: Seat, fault: Sentence) -> None:
        """Seats Kibitzer's own player in place of an agent that fails, for the rest of the game."""
        self.seats = (instead, self.seats[1]) if side == 0 else (self.seats[0], instead)
        self.referee.agents = self.seats[0].agent, self.seats[1].agent
        self.requests.forget_faults()
        told = sentence("Kibitzer's own player at level {number} plays instead.", number=level_of(instead) or 0)
        self.carry_out([dataclasses.replace(self._troubled(fault, told), code="stand_in", side=1 if side else 0)])

    def _publish(self) -> None:
        self.requests.publish(self.referee, self.seats, self.game_id, in_words(*self.spoken))

    def _troubled(self, *said: Sentence) -> Announcement:
        board = self.referee.game.board(self.referee.position)
        return Announcement("trouble", said, board, self.referee.ply, urgent=True)

    def _announce_aside(self, said: Sentence) -> None:
        """Tells the players about the record at once, without recording it."""
        self.spoken = (said,)
        self._tell(self._troubled(said))

    def _tell(self, announcement: Announcement) -> None:
        for listener in self.listeners:
            listener(announcement)


class Reminders:
    """When players are reminded of what they have not done: seldom, and less and less often. Pure."""

    def __init__(self) -> None:
        self._since_s: float | None = None
        self._given = 0

    def said(self) -> None:
        """Restarts the wait because something new was said."""
        self._since_s, self._given = None, 0

    def is_due(self, now_s: float) -> bool:
        """Whether to remind now; each call that returns True counts as a reminder given."""
        if self._since_s is None:
            self._since_s = now_s
        wait_s: float = FIRST_S * 2.0 ** min(self._given, MAX_DOUBLINGS)
        if now_s - self._since_s < wait_s:
            return False
        self._since_s, self._given = now_s, self._given + 1
        return True


@contextlib.contextmanager
def _unchanged_on_error(game: AnyGame, *parts: object) -> Iterator[None]:
    """Gives these objects back the state that they had, if an error occurs; the game's rules have none."""
    states = [vars(part) for part in parts if part is not None]
    before = copy.deepcopy(states, {id(game): game})
    try:
        yield
    except BaseException:
        for state, earlier in zip(states, before, strict=True):
            state.clear()
            state.update(earlier)
        raise
