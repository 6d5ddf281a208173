"""Players who ignore the camera or an agent's move, and faults of agents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lab.soak.fault import COMPLAINTS, SIGHT, Fault
from lab.soak.fault_steps import ByHand, changed, hands_off, put_back, reported, seconds, wait, wait_while
from lab.soak.legal_boards import TAKEBACKS, one_move_on
from lab.soak.sight_faults import FARTHEST_MM
from lab.soak.trial import Trial
from rules.turns import boards_of_turn, carry_out

QUICK_S = 0.8
"""Seconds that quick players leave the board free."""
UNSEEN_S = 0.5
"""Seconds of QUICK_S needed to draw one hand back and reach out with the next, outside the picture; measured with hands
that follow each other without a pause."""
SLIP, SLIP_DEG = (0.001, 0.006), 0.3
"""Sides of the board that a hand shifts it with each move, and degrees that it may turn it. Between straightened photos
of a real paper board, one after each move, 0.1 % remains (median of 37; 0.2 % at most); the range reaches up to three
times that."""


class Quick(ByHand):
    """The players play quickly: the board is free for less than a second between two hands."""

    name = "quick"

    def run(self, at: Trial) -> Iterator[None]:
        yield from hands_off(at)
        until = len(at.player.record) + at.chance.randrange(4, 11)
        at.player.pause_s, at.hands_free = QUICK_S - UNSEEN_S, True
        try:
            yield from wait_while(at, lambda: len(at.player.record) < until and not at.player.finished)
        finally:
            at.player.pause_s, at.hands_free = None, False
        yield from hands_off(at)


class Linger(ByHand):
    """After a move a player's hand returns over the board at once, and stays there."""

    name = "linger"
    allows = SIGHT | {"trouble"}

    def run(self, at: Trial) -> Iterator[None]:
        yield from hands_off(at)
        at.hands_free = True
        try:
            yield from wait_while(at, lambda: not at.player.moving and not at.player.finished, 20)
        finally:
            at.hands_free = False
        if at.player.moving:
            at.table.hover(seconds(at.chance, 2, 10), at.game.to_move(at.player.positions[-1]))
        yield from hands_off(at)


class Cloth(Fault):
    """The board lies on a cloth: every moving hand makes it slip a little, and the pieces with it."""

    name = "cloth"
    allows = SIGHT

    def run(self, at: Trial) -> Iterator[None]:
        until_s, slipped = at.time_s + seconds(at.chance, 15, 120), None
        while at.time_s < until_s:
            ply = at.player, len(at.player.record)
            if at.player.moving and at.table.hand_in_view and ply != slipped:
                slipped = ply
                yield from wait(at, at.chance.uniform(0.1, 0.6))
                _slip(at)
            yield


def _slip(at: Trial) -> None:
    x, y, turn = at.table.lie
    far = float(np.hypot(x, y)) > FARTHEST_MM
    direction = np.arctan2(-y, -x) if far else at.chance.uniform(0, 2 * np.pi)
    length_mm = at.chance.uniform(*SLIP) * max(at.template.size_mm)
    to_deg = at.chance.uniform(-SLIP_DEG, SLIP_DEG)
    shift_mm = float(length_mm * np.cos(direction)), float(length_mm * np.sin(direction))
    at.table.bump(shift_mm, to_deg - np.clip(turn, -SLIP_DEG, SLIP_DEG), at.chance.uniform(0.1, 0.3))


PLAY_FAULTS: tuple[type[Fault], ...] = (Quick, Linger, Cloth)


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
