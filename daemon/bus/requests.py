"""Asks agents for moves: publishes states, collects replies, repeats requests, and limits illegal replies."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from agents.messages import AnswerMessage, FailureMessage, OutcomePart, PlayerPart, ReplyMessage, StateMessage
from daemon.commands.strengths import known_as
from daemon.config.seats import Seat
from daemon.game import hands
from daemon.game.effects import Announcement, Effect, Record, Rewrite, TakeBack, Thought
from daemon.judging.referee import Referee
from rules import Figures
from wording import Sentence, sentence
from wording.outside import clean

LOGGER = logging.getLogger(__name__)
PATIENCE_S = 10.0
"""Seconds beyond its thinking time before an agent is asked again and the players are told."""
MAX_LEGAL_MOVES = 1024
"""Most legal moves listed in a state; an agent that needs them all knows the rules."""
REFUSALS = 3
"""Illegal replies to one position after which the agent is no longer asked again at once."""
REFUSED_PATIENCE_S = 3.0
"""Seconds of patience after too many illegal replies, and after the last failure before somebody stands in: another
worker may still answer, and nobody need be told."""
FAULTS = 2
"""Faults at one position, silence or refusals or failures, after which somebody stands in for an agent."""
MAX_REASON_LENGTH = 300
"""Characters of a worker's reason that are said: enough for a file's path and what to do about it."""
MAX_DOUBLINGS = 5
"""Most doublings of the patience, one for each repeated request, so that the players are not nagged for hours."""


class Publisher(Protocol):
    def publish(self, state: StateMessage) -> None: ...

    def poll(self) -> Sequence[AnswerMessage]:
        """Replies and failures for the newest state received since the last call."""


class AgentRequests:
    def __init__(
        self,
        publisher: Publisher | None,
        session: str,
        table: str,
        clock: Callable[[], float],
        sequences: Iterator[int],
    ) -> None:
        self.publisher = publisher
        self.state: StateMessage | None = None
        self.thought: Thought | None = None
        """What an agent reported about the move that waits to be carried out on the board."""
        self.last_thought: Thought | None = None
        """What an agent reported last, kept after its move was made."""
        self.refused = 0
        self._session, self._table, self._clock, self._sequences = session, table, clock, sequences
        self._asked_s = 0.0
        self._refusals = self._asked_again = 0
        self._failure: FailureMessage | None = None
        """What a worker said last of why it has no move for this position."""
        self._failed_again = False
        """Whether a worker had no move for this position when it was asked again, either."""
        self._heard: set[str] = set()

    def publish(self, referee: Referee, seats: tuple[Seat, Seat], game_id: str, spoken: str) -> None:
        self._asked_s = self._clock()
        self.state = self._state(referee, seats, game_id, spoken)
        if self.publisher is not None:
            self.publisher.publish(self.state)

    def answers(self) -> Iterator[ReplyMessage]:
        """Yields replies while they match the newest state. Several workers may answer for one agent."""
        for answer in self.publisher.poll() if self.publisher else ():
            if self.state is None or answer.sequence != self.state.sequence:
                continue
            if isinstance(answer, FailureMessage):
                self._failure, self._failed_again = answer, self._asked_again > 0
            elif isinstance(answer, ReplyMessage):
                yield answer

    def take(self, reply: ReplyMessage, referee: Referee) -> list[Effect] | None:
        """The referee's decision on a reply; None if it is illegal, which is counted and never spoken."""
        self.thought = self.last_thought = Thought(reply.score, reply.depth, reply.nodes, reply.seconds, reply.masked)
        effects = referee.reply(reply.agent, referee.ply, reply.move)
        if any(isinstance(effect, Announcement) and effect.code == "refused_reply" for effect in effects):
            self.refused += 1
            LOGGER.warning("worker %s is refused: %s", reply.worker, [getattr(one, "text", "") for one in effects])
            return None
        self._heard.add(reply.agent)
        return effects

    def has_heard(self, agent: str) -> bool:
        return agent in self._heard

    def refuse(self) -> bool:
        """Counts an illegal reply to the newest state; returns whether to ask again at once, a few times at most.

        After that the state stays as it is, so that another worker has time to answer it.
        """
        self._refusals += 1
        return self._refusals <= REFUSALS

    def is_overdue(self, limit_s: float | None, *, replaceable: bool) -> bool:
        """Whether an agent given `limit_s` seconds has been silent for too long, or has failed for the first time.

        For one that somebody can stand in for, a second failure is waited for less long.
        """
        if self._failure is not None and not self._asked_again:
            return True
        given_up = replaceable and self._failed_again
        patience_s = REFUSED_PATIENCE_S if given_up else self._patience_s()
        return self._clock() - self._asked_s > (limit_s or 0.0) + patience_s

    def wait_on(self) -> None:
        """The agent's time begins only now: whoever joins gets the newest state at once."""
        self._asked_s = self._clock()

    @property
    def is_given_up(self) -> bool:
        """Whether an agent has failed so often at this position that somebody should stand in for it."""
        return self._asked_again >= FAULTS

    def count_fault(self, seat: Seat) -> Sentence | None:
        """Counts a fault of the agent, and returns it for the players; None if there is nobody to ask."""
        if self.publisher is None:
            return None
        self._asked_again += 1
        if self._refusals > REFUSALS:
            return sentence("{agent} answers with illegal moves.", agent=known_as(seat.shown))
        if self._failure is not None and self._failure.agent == seat.agent:
            why = clean(self._failure.text, MAX_REASON_LENGTH)
            return sentence("{agent} finds no move: {why}.", agent=known_as(seat.shown), why=why)
        return sentence("{agent} does not answer.", agent=known_as(seat.shown))

    def forget_faults(self) -> None:
        """Begins anew with whoever is asked now."""
        self._refusals = self._asked_again = 0
        self._failure, self._failed_again = None, False

    def changed(self, effects: Sequence[Effect]) -> list[Effect]:
        """Adds the agent's report on its move to the effects. A changed position resets the patience."""
        if any(isinstance(effect, Record | TakeBack | Rewrite) for effect in effects):
            self.forget_faults()
        return [self._with_thought(effect) for effect in effects]

    def _with_thought(self, effect: Effect) -> Effect:
        if isinstance(effect, Announcement) and effect.code == "agent_move":
            return dataclasses.replace(effect, thought=self.thought)
        if not isinstance(effect, Record) or effect.known != "agent":
            return effect
        thought, self.thought = self.thought, None
        return dataclasses.replace(effect, thought=thought)

    def _patience_s(self) -> float:
        doublings: int = min(self._asked_again, MAX_DOUBLINGS)
        refused = self._refusals > REFUSALS and not self._asked_again
        return REFUSED_PATIENCE_S if refused else PATIENCE_S * 2.0**doublings

    def _state(self, referee: Referee, seats: tuple[Seat, Seat], game_id: str, spoken: str) -> StateMessage:
        game, outcome = referee.game, referee.outcome
        figures = game.figures(referee.position) if isinstance(game, Figures) else ""
        public = hands.public_position(game, referee.position, asked=referee.awaiting == "agent")
        first, second = (PlayerPart(agent=seat.agent, options=seat.options, limits=seat.limits) for seat in seats)
        return StateMessage(
            session=self._session,
            table=self._table,
            game=game.name,
            rules={name: str(value).lower() for name, value in dataclasses.asdict(game.rules).items()},
            game_id=game_id,
            sequence=next(self._sequences),
            ply=referee.ply,
            moves=hands.public_moves(referee.line),
            position=game.format_position(public),
            board=game.board(referee.position),
            figures=figures,
            cells=list(game.cells),
            sides=game.sides,
            to_move=1 if game.to_move(referee.position) else 0,
            players=(first, second),
            legal_moves=_legal_moves(referee),
            awaiting=referee.awaiting,
            agent_move=referee.agent_move_text,
            verdict=referee.verdict,
            text=spoken[:512],
            outcome=None
            if outcome is None
            else OutcomePart(winner=outcome.winner, reason=outcome.reason, scores=outcome.scores),
        )


def _legal_moves(referee: Referee) -> list[str]:
    if referee.awaiting != "agent":
        return []
    moves = referee.game.legal_moves(referee.position)
    return [referee.game.format_move(referee.position, move) for move in moves[:MAX_LEGAL_MOVES]]
