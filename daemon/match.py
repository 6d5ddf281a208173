"""One game at one table: joins pipeline, referee, record, bus, voice and page. Used by one thread."""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from agents.messages import LimitsPart, OutcomePart, PlayerPart, ReplyMessage, StateMessage
from daemon import obeying
from daemon.coaching import Coach
from daemon.commands import Answer, Command
from daemon.judging.corrections import Refusal
from daemon.judging.effects import Announcement, Effect, Record, Rewrite, TakeBack, Thought
from daemon.judging.explain import explain
from daemon.judging.explanation import MoveEvent
from daemon.judging.line import shares_men
from daemon.judging.play import Withdrawn
from daemon.judging.referee import Referee
from daemon.judging.told_cells import ToldCells
from daemon.next_game import STANDS_S, NextGame
from daemon.pipeline import Observation, Pipeline
from daemon.records.backlog import Backlog, Recorder
from daemon.reminding import Reminders
from daemon.speaking import phrases
from games import Side
from vision.frame import Frame
from vision.reading.board_reading import BoardReading
from vision.watching.gate import GateState

LOGGER = logging.getLogger(__name__)
PATIENCE_S = 10.0
"""How much longer than its thinking time an agent may take before it is asked again, and the players are told."""
MOST_LEGAL_MOVES = 1024
"""A state lists no more; an agent that needs them all knows the rules."""
REFUSALS = 3
"""Illegal answers to one position after which the agent is not asked again at once any more."""
REFUSED_PATIENCE_S = 3.0
"""The patience after so many illegal answers: another worker may still answer well, and nobody need be told."""
UNKNOWN = 0.5
"""Share of the unknown from which a cell is shown as one that the eyes cannot make out."""
HURRY_S = 3.0
"""So long a hand may take to leave the board after a move was said to be made."""
HURRY_GIVEN_UP = "I cannot read the board: something moves over it. I look again when it is still."
OFFER = (
    f"The board is set up for a new game. I begin one in {STANDS_S:.0f} seconds. "
    "To go on with this game, put the men back."
)
MOST_DOUBLINGS = 5
"""Each time that an agent is asked again the patience with it doubles, so often at most: nobody nags for hours."""


class Publisher(Protocol):
    """Where states go and answers come from."""

    def publish(self, state: StateMessage) -> None:
        """Makes this the newest state."""

    def poll(self) -> Sequence[ReplyMessage]:
        """Answers to the newest state that came in since the last call."""


@dataclasses.dataclass(frozen=True)
class Seat:
    """Who plays a side."""

    agent: str | None = None
    """None is a person."""
    options: dict[str, str] = dataclasses.field(default_factory=dict)
    limits: LimitsPart = dataclasses.field(default_factory=LimitsPart)
    place: str = ""
    """Side of the board's frame at which the player sits: top, right, bottom or left; empty where nobody said."""


class Learner(Protocol):
    """Who learns from what the referee has judged."""

    def judged(self, event: MoveEvent, referee: Referee, observation: Observation) -> None:
        """A reading, after the referee has judged it."""

    def changed(self, effects: Sequence[Effect]) -> None:
        """What the referee decided."""

    def first_opinion(self, reading: BoardReading) -> BoardReading | None:
        """The same look as it would be read had nothing been learnt; None where that is no other."""

    def overruled(self) -> None:
        """The first opinion was clear where what was learnt was not."""

    def poll(self) -> None:
        """Called often."""


class Timer(Protocol):
    """Who keeps the clock."""

    def changed(self, effects: Sequence[Effect], referee: Referee) -> Sequence[Effect]:
        """What the referee decided, handed back with its times in it."""

    def poll(self, referee: Referee) -> Sequence[Effect]:
        """What the clock has to say; called often."""


Listener = Callable[[Announcement, Observation | None], None]


