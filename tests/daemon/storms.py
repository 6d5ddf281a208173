"""Random games with faults of eyes and hands, as pure events for the referee."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from daemon.game.effects import Effect
from daemon.judging.referee import Referee
from rules import EMPTY, AnyGame
from rules.turns import boards_of_turn
from tests.daemon.readings import judged, reading_of
from vision.reading.board_reading import BoardReading

MAX_BEHIND = 2
"""Plies that hands may make between two looks."""
MAX_DOUBT_NATS = 1.2
"""Nats by which a doubtful picture may speak against the real board; must stay below the distance of rivals."""


@dataclasses.dataclass
class Table:
    """The real board, and what the referee was shown of it."""

    game: AnyGame
    dice: random.Random
    positions: list[Any] = dataclasses.field(default_factory=list)
    board: str = ""
    """The board as hands have left it, which may be none of the game's boards."""
    behind: int = 0
    """Plies that the referee has not been shown."""
    stood: set[str] = dataclasses.field(default_factory=set)
    """Boards that really stood there when the referee looked."""

    def __post_init__(self) -> None:
        self.positions = [self.dice.choice(self.game.starts)]
        self.mend()

    def mend(self) -> None:
        """Hands restore the board of the game's position."""
        self.board = self.game.board(self.positions[-1])

    def move(self) -> None:
        """Somebody makes a legal move that can be seen, after any forced passes."""
        position, line = self.positions[-1], []
        while self.game.outcome(position) is None:
            moves = list(self.game.legal_moves(position))
            seen = [one for one in self.dice.sample(moves, min(24, len(moves))) if self.game.steps(position, one)]
            if not seen and len(moves) > 1:
                return
            move = self.dice.choice(seen) if seen else moves[0]
            position = self.game.apply(position, move)
            line.append(position)
            if seen:
                break
        if self.game.board(position) != self.game.board(self.positions[-1]):
            self.positions += line
            self.behind += 1
        self.mend()

    def begin(self) -> None:
        """Somebody begins a move and does not finish it."""
        moves = list(self.game.legal_moves(self.positions[-1]))
        halves = [
            board
            for one in self.dice.sample(moves, min(12, len(moves)))
            for board in boards_of_turn(self.game, self.positions[-1], one)[:-1]
        ]
        if halves:
            self.board = self.dice.choice(halves)

    def take_back(self) -> None:
        """Hands undo the last one to three moves that can be seen."""
        if self.behind:
            return
        for _ in range(self.dice.randint(1, 3)):
            board = self.game.board(self.positions[-1])
            while len(self.positions) > 1 and self.game.board(self.positions[-1]) == board:
                self.positions.pop()
        self.mend()

    def disturb(self) -> None:
        """Changes one to three cells at random."""
        board = list(self.board)
        for cell in self.dice.sample(range(len(board)), self.dice.randint(1, 3)):
            board[cell] = self.dice.choice(self.game.classes)
        self.board = "".join(board)

    def sweep(self) -> None:
        """Removes about half of the pieces."""
        self.board = "".join(one if self.dice.random() < 0.5 else EMPTY for one in self.board)

    @property
    def tidy(self) -> bool:
        """Whether the board is that of the game's position."""
        return self.board == self.game.board(self.positions[-1])

    def reading(self) -> BoardReading:
        """A confident, right reading."""
        return reading_of(self.game, self.board)

    def doubtful(self) -> BoardReading:
        """A reading in which one cell may be something else, or even probably is."""
        reading = self.reading()
        logs, cell = reading.log_probabilities.copy(), self.dice.randrange(len(self.board))
        own = self.game.classes.index(self.board[cell])
        other = self.dice.choice([column for column in range(len(self.game.classes)) if column != own])
        logs[cell, own] = logs[cell, other] = np.log(0.5)
        logs[cell, other] += self.dice.uniform(-1.0, MAX_DOUBT_NATS)
        logs[cell] -= np.logaddexp.reduce(logs[cell])
        return dataclasses.replace(reading, log_probabilities=logs)

    def misread(self) -> BoardReading:
        """A confident, wrong reading."""
        board = list(self.board)
        for cell in self.dice.sample(range(len(board)), self.dice.randint(1, 2)):
            board[cell] = self.dice.choice(self.game.classes)
        return reading_of(self.game, "".join(board))


def show(referee: Referee, reading: BoardReading) -> list[Effect]:
    """What the referee concludes from a reading."""
    return judged(referee, reading)


def look(table: Table, referee: Referee) -> None:
    """Shows the referee the real board."""
    table.stood.add(table.board)
    show(referee, table.reading())
    if table.tidy:
        table.behind = 0


def storm(table: Table, referee: Referee, events: int, *, doubts: bool) -> None:
    """This many random events, most followed by a look; hands never get further ahead than `MAX_BEHIND` plies."""
    deeds: list[Callable[[], None]] = [table.move] * 6 + [table.begin, table.take_back, table.disturb, table.sweep]
    for _ in range(events):
        if table.behind >= MAX_BEHIND or not table.tidy:
            table.mend()
            look(table, referee)
        deed = table.dice.choice(deeds)
        deed()
        if deed == table.take_back:
            look(table, referee)
        if doubts and table.tidy and not table.behind and table.dice.random() < 0.3:
            show(referee, table.doubtful())
        if table.dice.random() < 0.7:
            look(table, referee)


def follows_the_rules(referee: Referee) -> bool:
    """Whether every ply of the believed line is legal and leads to the next position."""
    game, line = referee.game, referee.line
    return all(
        ply.move in game.legal_moves(before) and game.apply(before, ply.move) == after
        for ply, before, after in zip(line.plies, line.positions[:-1], line.positions[1:], strict=True)
    )
