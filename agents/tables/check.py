"""Checks tables: their files, their counts, and their values by the plain rules, one ply at a time."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from agents.tables import DRAW, HOLE, TableError, files, folder, solving
from games.nine_mens_morris import NineMensMorris, Position
from games.nine_mens_morris.kernel import endgame_index, retrograde
from games.nine_mens_morris.kernel.endgames import Endgames

U = np.uint64


def position_of(own: int, opp: int, slot: int) -> Position:
    """The position of a slot, from the mover's view as side 0; it has no history."""
    words = endgame_index.index(own)
    men = int(endgame_index.position_at(U(words.ctypes.data), U(own), U(opp), U(slot)))
    return Position((men & 0xFFFFFF, men >> 24), (0, 0), 0)


def without_past(game: NineMensMorris) -> NineMensMorris:
    """The game as the tables define it: no repetition and no limit on quiet moves."""
    return NineMensMorris(dataclasses.replace(game.rules, repetition=0, quiet_plies=0))


class Checker:
    def __init__(self, game: NineMensMorris, within: Path) -> None:
        self.game, self.folder, self.key = without_past(game), folder.of_rules(game, within), folder.rules_key(game)
        self.endgames = Endgames(game, within)

    def file(self, own: int, opp: int) -> files.Header:
        """Verifies a file's checksum and recounts it. Raises TableError naming the error."""
        path = folder.table_path(self.folder, own, opp)
        header, codes = files.read(path, self.key, own, opp)
        words, sums, again = endgame_index.index(own), np.zeros(256, dtype=np.uint64), np.array(codes)
        retrograde.finish(U(words.ctypes.data), U(own), U(opp), again, sums)
        if not np.array_equal(again, codes):
            raise TableError(f"{path}: slots of one position hold different values")
        for name, count in solving.counts(sums).items():
            if getattr(header, name) != count:
                raise TableError(f"{path}: the header counts {getattr(header, name)} {name}, the codes {count}")
        return header

    def values(self, own: int, opp: int, states: int | None, seed: int, look: Callable[[], None]) -> int:
        """Checks the values of that many random slots (None: all) by the plain rules; returns how many were checked.

        `look` is called after each. Raises TableError naming the first wrong position.
        """
        slots = endgame_index.slots(own, opp)
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
        """The code that follows from the codes of the positions one ply later."""
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
