"""A simulated agent that can be set to stall, to flood and to lie."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from agents.messages import ReplyMessage, StateMessage

NAME = "simulated"
FLOOD = 200
"""Answers per poll of a flooding agent."""
LIES = ("zz9", "a1", "pass", "e4", "0-0", "a1-a1", "d4xd4", "?" * 64)
"""Answers that are no moves at all, or mostly illegal ones."""


class SimulatedAgent:
    """Takes the place of the bus in a match and answers after 0.3 seconds."""

    def __init__(self, clock: Callable[[], float], seed: int) -> None:
        self.stalls = self.silent = self.floods = self.lies = False
        """`silent` works like `stalls`, but for a player who moves in the agent's place: either may end before the
        other."""
        self._clock, self._seed = clock, seed
        self._state: StateMessage | None = None
        self._due_s = 0.0
        self._lied = 0
        self._answered = "", -1
        """Session and sequence number of the state answered last; a restarted daemon counts anew."""

    def publish(self, state: StateMessage) -> None:
        self._state = state
        self._due_s = self._clock() + 0.3

    def poll(self) -> Sequence[ReplyMessage]:
        state = self._state
        if state is None or state.awaiting != "agent" or self.stalls or self.silent or self._clock() < self._due_s:
            return []
        replies = []
        if self.floods:
            replies += [self._reply(state, self._lie(), state.sequence - 1 - number) for number in range(FLOOD)]
        if self.lies:
            self._due_s = self._clock() + 0.5
            return [*replies, self._reply(state, self._lie())]
        if self._answered == (state.session, state.sequence) and not self.floods:
            return replies
        self._answered = state.session, state.sequence
        # The same position gets the same answer, as with most agents.
        chance = random.Random(f"{self._seed} {state.position} {state.ply}")
        return [*replies, self._reply(state, chance.choice(state.legal_moves))] if state.legal_moves else replies

    def _lie(self) -> str:
        self._lied += 1
        return LIES[self._lied % len(LIES)]

    def _reply(self, state: StateMessage, move: str, sequence: int | None = None) -> ReplyMessage:
        return ReplyMessage(
            worker="simulated-worker",
            agent=NAME,
            session=state.session,
            game_id=state.game_id,
            sequence=max(0, state.sequence if sequence is None else sequence),
            move=move,
        )
