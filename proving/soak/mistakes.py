"""Illegal moves, by the rule that they break: what a hand does instead of a legal move, for each game.

Each maker returns the board that it leads to, or None where it cannot be done now. The rules that may be reported are
written here from the games' rules, not asked from their judges.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Mapping
from typing import Any

import games
from games import EMPTY, AnyGame

Make = Callable[["Situation"], str | None]


@dataclasses.dataclass(frozen=True)
class Situation:
    """What a player sees who is about to make a mistake."""

    game: AnyGame
    position: Any
    board: str
    chance: random.Random

    @property
    def mine(self) -> str:
        """Class letter of the men of the side to move."""
        return str(self.game.pieces[self.game.to_move(self.position)])

    @property
    def theirs(self) -> str:
        """Of the other side's."""
        return str(self.game.pieces[1 - self.game.to_move(self.position)])

    def cells(self, letter: str) -> list[int]:
        """The cells that show a letter."""
        return [cell for cell, here in enumerate(self.board) if here == letter]

    def some(self, letter: str, count: int = 1) -> list[int]:
        """So many of them by chance; fewer where there are no more."""
        cells = self.cells(letter)
        return self.chance.sample(cells, min(count, len(cells)))

    def with_cells(self, changes: Mapping[int, str]) -> str:
        """The board with other letters on some cells."""
        return "".join(changes.get(cell, letter) for cell, letter in enumerate(self.board))

    def moves(self, kind: str, least: int = 1) -> list[Any]:
        """Legal moves with so many steps of a kind."""
        found = []
        for move in self.game.legal_moves(self.position):
            steps = self.game.steps(self.position, move)
            if sum(step.kind == kind for step in steps) >= least:
                found.append(move)
        return found

    def after(self, move: Any) -> dict[int, str]:
        """What a legal move changes, by cell."""
        board = games.carry_out(self.board, self.game.steps(self.position, move))
        return {cell: board[cell] for cell in games.changed_cells(self.board, board)}


@dataclasses.dataclass(frozen=True)
class Mistake:
    """One kind of illegal move."""

    name: str
    rules: frozenset[str]
    """Codes by which it may be reported."""
    make: Make


def lay(at: Situation, letter: str, count: int = 1) -> str | None:
    """So many men of a letter on empty cells."""
    free = at.some(EMPTY, count)
    return at.with_cells(dict.fromkeys(free, letter)) if len(free) == count else None


def shift(at: Situation, letter: str, count: int = 1) -> str | None:
    """So many men from their cells to empty ones."""
    men, free = at.some(letter, count), at.some(EMPTY, count)
    if len(men) < count or len(free) < count:
        return None
    return at.with_cells({**dict.fromkeys(men, EMPTY), **dict.fromkeys(free, letter)})


def take(at: Situation, letter: str) -> str | None:
    """A man of a letter is taken away."""
    men = at.some(letter)
    return at.with_cells({men[0]: EMPTY}) if men else None


def recolour(at: Situation, letter: str, into: str) -> str | None:
    """A man is exchanged for one of another letter."""
    men = at.some(letter)
    return at.with_cells({men[0]: into}) if men else None


def legal_and(at: Situation, kind: str, extra: Callable[[Situation, Any], dict[int, str] | None]) -> str | None:
    """A legal move with a step of that kind, and something that does not belong to it."""
    moves = at.moves(kind)
    if not moves:
        return None
    move = at.chance.choice(moves)
    changes = extra(at, move)
    return None if changes is None else at.with_cells({**at.after(move), **changes})


def also_take(at: Situation, move: Any) -> dict[int, str] | None:
    """One enemy man more is taken."""
    left = [cell for cell in at.cells(at.theirs) if cell not in at.after(move)]
    return {at.chance.choice(left): EMPTY} if left else None


def also_turn(at: Situation, move: Any) -> dict[int, str] | None:
    """One enemy man more is turned over."""
    left = [cell for cell in at.cells(at.theirs) if cell not in at.after(move)]
    return {at.chance.choice(left): at.mine} if left else None


def one_not_turned(at: Situation, move: Any) -> dict[int, str] | None:
    """One man that should be turned over is taken away instead."""
    turned = [step.cell for step in at.game.steps(at.position, move) if step.kind == "flip"]
    return {at.chance.choice(turned): EMPTY} if turned else None


def _kind(name: str, rules: str, make: Make) -> Mistake:
    return Mistake(name, frozenset(rules.split()), make)


