"""Faults of agents, and players' mistakes with an agent's moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.soak.fault import COMPLAINTS, ByHand, Fault, changed, hands_off
from lab.soak.legal_boards import TAKEBACKS, one_move_on
from lab.soak.reporting import put_back, reported
from lab.soak.trial import Trial
from rules.turns import boards_of_turn, carry_out


class AgentFault(Fault):
    """Base of the faults that need an agent at the table."""

    allows = frozenset({"trouble"})
    agent = True

    def possible(self, at: Trial) -> bool:
        return at.agent_plays


class Stalls(AgentFault):
    """The agent does not answer."""

    name = "agent-stalls"

    def run(self, at: Trial) -> Iterator[None]:
        yield from changed(at, at.agent, (2, 60), stalls=True)


class Floods(AgentFault):
    """The agent sends hundreds of late, false and repeated answers along with its own."""

    name = "agent-floods"

    def run(self, at: Trial) -> Iterator[None]:
        yield from changed(at, at.agent, (2, 20), floods=True)


class Lies(AgentFault):
    """The agent answers with texts that are no legal moves."""

    name = "agent-lies"

    def run(self, at: Trial) -> Iterator[None]:
        yield from changed(at, at.agent, (2, 30), lies=True)


class Misplayed(ByHand):
    """The player makes a legal move other than the agent's, or moves before the agent has answered."""

    name = "misplayed"
    agent = True
    allows = COMPLAINTS | {"resumed"}

    def possible(self, at: Trial) -> bool:
        return super().possible(at) and at.subject.referee.awaiting in ("agent", "carry_out") and at.judge.knows

    def run(self, at: Trial) -> Iterator[None]:
        yield from hands_off(at)
        referee = at.subject.referee
        if referee.awaiting not in ("agent", "carry_out") or not at.judge.knows:
            return
        position = at.player.position
        asked = referee.agent_move
        due = set(boards_of_turn(at.game, position, asked)) if asked is not None else set()
        others = [
            move
            for move in at.game.legal_moves(position)
            if at.game.steps(position, move) and not due & set(boards_of_turn(at.game, position, move))
        ]
        # A board that stood there lately looks like a takeback, or like the undoing of one.
        lately = {at.game.board(one) for one in (*at.watched[-TAKEBACKS:], *at.undone)}
        others = [move for move in others if _after(at, position, move) not in lately]
        if asked is not None:
            # A board to which the agent's move and the one after it also lead is no visible mistake.
            after = at.game.apply(position, asked)
            others = [move for move in others if one_move_on(at.game, after, _after(at, position, move)) is None]
        if not others:
            return
        rule = "not_the_agents_move" if asked is not None else "not_your_turn"
        at.agent.silent = True
        try:
            move = at.chance.choice(others)
            at.table.perform(at.game.steps(position, move), at.game.to_move(position))
            yield from hands_off(at)
            yield from reported(at, f"{self.name}: {at.game.format_move(position, move)}", frozenset({rule}))
            yield from put_back(at)
        finally:
            at.agent.silent = False


def _after(at: Trial, position: Any, move: Any) -> str:
    return carry_out(at.game.board(position), at.game.steps(position, move))


AGENT_FAULTS: tuple[type[Fault], ...] = (Stalls, Floods, Lies, Misplayed)
