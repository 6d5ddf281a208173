"""Illegal moves by kind, made instead of a legal move.

Each maker returns the resulting board, or None if the mistake is not possible now. The codes by which a kind may be
reported are those that the game names in `mistakes`, separated by spaces, by the names of KINDS: they are written from
its rules, independently of its judge.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Mapping
from typing import Any

from daemon.game.line_of_play import shares_pieces
from rules import EMPTY, AnyGame, Counts, HiddenHands
from rules.turns import carry_out, changed_cells

Attempt = Callable[["Situation"], str | None]


@dataclasses.dataclass(frozen=True)
class Situation:
    game: AnyGame
    position: Any
    board: str
    chance: random.Random

    @property
    def mine(self) -> str:
        return str(self.game.pieces[self.game.to_move(self.position)])

    @property
    def theirs(self) -> str:
        return str(self.game.pieces[1 - self.game.to_move(self.position)])

    @property
    def to_lay(self) -> int | None:
        """Pieces that the side to move has still to lay; None if they are not counted."""
        left = Counts.of(self.game).to_lay(self.position)
        return None if left is None else left[self.game.to_move(self.position)]

    def cells(self, letter: str) -> list[int]:
        return [cell for cell, here in enumerate(self.board) if here == letter]

    def some(self, letter: str, count: int = 1) -> list[int]:
        """`count` random cells with that letter; fewer if there are not so many."""
        cells = self.cells(letter)
        return self.chance.sample(cells, min(count, len(cells)))

    def with_cells(self, changes: Mapping[int, str]) -> str:
        return "".join(changes.get(cell, letter) for cell, letter in enumerate(self.board))

    def moves(self, kind: str, least: int = 1) -> list[Any]:
        """Legal moves with at least `least` steps of a kind."""
        found = []
        for move in self.game.legal_moves(self.position):
            steps = self.game.steps(self.position, move)
            if sum(step.kind == kind for step in steps) >= least:
                found.append(move)
        return found

    def after(self, move: Any) -> dict[int, str]:
        board = carry_out(self.board, self.game.steps(self.position, move))
        return {cell: board[cell] for cell in changed_cells(self.board, board)}


@dataclasses.dataclass(frozen=True)
class Mistake:
    name: str
    rules: frozenset[str]
    """Codes by which it may be reported; if empty, any code will do."""
    make: Attempt

    def is_called(self, rule: str) -> bool:
        return not self.rules or rule in self.rules


def lay(at: Situation, letter: str, count: int = 1) -> str | None:
    free = at.some(EMPTY, count)
    return at.with_cells(dict.fromkeys(free, letter)) if len(free) == count else None


def shift(at: Situation, letter: str, count: int = 1) -> str | None:
    men, free = at.some(letter, count), at.some(EMPTY, count)
    if len(men) < count or len(free) < count:
        return None
    return at.with_cells({**dict.fromkeys(men, EMPTY), **dict.fromkeys(free, letter)})


def take(at: Situation, letter: str) -> str | None:
    men = at.some(letter)
    return at.with_cells({men[0]: EMPTY}) if men else None


def recolour(at: Situation, letter: str, into: str) -> str | None:
    men = at.some(letter)
    return at.with_cells({men[0]: into}) if men else None


def legal_and(at: Situation, kind: str, extra: Callable[[Situation, Any], dict[int, str] | None]) -> str | None:
    moves = at.moves(kind)
    if not moves:
        return None
    move = at.chance.choice(moves)
    changes = extra(at, move)
    return None if changes is None else at.with_cells({**at.after(move), **changes})


def also_take(at: Situation, move: Any) -> dict[int, str] | None:
    left = [cell for cell in at.cells(at.theirs) if cell not in at.after(move)]
    return {at.chance.choice(left): EMPTY} if left else None


def also_turn(at: Situation, move: Any) -> dict[int, str] | None:
    left = [cell for cell in at.cells(at.theirs) if cell not in at.after(move)]
    return {at.chance.choice(left): at.mine} if left else None


def one_not_turned(at: Situation, move: Any) -> dict[int, str] | None:
    turned = [step.cell for step in at.game.steps(at.position, move) if step.kind == "flip"]
    return {at.chance.choice(turned): EMPTY} if turned else None


KINDS: dict[str, Attempt] = {
    "wrong side lays": lambda at: lay(at, at.theirs),
    "wrong side moves": lambda at: _joined(at, at.theirs),
    "laid where it may not lie": lambda at: _lay_elsewhere(at),
    "two laid": lambda at: lay(at, at.mine, 2) if at.to_lay is None or at.to_lay > 1 else None,
    "two moved": lambda at: None if at.to_lay else shift(at, at.mine, 2),
    "one too many": lambda at: None if at.to_lay else lay(at, at.mine),
    "moved while laying": lambda at: shift(at, at.mine) if at.to_lay else None,
    "moved too far": lambda at: None if at.to_lay else shift(at, at.mine),
    "enemy moved": lambda at: shift(at, at.theirs),
    "own taken": lambda at: take(at, at.mine),
    "enemy taken": lambda at: take(at, at.theirs),
    "laid and taken": lambda at: legal_and(at, "place", also_take) if at.to_lay and not at.moves("remove") else None,
    "two taken": lambda at: legal_and(at, "remove", also_take),
    "enemy turned": lambda at: recolour(at, at.theirs, at.mine),
    "own turned": lambda at: recolour(at, at.mine, at.theirs),
    "laid and turned too many": lambda at: legal_and(at, "place", also_turn),
    "moved and turned too many": lambda at: legal_and(at, "move", also_turn),
    "moved and taken": lambda at: legal_and(at, "move", also_take),
    "taken instead of turned": lambda at: legal_and(at, "flip", one_not_turned),
    "tile touches nothing": lambda at: _tile(at, touching=False),
    "tile touches others": lambda at: _tile(at, touching=True),
    "tile taken": lambda at: _tile_away(at),
    "tile moved": lambda at: _tile_elsewhere(at),
    "tile turned round": lambda at: _tile_round(at),
}
"""The maker of each kind."""


def mistakes_of(game: AnyGame) -> list[Mistake]:
    """The kinds possible in a game: those it names, or else all that suit its pieces, reportable by any code."""
    if named := getattr(game, "mistakes", None):
        return [Mistake(name, frozenset(codes.split()), KINDS[name]) for name, codes in named.items()]
    tiles = shares_pieces(game)
    return [Mistake(name, frozenset(), make) for name, make in KINDS.items() if name.startswith("tile") == tiles]


def _joined(at: Situation, letter: str) -> str | None:
    """Moves a piece of a letter along a line to an empty neighbour."""
    neighbours = at.game.about.neighbours
    ways = [
        (origin, cell)
        for origin in at.cells(letter)
        for cell in at.cells(EMPTY)
        if not neighbours or neighbours[origin] >> cell & 1
    ]
    if not ways:
        return None
    origin, cell = at.chance.choice(ways)
    return at.with_cells({origin: EMPTY, cell: letter})


def _lay_elsewhere(at: Situation) -> str | None:
    legal = {step.cell for move in at.moves("place") for step in at.game.steps(at.position, move)}
    free = [cell for cell in at.cells(EMPTY) if cell not in legal]
    return at.with_cells({at.chance.choice(free): at.mine}) if free and legal else None


def _beside(at: Situation) -> list[tuple[int, int]]:
    """Pairs of neighbouring empty cells, on a square board named row by row."""
    side = round(len(at.board) ** 0.5)
    free = set(at.cells(EMPTY))
    right = [(cell, cell + 1) for cell in free if cell % side < side - 1 and cell + 1 in free]
    return right + [(cell, cell + side) for cell in free if cell + side in free]


def _tile(at: Situation, *, touching: bool) -> str | None:
    """Lays a random tile, either beside the pieces on the board or away from them."""
    side = round(len(at.board) ** 0.5)
    lying = {cell for cell, letter in enumerate(at.board) if letter != EMPTY}
    near = lying | {cell + step for cell in lying for step in (-1, 1, -side, side)}
    pairs = [pair for pair in _beside(at) if bool(near & set(pair)) == touching]
    if not pairs or not lying:
        return None
    one, other = at.chance.choice(pairs)
    letters = at.game.classes[1:]
    return at.with_cells({one: at.chance.choice(letters), other: at.chance.choice(letters)})


def _tile_away(at: Situation) -> str | None:
    tiles = HiddenHands.of(at.game).tiles(at.position)[:-4]
    return at.with_cells(dict.fromkeys(at.chance.choice(tiles), EMPTY)) if tiles else None


def _tile_elsewhere(at: Situation) -> str | None:
    pairs = _beside(at)
    tiles = HiddenHands.of(at.game).tiles(at.position)
    if not tiles or not pairs:
        return None
    tile, (one, other) = at.chance.choice(tiles), at.chance.choice(pairs)
    letters = [at.board[cell] for cell in sorted(tile)]
    return at.with_cells({**dict.fromkeys(tile, EMPTY), one: letters[0], other: letters[1]})


def _tile_round(at: Situation) -> str | None:
    tiles = HiddenHands.of(at.game).tiles(at.position)
    uneven = [(one, other) for one, other in tiles if at.board[one] != at.board[other]]
    if not uneven:
        return None
    one, other = at.chance.choice(uneven)
    return at.with_cells({one: at.board[other], other: at.board[one]})
