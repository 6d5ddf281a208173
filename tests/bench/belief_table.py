"""One table that the referee and the lines of `daemon.belief` watch, and how either judges it."""

from __future__ import annotations

import collections
import dataclasses
import sys
import time
from typing import Any

from daemon.belief import words
from daemon.belief.belief import Belief
from daemon.belief.deciding import Wrong, decide
from daemon.belief.line import Ply
from daemon.belief.look import Look
from daemon.game.effects import Announcement
from daemon.interpret.explain import explain
from daemon.judging.referee import Referee
from rules import AnyGame
from tests.daemon.storms import Table
from vision.reading.board_reading import BoardReading

AGENT = "alphabeta"
LOOKS = 5
LOOK_S = 0.8
COMPLAINTS = ("illegal", "desync", "unfinished", "unclear", "put_back")
RANKS = {"right": 0, "complains": 1, "silent": 2, "behind": 3, "wrong": 4}
"""What either did with a deed, from best to worst: it complained of a board that was right, said nothing of one that
was not, did not believe a board that was clearly shown, or believed one that never stood there."""


@dataclasses.dataclass
class Old:
    """The referee."""

    game: AnyGame
    referee: Referee
    told: list[str] = dataclasses.field(default_factory=list)

    def look(self, reading: BoardReading, time_s: float) -> None:
        effects = self.referee.see(explain(self.game, self.referee.history, reading))
        self.told += [one.code for one in effects if isinstance(one, Announcement)]

    @property
    def position(self) -> Any:
        return self.referee.position

    @property
    def complains(self) -> bool:
        return any(code in COMPLAINTS for code in self.told)

    @property
    def objects(self) -> bool:
        """Whether it now objects to the board."""
        return self.referee.verdict in COMPLAINTS


@dataclasses.dataclass
class New:
    """The lines."""

    game: AnyGame
    belief: Belief
    told: list[str] = dataclasses.field(default_factory=list)
    most_lines: int = 0

    def look(self, reading: BoardReading, time_s: float) -> None:
        before, self.belief = self.belief, self.belief.after(Look(time_s, reading))
        for one in decide(before, self.belief):
            self.told.append(one.kind if isinstance(one, Wrong) else type(one).__name__.lower())
        self.most_lines = max(self.most_lines, len(self.belief.lines))

    @property
    def position(self) -> Any:
        return self.belief.position

    @property
    def complains(self) -> bool:
        return any(code in COMPLAINTS for code in self.told)

    @property
    def objects(self) -> bool:
        return self.belief.standing.state in ("wrong", "unfinished")


class Shadow(Table):
    """A table that two judges watch."""

    def begin_both(self, counts: collections.Counter[tuple[str, str, str]]) -> None:
        self.counts = counts
        self.time_s, self.seconds, self.looks, self.most_lines = 0.0, {"old": 0.0, "new": 0.0}, 0, 0
        self.seat()
        self.show("start", self.reading())

    def seat(self) -> None:
        """Both judges start from the truth."""
        game, moves = self.game, [self._move_to(a, b) for a, b in zip(self.positions, self.positions[1:], strict=False)]
        texts = [game.format_move(before, move) for before, move in zip(self.positions, moves, strict=False)]
        plies = [
            Ply(move, after, game.to_move(before), bool(game.steps(before, move)))
            for before, move, after in zip(self.positions, moves, self.positions[1:], strict=False)
        ]
        started = bool(plies)
        agents = (None, AGENT) if self.has_agent else (None, None)
        self.old = Old(game, Referee(game, agents, list(self.positions) if started else (), texts))
        start = self.positions[0] if started else None
        self.new = New(game, Belief.at(game, start, plies, [1] if self.has_agent else []))

    @property
    def is_agents(self) -> bool:
        """Whether the agent is to move."""
        return self.has_agent and self.game.to_move(self.positions[-1]) == 1

    def answer(self, move: Any) -> None:
        """The agent asks for a move, unless it waits for one already."""
        if self.old.referee.awaiting == "agent":
            text = self.game.format_move(self.positions[-1], move)
            self.old.referee.reply(AGENT, self.old.referee.ply, text)
        self.new.belief = words.told(words.Asked(self.old.referee.agent_move), self.new.belief)

    def _move_to(self, before: Any, after: Any) -> Any:
        return next(move for move in self.game.legal_moves(before) if self.game.apply(before, move) == after)

    def show(self, deed: str, reading: BoardReading, illegal: bool = False) -> None:
        """Both judges look for a while, and are compared."""
        if self.tidy:
            self.stood.add(self.board)
        for name, judge in (("old", self.old), ("new", self.new)):
            judge.told.clear()
            begun = time.process_time()
            for number in range(LOOKS):
                judge.look(reading, self.time_s + number * LOOK_S)
            self.seconds[name] += time.process_time() - begun
        self.time_s += LOOKS * LOOK_S
        self.looks += LOOKS
        self.most_lines = max(self.most_lines, self.new.most_lines)
        sure = self.tidy and not self.doubted
        verdicts = [self._verdict(judge, sure, illegal) for judge in (self.old, self.new)]
        self.counts[(deed, *verdicts)] += 1
        if verdicts[0] != verdicts[1] and self.tells:
            print(self.game.short_name, self.seed, deed, verdicts, *self._described(), file=sys.stderr)
        if self.tidy:
            self.behind = 0
        if self.tidy and (verdicts != ["right", "right"] or (sure and self._tells_otherwise())):
            self.seat()
            for number in range(2):
                for judge in (self.old, self.new):
                    judge.look(self.reading(), self.time_s + number)
            self.time_s += 2

    def _described(self) -> list[str]:
        """What both said, the true board and theirs, and the likeliest lines."""
        boards = [self.board, *(self.game.board(judge.position) for judge in (self.old, self.new))]
        lines = [(len(line.plies), round(line.cost, 1), line.shown) for line in self.new.belief.lines[:4]]
        belief = self.new.belief
        return [str(one) for one in (self.old.told, self.new.told, boards, belief.standing.state, lines, belief.none)]

    def _tells_otherwise(self) -> bool:
        """Whether one of them has another line to the same board, which nobody who looks can tell."""
        return any(judge.position != self.positions[-1] for judge in (self.old, self.new))

    def _verdict(self, judge: Old | New, sure: bool, illegal: bool) -> str:
        board = self.game.board(judge.position)
        if board not in self.stood:
            return "wrong"
        if sure and board != self.board:
            return "behind"
        if sure and judge.objects:
            return "complains"
        return "silent" if illegal and not judge.complains else "right"

    has_agent = False
    """Whether an agent plays the second side."""
    doubted = False
    """Whether a cell is shown in doubt, so that nothing has to be believed."""
    seed = 0
    tells = False
    """Whether every difference is printed."""
