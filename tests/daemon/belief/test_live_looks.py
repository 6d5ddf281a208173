"""Looks while hands work: cells covered at random, steps seen or not, doubtful cells, holes of seconds."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np
import pytest

import games
from daemon.belief.deciding import Wrong
from rules import AnyGame
from rules.turns import boards_of_turn
from tests.daemon.belief.table import BeliefTable
from tests.daemon.readings import reading_of
from vision.reading.board_reading import BoardReading


@dataclasses.dataclass
class Hands:
    """Carries out moves while the table looks."""

    table: BeliefTable
    dice: random.Random

    def make(self, position: Any, move: Any) -> None:
        """Each step in view or under the hand; then the board is free for a second."""
        game = self.table.game
        before = game.board(position)
        for board in (before, *boards_of_turn(game, position, move)):
            for _ in range(self.dice.randint(0, 4)):
                self.covered(board, self._over(position, move))
        for _ in range(5):
            self.look(self.doubtful(board, 0.1))

    def _over(self, position: Any, move: Any) -> list[int]:
        """The cells of the move, some of them, and some others."""
        steps = self.table.game.steps(position, move)
        own = [cell for step in steps for cell in (step.cell, step.origin) if cell is not None]
        cells = range(len(self.table.game.cells))
        return [*(cell for cell in own if self.dice.random() < 0.8), *self.dice.sample(cells, len(cells) // 8)]

    def covered(self, board: str, cells: list[int]) -> None:
        mask = np.zeros(len(board), bool)
        mask[cells] = True
        self.look(self.doubtful(board, 0.5).without(mask), free=False)
        self.table.time_s += self.dice.choice((0.0, 0.0, 0.0, 2.0))

    def doubtful(self, board: str, chance: float) -> BoardReading:
        """A reading in which a cell may be something else, rather less likely than what it is."""
        reading, letters = reading_of(self.table.game, board), self.table.game.classes
        if self.dice.random() < chance:
            cell = self.dice.randrange(len(board))
            logs = reading.log_probabilities[cell]
            other = self.dice.choice([one for one in range(len(letters)) if letters[one] != board[cell]])
            logs[other] = logs[letters.index(board[cell])] - self.dice.uniform(-0.4, 2.0)
            logs -= np.logaddexp.reduce(logs)
        return reading

    def look(self, reading: BoardReading, *, free: bool = True) -> None:
        self.table.show(reading, free=free)


@pytest.mark.parametrize("name", ["morris", "reversi", "dominoes", "ganh", "gomoku", "chess", "go", "draughts"])
@pytest.mark.parametrize("seed", range(4))
def test_hands_in_the_picture_change_nothing(name: str, seed: int) -> None:
    game: AnyGame = games.load(name)
    table, dice, position = BeliefTable(game), random.Random(seed), game.initial()
    hands, moves, stood = Hands(table, dice), list[str](), {game.board(position)}
    table.stand(game.board(position))
    plies = 10 if name == "dominoes" else 25  # hundreds of moves in each position
    while len(moves) < plies and game.outcome(position) is None:
        legal = list(game.legal_moves(position))
        move = dice.choice([one for one in legal if game.steps(position, one)] or legal)
        after = game.apply(position, move)
        stood.add(game.board(after))
        moves.append(game.format_move(position, move))
        if game.steps(position, move):
            hands.make(position, move)
        position = after
        assert table.board in stood
        assert table.board == game.board(position), (moves[-4:], table.moves[-4:], table.belief.standing.state)
    assert table.moves == moves
    assert not any(isinstance(one, Wrong) and one.kind != "unclear" for one in table.decisions)


def test_a_ply_under_a_hand_stays_believed_when_the_hand_hides_its_cells_again() -> None:
    """What was known of cells still counts against other lines while they are hidden; a takeback was told before."""
    game = games.load("chess")
    table, position = BeliefTable(game), game.initial()
    table.stand(game.board(position))
    for text in ("Nf3", "Nf6"):
        position = game.apply(position, game.parse_move(position, text))
        table.stand(game.board(position), 0.4, free=False)
    hidden = [game.cells.index(name) for name in ("f6", "g8", "g7", "h8")]
    table.stand(game.board(position), 2.0, free=False, hidden=hidden)
    assert table.moves == ["Nf3", "Nf6"]