class Match:
    """Feeds frames through the pipeline and carries out what the referee decides."""

    def __init__(
        self,
        pipeline: Pipeline,
        referee: Referee,
        *,
        seats: tuple[Seat, Seat] = (Seat(), Seat()),
        recorder: Recorder | None = None,
        publisher: Publisher | None = None,
        listeners: Sequence[Listener] = (),
        lost_s: float = 3.0,
        session: str = "session",
        table: str = "table",
        game_id: str = "game",
        clock: Callable[[], float] = time.monotonic,
        learner: Learner | None = None,
        timer: Timer | None = None,
        coach: Coach | None = None,
    ) -> None:
        self.pipeline = pipeline
        self.referee = referee
        self.seats = seats
        self.listeners = list(listeners)
        self.observation: Observation | None = None
        self.state: StateMessage | None = None
        self.spoken = ""
        self._learner = learner
        self._timer = timer
        self._thought: Thought | None = None
        """What an agent said of the move that waits to be carried out."""
        self._publisher = publisher
        self._lost_s = lost_s
        self.game_id = game_id
        self._session, self._table = session, table
        self._clock = clock
        self._sequence = 0
        self._seen_s: float | None = None
        self.reading: BoardReading | None = None
        """What the eyes made of the board last, without what was told of its cells."""
        self.told = ToldCells()
        self.set_up: Any = None
        """A position set up by hand, from which the next game is to begin; None where there is none."""
        self.new_game_wanted = False
        self.asked_anew = False
        """Whether a new game was asked for in words, so that the board may show the old one still."""
        self._next_game = NextGame()
        self._reminders = Reminders()
        self._coach = coach
        self._hurried_s: float | None = None
        """Until when a move that was said to be made is waited for; None where none was."""
        self._arm: str | None = None
        """Side of the board's frame from which an arm came in since the last move."""
        self._told_blocked = self._told_outside = False
        self._backlog = Backlog(recorder, self._announce_aside)
        self._asked_s = 0.0
        self._refusals = 0
        self._asked_again = 0
        self.refused = 0
        """Illegal answers of agents so far."""

    @property
    def write_trouble(self) -> str:
        """Why the record cannot be written at present; empty where it can."""
        return self._backlog.trouble

    @property
    def unwritten(self) -> int:
        """Plies and notes that wait to be written."""
        return self._backlog.waiting

    @property
    def dropped_notes(self) -> int:
        """Notes that were given up while the record could not be written."""
        return self._backlog.dropped_notes

    @property
    def unknown_cells(self) -> tuple[int, ...]:
        """Cells that showed nothing known when they were read last."""
        unknown = None if self.reading is None else self.reading.unknown
        return () if unknown is None else tuple(int(cell) for cell in np.flatnonzero(unknown > UNKNOWN))

    def start(self) -> None:
        """Publishes the position from which the match goes on."""
        self.carry_out(self.referee.pass_if_forced())
        self._publish()

    def retune(
        self,
        *,
        seats: tuple[Seat, Seat] | None = None,
        lost_s: float | None = None,
        publisher: Publisher | None = None,
    ) -> None:
        """Goes on with other players or limits, or with another bus; whoever is asked for a move is asked again."""
        self._lost_s = self._lost_s if lost_s is None else lost_s
        self._publisher = publisher or self._publisher
        if seats is not None:
            self.seats = seats
            self.referee.agents = seats[0].agent, seats[1].agent
            if self.referee.awaiting == "move":
                self.referee.agent_move = None  # the side is a person's now, who makes a move of their own
        self._publish()

    def recall(self, thought: Thought | None) -> None:
        """What an agent had said of the move that waits to be carried out, from the record."""
        self._thought = thought

    def obey(self, command: Command) -> Answer:
        """Takes what somebody at the table says, and answers with what became of it."""
        return obeying.obey(self, command)

    def feed(self, frame: Frame) -> Observation:
        """Takes one frame all the way: from the picture to what is said."""
        observation = self.pipeline.feed(frame)
        self.observation = observation
        if self._seen_s is None:
            self._seen_s = frame.time_s
        if observation.rectified is None:
            if frame.time_s - self._seen_s >= self._lost_s and not self.referee.lost_told:
                self.carry_out(self.referee.lost(self.pipeline.why_unseen(frame)))
            return observation
        self._seen_s = frame.time_s
        if observation.gate is not None and observation.gate.fresh:
            self._arm = observation.arm or self._arm
        if observation.gate is not None:
            self._tell_blocked(observation.gate)
            self._tell_outside(observation)
        if observation.alignment.relocked:
            self.carry_out(self.referee.found())
        if self._hurried_s is not None and frame.time_s >= self._hurried_s:
            self._hurried_s = None
            self.carry_out([self.referee.announce("nothing_new", HURRY_GIVEN_UP)])
        if observation.reading is not None and not self.start_in_view:
            self._take_in(observation.reading, frame.time_s)
        elif self._hurried_s is not None and _stands_still(observation):
            self.carry_out(self._read_at_once(observation))
        elif self._next_game.look(frame.time_s) and _stands_still(observation):
            self.new_game_wanted = True
        return observation

    def _take_in(self, reading: BoardReading, time_s: float) -> None:
        """Judges a reading, unless it shows that the next game begins."""
        sign = self._next_game.see(self.referee, self.told.over(reading), time_s)
        if sign == "offer":
            self.carry_out([self.referee.announce("new_game", OFFER)])
        elif sign == "begin":
            self.new_game_wanted = True
        if not sign:
            self._judge(reading)

    @property
    def new_game_due(self) -> bool:
        """Whether the next game is to begin: it was asked for, the board was set up for it, or a position adopted."""
        return self.new_game_wanted or self.set_up is not None or self.start_in_view

    @property
    def to_clear(self) -> Withdrawn | None:
        """What stands on the board and is no move of the next game; None where it shows the start, or was adopted."""
        game, reading = self.referee.game, self.reading
        if reading is None or self.set_up is not None or not self.asked_anew:
            return None
        cleared = any(reading.board == game.board(start) for start in game.starts)
        return None if cleared else Withdrawn(frozenset({reading.board}), frozenset(), strict=True)

    @property
    def start_in_view(self) -> bool:
        """Whether the board was just read as set up for a new game, after the end or when a game is resumed.

        Whoever clears the board between two sessions wants a new game, and not to take all moves back.
        """
        game, referee, seen = self.referee.game, self.referee, self.observation
        if (
            seen is None
            or seen.reading is None
            or not (referee.outcome or (referee.ply and referee.verdict == "start"))
        ):
            return False
        return any(seen.reading.board == game.board(start) for start in game.starts)

    def leave(self) -> None:
        """Another game begins while this one goes on: it stays in the record as it stands, and is not resumed."""
        if self.referee.outcome is None and self.referee.ply:
            self.carry_out([self.referee.announce("left", "The game before stays in the record, unfinished.")])

    def begin_again(self, referee: Referee) -> None:
        """Goes on with the next game, from the board just read; for a match without a record."""
        self.referee, self.new_game_wanted, self.set_up = referee, False, None
        if self.observation is not None and self.observation.reading is not None:
            self._judge(self.observation.reading)

    def end(self) -> None:
        """The source has ended: says so if the board was out of sight, however shortly."""
        if self.observation is None or self.observation.rectified is None:
            self.carry_out(self.referee.lost())

    def poll(self) -> None:
        """Takes agents' answers and retries what could not be written; to be called often, with or without frames."""
        self._backlog.write()
        if self._learner is not None:
            self._learner.poll()
        if self._timer is not None:
            self.carry_out(self._timer.poll(self.referee))
        if self._coach is not None and (advice := self._coach.poll(self.referee, self.game_id)) is not None:
            self.carry_out([self.referee.announce("coach", advice)])
        if self._reminders.is_due(self._clock()):
            self.carry_out(self.referee.remind())
        self._hear_agents()
        if self.referee.awaiting == "agent" and self._clock() - self._asked_s > self._patience_s():
            self._ask_again()

    def trouble(self, text: str) -> None:
        """Tells the players of trouble that is not on the board."""
        board = self.referee.game.board(self.referee.position)
        self.carry_out([Announcement("trouble", text, board, self.referee.ply, urgent=True)])

    def _tell_blocked(self, gate: GateState) -> None:
        """Says once that something rests over the board; until it has gone nothing is read."""
        if gate.blocked and not self._told_blocked:
            self.trouble("Something lies over the board. I wait until I can see all of it.")
        self._told_blocked = gate.blocked or (self._told_blocked and not gate.settled)

    def _tell_outside(self, observation: Observation) -> None:
        """Says once which cells have left the picture, and that the whole board is seen again."""
        assert observation.gate is not None
        if not observation.gate.settled:
            return
        if observation.outside and not self._told_outside:
            names = phrases.listed_briefly([self.referee.game.cells[cell] for cell in observation.outside])
            self.trouble(f"I cannot see {names}: outside the picture. Please turn the camera, or move the board.")
        elif self._told_outside and not observation.outside:
            self.trouble("I see the whole board again.")
        self._told_outside = bool(observation.outside)

    def judge_again(self) -> None:
        """Judges what was read last once more: something else has changed."""
        if self.reading is not None and self.observation is not None and self.observation.rectified is not None:
            self.carry_out(self.judged(self.reading))

    def judged(self, reading: BoardReading) -> list[Effect]:
        """What the referee makes of a reading, which is final: no second look is waited for."""
        self.reading = reading
        movers = self._movers()
        return self._ruled(self._explain(reading, movers), movers)

    def explain(self, reading: BoardReading) -> MoveEvent:
        """What explains a reading of the present position, taken as it is."""
        return explain(self.referee.game, self.referee.history, reading, self._movers())

    def end_move(self) -> list[Effect]:
        """A move is said to be made: the board is read at once, or as soon as nothing moves over it."""
        seen = self.observation
        if self.referee.paused:
            raise Refusal("The game is paused: resume it first.")
        if seen is None or seen.rectified is None or seen.gate is None:
            raise Refusal(obeying.NEEDS_BOARD)
        if _stands_still(seen):
            return self._read_at_once(seen)
        self._hurried_s = seen.frame.time_s + HURRY_S
        return []

    def _read_at_once(self, seen: Observation) -> list[Effect]:
        """Reads a picture in which nothing moves, without waiting for it to settle."""
        assert seen.rectified is not None
        self._hurried_s = None
        self.referee.say_again()
        effects = self.judged(self.pipeline.reader.read(seen.rectified, seen.frame.time_s))
        if any(isinstance(effect, Announcement) and effect.text for effect in effects):
            return effects
        return [*effects, self.referee.announce("nothing_new", f"I see no move. {self.referee.whose_turn()}")]

    def ask_coach(self) -> bool:
        """Asks for advice on the present position; False where a question waits already, or there is no coach."""
        if self._coach is None or self._coach.thinks:
            return False
        self._coach.ask(self.referee, self.game_id)
        return True

    def _judge(self, reading: BoardReading) -> None:
        self.reading = reading
        movers = self._movers()
        event = self._explain(reading, movers)
        # A doubtful picture is looked at again before anything is believed or complained of.
        if _is_unsure(event) and self.pipeline.ask_again():
            return
        self.carry_out(self._ruled(event, movers))

    def _ruled(self, event: MoveEvent, movers: tuple[Side, ...]) -> list[Effect]:
        """What the referee decides on an explained reading; who learns from it is told."""
        effects = self.referee.see(event, movers)
        if self._learner is not None and self.observation is not None:
            self._learner.judged(event, self.referee, self.observation)
        if self.referee.verdict in ("unchanged", "legal", "takeback"):
            self._arm = None
        return effects

    def _explain(self, reading: BoardReading, movers: tuple[Side, ...]) -> MoveEvent:
        """What explains a reading, with what was told of its cells where legal play does not explain it without."""
        told = self.told.over(reading)
        if told is reading:
            return self._explain_as_seen(reading, movers)
        event = explain(self.referee.game, self.referee.history, told, movers)
        if event.explanations:
            return event
        plain = explain(self.referee.game, self.referee.history, reading, movers)
        if not plain.explanations or plain.ambiguous:
            return event
        self.told.forget(self.told.cells)  # hands have been there since: the eyes alone make sense of it
        return plain

    def _explain_as_seen(self, reading: BoardReading, movers: tuple[Side, ...]) -> MoveEvent:
        """What explains a reading. What was learnt while playing is not listened to where it brings doubt."""
        event = explain(self.referee.game, self.referee.history, reading, movers)
        first = self._learner.first_opinion(reading) if self._learner is not None and _is_unsure(event) else None
        if self._learner is None or first is None:
            return event
        without = explain(self.referee.game, self.referee.history, first, movers)
        if _is_unsure(without):
            return event
        self._learner.overruled()
        return without

    def _movers(self) -> tuple[Side, ...]:
        """Who made the last ply, as far as the side tells from which an arm came; empty where it does not.

        Only where two people lay men that belong to nobody: otherwise the man, or the agent's wish, tells it.
        """
        if not shares_men(self.referee.game) or any(seat.agent for seat in self.seats):
            return ()
        sides = tuple(side for side, seat in enumerate(self.seats) if seat.place and seat.place == self._arm)
        return sides if len(sides) == 1 else ()

    def _hear_agents(self) -> None:
        """Takes the first legal answer to the newest state. Several workers may answer for one agent."""
        refused = 0
        for reply in self._publisher.poll() if self._publisher else ():
            if self.state is not None and reply.sequence == self.state.sequence:
                refused += not self._take(reply)
        if refused and self.referee.awaiting == "agent":
            self._refuse()

    def _take(self, reply: ReplyMessage) -> bool:
        """Judges an agent's answer; False where it is illegal, which is counted and never spoken."""
        self._thought = Thought(reply.score, reply.depth, reply.nodes, reply.seconds)
        effects = self.referee.reply(reply.agent, self.referee.ply, reply.move)
        if any(isinstance(effect, Announcement) and effect.code == "refused_reply" for effect in effects):
            self.refused += 1
            LOGGER.warning("worker %s is refused: %s", reply.worker, [getattr(one, "text", "") for one in effects])
            return False
        self.carry_out(effects)
        if self.referee.awaiting == "carry_out" and self.reading is not None:
            # The move may already stand on the board: somebody was faster than the agent.
            self.carry_out(self.referee.see(self._explain(self.reading, ())))
        return True

    def _refuse(self) -> None:
        """Asks again after an illegal answer, a few times at most.

        Then the state stays as it is, so that another worker has the time to answer it.
        """
        self._refusals += 1
        if self._refusals <= REFUSALS:
            self._publish()

    def _asked_agent(self) -> str:
        return self.seats[self.referee.game.to_move(self.referee.position)].agent or ""

    def _patience_s(self) -> float:
        side = self.referee.game.to_move(self.referee.position)
        doublings: int = min(self._asked_again, MOST_DOUBLINGS)
        refused = self._refusals > REFUSALS and not self._asked_again
        patience_s = REFUSED_PATIENCE_S if refused else PATIENCE_S * 2.0**doublings
        return (self.seats[side].limits.time_s or 0.0) + patience_s

    def _ask_again(self) -> None:
        if self._publisher is None:
            return
        self._asked_again += 1
        what = "answers with illegal moves" if self._refusals > REFUSALS else "does not answer"
        self.trouble(f"{self._asked_agent()} {what}. I ask again.")

    def carry_out(self, effects: Sequence[Effect]) -> None:
        """Writes first, then tells: what is announced is on the disk."""
        if not effects:
            return
        for effect in effects:
            if isinstance(effect, Record | TakeBack | Rewrite):
                self._refusals = self._asked_again = 0
        if self._learner is not None:
            self._learner.changed(effects)
        effects = [self._with_thought(effect) for effect in effects]
        if self._timer is not None:
            effects = list(self._timer.changed(effects, self.referee))
        self._backlog.add(effects)
        self._backlog.write()
        announcements = [effect for effect in effects if isinstance(effect, Announcement)]
        for announcement in announcements:
            self.spoken = announcement.text or self.spoken
        self._publish()
        if any(announcement.code != "reminder" for announcement in announcements):
            self._reminders.said()
        for announcement in announcements:
            LOGGER.info("%s: %s", announcement.code, announcement.text)
            for listener in self.listeners:
                listener(announcement, self.observation)

    def _with_thought(self, effect: Effect) -> Effect:
        """An agent's ply, or the announcement of its move, with what the agent said of it."""
        if isinstance(effect, Announcement) and effect.code == "agent_move":
            return dataclasses.replace(effect, thought=self._thought)
        if not isinstance(effect, Record) or effect.known != "agent":
            return effect
        thought, self._thought = self._thought, None
        return dataclasses.replace(effect, thought=thought)

    def _announce_aside(self, text: str) -> None:
        """Tells the players at once, without the record, about the record."""
        self.spoken = text
        board = self.referee.game.board(self.referee.position)
        announcement = Announcement("trouble", text, board, self.referee.ply, urgent=True)
        for listener in self.listeners:
            listener(announcement, self.observation)

    def _publish(self) -> None:
        self._sequence += 1
        self._asked_s = self._clock()
        self.state = self._state()
        if self._publisher is not None:
            self._publisher.publish(self.state)

    def _legal_moves(self) -> list[str]:
        """What an agent may choose from, where one is asked."""
        referee = self.referee
        if referee.awaiting != "agent":
            return []
        moves = referee.game.legal_moves(referee.position)
        return [referee.game.format_move(referee.position, move) for move in moves[:MOST_LEGAL_MOVES]]

    def _state(self) -> StateMessage:
        referee, game = self.referee, self.referee.game
        outcome = referee.outcome
        first, second = (PlayerPart(agent=seat.agent, options=seat.options, limits=seat.limits) for seat in self.seats)
        return StateMessage(
            session=self._session,
            table=self._table,
            game=game.name,
            rules={name: str(value).lower() for name, value in dataclasses.asdict(game.rules).items()},
            game_id=self.game_id,
            sequence=self._sequence,
            ply=referee.ply,
            moves=referee.moves,
            position=game.format_position(referee.position),
            board=game.board(referee.position),
            cells=list(game.cells),
            sides=game.sides,
            to_move=1 if game.to_move(referee.position) else 0,
            players=(first, second),
            legal_moves=self._legal_moves(),
            awaiting=referee.awaiting,
            agent_move=referee.agent_move_text,
            verdict=referee.verdict,
            text=self.spoken[:512],
            outcome=None
            if outcome is None
            else OutcomePart(winner=outcome.winner, reason=outcome.reason, scores=outcome.scores),
        )


def _stands_still(seen: Observation) -> bool:
    """Whether nothing moves or lies over the board, however short a time."""
    return seen.rectified is not None and seen.gate is not None and seen.gate.phase in ("settling", "settled")


def _is_unsure(event: MoveEvent) -> bool:
    """Whether a reading leaves doubt, or contradicts its best explanation."""
    return not event.explanations or event.explanations[0].loss > 0 or event.ambiguous
