"""The NBoard protocol, version 2, for reversi: `set game`, `move`, `go`, `hint`, `ping`, `learn`, `analyze`.

Evaluations are discs for the side to move. Unknown commands are ignored after a `warning` line, as the protocol asks;
`status` lines are shown by the program.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Callable

from agents.agent import Answer, Limits
from agents.players import PlayerSpec
from agents.protocols import ENGINE_NAME, ggf
from agents.protocols.session import READY_S, Say, Session, whole
from agents.search import MAX_DEPTH
from games.reversi import Move, Position, Reversi

GAMES = ("reversi",)
CERTAIN = 100_000
"""Reversi scores of alpha-beta from here on are exact results, 100 per disc beyond it; lower ones are 100 per disc."""
DISCS = 64
GO_S = 60.0
"""Seconds at most per move when a depth is set: depths are for the middle game, endgames are solved."""
HINT_S = 2.0


class NBoardSession(Session):
    protocol = "nboard"
    ends = ("quit", "exit")

    def __init__(self, game: Reversi, player: PlayerSpec, say: Say) -> None:
        super().__init__(game, player, say)
        self._position = game.initial()
        self._depth: int | None = None

    def do_nboard(self, _rest: str) -> None:
        self._thinking.wait_for_code(READY_S)
        self._say(f"set myname {self._name()}")

    def do_go(self, _rest: str) -> None:
        self._begin(self._go)

    def do_hint(self, rest: str) -> None:
        count = whole(rest or "1", "hint", 9)
        self._begin(lambda position, stop: self._hint(position, count, stop))

    def do_ping(self, rest: str) -> None:
        self._thinking.stop()
        self._say(f"pong {rest}")

    def do_learn(self, _rest: str) -> None:
        self._say("learned")

    def do_analyze(self, _rest: str) -> None:
        raise ValueError("analyze is not supported")

    def _name(self) -> str:
        return f"{ENGINE_NAME}{self._depth or ''}"

    def _refuse(self, text: str) -> None:
        self._say(f"warning {text}")

    def do_set(self, rest: str) -> None:
        what, _, value = rest.partition(" ")
        if what == "game":
            self._thinking.stop()
            self._position = ggf.read(self._game, value)
        elif what == "depth":
            self._depth = min(max(whole(value, "set depth", 9), 1), MAX_DEPTH)
            self._say(f"set myname {self._name()}")
        elif what not in ("contempt", "time", "level", "myname"):
            self._refuse(f"unknown setting {what[:40]!r}")

    def do_move(self, text: str) -> None:
        self._thinking.stop()
        self._position = self._game.apply(self._position, ggf.parse_move(self._game, self._position, text))

    def _begin(self, work: Callable[[Position, threading.Event], None]) -> None:
        self._thinking.stop()
        position = self._position
        self._thinking.begin(lambda stop: work(position, stop))

    def _limits(self) -> Limits:
        if self._depth is None:
            return self._spec.limits
        return dataclasses.replace(self._spec.limits, depth=self._depth, time_s=self._spec.limits.time_s or GO_S)

    def _go(self, position: Position, stop: threading.Event) -> None:
        moves = self._game.legal_moves(position)
        if not moves:
            self._refuse("the game is over")
            return
        self._say(f"status {self._name()} is thinking")
        try:
            answer = self._thinking.agent.choose(position, self._limits(), stop)
        except ValueError as error:
            self._refuse(str(error))
            answer = Answer(moves[0], None, 0, 0, 0.0, ())
        self._say(f"nodestats {answer.nodes} {answer.seconds:.2f}")
        move = ggf.format_move(self._game, position, answer.move)
        worth = "" if answer.told_score is None else f"{discs(answer.told_score):.2f}"
        self._say(f"=== {move}/{worth}/{answer.seconds:.2f}")
        self._say(f"status {self._name()} is waiting")

    def _hint(self, position: Position, count: int, stop: threading.Event) -> None:
        """Searches all moves equally long and sends the most promising, best first; waits for the code before."""
        moves = self._game.legal_moves(position)
        self._say("status Loading")
        self._thinking.wait_for_code(READY_S, stop)
        self._say("status Analysing")
        found: list[tuple[float, str]] = []
        for move in moves:
            if stop.is_set() and found:
                break
            if (looked := self._looked_at(position, move, len(moves), stop)) is not None:
                found.append(looked)
        for _, line in sorted(found, key=lambda one: -one[0])[: max(count, 1)]:
            self._say(line)
        self._say("status")

    def _looked_at(self, position: Position, move: Move, among: int, stop: threading.Event) -> tuple[float, str] | None:
        """A move's value in discs, and the line that reports it; None where the player cannot say its value yet."""
        after, name = self._game.apply(position, move), ggf.format_move(self._game, position, move)
        if (outcome := self._game.outcome(after)) is not None and outcome.scores is not None:
            worth = float(outcome.scores[position.side] - outcome.scores[1 - position.side])
            return worth, f"search {name} {worth:.2f} 0 100%"
        limits = self._limits()
        share_s = (limits.time_s or HINT_S) / among
        depth = None if limits.depth is None else max(limits.depth - 1, 1)
        answer = self._thinking.agent.choose(after, dataclasses.replace(limits, time_s=share_s, depth=depth), stop)
        if answer.told_score is None:
            return None
        line = "".join("PA" if text == "pass" else text.upper() for text in answer.pv)
        worth = -discs(answer.told_score)
        return worth, f"search {name}{line} {worth:.2f} 0 {answer.depth + 1}"


def discs(score: float) -> float:
    """An alpha-beta score in discs, from -64 to 64."""
    size = abs(score) - CERTAIN if abs(score) >= CERTAIN else abs(score)
    return math.copysign(min(size / 100, DISCS), score)
