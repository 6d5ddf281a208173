"""A slow second implementation of draughts, written from the rules: a dictionary of places, and lists of jumps.

`python -m tests.games.draughts_reference 100` plays so many random games by every rule set, and compares every ply.
"""

from __future__ import annotations

import dataclasses
import random
import sys
from collections.abc import Iterator
from typing import Any

import games

Place = tuple[int, int]
"""Row from the top and column from the left."""
Turn = tuple[int, int, frozenset[int]]
"""Numbers of the first and last square, and of the squares of the pieces taken."""
DIAGONALS = [(-1, -1), (-1, 1), (1, -1), (1, 1)]


@dataclasses.dataclass
class Table:
    """Pieces by place: `w` and `b` are men, `W` and `B` kings; white goes up."""

    size: int
    flying: bool
    backwards: bool
    longest: bool
    passing: bool
    mover: str
    pieces: dict[Place, str]

    @classmethod
    def at_the_start(cls, rules: Any) -> Table:
        size = int(rules.size)
        dark = [(row, column) for row in range(size) for column in range(size) if (row + column) % 2 == 1]
        pieces = {place: "b" for place in dark if place[0] < size // 2 - 1}
        pieces |= {place: "w" for place in dark if place[0] > size // 2}
        mover = "w" if rules.first == "light" else "b"
        return cls(size, rules.flying, rules.backwards, rules.longest, rules.passing, mover, pieces)

    def number(self, place: Place) -> int:
        return place[0] * self.size // 2 + place[1] // 2 + 1

    def on_board(self, place: Place) -> bool:
        return 0 <= place[0] < self.size and 0 <= place[1] < self.size

    def is_last_row(self, place: Place) -> bool:
        return place[0] == (0 if self.mover == "w" else self.size - 1)

    def turns(self) -> dict[Turn, dict[Place, str]]:
        """All legal turns with the pieces after each."""
        captures: dict[Turn, dict[Place, str]] = {}
        for place, piece in list(self.pieces.items()):
            if piece.lower() == self.mover:
                for to, taken, after in self.captures_from(place, place, piece, ()):
                    captures[self.number(place), self.number(to), frozenset(map(self.number, taken))] = after
        if captures:
            most = max(len(taken) for _, _, taken in captures)
            return {turn: after for turn, after in captures.items() if not self.longest or len(turn[2]) == most}
        return dict(self.steps())

    def steps(self) -> Iterator[tuple[Turn, dict[Place, str]]]:
        for place, piece in self.pieces.items():
            if piece.lower() != self.mover:
                continue
            for down, right in DIAGONALS:
                if piece.islower() and down != (-1 if self.mover == "w" else 1):
                    continue
                to = (place[0] + down, place[1] + right)
                while self.on_board(to) and to not in self.pieces:
                    after = {other: one for other, one in self.pieces.items() if other != place}
                    after[to] = piece.upper() if self.is_last_row(to) else piece
                    yield (self.number(place), self.number(to), frozenset()), after
                    if piece.islower() or not self.flying:
                        break
                    to = (to[0] + down, to[1] + right)

    def jumps(
        self, start: Place, place: Place, piece: str, taken: tuple[Place, ...]
    ) -> list[tuple[Place, list[Place]]]:
        """Pieces that may be jumped from a place, each with the places behind it where the jump may end."""

        def is_free(there: Place) -> bool:
            return self.on_board(there) and (there not in self.pieces or there == start)

        found = []
        for down, right in DIAGONALS:
            if piece.islower() and not self.backwards and down != (-1 if self.mover == "w" else 1):
                continue
            far = piece.isupper() and self.flying
            over = (place[0] + down, place[1] + right)
            while far and is_free(over):
                over = (over[0] + down, over[1] + right)
            if self.pieces.get(over, self.mover).lower() == self.mover or over in taken:
                continue
            landings, to = [], (over[0] + down, over[1] + right)
            while is_free(to) and (far or not landings):
                landings.append(to)
                to = (to[0] + down, to[1] + right)
            if landings:
                found.append((over, landings))
        return found

    def captures_from(
        self, start: Place, place: Place, piece: str, taken: tuple[Place, ...]
    ) -> Iterator[tuple[Place, tuple[Place, ...], dict[Place, str]]]:
        jumps = self.jumps(start, place, piece, taken)
        if not jumps and taken:
            after = {other: one for other, one in self.pieces.items() if other not in (start, *taken)}
            after[place] = piece.upper() if self.is_last_row(place) else piece
            yield place, taken, after
        for over, landings in jumps:
            rest = (*taken, over)
            became = {to: piece.upper() if self.passing and self.is_last_row(to) else piece for to in landings}
            on = [to for to in landings if self.jumps(start, to, became[to], rest)]
            for to in on or landings:
                yield from self.captures_from(start, to, became[to], rest)


def compare(name: str, seed: int, plies: int = 150) -> int:
    """Plays a random game by a rule set with both, and compares all turns and pieces; the number of plies."""
    game, draw = games.load("draughts", {"set": name}), random.Random(seed)
    table, position = Table.at_the_start(game.rules), game.initial()
    for ply in range(plies):
        turns = table.turns()
        ours = {}
        for move in game.pieces_can(position):  # type: ignore[attr-defined]
            ours[move.path[0] + 1, move.path[-1] + 1, frozenset(one + 1 for one in move.taken)] = move
        assert ours.keys() == turns.keys(), (name, seed, game.format_position(position))
        if game.outcome(position) is not None:
            return ply
        turn = draw.choice(sorted(ours, key=repr))
        position = game.apply(position, ours[turn])
        table.pieces, table.mover = turns[turn], "b" if table.mover == "w" else "w"
        letters = {table.number(place): piece for place, piece in table.pieces.items()}
        shown = game.figures(position).translate(str.maketrans("WBKQ", "wbWB"))
        assert shown == "".join(letters.get(number, ".") for number in range(1, len(shown) + 1))
    return plies


if __name__ == "__main__":
    for rule_set in games.find("draughts").about.rule_sets:
        number = int(sys.argv[1])
        sys.stdout.write(f"{rule_set}: {number} games, {sum(compare(rule_set, one) for one in range(number))} plies\n")
