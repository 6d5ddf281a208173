"""Measures how often players keep the value of a position: won, drawn or lost, according to the tables."""

from __future__ import annotations

import dataclasses
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from agents.players import Player, PlayerSpec
from agents.tables import HOLE, TableError, folder, outcome
from agents.tables.check import position_of, without_past
from games.nine_mens_morris import Move, NineMensMorris, Position
from games.nine_mens_morris.kernel import endgame_index
from games.nine_mens_morris.kernel.endgames import Endgames


@dataclasses.dataclass(frozen=True)
class Question:
    position: Position
    keeping: frozenset[Move]
    moves: int

    @property
    def is_open(self) -> bool:
        """Whether any move loses value."""
        return len(self.keeping) < self.moves


@dataclasses.dataclass
class Kept:
    positions: int = 0
    kept: int = 0
    open: int = 0
    """Positions in which a move could lose value."""
    kept_open: int = 0

    def add(self, question: Question, move: Move) -> None:
        kept = move in question.keeping
        self.positions, self.kept = self.positions + 1, self.kept + kept
        if question.is_open:
            self.open, self.kept_open = self.open + 1, self.kept_open + kept

    def as_json(self) -> dict[str, object]:
        """Counts, and shares in percent; None if no question was asked."""
        shares = {
            "kept": round(100 * self.kept / self.positions, 2) if self.positions else None,
            "kept_open": round(100 * self.kept_open / self.open, 2) if self.open else None,
        }
        return {"positions": self.positions, "open": self.open, **shares}


class Questions:
    """Positions from all tables of a game's rules, equally many from each table, chosen by a seed."""

    def __init__(self, game: NineMensMorris, within: Path) -> None:
        """Raises TableError if there is no table."""
        self.game = without_past(game)
        self._tables = Endgames(game, within)
        self._spaces = sorted(self._tables.addresses)
        if not self._spaces:
            raise TableError(f"no tables in {folder.of_rules(game, within)}; `kibitzer tables build` builds them")

    def draw(self, count: int, seed: int) -> Iterator[Question]:
        chance = random.Random(seed)
        for number in range(count):
            own, opp = self._spaces[number % len(self._spaces)]
            yield self._question(own, opp, chance)

    def _question(self, own: int, opp: int, chance: random.Random) -> Question:
        slots = endgame_index.slots(own, opp)
        while True:
            position = position_of(own, opp, chance.randrange(slots))
            code = self._tables.code(*position.men)
            if code is None or code == HOLE or self.game.outcome(position) is not None:
                continue
            moves = self.game.legal_moves(position)
            keeping = frozenset(move for move in moves if self._worth(position, move) == outcome(code))
            if not keeping:
                raise TableError(f"{self.game.format_position(position)}: no move keeps what the table says")
            return Question(position, keeping, len(moves))

    def _worth(self, position: Position, move: Move) -> int:
        """Value, 1, 0 or -1, of the position after a move, for the side that made it."""
        after = self.game.apply(position, move)
        ended = self.game.outcome(after)
        if ended is not None:
            return 0 if ended.winner is None else (1 if ended.winner == position.side else -1)
        code = self._tables.code(after.men[after.side], after.men[1 - after.side])
        if code is None:
            raise TableError(f"{self.game.format_position(after)} is in no table: smaller tables are missing")
        return -outcome(code)


def keep(
    questions: Questions, players: Sequence[PlayerSpec], count: int, seed: int, look: Callable[[], None]
) -> list[Kept]:
    """Asks every player all questions; `look` is called after each. Raises TableError, AgentError."""
    made = [Player(spec, questions.game) for spec in players]
    found = [Kept() for _ in made]
    stop = threading.Event()
    for question in questions.draw(count, seed):
        for player, kept in zip(made, found, strict=True):
            kept.add(question, player.choose(question.position, stop).move)
            look()
    return found
