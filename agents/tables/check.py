"""Checks tables, their files, counts and values by the plain rules, and how often players keep those values."""

from __future__ import annotations

import dataclasses
import random
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from agents.players import Player, PlayerSpec
from agents.tables import DRAW, HOLE, TableError, files, numbering, outcome, retrograde
from agents.tables.build import counts
from agents.tables.endgames import Endgames
from agents.tables.slots import position_at, slot_count
from games.nine_mens_morris import Move, NineMensMorris, Position

U = np.uint64


def position_of(own: int, opp: int, slot: int) -> Position:
    """The position of a slot, from the mover's view as side 0; it has no history."""
    words = numbering.index(own)
    men = int(position_at(U(words.ctypes.data), U(own), U(opp), U(slot)))
    return Position((men & 0xFFFFFF, men >> 24), (0, 0), 0)


def without_past(game: NineMensMorris) -> NineMensMorris:
    return NineMensMorris(dataclasses.replace(game.rules, repetition=0, quiet_plies=0))


class Checker:
    def __init__(self, game: NineMensMorris, within: Path) -> None:
        self.game, self.folder, self.key = without_past(game), files.of_rules(game, within), files.rules_key(game)
        self.endgames = Endgames(game, within)

    def file(self, own: int, opp: int) -> files.Header:
        """Verifies a file's checksum and recounts it. Raises TableError naming the error."""
        path = files.table_path(self.folder, own, opp)
        header, codes = files.read(path, self.key, own, opp)
        words, sums, again = numbering.index(own), np.zeros(256, dtype=np.uint64), np.array(codes)
        retrograde.finish(U(words.ctypes.data), U(own), U(opp), again, sums)
        if not np.array_equal(again, codes):
            raise TableError(f"{path}: slots of one position hold different values")
        for name, count in counts(sums).items():
            if getattr(header, name) != count:
                raise TableError(f"{path}: the header counts {getattr(header, name)} {name}, the codes {count}")
        return header

    def values(self, own: int, opp: int, states: int | None, seed: int, look: Callable[[], None]) -> int:
        """Checks the values of that many random slots (None: all) by the plain rules; returns how many were checked.

        `look` is called after each. Raises TableError naming the first wrong position.
        """
        slots = slot_count(own, opp)
        chosen: Iterable[int] = range(slots)
        if states is not None and states < slots:
            chosen = random.Random(seed).sample(range(slots), states)
        checked = 0
        for slot in chosen:
            position = position_of(own, opp, slot)
            has, wants = self.endgames.code(*position.men), self.code_by_the_rules(position)
            if has != wants:
                text = self.game.format_position(position)
                raise TableError(f"table {own}-{opp}, {text}: the code is {has}, but what follows gives {wants}")
            checked += 1
            look()
        return checked

    def code_by_the_rules(self, position: Position) -> int:
        if self.game.outcome(position) is not None:
            return 1
        codes = [self._after(self.game.apply(position, move)) for move in self.game.legal_moves(position)]
        wins = [code for code in codes if code != DRAW and code % 2 == 0]
        if wins:
            return min(wins)
        return DRAW if DRAW in codes else max(codes)

    def _after(self, position: Position) -> int:
        """The code, for the side that moved, of the position after its move."""
        mine, theirs = position.men[position.side], position.men[1 - position.side]
        if mine.bit_count() < 3:
            return 2
        code = self.endgames.code(mine, theirs)
        if code is None or code == HOLE:
            raise TableError(f"{self.game.format_position(position)} is in no table: smaller tables are missing")
        return code + 1 if code != DRAW else DRAW


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
        shares = {
            "kept": round(100 * self.kept / self.positions, 2) if self.positions else None,
            "kept_open": round(100 * self.kept_open / self.open, 2) if self.open else None,
        }
        return {"positions": self.positions, "open": self.open, **shares}


class Questions:
    """Positions from all tables of a game's rules, equally many from each table, chosen by a seed."""

    def __init__(self, game: NineMensMorris, within: Path) -> None:
        self.game = without_past(game)
        self._tables = Endgames(game, within)
        self._spaces = sorted(self._tables.addresses)
        if not self._spaces:
            raise TableError(f"no tables in {files.of_rules(game, within)}; `kibitzer tables build` builds them")

    def draw(self, count: int, seed: int) -> Iterator[Question]:
        chance = random.Random(seed)
        for number in range(count):
            own, opp = self._spaces[number % len(self._spaces)]
            yield self._question(own, opp, chance)

    def _question(self, own: int, opp: int, chance: random.Random) -> Question:
        slots = slot_count(own, opp)
        while True:
            position = position_of(own, opp, chance.randrange(slots))
            code = self._tables.code(*position.men)
            if code is None or code == HOLE or self.game.outcome(position) is not None:
                continue
            moves = self.game.legal_moves(position)
            keeping = frozenset(move for move in moves if self._tables.worth(position, move).result == outcome(code))
            if not keeping:
                raise TableError(f"{self.game.format_position(position)}: no move keeps what the table says")
            return Question(position, keeping, len(moves))


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