MORRIS = (
    _kind("wrong side lays", "not_your_turn extra_man", lambda at: lay(at, at.theirs)),
    _kind("wrong side moves", "not_your_turn", lambda at: _joined(at, at.theirs)),
    _kind("two men laid", "two_men_laid", lambda at: lay(at, at.mine, 2) if _laying(at) > 1 else None),
    _kind("two men moved", "two_men_moved", lambda at: None if _laying(at) else shift(at, at.mine, 2)),
    _kind("one man too many", "extra_man", lambda at: None if _laying(at) else lay(at, at.mine)),
    # A man that closes a mill where he lands may have come from the hand, and one of his own have been taken for it.
    _kind("moved while laying", "must_place wrong_man_removed", lambda at: shift(at, at.mine) if _laying(at) else None),
    _kind("moved too far", "not_adjacent", lambda at: None if _laying(at) else shift(at, at.mine)),
    _kind("own man taken", "man_missing", lambda at: take(at, at.mine)),
    _kind("taken without a mill", "man_removed_without_mill", lambda at: take(at, at.theirs)),
    _kind(
        "laid and taken without a mill",
        "man_removed_without_mill",
        lambda at: legal_and(at, "place", also_take) if _laying(at) and not at.moves("remove") else None,
    ),
    _kind("two taken", "two_men_removed", lambda at: legal_and(at, "remove", also_take)),
    _kind("colour changed", "piece_changed_colour", lambda at: recolour(at, at.theirs, at.mine)),
)
REVERSI = (
    _kind("wrong side lays", "not_your_turn", lambda at: lay(at, at.theirs)),
    _kind("turns nothing", "turns_nothing", lambda at: _lay_far(at)),
    _kind("two discs laid", "two_discs_laid", lambda at: lay(at, at.mine, 2)),
    _kind("disc moved", "disc_moved", lambda at: shift(at, at.theirs)),
    _kind("disc missing", "disc_missing", lambda at: take(at, at.theirs)),
    _kind("turned without laying", "turned_without_laying", lambda at: recolour(at, at.theirs, at.mine)),
    _kind("wrong disc turned", "wrong_disc_turned", lambda at: legal_and(at, "place", also_turn)),
)
GANH = (
    _kind("wrong side moves", "not_your_turn", lambda at: _joined(at, at.theirs)),
    _kind("moved too far", "not_adjacent no_jumps nothing_to_jump", lambda at: shift(at, at.mine)),
    _kind("one man too many", "extra_man", lambda at: lay(at, at.mine)),
    _kind("two men moved", "two_men_moved", lambda at: shift(at, at.mine, 2)),
    _kind("man missing", "man_missing", lambda at: take(at, at.theirs)),
    _kind("colour changed", "piece_changed_colour", lambda at: recolour(at, at.mine, at.theirs)),
    _kind(
        "turned without a move",
        "man_turned_without_move piece_changed_colour",
        lambda at: recolour(at, at.theirs, at.mine),
    ),
    _kind("wrong man turned", "not_captured piece_changed_colour", lambda at: legal_and(at, "move", also_turn)),
    _kind("wrong man taken", "not_captured man_not_turned", lambda at: legal_and(at, "move", also_take)),
    _kind("taken instead of turned", "man_not_turned", lambda at: legal_and(at, "flip", one_not_turned)),
)
GOMOKU = (
    _kind("wrong side lays", "not_your_turn", lambda at: lay(at, at.theirs)),
    _kind("two stones laid", "two_stones_laid", lambda at: lay(at, at.mine, 2)),
    _kind("stone moved", "stone_moved", lambda at: shift(at, at.theirs)),
    _kind("stone missing", "stone_missing", lambda at: take(at, at.mine)),
    _kind("colour changed", "piece_changed_colour", lambda at: recolour(at, at.theirs, at.mine)),
)
DOMINOES = (
    _kind("touches nothing", "touches_nothing", lambda at: _tile(at, touching=False)),
    _kind(
        "pips differ",
        "pips_differ touches_two_tiles touches_nothing not_joined_to_double third_copy not_on_star",
        lambda at: _tile(at, touching=True),
    ),
    _kind("tile taken", "tile_removed", lambda at: _tile_away(at)),
    _kind("tile moved", "tile_moved tiles_rearranged", lambda at: _tile_elsewhere(at)),
    _kind("tile turned round", "tile_changed", lambda at: _tile_round(at)),
)
MISTAKES: dict[str, tuple[Mistake, ...]] = {
    "nine_mens_morris": MORRIS,
    "reversi": REVERSI,
    "co_ganh": GANH,
    "gomoku": GOMOKU,
    "double_double_dominoes": DOMINOES,
}


def _laying(at: Situation) -> int:
    """Men that the side to move in morris has still to lay."""
    return int(at.position.hands[at.position.side])


def _joined(at: Situation, letter: str) -> str | None:
    """A man of a letter moves along a line to an empty neighbour."""
    neighbours = getattr(at.game, "neighbours", None)
    ways = [
        (origin, cell)
        for origin in at.cells(letter)
        for cell in at.cells(EMPTY)
        if neighbours is None or neighbours[origin] >> cell & 1
    ]
    if not ways:
        return None
    origin, cell = at.chance.choice(ways)
    return at.with_cells({origin: EMPTY, cell: letter})


def _lay_far(at: Situation) -> str | None:
    """A disc where it turns nothing."""
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
    """A tile by chance, beside what lies there or far from it."""
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
    """A tile that was laid long ago is taken away."""
    tiles = list(at.position.tiles)[:-4]
    return at.with_cells(dict.fromkeys(at.chance.choice(tiles).cells, EMPTY)) if tiles else None


def _tile_elsewhere(at: Situation) -> str | None:
    """A tile is taken up and laid on two other cells."""
    pairs = _beside(at)
    if not at.position.tiles or not pairs:
        return None
    lay, (one, other) = at.chance.choice(list(at.position.tiles)), at.chance.choice(pairs)
    letters = [at.board[cell] for cell in sorted(lay.cells)]
    return at.with_cells({**dict.fromkeys(lay.cells, EMPTY), one: letters[0], other: letters[1]})


def _tile_round(at: Situation) -> str | None:
    """A tile is turned round where it lies."""
    uneven = [lay for lay in at.position.tiles if at.board[lay.cells[0]] != at.board[lay.cells[1]]]
    if not uneven:
        return None
    one, other = at.chance.choice(uneven).cells
    return at.with_cells({one: at.board[other], other: at.board[one]})
